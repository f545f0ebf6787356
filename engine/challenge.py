"""Challenge, Besicovitch's Svoyi Kozyri for two, with open hands; see `engine.position`."""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping
from typing import Any, ClassVar

from engine.cards import DECKS, MAX_RANKS, SUITS, Card, deck_cards, in_order, parse_deck
from engine.choice import SuitChoice
from engine.deals import random_deal
from engine.errors import GameError
from engine.game import Game, one_point
from engine.notation import clean
from engine.position import Position
from engine.problem import position_of, read_problem
from engine.text import number_in, quoted

DEFAULT_LIMIT = 10_000
MOST_ACTIONS = 10**9
RANDOM = "random"
RULES = """\
Two players with open hands; each has a trump suit of his own. The dealer
leads. Whoever faces a card beats it, with a higher card of its suit or with
one of his own trumps (his own trumps only with a higher one), and then leads
any card on top; or he picks up all cards on the table, and the other player
leads again. Whoever plays his last card, leading or beating, wins at once.
"""
EXAMPLES = {
    "9D": "lead this card, or beat with it",
    "pickup": "pick up what lies on the table",
    "hearts": "choose this suit, before the deal; h or ♥ will do",
}


class Challenge(Game):
    """The game with its options: deck, suits and limit."""

    name = "challenge"
    players = 2
    few_is_good = False
    at_the_table: ClassVar = {"suits": "chosen"}
    rules = RULES
    examples: ClassVar = EXAMPLES

    def __init__(
        self,
        ranks: int | str = 6,
        suits: str = SUITS,
        limit: int | str = DEFAULT_LIMIT,
        start: str = RANDOM,
    ) -> None:
        """Options as in `option_help`. Raises GameError."""
        self.ranks = parse_deck(ranks)
        self.suits = clean(suits).strip()
        self.action_count = 4 * self.ranks + (5 if self.suits == "CHOSEN" else 1)
        if self.suits not in ("CHOSEN", "DRAWN") and sorted(self.suits) != sorted(SUITS):
            raise GameError(
                f"suits {quoted(suits)} are wrong, expected an order of {SUITS}, chosen or drawn"
            )
        number = number_in(limit, range(1, MOST_ACTIONS + 1))
        if number is None:
            raise GameError(
                f"limit {quoted(limit)} is wrong, "
                f"expected a number of actions from 1 to {MOST_ACTIONS:,}"
            )
        self.limit = number
        self.begins = None if start.strip().lower() == RANDOM else read_problem(start, self.ranks)
        """The deal or the position that every game begins with, if it is not drawn from a seed."""
        if self.begins is not None and position_of(self.begins).winner is not None:
            raise GameError(f"the game is over in {quoted(start)}, expected one to be played")

    @classmethod
    def option_help(cls) -> Mapping[str, str]:
        return {
            "ranks": f"the deck: {', '.join(DECKS)} or 1..{MAX_RANKS} ranks in a suit (default: 6)",
            "suits": "dealer's trump, his second suit, the other's trump, his second suit, "
            f"chosen by the players, or drawn from the seed (default: {SUITS}; "
            "in challenge play with a person: chosen)",
            "limit": f"actions until a game is called drawn, 1 to {MOST_ACTIONS:,} "
            f"(default: {DEFAULT_LIMIT})",
            "start": "a deal or a position to begin with, such as KQJ.JT9 (default: random, "
            "a deal made from the seed)",
        }

    @property
    def options(self) -> dict[str, Any]:
        start = RANDOM if self.begins is None else str(self.begins)
        return {"ranks": self.ranks, "suits": self.suits, "limit": self.limit, "start": start}

    def initial(self, seed: int) -> Position | SuitChoice:
        """A random deal, if there is no other start; player 1 is the dealer and leads."""
        if isinstance(self.begins, Position):
            return self.begins
        rng = random.Random(seed)
        deal = random_deal(self.ranks, rng) if self.begins is None else self.begins
        if self.suits == "CHOSEN":
            return SuitChoice(deal)
        suits = rng.sample(SUITS, 4) if self.suits == "DRAWN" else self.suits
        return deal.position("".join(suits))

    def parse(self, text: str) -> Position | SuitChoice:
        before = self.suits == "CHOSEN" and len(text.split()) < 6
        state = SuitChoice.parse(text) if before else Position.parse(text)
        ranks = state.deal.ranks if isinstance(state, SuitChoice) else state.ranks
        if ranks != self.ranks:
            raise GameError(
                f"a position of {ranks} ranks, expected one of this game's {self.ranks}"
            )
        return state

    def repetition_key(self, state: Position | SuitChoice) -> Hashable | None:
        """The base position: a game that never ends must repeat one."""
        return state if isinstance(state, Position) and state.is_base else None

    def first_dealer(self, rng: random.Random) -> tuple[int, tuple[tuple[Card, Card], ...]]:
        """The player who cuts the higher rank; equal ranks cut again."""
        if self.ranks == 1:  # they are always equal
            return rng.randint(1, self.players), ()
        deck, cut = in_order(deck_cards(self.ranks)), []
        while True:
            one, two = rng.sample(deck, 2)
            cut.append((one, two))
            if one.rank != two.rank:
                return (1 if one.rank > two.rank else 2), tuple(cut)

    def seats(self, dealer: int) -> tuple[int, ...]:
        """Player 1 is the dealer."""
        return (dealer, 3 - dealer)

    def points(self, final: Position) -> tuple[int, ...]:
        """A point for the winner."""
        return one_point(final.winner or 0, self.players)
