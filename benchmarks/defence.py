"""Does a winner who follows the tables win against the best, a random and a meek defender?

    python -m benchmarks.defence --ranks 7 --games 1000

Plays random won deals and won positions to the end. The winner always takes the first of
`Solution.best`. The best defender takes it too: the longest resistance, or the move to the latest
fact where progress is known instead of distances. Stops if a trick brings no progress.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import click

from benchmarks.report import json_option, print_report
from engine.cards import PICKUP, deck_cards
from engine.deals import random_deal
from engine.position import ChallengeAction, Position
from solver import Solution, Solver

Defender = Callable[[Solution, random.Random], ChallengeAction]
DEFENDERS: dict[str, Defender] = {
    "best": lambda solution, rng: solution.best[0],
    "random": lambda solution, rng: rng.choice(solution.moves).action,
    "picks up": lambda solution, rng: (
        PICKUP if solution.position.top else rng.choice(solution.moves).action
    ),
}


def deals(ranks: int, rng: random.Random) -> Iterator[Position]:
    """Random deals, as they come up at the table."""
    while True:
        yield random_deal(ranks, rng).position()


def positions(ranks: int, rng: random.Random) -> Iterator[Position]:
    """Random positions with an empty table, every hand of the leader equally likely."""
    deck = sorted(deck_cards(ranks))
    while True:
        hand = frozenset(card for card in deck if rng.random() < 0.5)
        if 0 < len(hand) < len(deck):
            yield Position(ranks, (hand, deck_cards(ranks) - hand), (0, 2), 1, None)


def tricks_to_win(
    solver: Solver, position: Position, defender: Defender, rng: random.Random
) -> int:
    """Play a position that the player to move wins; the number of tricks, the last included.

    Raises SystemExit if the winner ever stands worse than his table promises.
    """
    winner, tricks, left = position.turn, 0, 1 << 14
    tables = solver.tables
    while position.winner is None:
        if position.is_base:
            tricks += 1
        solution = solver.solve(position)
        now = tables.get_distance(position, tables.get_progress(position))
        if solution.winner != winner or now is None or now > left:
            raise SystemExit(f"no progress in {position}")
        if position.turn == winner:
            left = now
            action = solution.best[0]
        else:
            action = defender(solution, rng)
        position = position.apply(action)
    if position.winner != winner:
        raise SystemExit(f"the winner of {position} has lost")
    return tricks


@click.command()
@click.option("--ranks", default=6, show_default=True)
@click.option("--games", default=1000, show_default=True)
@json_option
def main(ranks: int, games: int, as_json: bool) -> None:
    """Play won deals and positions to the end against three defenders."""
    solver = Solver(method="table", compiled=True)
    rows = []
    for source in (deals, positions):
        for name, defender in DEFENDERS.items():
            rng = random.Random(1)
            candidates = source(ranks, rng)
            lengths: list[int] = []
            while len(lengths) < games:
                position = next(candidates)
                if solver.solve(position).outcome == "win":
                    lengths.append(tricks_to_win(solver, position, defender, rng))
            lengths.sort()
            rows.append(
                {
                    "of": source.__name__,
                    "defender": name,
                    "games won": len(lengths),
                    "median tricks": lengths[games // 2],
                    "longest": lengths[-1],
                }
            )
    print_report(rows, as_json)


if __name__ == "__main__":
    main()
