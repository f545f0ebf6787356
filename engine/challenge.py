"""Challenge, Besicovitch's Svoyi Kozyri for two, with open hands; see `engine.position`."""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping
from typing import Any

from engine.cards import DECKS, MAX_RANKS, SUITS, parse_deck
from engine.deals import random_deal
from engine.errors import GameError
from engine.game import Game, one_point
from engine.notation import clean
from engine.position import Position
from engine.text import number_in, quoted

DEFAULT_LIMIT = 10_000
MOST_ACTIONS = 10**9


class Challenge(Game):
    """The game with its options: deck, suits and limit."""

    name = "challenge"
    players = 2
    few_is_good = False

    def __init__(
        self, ranks: int | str = 6, suits: str = SUITS, limit: int | str = DEFAULT_LIMIT
    ) -> None:
        """Options as in `option_help`. Raises GameError."""
        self.ranks = parse_deck(ranks)
        self.action_count = 4 * self.ranks + 1
        self.suits = clean(suits).strip()
        if self.suits != "DRAWN" and sorted(self.suits) != sorted(SUITS):
            raise GameError(
                f"suits {quoted(suits)} are wrong, expected an order of {SUITS} or drawn"
            )
        number = number_in(limit, range(1, MOST_ACTIONS + 1))
        if number is None:
            raise GameError(
                f"limit {quoted(limit)} is wrong, "
                f"expected a number of actions from 1 to {MOST_ACTIONS:,}"
            )
        self.limit = number

    @classmethod
    def option_help(cls) -> Mapping[str, str]:
        return {
            "ranks": f"the deck: {', '.join(DECKS)} or 1..{MAX_RANKS} ranks in a suit (default: 6)",
            "suits": "dealer's trump, his second suit, the other's trump, his second suit, "
            f"or drawn from the seed (default: {SUITS})",
            "limit": f"actions until a game is called drawn, 1 to {MOST_ACTIONS:,} "
            f"(default: {DEFAULT_LIMIT})",
        }

    @property
    def options(self) -> dict[str, Any]:
        return {"ranks": self.ranks, "suits": self.suits, "limit": self.limit}

    def initial(self, seed: int) -> Position:
        """A random deal; player 1 is the dealer and leads."""
        rng = random.Random(seed)
        deal = random_deal(self.ranks, rng)
        suits = rng.sample(SUITS, 4) if self.suits == "DRAWN" else self.suits
        return deal.position("".join(suits))

    def parse(self, text: str) -> Position:
        position = Position.parse(text)
        if position.ranks != self.ranks:
            raise GameError(
                f"a position of {position.ranks} ranks, expected one of this game's {self.ranks}"
            )
        return position

    def repetition_key(self, state: Position) -> Hashable | None:
        """The base position: a game that never ends must repeat one."""
        return state if state.is_base else None

    def seats(self, dealer: int) -> tuple[int, ...]:
        """Player 1 is the dealer."""
        return (dealer, 3 - dealer)

    def points(self, final: Position) -> tuple[int, ...]:
        """A point for the winner."""
        return one_point(final.winner or 0, self.players)
