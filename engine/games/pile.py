"""What Svoyi Kozyri and Hund share: one pile, to beat and lead on and to pick up from.

A player whose hand becomes empty is out; the last player with cards loses. A turn is to beat the
top card and then lead another, two actions; or to pick up, one action; or, where nothing is to be
beaten, to lead.

All cards but those of the deal are played openly, so players who remember know the place of a card
once played: the pile, or the hand of who picked it up (`known`).

The text form is one line of fields:

    hands=…/… known=…/… pile=8H,6D,QS trumps=C/D/H/S dealer=4 turn=3 phase=beat out=-

`known` are the cards of each hand that all players know. The pile is written from the bottom.
`turn` is who acts, after the end who would act next. `phase` is what he does: choose a trump suit,
start, lead, beat the top card, or play the second card of the turn, the lead after beating. `out`
are the players who are out, the first one first.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

from engine.cards import (
    PICKUP,
    SUIT_NAMES,
    SUITS,
    Card,
    Hand,
    cheapest,
    deck_cards,
    in_order,
)
from engine.errors import GameError
from engine.game import Action, State
from engine.games import fields
from engine.games.options import OptionGame
from engine.games.pile_seen import (
    BEAT,
    CHOOSE,
    LEAD,
    SECOND,
    START,
    Cards,
    PileObservation,
    Trumps,
)
from engine.observation import Pen, card_number
from engine.text import QUOTED

LEADS = (LEAD, SECOND)
"""The phases in which any card of the hand may be played."""

PileAction = Card | str
"""A card, led or beaten with; `PICKUP`; the name of a suit, chosen as trumps."""

_T = TypeVar("_T")


class PileFields(NamedTuple):
    """The fields of a state: a named tuple, which is made several times faster than a dataclass."""

    game: Any
    """The game, whose options the rules ask for."""
    hands: tuple[Cards, ...]
    """Each in the order in which hands are written."""
    known: tuple[Hand, ...]
    """Of each hand, the cards that all players know to be there."""
    pile: Cards
    """The top card is the last."""
    trumps: Trumps
    dealer: int
    turn: int
    phase: str
    out: tuple[int, ...]


class PileState(PileFields, State):
    """One moment of a game; what differs between the games is in the methods with a leading `_`."""

    __slots__ = ()

    RANKS: ClassVar[int]
    """Ranks of the deck, counted from the ace."""
    PHASES: ClassVar[tuple[str, ...]]
    AFTER_LAST_BEAT: ClassVar[str]
    """What the next player does when a player has gone out with a beating card."""

    @property
    def current_player(self) -> int:
        return 0 if len(self.out) == len(self.hands) - 1 else self.turn

    def legal_actions(self) -> tuple[PileAction, ...]:
        """The cards in the order in which a hand is written, then `PICKUP`."""
        if len(self.out) == len(self.hands) - 1:
            return ()
        if self.phase == CHOOSE:
            return self._free_suits()
        hand = self.hands[self.turn - 1]
        if self.phase in LEADS:
            return hand
        playable = self._playable()
        cards = [card for card in hand if card in playable]
        return (*cards, PICKUP) if self.phase == BEAT else tuple(cards)

    def apply(self, action: Any) -> Self:
        if self.current_player:
            hand = self.hands[self.turn - 1]
            if self.phase == CHOOSE:
                if action in self._free_suits():
                    return self._chosen(action)
            elif action in hand and (self.phase in LEADS or action in self._playable()):
                return self._played(hand, action)
            elif action == PICKUP and self.phase == BEAT:
                return self._picked_up(hand)
        return self.apply(self._named(action))

    def _played(self, hand: Cards, card: Card) -> Self:
        place, i = self.turn - 1, hand.index(card)
        hand = hand[:i] + hand[i + 1 :]
        known, out, turn = self.known, self.out, self.turn
        if card in known[place]:
            known = _replaced(known, place, known[place] - {card})
        if not hand:
            out = (*out, turn)
        if self.phase == BEAT and hand:
            phase = SECOND
        else:
            turn = self._next_player(out)
            phase = self.AFTER_LAST_BEAT if self.phase == BEAT else BEAT
        return type(self)(
            self.game,
            _replaced(self.hands, place, hand),
            known,
            (*self.pile, card),
            self._trumps_after(card),
            self.dealer,
            turn,
            phase,
            out,
        )

    def _picked_up(self, hand: Cards) -> Self:
        place, taken = self.turn - 1, self.pile[-self._pickup_size(self.pile[-1]) :]
        pile, known = self.pile[: -len(taken)], self.known
        if self._remembers:
            known = _replaced(known, place, known[place].union(taken))
        return type(self)(
            self.game,
            _replaced(self.hands, place, in_order(hand + taken)),
            known,
            pile,
            self.trumps,
            self.dealer,
            self._next_player(self.out),
            BEAT if pile and not self._leads_after_pickup else LEAD,
            self.out,
        )

    def _next_player(self, out: tuple[int, ...]) -> int:
        """The next player clockwise who is not `out`."""
        player = self.turn % len(self.hands) + 1
        while player in out:
            player = player % len(self.hands) + 1
        return player

    def _playable(self) -> Hand:
        """The cards of the deck that the player in turn may play when he does not lead."""
        return beaters(self.pile[-1], self.trumps[self.turn - 1])

    @abstractmethod
    def _pickup_size(self, top: Card) -> int:
        """How many cards the player who faces `top` would pick up; all if there are fewer."""

    def _free_suits(self) -> tuple[str, ...]:
        """The suits that may be chosen as trumps, by name."""
        return ()

    def _chosen(self, suit: str) -> Self:
        """The state after the player in turn has chosen a trump suit."""
        raise NotImplementedError

    def _trumps_after(self, card: Card) -> Trumps:
        """The trump suits when the player in turn has played `card`."""
        return self.trumps

    @property
    def _leads_after_pickup(self) -> bool:
        """Whether after a pickup the next player leads on what is left of the pile."""
        return False

    @property
    def _remembers(self) -> bool:
        """Whether players know where the cards are that have been played."""
        return True

    @property
    def loser(self) -> int:
        """The player left with cards, or 0 for a draw. Raises GameError before the end."""
        if self.current_player:
            raise GameError("the game is not over, two players or more have cards")
        return self.turn

    def returns(self) -> tuple[float, ...]:
        """-1 for the loser, which the others share; 0 for all in a draw."""
        others = len(self.hands) - 1
        return one_against_all(self.loser, -1.0, 1.0 / others, len(self.hands))

    def observation(self, player: int) -> PileObservation:
        """Own hand, hand sizes, the cards that all know, what the player may see of the pile."""
        hidden = len(self.pile) - self._seen_of_pile(player) if player else 0
        return PileObservation(
            self.RANKS,
            player,
            (None,) * len(self.hands)
            if player and self.phase == CHOOSE
            else fields.seen_hands(self.hands, player),
            tuple(map(len, self.hands)),
            self.known,
            (None,) * hidden + self.pile[hidden:],
            self.trumps,
            self.dealer,
            self.turn,
            self.phase,
            self.out,
        )

    def _seen_of_pile(self, player: int) -> int:
        """How many cards of the pile, from the top, `player` knows."""
        return len(self.pile)

    def sample(self, player: int, rng: random.Random) -> Self:
        """Every distribution of the cards that `player` does not know is equally likely."""
        hidden = len(self.pile) - self._seen_of_pile(player)
        kept = list(self.known)
        if self.phase != CHOOSE:
            kept[player - 1] = frozenset(self.hands[player - 1])
        unseen = deck_cards(self.RANKS).difference(*kept, self.pile[hidden:])
        cards = sorted(unseen)
        rng.shuffle(cards)
        hands = []
        for hand, sure in zip(self.hands, kept, strict=True):
            missing = len(hand) - len(sure)
            hands.append(in_order((*sure, *cards[:missing])))
            cards = cards[missing:]
        return self._replace(hands=tuple(hands), pile=(*cards, *self.pile[hidden:]))

    def rule_of_thumb(self) -> Action:
        """Beat if possible; beat and lead with the cheapest card.

        Of trump suits the first free one is as good as another: they are chosen before the hands
        are seen.
        """
        actions = self.legal_actions()
        if self.phase == CHOOSE:
            return actions[0]
        cards = [action for action in actions if isinstance(action, Card)]
        return cheapest(cards, self.trumps[self.turn - 1])

    def action_number(self, action: Any) -> int:
        """The place of the card in the deck; after all cards a pickup, then the four suits."""
        if isinstance(action, Card):
            return card_number(action, self.RANKS)
        return 4 * self.RANKS + (PICKUP, *SUIT_NAMES).index(action)

    def task(self, pen: Pen) -> str:
        if self.phase == CHOOSE:
            return "choose a trump suit"
        if self.phase == BEAT:
            top = self.pile[-1]
            count = min(len(self.pile), self._pickup_size(top))
            return pen.answer(top, count, can_beat=len(self.legal_actions()) > 1)
        if self.phase == START:
            return f"start with {pen.action(self.legal_actions()[0])}"
        return "now lead" if self.phase == SECOND else "lead"

    def phrase(self, action: Any, pen: Pen, public: bool) -> str:
        if isinstance(action, Card):
            return pen.play(action, beats=self.phase == BEAT)
        if action == PICKUP:
            return pen.pickup(min(len(self.pile), self._pickup_size(self.pile[-1])))
        return f"chooses {action}"

    def news(self, after: Self, names: Sequence[str]) -> str | None:
        return f"{names[self.turn - 1]} is out" if self.turn in after.out else None

    def __repr__(self) -> str:
        return f"{self.game!r}.parse({str(self)!r})"

    @classmethod
    def parse(cls, game: OptionGame, text: str) -> Self:
        """The state written `text`. Raises GameError, also if it is impossible."""
        names = ("hands", "known", "pile", "trumps", "dealer", "turn", "phase", "out")
        found = fields.read(text, names)
        seats = range(1, game.players + 1)
        state = cls(
            game,
            tuple(
                map(in_order, fields.parse_hands("hands", found["hands"], game.players, cls.RANKS))
            ),
            fields.parse_hands("known", found["known"], game.players, cls.RANKS),
            fields.parse_cards(found["pile"]),
            parse_trumps(found["trumps"], game.players),
            fields.number("dealer", found["dealer"], seats),
            fields.number("turn", found["turn"], seats),
            fields.word("phase", found["phase"], cls.PHASES),
            tuple(fields.number("out", word, seats) for word in fields.items(found["out"], ",")),
        )
        state.check()
        return state

    def check(self) -> None:
        """Raise GameError if the fields contradict each other."""
        fields.check_deck((*self.hands, self.pile), deck_cards(self.RANKS))
        for player, (hand, known) in enumerate(zip(self.hands, self.known, strict=True), start=1):
            if not known.issubset(hand):
                raise GameError(f"known cards of player {player} are not in his hand")
            if (player in self.out) == bool(hand) or self.out.count(player) > 1:
                raise GameError(
                    f"player {player} has {len(hand)} cards, "
                    "expected in out, once, exactly the players without cards"
                )
        if self.turn in self.out or not self.hands[self.turn - 1]:
            raise GameError(f"it is the turn of player {self.turn}, who has no cards")
        if (self.phase == BEAT and not self.pile) or (self.phase == SECOND and len(self.pile) < 2):
            raise GameError("there is no card to beat, expected a pile or another phase")
        if self.phase in (CHOOSE, START) and (self.pile or len(set(map(len, self.hands))) > 1):
            raise GameError(f"phase={self.phase}, expected no pile and the hands as dealt")


def one_against_all(player: int, value: float, other: float, players: int) -> tuple[float, ...]:
    """`value` for `player` and `other` for everybody else; 0 for all if there is no such player."""
    if not player:
        return (0.0,) * players
    return tuple(value if p == player else other for p in range(1, players + 1))


@cache
def beaters(top: Card, own: tuple[int, ...]) -> Hand:
    """The cards that beat `top` for a player with these own trump suits."""
    if top.suit in own:
        own = ()
    return frozenset(
        card
        for card in deck_cards(13)
        if card.suit in own or (card.suit == top.suit and card.rank > top.rank)
    )


def _replaced(items: tuple[_T, ...], place: int, item: _T) -> tuple[_T, ...]:
    """`items` with `item` in one place."""
    return (*items[:place], item, *items[place + 1 :])


def parse_trumps(text: str, players: int | None = None) -> Trumps:
    """The trump suits of so many players, `C/D/-/-`. Raises GameError."""
    parts = ["" if part == fields.NONE else part for part in text.split("/")]
    suits = "".join(parts)
    wrong = players not in (None, len(parts)) or not set(suits) <= set(SUITS)
    if wrong or len(set(suits)) < len(suits):
        raise GameError(
            f"trumps={text[:QUOTED]} is wrong, expected {f'{players} ' if players else ''}"
            f"suits of {SUITS} with / between them, all different, - for none"
        )
    return tuple(tuple(SUITS.index(suit) for suit in part) for part in parts)
