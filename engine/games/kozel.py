"""Kozel with shokha: four players in two partnerships, tricks of one to four cards.

The text form of a state is one line of fields:

    hands=…/… stock=7S,AH turned=AH tricks=2:JH+8H,6S+QH,(7C+8D),(9S+TS);… shown=1.4:AS+AH+TC+6S
    trick=3:KD turn=4 phase=answer

The stock is drawn from the front; `turned` was turned up and is the last of it. A trick is its
leader and the groups of cards in the order played; a group in brackets was played face down.
`trick` is the one to come or being played; its leader is who would normally lead, or has declared.
`shown` are hands shown by declarers: the number of tricks before it, the player, the cards. `turn`
is who acts, after the end who won the last trick; `phase` is what he does: declare or pass, lead,
answer.
"""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any, ClassVar, NamedTuple, Self

from engine.cards import Card, deck_cards, in_order
from engine.errors import GameError
from engine.game import State
from engine.games import fields, kozel_history
from engine.games.kozel_tricks import (
    ANSWER,
    DECLARE,
    DRAWS,
    HAND_SIZE,
    LEAD,
    MOLODKA,
    MOSKVA,
    PLAYERS,
    POINTS,
    RANKS,
    Cards,
    Group,
    Shown,
    Trick,
    declaration,
    leads,
    penalties,
    seat,
    side,
    takes_over,
)
from engine.games.options import OptionGame, dealer_option, limit_option
from engine.notation import parse_card

PASS = "pass"
DOWN = "down"

KozelAction = Group | str
"""A lead or an answer; `MOSKVA`, `MOLODKA` or `PASS`."""


class Kozel(OptionGame):
    """The game with its options."""

    name = "kozel"
    players = PLAYERS
    OPTIONS: ClassVar = {"dealer": dealer_option(PLAYERS), "limit": limit_option(200)}

    def initial(self, seed: int) -> KozelState:
        rng = random.Random(seed)
        dealer = self.dealer_or(rng.randint(1, PLAYERS))
        cards = sorted(deck_cards(RANKS))
        rng.shuffle(cards)
        dealt, (turned, *stock) = cards[: PLAYERS * HAND_SIZE], cards[PLAYERS * HAND_SIZE :]
        hands = tuple(in_order(dealt[(p - dealer) % PLAYERS :: PLAYERS]) for p in range(PLAYERS))
        leader = seat(dealer + 1)
        lead = Trick(leader, ())
        return KozelState(self, hands, (*stock, turned), turned, (), (), lead, leader, LEAD)

    def parse(self, text: str) -> KozelState:
        return KozelState.parse(self, text)


class KozelFields(NamedTuple):
    """The fields of a state."""

    game: Kozel
    hands: tuple[Cards, ...]
    stock: Cards
    """The next card to draw is the first; the last one is `turned`."""
    turned: Card
    tricks: tuple[Trick, ...]
    shown: tuple[Shown, ...]
    trick: Trick
    turn: int
    phase: str


class KozelState(KozelFields, State):
    """One moment of a deal, with its history."""

    __slots__ = ()

    @property
    def current_player(self) -> int:
        return self.turn if any(self.hands) else 0

    def legal_actions(self) -> tuple[KozelAction, ...]:
        """Leads by size; answers of the same cards face up, if they take over, then face down."""
        if not self.current_player:
            return ()
        hand = self.hands[self.turn - 1]
        if self.phase == DECLARE:
            return str(declaration(hand)), PASS
        if self.phase == LEAD:
            return tuple(Group(cards, True) for cards in leads(hand))
        winning = next(group.cards for group in reversed(self.trick.groups) if group.up)
        return tuple(
            Group(cards, up)
            for cards in combinations(hand, len(winning))
            for up in (True, False)
            if not up or takes_over(cards, winning, self.turned.suit)
        )

    def apply(self, action: Any) -> Self:
        if action not in self.legal_actions():
            action = self._named(action)
        if self.phase == DECLARE:
            return self.passed() if action == PASS else self.declared()
        rest = tuple(card for card in self.hands[self.turn - 1] if card not in action.cards)
        hands = (*self.hands[: self.turn - 1], rest, *self.hands[self.turn :])
        trick = Trick(self.trick.leader, (*self.trick.groups, action))
        if len(trick.groups) == PLAYERS:
            return self._taken(hands, trick)
        return self._replace(hands=hands, trick=trick, turn=seat(self.turn + 1), phase=ANSWER)

    def _taken(self, hands: tuple[Cards, ...], trick: Trick) -> Self:
        """The state after a complete trick: all draw, somebody may declare, the winner leads."""
        winner = trick.winner
        drawn = self.stock[: PLAYERS * trick.size]
        after = self._replace(
            hands=tuple(
                in_order(hand + drawn[(player - winner) % PLAYERS :: PLAYERS])
                for player, hand in enumerate(hands, start=1)
            ),
            stock=self.stock[len(drawn) :],
            tricks=(*self.tricks, trick),
            trick=Trick(winner, ()),
            turn=winner,
            phase=LEAD,
        )
        return after._asked(after._declarers()) if drawn else after

    def _declarers(self) -> list[int]:
        """Who may declare, in the order of precedence."""
        clockwise = [seat(self.trick.leader + i) for i in range(PLAYERS)]
        return [
            player
            for kind in (MOSKVA, MOLODKA)
            for player in clockwise
            if declaration(self.hands[player - 1]) == kind
        ]

    def _asked(self, players: list[int]) -> Self:
        """The state in which the first of these may declare; if there is none, the lead."""
        if players:
            return self._replace(turn=players[0], phase=DECLARE)
        return self._replace(turn=self.trick.leader, phase=LEAD)

    def passed(self) -> Self:
        """The state after the player in turn has declared nothing."""
        players = self._declarers()
        return self._asked(players[players.index(self.turn) + 1 :])

    def declared(self) -> Self:
        """The state after the player in turn has shown his hand and taken the lead."""
        shown = Shown(len(self.tricks), self.turn, self.hands[self.turn - 1])
        return self._replace(shown=(*self.shown, shown), trick=Trick(self.turn, ()), phase=LEAD)

    def drawn_by(self, number: int) -> int:
        """How many cards each player had drawn before the trick with this number."""
        return min(DRAWS, sum(trick.size for trick in self.tricks[:number]))

    def points(self) -> tuple[int, int]:
        """The points that each side has taken."""
        sums = [0, 0]
        for trick in self.tricks:
            cards = (card for group in trick.groups for card in group.cards)
            sums[side(trick.winner)] += sum(POINTS.get(card.rank, 0) for card in cards)
        return sums[0], sums[1]

    def penalties(self) -> tuple[int, int]:
        """The penalties of the two sides. Raises GameError before the end."""
        if self.current_player:
            raise GameError("the game is not over, there are cards in the hands")
        winners = [side(trick.winner) for trick in self.tricks]
        return penalties(self.points(), (winners.count(0), winners.count(1)))

    def returns(self) -> tuple[float, ...]:
        """The penalties of the other side less those of the player's own."""
        first, second = self.penalties()
        return tuple(map(float, (second - first, first - second) * 2))

    def action_to_string(self, action: Any) -> str:
        if not isinstance(action, Group):
            return str(action)
        return " ".join(map(str, action.cards if action.up else (DOWN, *action.cards)))

    def information_state_string(self, player: int) -> str:
        """Own hand, sizes, all plays in order, those of others face down without their cards.

        While somebody else thinks about a declaration, nothing of it is seen. After the end all
        cards are open.
        """
        over = not self.current_player
        waits = self.phase == DECLARE and self.turn != player

        def seen(trick: Trick) -> str:
            groups = [
                str(group) if group.up or owner == player or over else f"({len(group.cards)})"
                for owner, group in trick.by_player()
            ]
            return f"{trick.leader}:{fields.join(groups, ',')}"

        return fields.write(
            player=player,
            hand=fields.format_hands([self.hands[player - 1]]),
            sizes=fields.join(map(len, self.hands), "/"),
            stock=len(self.stock),
            turned=self.turned,
            tricks=fields.join(map(seen, self.tricks), ";"),
            shown=fields.join(self.shown, ";"),
            trick=seen(self.trick),
            turn=self.trick.leader if waits else self.turn,
            phase=LEAD if waits else self.phase,
        )

    def sample(self, player: int, rng: random.Random) -> KozelState:
        """Every state in which `player` has seen the same is equally likely.

        While somebody else thinks about a declaration, it is one in which nobody does.
        """
        return self if not self.current_player else kozel_history.sample(self, player, rng)

    def __str__(self) -> str:
        return fields.write(
            hands=fields.format_hands(self.hands),
            stock=fields.join(self.stock, ","),
            turned=self.turned,
            tricks=fields.join(self.tricks, ";"),
            shown=fields.join(self.shown, ";"),
            trick=self.trick,
            turn=self.turn,
            phase=self.phase,
        )

    @classmethod
    def parse(cls, game: Kozel, text: str) -> Self:
        """The state written `text`. Raises GameError unless play from some deal leads there."""
        found = fields.read(text, cls._fields[1:])
        state = cls(
            game,
            tuple(map(in_order, fields.parse_hands("hands", found["hands"], PLAYERS, RANKS))),
            fields.parse_cards(found["stock"]),
            parse_card(found["turned"]),
            tuple(map(_parse_trick, fields.items(found["tricks"], ";"))),
            tuple(map(_parse_shown, fields.items(found["shown"], ";"))),
            _parse_trick(found["trick"]),
            _parse_player(found["turn"]),
            fields.word("phase", found["phase"], (DECLARE, LEAD, ANSWER)),
        )
        kozel_history.check(state)
        return state


def _parse_player(text: str) -> int:
    return fields.number("a player", text, range(1, PLAYERS + 1))


def _parse_cards(text: str) -> Cards:
    return in_order(fields.parse_cards(text, "+"))


def _parse_trick(text: str) -> Trick:
    """The trick written `text`. Raises GameError."""
    leader, _, groups = text.partition(":")
    return Trick(
        _parse_player(leader),
        tuple(
            Group(_parse_cards(group.strip("()")), not group.startswith("("))
            for group in fields.items(groups, ",")
        ),
    )


def _parse_shown(text: str) -> Shown:
    """The shown hand written `text`. Raises GameError."""
    where, _, cards = text.partition(":")
    number, _, player = where.partition(".")
    return Shown(
        fields.number("a number of tricks", number, range(RANKS)),
        _parse_player(player),
        _parse_cards(cards),
    )
