"""Svoyi Kozyri, the classic game for two to four players, each with a trump suit of his own."""

from __future__ import annotations

import random
from typing import Any, ClassVar, Self

from engine.cards import SUIT_NAMES, Card, deal, deck_cards, in_order
from engine.errors import GameError
from engine.game import one_point
from engine.games import fields
from engine.games.options import FLAG, Option, OptionGame, dealer_option, limit_option
from engine.games.pile import PileState, one_against_all, parse_trumps
from engine.games.pile_seen import BEAT, CHOOSE, LEAD, SECOND, Trumps, format_trumps
from engine.notation import clean

RANKS = 9
ACE, SIX = 14, 6


class TrumpsOption(Option):
    """How trump suits come about, or which they are, agreed before the deal: `C/D/H/S`."""

    def read(self, name: str, value: Any) -> Any:
        """The word, or the suits as a state writes them. Raises GameError."""
        if "/" not in str(value):
            return super().read(name, value)
        return format_trumps(parse_trumps(clean(str(value).strip())))

    def values(self) -> str:
        return f"{super().values()}; or the suits of all players, such as C/D/H/S"


RULES = """\
Everyone for himself, each with trumps of his own. Whoever faces the top card
of the pile beats it, with a higher card of its suit or with one of his own
trumps (his own trumps only with a higher one), and then leads any card on
top; or he picks up from the top: five cards if the top card is one of his
trumps, the whole pile if it is their ace, otherwise three. Whoever has no
cards is out; the last player with cards loses.
"""
EXAMPLES = {
    "9D": "lead this card, or beat with it",
    "pickup": "pick up cards from the top of the pile",
    "hearts": "choose this suit as trumps; h or ♥ will do",
}


class SvoyiKozyri(OptionGame):
    """The game with its options."""

    name = "svoyi_kozyri"
    action_count = 4 * RANKS + 5
    rules = RULES
    examples: ClassVar = EXAMPLES
    OPTIONS: ClassVar = {
        "players": Option("number of players", range(2, 5), "4"),
        "trumps": TrumpsOption(
            "trump suits are chosen, the dealer first, in each deal or for a session, or drawn",
            ("chosen", "session", "drawn"),
            "chosen",
        ),
        "two_trumps": Option("two players have two trump suits each", FLAG, "false"),
        "pickup": Option(
            "cards to pick up: 3, 5 under an own trump, all under its ace; or always 3",
            ("by_trump", "fixed"),
            "by_trump",
        ),
        "after_pickup": Option(
            "the next player faces the card then on top, or leads on it",
            ("face", "lead"),
            "face",
        ),
        "draw": Option(
            "it is a draw if the last card left beats the last lead, or any last card",
            ("lead", "any"),
            "lead",
        ),
        "memory": Option(
            "players know what they may look at, or remember all plays",
            ("table", "plays"),
            "table",
        ),
        "score": Option(
            "a point against the loser, or for the first player out",
            ("losses", "first_out"),
            "losses",
        ),
        "dealer": dealer_option(4),
        "limit": limit_option(500),
    }
    trumps: str
    two_trumps: bool
    pickup: str
    after_pickup: str
    draw: str
    memory: str
    score: str

    def __init__(self, **options: object) -> None:
        """Raises GameError."""
        super().__init__(**options)
        if self.two_trumps and self.players != 2:
            raise GameError(f"two_trumps is for two players, not for {self.players}")
        if self.dealer_or(1) > self.players:
            raise GameError(f"dealer {self.dealer} does not sit at a table of {self.players}")
        if self.agreed and [len(own) for own in self.agreed] != [self.suits_each] * self.players:
            raise GameError(
                f"trumps={self.trumps} is wrong for {self.players} players, "
                f"expected {self.suits_each} for each"
            )
        share = 1.0 / (self.players - 1)
        self.bounds = (-1.0, share)
        if self.score == "first_out":
            self.targets = (5, 10)
            self.few_is_good = False
            self.bounds = (-share, 1.0)

    @property
    def suits_each(self) -> int:
        """How many trump suits each player has."""
        return 2 if self.two_trumps else 1

    @property
    def agreed(self) -> Trumps:
        """The trump suits if they are fixed before the deal."""
        return () if self.trumps in self.OPTIONS["trumps"].legal else parse_trumps(self.trumps)

    def initial(self, seed: int) -> SvoyiState:
        """The deal; if trumps are chosen, the sixes stay in their places until all have chosen."""
        rng = random.Random(seed)
        dealer = self.dealer_or(rng.randint(1, self.players))
        suits = rng.sample(range(4), 4)
        cards = sorted(deck_cards(RANKS))
        rng.shuffle(cards)
        seats = range(self.players)
        nothing = tuple(frozenset[Card]() for _ in seats)
        state = SvoyiState(
            self,
            deal(cards, self.players, dealer),
            nothing,
            (),
            tuple(() for _ in seats),
            dealer,
            dealer,
            CHOOSE,
            (),
        )
        if self.trumps in ("chosen", "session"):
            return state
        drawn = tuple(tuple(suits[i :: self.players][: self.suits_each]) for i in seats)
        return state.with_trumps(self.agreed or drawn)

    def parse(self, text: str) -> SvoyiState:
        return SvoyiState.parse(self, text)

    def points(self, final: SvoyiState) -> tuple[int, ...]:
        """As the `score` option has it: a point against the loser or for the first player out."""
        return one_point(final.loser if self.score == "losses" else final.out[0], self.players)

    def next_dealer(self, dealer: int, final: SvoyiState) -> int:
        """The loser; after a draw, the same player again."""
        return final.loser or dealer if final.is_terminal else dealer

    def after(self, dealer: int, final: SvoyiState) -> SvoyiKozyri:
        """With `trumps=session` the suits chosen in the first deal are agreed from then on."""
        if self.trumps != "session" or final.phase == CHOOSE:
            return self.dealt_by(dealer)
        return type(self)(
            **{**self.options, "dealer": dealer, "trumps": format_trumps(final.trumps)}
        )


class SvoyiState(PileState):
    """One moment of the game; fields and text form are those of `PileState`."""

    __slots__ = ()

    RANKS: ClassVar = RANKS
    PHASES: ClassVar = (CHOOSE, LEAD, BEAT, SECOND)
    AFTER_LAST_BEAT: ClassVar = LEAD

    def with_trumps(self, trumps: tuple[tuple[int, ...], ...]) -> Self:
        """The start of play: sixes of trump suits go to their owners, the dealer's left leads."""
        sixes = [frozenset(Card(suit, SIX) for suit in own) for own in trumps]
        moved = frozenset[Card]().union(*sixes)
        return self._replace(
            hands=tuple(
                in_order((set(hand) - moved) | own)
                for hand, own in zip(self.hands, sixes, strict=True)
            ),
            known=tuple(sixes) if self._remembers else self.known,
            trumps=trumps,
            turn=self.dealer % len(self.hands) + 1,
            phase=LEAD,
        )

    def check(self) -> None:
        """Raise GameError if the fields contradict each other or the options."""
        super().check()
        players, each = len(self.hands), self.game.suits_each
        sizes = [len(own) for own in self.trumps]
        chosen, choosing = sum(sizes), self.phase == CHOOSE
        choosers = [(self.dealer - 1 + i) % players + 1 for i in range(players * each)]
        in_turn = [choosers[:chosen].count(player) for player in range(1, players + 1)]
        if sizes != in_turn or choosing != (chosen < len(choosers)):
            raise GameError(
                f"players have {fields.join(sizes, '/')} trump suits in the phase {self.phase}, "
                f"expected {each} each, fewer while they are chosen in turn"
            )
        if choosing and self.game.trumps not in ("chosen", "session"):
            raise GameError(f"phase=choose, expected another phase with trumps={self.game.trumps}")
        if self.game.agreed not in ((), self.trumps):
            raise GameError(f"expected the trump suits {self.game.trumps}")
        if choosing and self.turn != choosers[chosen]:
            raise GameError(f"player {self.turn} chooses, expected player {choosers[chosen]}")
        if any(self.known) and (choosing or not self._remembers):
            raise GameError(
                "there are known cards, expected none while trumps are chosen or with memory=table"
            )

    def _free_suits(self) -> tuple[str, ...]:
        taken = {suit for own in self.trumps for suit in own}
        return tuple(name for suit, name in enumerate(SUIT_NAMES) if suit not in taken)

    def _chosen(self, suit: str) -> Self:
        mine = (*self.trumps[self.turn - 1], SUIT_NAMES.index(suit))
        trumps = (*self.trumps[: self.turn - 1], mine, *self.trumps[self.turn :])
        if all(len(own) == self.game.suits_each for own in trumps):
            return self.with_trumps(trumps)
        return self._replace(trumps=trumps, turn=self._next_player(()))

    def _pickup_size(self, top: Card) -> int:
        if self.game.pickup == "fixed" or top.suit not in self.trumps[self.turn - 1]:
            return 3
        return len(self.pile) if top.rank == ACE else 5

    @property
    def _leads_after_pickup(self) -> bool:
        return bool(self.game.after_pickup == "lead")

    @property
    def _remembers(self) -> bool:
        return bool(self.game.memory == "plays")

    def _seen_of_pile(self, player: int) -> int:
        """All; or the top card and, in his turn, what he would have to pick up and one card more.

        He looks once a turn; when he plays its second card, his first lies on what he has seen.
        """
        seen = 1
        if self._remembers:
            seen = len(self.pile)
        elif player == self.current_player and self.phase in (BEAT, SECOND):
            own = int(self.phase == SECOND)
            seen = own + self._pickup_size(self.pile[-1 - own]) + 1
        return min(len(self.pile), seen)

    @property
    def loser(self) -> int:
        """The player left with cards; 0, a draw, if his only card beats the other's last card.

        Unless `draw=any`, that must have been a lead.
        """
        player = super().loser
        hand = self.hands[player - 1]
        may_answer = self.phase == BEAT or self.game.draw == "any"
        return 0 if may_answer and len(hand) == 1 and hand[0] in self._playable() else player

    @property
    def is_decided(self) -> bool:
        """As the `score` option has it: whether the loser is known, or the first player out."""
        return self.is_terminal or (self.game.score == "first_out" and bool(self.out))

    def returns(self) -> tuple[float, ...]:
        """As the `score` option has it: a point against the loser or for the first player out."""
        if self.game.score == "losses" or not self.out:
            return super().returns()
        others = len(self.hands) - 1
        return one_against_all(self.out[0], 1.0, -1.0 / others, len(self.hands))
