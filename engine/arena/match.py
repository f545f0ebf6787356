"""Matches: several deals, who deals next, scores, and when it is over.

    match = Match.start(load_game("kozel"), seed=1)
    while not match.over:
        state = match.initial()
        ...                          # played to its end with the rules of match.game
        match = match.after(state)

A match is immutable. Its rules are the game's (see `engine.game.Game`). Scores are counted by seat;
where a seat and its player in a deal have different numbers, `Match.seats` says who is who.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.cards import Card
from engine.errors import GameError
from engine.game import Game, State
from engine.text import number_in, quoted


@dataclass(frozen=True, slots=True)
class Match:
    """A match between two deals."""

    game: Game
    """The game of the next deal; where dealing is an option, it says who deals."""
    seed: int
    target: int
    dealer: int
    """The seat that deals next."""
    scores: tuple[int, ...]
    """Of each seat; in Kozel those of partners are the same."""
    deals: int = 0
    """How many have been played."""
    cut: tuple[tuple[Card, ...], ...] = ()
    """The cards cut for the first deal, those of a round in the order of the seats."""

    @classmethod
    def start(cls, game: Game, seed: int, target: int | str | None = None) -> Match:
        """A new match; the first dealer is the one set by option, else drawn from the seed.

        Raises GameError for a target that the rules do not allow.
        """
        number = game.usual_target if target is None else target
        legal = sorted(game.targets)
        score = number_in(number, range(legal[0], legal[-1] + 1))
        if score is None or score not in legal:
            values = (
                f"{legal[0]} to {legal[-1]}" if len(legal) > 2 else " or ".join(map(str, legal))
            )
            raise GameError(
                f"a match of {game.name} cannot end at {quoted(number)}, expected {values}"
            )
        dealer, cut = game.first_dealer(random.Random(seed))
        if game.dealer != "random":
            dealer, cut = int(game.dealer), ()
        return cls(game.dealt_by(dealer), seed, score, dealer, (0,) * game.players, cut=cut)

    @property
    def seats(self) -> tuple[int, ...]:
        """The seat of each player of the next deal."""
        return self.game.seats(self.dealer)

    @property
    def deal_seed(self) -> int:
        """The seed of the next deal."""
        return random.Random(f"{self.seed} {self.deals}").getrandbits(32)

    def initial(self) -> State:
        """The state after the next deal. Raises GameError if the match is over."""
        if self.over:
            raise GameError("the match is over, there are no more deals")
        return self.game.initial(self.deal_seed)

    def after(self, final: State) -> Match:
        """The match after a deal that ended in this state, perhaps cut off."""
        scores = list(self.scores)
        if final.is_decided:
            for seat, points in zip(self.seats, self.game.points(final), strict=True):
                scores[seat - 1] += points
        dealer = self.game.next_dealer(self.dealer, final)
        return replace(
            self,
            game=self.game.after(dealer, final),
            dealer=dealer,
            scores=tuple(scores),
            deals=self.deals + 1,
            cut=(),
        )

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return self.game.ends_match(self.scores, self.target)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats with the best score."""
        return self._with_score(min if self.game.few_is_good else max)

    @property
    def losers(self) -> tuple[int, ...]:
        """The seats with the worst score."""
        return self._with_score(max if self.game.few_is_good else min)

    def _with_score(self, which: Callable[[tuple[int, ...]], int]) -> tuple[int, ...]:
        score = which(self.scores)
        return tuple(seat for seat, value in enumerate(self.scores, start=1) if value == score)
