"""Tournaments: every deal is played in each rotation of the seats, so that luck evens out."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from engine.arena.interval import mean_interval
from engine.arena.play import Play, steps, taking_turns
from engine.game import Game
from engine.players.player import Player


@dataclass(slots=True)
class Tally:
    """The results of one entrant so far."""

    bounds: tuple[float, float] = (-1.0, 1.0)
    """The lowest and the highest score of a game."""
    wins: int = 0
    """Games in which he got more than 0."""
    losses: int = 0
    """Games in which he got less than 0."""
    games: int = 0
    scores: list[float] = field(default_factory=list)
    """Of each deal, the mean over its games: games of the same deal are not independent."""

    def add(self, scores: Sequence[float]) -> None:
        """Count the games of one deal."""
        self.games += len(scores)
        self.wins += sum(score > 0 for score in scores)
        self.losses += sum(score < 0 for score in scores)
        self.scores.append(fmean(scores))

    @property
    def mean(self) -> float:
        """The mean score of a game."""
        return fmean(self.scores)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the mean, within `bounds`."""
        return mean_interval(self.scores, *self.bounds)


def run(
    game: Game,
    players: Sequence[Player],
    deals: int,
    seed: int,
    report: Callable[[int], None] = lambda done: None,
) -> list[Tally]:
    """The tallies of the players; `report` is called after each deal with the number done."""
    tallies = [Tally(game.bounds) for _ in players]
    for deal in range(deals):
        scores: list[list[float]] = [[] for _ in players]
        deal_seed = random.Random(f"{seed} {deal}").getrandbits(32)
        for turn in range(len(players)):
            order = [(seat + turn) % len(players) for seat in range(len(players))]
            play = Play(game, game.initial(deal_seed))
            for _ in steps(play, taking_turns([players[i] for i in order], deal_seed)):
                pass
            for i, score in zip(order, play.returns(), strict=True):
                scores[i].append(score)
        for tally, mine in zip(tallies, scores, strict=True):
            tally.add(mine)
        report(deal + 1)
    return tallies
