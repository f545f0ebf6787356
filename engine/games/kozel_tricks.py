"""What Kozel is made of: what beats what, groups, tricks, declarations, penalties, fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

from engine.cards import Card
from engine.games import fields

PLAYERS = 4
RANKS = 9
HAND_SIZE = 4
DRAWS = RANKS - HAND_SIZE
"""How many cards each player draws in a deal."""
TEN, ACE = 10, 14
ORDER = (6, 7, 8, 9, 11, 12, 13, TEN, ACE)
"""The ranks from low to high."""
POINTS = {ACE: 11, TEN: 10, 13: 4, 12: 3, 11: 2}
SHOKHA = Card(0, 6)

MOSKVA, MOLODKA = "moskva", "molodka"
PHASES = DECLARE, LEAD, ANSWER = "declare", "lead", "answer"
"""What a player may have to do."""

Cards = tuple[Card, ...]


class Group(NamedTuple):
    """Cards played together; as an action, the lead or answer of these cards."""

    cards: Cards
    up: bool
    """Face up; an answer only if it takes over."""
    unseen: int = 0
    """To a player who does not see these cards: how many they are, instead of `cards`."""

    @property
    def size(self) -> int:
        """How many cards they are."""
        return self.unseen or len(self.cards)

    @property
    def points(self) -> int:
        """What they count for the side that takes them."""
        return sum(POINTS.get(card.rank, 0) for card in self.cards)

    def __str__(self) -> str:
        text = fields.join(self.cards, "+")
        return text if self.up else f"({self.unseen or text})"


class Trick(NamedTuple):
    """A trick, complete or not."""

    leader: int
    groups: tuple[Group, ...]

    @property
    def size(self) -> int:
        """How many cards each player plays to it."""
        return self.groups[0].size if self.groups else 0

    @property
    def winner(self) -> int:
        """The last player who took over, or the leader."""
        return seat(self.leader + max(i for i, group in enumerate(self.groups) if group.up))

    def by_player(self) -> Iterator[tuple[int, Group]]:
        """Each player who has played, with his group."""
        return ((seat(self.leader + i), group) for i, group in enumerate(self.groups))

    def __str__(self) -> str:
        return f"{self.leader}:{fields.join(self.groups, ',')}"


class Shown(NamedTuple):
    """A hand shown by a declarer."""

    number: int
    """How many tricks had been played."""
    player: int
    cards: Cards

    def __str__(self) -> str:
        return f"{self.number}.{self.player}:{fields.join(self.cards, '+')}"


class KozelFields(NamedTuple):
    """The fields of a state."""

    game: Any
    hands: tuple[Cards, ...]
    stock: Cards
    """The next card to draw is the first; the last one is `turned`."""
    turned: Card
    tricks: tuple[Trick, ...]
    shown: tuple[Shown, ...]
    trick: Trick
    turn: int
    phase: str

    @property
    def all_tricks(self) -> tuple[Trick, ...]:
        """The complete ones and the current one."""
        return (*self.tricks, self.trick)

    def drawn_by(self, number: int) -> int:
        """How many cards each player had drawn before the trick with this number."""
        return min(DRAWS, sum(trick.size for trick in self.tricks[:number]))


def seat(place: int) -> int:
    """The player at a place counted clockwise beyond the first or last seat."""
    return (place - 1) % PLAYERS + 1


def side(player: int) -> int:
    """The partnership of a player: 0 for players 1 and 3, 1 for 2 and 4."""
    return (player - 1) % 2


def beats(card: Card, other: Card, trump: int) -> bool:
    """Whether `card` beats `other`."""
    if SHOKHA in (card, other):
        return card == SHOKHA
    if card.suit == other.suit:
        return ORDER.index(card.rank) > ORDER.index(other.rank)
    return card.suit == trump


@lru_cache(1 << 16)
def takes_over(answer: Cards, winning: Cards, trump: int) -> bool:
    """Whether the cards can be matched one to one, each of `answer` beating its partner."""
    return not winning or any(
        beats(card, winning[0], trump)
        and takes_over(answer[:i] + answer[i + 1 :], winning[1:], trump)
        for i, card in enumerate(answer)
    )


def leads(hand: Cards) -> tuple[Cards, ...]:
    """Every group that may be led, by size: cards of one suit, which shokha may join."""
    groups = (group for size in range(1, len(hand) + 1) for group in combinations(hand, size))
    return tuple(group for group in groups if _is_one_suit(group))


def _is_one_suit(cards: Cards) -> bool:
    return len({card.suit for card in cards if card != SHOKHA}) <= 1


def declaration(hand: Cards) -> str | None:
    """What the hand may declare: `MOSKVA`, `MOLODKA` or nothing; it is never both."""
    if len(hand) < HAND_SIZE:
        return None
    ranks = {card.rank for card in hand if card != SHOKHA}
    if ACE in ranks and ranks <= {ACE, TEN}:
        return MOSKVA
    return MOLODKA if _is_one_suit(hand) else None


def penalties(points: Sequence[int], tricks: Sequence[int]) -> tuple[int, int]:
    """The penalties of the two sides, from their points and the numbers of tricks they took."""
    if points[0] == points[1]:
        return 2, 2
    loser = 0 if points[0] < points[1] else 1
    value = 2 if points[loser] >= 31 else 4 if tricks[loser] else 6
    return (value, 0) if loser == 0 else (0, value)
