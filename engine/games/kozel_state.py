"""Kozel as a state: who may do what, and what comes of it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Self

from engine.cards import Card, deal, in_order
from engine.errors import GameError
from engine.game import State
from engine.games import fields, kozel_hidden
from engine.games.kozel_seen import KozelObservation
from engine.games.kozel_tricks import (
    ANSWER,
    DECLARE,
    HAND_SIZE,
    LEAD,
    MOSKVA,
    ORDER,
    PLAYERS,
    SHOKHA,
    Cards,
    Group,
    KozelFields,
    Shown,
    Trick,
    declaration,
    leads,
    penalties,
    seat,
    side,
    takes_over,
)
from engine.observation import Pen
from engine.text import counted

PASS = "pass"
DOWN = "down"

KozelAction = Group | str
"""A lead or an answer; `MOSKVA`, `MOLODKA` or `PASS`."""


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
            kind = declaration(hand)
            first = not any(shown.number == len(self.tricks) for shown in self.shown)
            return (kind, PASS) if kind == MOSKVA or (kind and first) else (PASS,)
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
            return self._declared(action)
        rest = tuple(card for card in self.hands[self.turn - 1] if card not in action.cards)
        hands = (*self.hands[: self.turn - 1], rest, *self.hands[self.turn :])
        trick = Trick(self.trick.leader, (*self.trick.groups, action))
        if len(trick.groups) == PLAYERS:
            return self._taken(hands, trick)
        return self._replace(hands=hands, trick=trick, turn=seat(self.turn + 1), phase=ANSWER)

    def _taken(self, hands: tuple[Cards, ...], trick: Trick) -> Self:
        """The state after a complete trick: all draw and are asked to declare, the winner leads."""
        winner = trick.winner
        drawn = self.stock[: PLAYERS * trick.size]
        refilled = tuple(
            in_order(hand + more)
            for hand, more in zip(hands, deal(drawn, PLAYERS, winner - 1), strict=True)
        )
        can_be_asked = drawn and len(refilled[0]) == HAND_SIZE
        return self._replace(
            hands=refilled,
            stock=self.stock[len(drawn) :],
            tricks=(*self.tricks, trick),
            trick=Trick(winner, ()),
            turn=winner,
            phase=DECLARE if can_be_asked else LEAD,
        )

    def _declared(self, action: str) -> Self:
        """The state after an answer to the question who declares.

        Everybody is asked, so that nobody can tell from the question who could have declared. Only
        Moskva ends it: it takes the lead from a molodka.
        """
        after = self
        if action != PASS:
            shown = Shown(len(self.tricks), self.turn, self.hands[self.turn - 1])
            after = self._replace(shown=(*self.shown, shown), trick=Trick(self.turn, ()))
        asked = seat(self.turn + 1)
        if action == MOSKVA or asked == self.tricks[-1].winner:
            return after._replace(turn=after.trick.leader, phase=LEAD)
        return after._replace(turn=asked)

    def points(self) -> tuple[int, int]:
        """The points that each side has taken."""
        sums = [0, 0]
        for trick in self.tricks:
            sums[side(trick.winner)] += sum(group.points for group in trick.groups)
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

    def label(self, action: Any, pen: Pen) -> str:
        if not isinstance(action, Group):
            return str(action)
        return pen.cards(action.cards if action.up else (DOWN, *action.cards))

    def observation(self, player: int) -> KozelObservation:
        """Own hand, sizes, all plays in order, those of others face down without their cards.

        After the end all cards are open.
        """
        sees_all = not (player and self.current_player)

        def seen(trick: Trick) -> Trick:
            groups = (
                group
                if group.up or owner == player or sees_all
                else Group((), False, len(group.cards))
                for owner, group in trick.by_player()
            )
            return Trick(trick.leader, tuple(groups))

        return KozelObservation(
            player,
            fields.seen_hands(self.hands, player),
            tuple(map(len, self.hands)),
            len(self.stock) if player else self.stock,
            self.turned,
            tuple(map(seen, self.tricks)),
            self.shown,
            seen(self.trick),
            self.turn,
            self.phase,
        )

    def sample(self, player: int, rng: random.Random) -> KozelState:
        """Every state in which `player` has seen the same is equally likely."""
        if not self.current_player:
            return self
        return KozelState(*kozel_hidden.sample(self, player, rng))

    def rule_of_thumb(self) -> KozelAction:
        """Declare if possible. Lead the largest group, of those the cheapest.

        Take over from the other side if possible, with the cheapest cards, the last player also
        counting the points that he brings home. When the partner is winning, and nobody can take
        over any more, give him as many points as possible; else put down points and strong cards
        last.
        """
        actions = self.legal_actions()
        if self.phase == DECLARE:
            return actions[0]
        groups = [action for action in actions if isinstance(action, Group)]

        def strength(group: Group) -> int:
            return sum(_strength(card, self.turned.suit) for card in group.cards)

        if self.phase == LEAD:
            return max(groups, key=lambda group: (len(group.cards), -strength(group)))
        up, down = ([group for group in groups if group.up == up] for up in (True, False))
        last = len(self.trick.groups) == PLAYERS - 1
        if side(self.trick.winner) == side(self.turn):
            if last:
                return max(down, key=lambda group: (group.points, -strength(group)))
        elif up:
            return min(up, key=lambda group: strength(group) - 2 * last * group.points)
        return min(down, key=lambda group: 2 * group.points + strength(group))

    def action_number(self, action: Any) -> int:
        """0 to pass, 1 to declare; else the places in the hand as bits from 2 on, bit 0 if up."""
        if not isinstance(action, Group):
            return int(action != PASS)
        hand = self.hands[self.turn - 1]
        return 2 * sum(1 << hand.index(card) for card in action.cards) + action.up

    @property
    def dealer(self) -> int:
        """To the right of the first leader."""
        return seat(self.all_tricks[0].leader - 1)

    def task(self, pen: Pen) -> str:
        if self.phase == LEAD:
            return "lead"
        if self.phase == DECLARE:
            can = len(self.legal_actions()) > 1
            return "declare or pass" if can else "pass, you cannot declare"
        winning = next(group.cards for group in reversed(self.trick.groups) if group.up)
        count = counted(len(winning), "card")
        if any(isinstance(action, Group) and action.up for action in self.legal_actions()):
            return f"take over {pen.cards(winning)} or put down {count}"
        return f"put down {count}, you cannot take over {pen.cards(winning)}"

    def phrase(self, action: Any, pen: Pen, public: bool) -> str | None:
        if isinstance(action, Group):
            cards = pen.cards(action.cards)
            if self.phase == LEAD:
                return f"leads {cards}"
            if action.up:
                return f"takes over with {cards}"
            return f"puts down {f'{action.size} face down' if public else f'({cards})'}"
        if action == PASS:
            return None if public or len(self.legal_actions()) == 1 else "does not declare"
        return f"declares {action}: {pen.cards(self.hands[self.turn - 1])}"

    def news(self, after: Self, names: Sequence[str]) -> str | None:
        if len(after.tricks) == len(self.tricks):
            return None
        return f"{names[after.tricks[-1].winner - 1]} takes the trick"

    def result(self) -> str:
        return "{} points to {}".format(*self.points())

    def __repr__(self) -> str:
        return f"{self.game!r}.parse({str(self)!r})"


def _strength(card: Card, trump: int) -> int:
    """What it costs to spend a card: shokha above the trumps above the rest."""
    if card == SHOKHA:
        return 20
    return ORDER.index(card.rank) + (12 if card.suit == trump else 0)
