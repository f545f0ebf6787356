"""Observations and actions as small numbers, for programs that learn.

Observations of hidden hands are made from `State.information_state_string` and nothing else, so
they cannot say more than a player has seen. An observation is a row of numbers for each card of the
deck, in the order in which cards are written, then numbers about the rest. Seats are counted
clockwise from the player who looks; his own is 0.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from engine.cards import PICKUP, SUIT_NAMES, SUITS, Card, Hand, deck_cards, in_order
from engine.challenge import Challenge
from engine.game import Game, State
from engine.games import hund, svoyi_kozyri
from engine.games.fields import NONE, items
from engine.games.kozel import PASS
from engine.games.kozel_tricks import ANSWER, DECLARE, HAND_SIZE, LEAD, RANKS, Group
from engine.games.pile import BEAT, CHOOSE, SECOND, START
from engine.notation import parse_card, parse_hand
from engine.position import Position


class Encoder(ABC):
    """The numbers of one game."""

    actions: int
    """How many actions there are; they are numbered from 0."""
    columns: int
    """How many numbers an observation has for each card."""

    def __init__(self, game: Game, ranks: int) -> None:
        self.players = game.players
        self.deck = in_order(deck_cards(ranks))
        self._index = {card: i for i, card in enumerate(self.deck)}

    @abstractmethod
    def action(self, state: Any, action: Any) -> int:
        """The number of a legal action."""

    @abstractmethod
    def observation(self, state: Any, player: int) -> list[int]:
        """What `player` has seen: always as many numbers, from 0 to 255."""

    def _rows(self, marks: Iterable[tuple[Iterable[Card], int, int]]) -> list[int]:
        """The rows of all cards: of each mark cards, a column and the number to put there."""
        numbers = [0] * (len(self.deck) * self.columns)
        for cards, column, number in marks:
            for card in cards:
                numbers[self._index[card] * self.columns + column] = number
        return numbers

    def _seat(self, seat: str | int, player: int) -> int:
        return (int(seat) - player) % self.players


class ChallengeEncoder(Encoder):
    """Columns: in the own hand, in the other's, on the table, on top. Rest: both trump suits."""

    columns = 4

    def __init__(self, game: Challenge) -> None:
        super().__init__(game, game.ranks)
        self.actions = len(self.deck) + 1

    def action(self, state: Position, action: Any) -> int:
        return len(self.deck) if action == PICKUP else self._index[action]

    def observation(self, state: Position, player: int) -> list[int]:
        top = [state.top] if state.top else []
        mine, other = player - 1, 2 - player
        rows = self._rows(
            [
                (state.hands[mine], 0, 1),
                (state.hands[other], 1, 1),
                (state.table, 2, 1),
                (top, 3, 1),
            ]
        )
        suits = range(len(SUITS))
        return rows + [int(s == state.trumps[p]) for p in (mine, other) for s in suits]


class PileEncoder(Encoder):
    """Svoyi Kozyri and Hund.

    Columns: for each seat, whether the card is seen or known to be in that hand; the place in the
    pile, counted from the top one. Rest: for each seat hand size, trump suits, whether it is his
    turn; the phase; the size of the pile.
    """

    PHASES = (CHOOSE, START, LEAD, BEAT, SECOND)

    def __init__(self, game: Game) -> None:
        super().__init__(game, hund.RANKS if game.name == "hund" else svoyi_kozyri.RANKS)
        self.columns = self.players + 1
        self.actions = len(self.deck) + 1 + len(SUITS)

    def action(self, state: State, action: Any) -> int:
        if action in SUIT_NAMES:
            return len(self.deck) + 1 + SUIT_NAMES.index(action)
        return len(self.deck) if action == PICKUP else self._index[action]

    def observation(self, state: State, player: int) -> list[int]:
        fields = _fields(state, player)
        known = [*fields["known"].split("/")]
        known[player - 1] = fields["hand"]
        marks = [(_hand(text), self._seat(p, player), 1) for p, text in enumerate(known, start=1)]
        pile = items(fields["pile"], ",")
        for depth, text in enumerate(reversed(pile), start=1):
            if text != "?":
                marks.append((frozenset([parse_card(text)]), self.players, depth))
        rest: list[int] = []
        sizes, trumps = fields["sizes"].split("/"), fields["trumps"].split("/")
        for place in _from(player, range(self.players)):
            rest += [int(sizes[place]), *(int(suit in trumps[place]) for suit in SUITS)]
            rest.append(int(fields["turn"] == str(place + 1)))
        rest += [int(fields["phase"] == phase) for phase in self.PHASES]
        return [*self._rows(marks), *rest, len(pile)]


class KozelEncoder(Encoder):
    """Kozel.

    Actions: 0 is pass, 1 declare; else the places in the hand as a binary number, twice, and 1 more
    if face up.

    Columns: in the own hand; turned up; played in which trick, from 1, by which seat, from 1, and
    whether face up; shown before which trick, from 1, by which seat, from 1. Rest: for each trick
    its leader, from 1, and the number of cards; for each seat the hand size and whether it is his
    turn; the phase; the size of the stock.
    """

    columns = 7
    PHASES = (DECLARE, LEAD, ANSWER)

    def __init__(self, game: Game) -> None:
        super().__init__(game, RANKS)
        self.actions = 2 << HAND_SIZE

    def action(self, state: Any, action: Any) -> int:
        if not isinstance(action, Group):
            return int(action != PASS)
        hand = state.hands[state.turn - 1]
        places: int = sum(1 << hand.index(card) for card in action.cards)
        return 2 * places + int(action.up)

    def observation(self, state: State, player: int) -> list[int]:
        fields = _fields(state, player)
        marks: list[tuple[Iterable[Card], int, int]] = [
            (_hand(fields["hand"]), 0, 1),
            ([parse_card(fields["turned"])], 1, 1),
        ]
        tricks = [*items(fields["tricks"], ";"), fields["trick"]]
        leads = [0, 0] * (RANKS + 1)
        for number, trick in enumerate(tricks, start=1):
            leader, _, groups = trick.partition(":")
            leads[2 * number - 2] = self._seat(leader, player) + 1
            for place, group in enumerate(items(groups, ",")):
                seat = self._seat(int(leader) + place, player) + 1
                cards = _group(group)
                leads[2 * number - 1] = leads[2 * number - 1] or len(cards)
                marks += [(cards, 2, number), (cards, 3, seat), (cards, 4, int("(" not in group))]
        for text in items(fields["shown"], ";"):
            before, owner, group = re.split("[.:]", text)
            marks.append((_group(group), 5, int(before) + 1))
            marks.append((_group(group), 6, self._seat(owner, player) + 1))
        rest = []
        for place in _from(player, range(self.players)):
            rest += [int(fields["sizes"].split("/")[place]), int(fields["turn"] == str(place + 1))]
        rest += [int(fields["phase"] == phase) for phase in self.PHASES]
        return [*self._rows(marks), *leads, *rest, int(fields["stock"])]


def encoder(game: Game) -> Encoder:
    """The encoder of a game."""
    kinds: dict[str, Callable[[Any], Encoder]] = {
        "challenge": ChallengeEncoder,
        "kozel": KozelEncoder,
    }
    return kinds.get(game.name, PileEncoder)(game)


def _fields(state: State, player: int) -> dict[str, str]:
    text = state.information_state_string(player)
    return dict(field.split("=", 1) for field in text.split())


def _hand(text: str) -> Hand:
    return frozenset() if text in ("?", NONE) else parse_hand(text)


def _group(text: str) -> list[Card]:
    """The cards of a group that are seen: none of `(2)`."""
    names = text.strip("()").split("+")
    return [] if names[0].isdecimal() else list(map(parse_card, names))


def _from(player: int, places: Sequence[int]) -> list[int]:
    """Places counted clockwise from that of `player`."""
    return [*places[player - 1 :], *places[: player - 1]]
