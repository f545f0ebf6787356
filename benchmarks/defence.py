"""Does the player `perfect` win what is won, against all kinds of defenders, and how quickly?

    python -m benchmarks.defence --ranks 7 --games 1000

Plays random won deals and won positions to the end: with an empty table, inside a trick, of the
leader and of the responder. The best defender takes the first of `Solution.best`: the longest
resistance, or the move to the latest fact where progress is known instead of distances. Stops if a
trick brings no progress.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import click

from benchmarks.report import json_option, print_report
from engine.cards import PICKUP, deck_cards
from engine.deals import random_deal
from engine.game import load_game
from engine.players.pimc import Pimc
from engine.players.player import Player
from engine.position import ChallengeAction, Position
from solver import Solution, Solver
from solver.player import Perfect

Defender = Callable[[Solution, random.Random], ChallengeAction]
PLAIN: dict[str, Defender] = {
    "best": lambda solution, rng: solution.best[0],
    "random": lambda solution, rng: rng.choice(solution.moves).action,
    "picks up": lambda solution, rng: (
        PICKUP if solution.position.top else rng.choice(solution.moves).action
    ),
    "greedy": lambda solution, rng: solution.position.rule_of_thumb(),  # type: ignore[dict-item,return-value]
}


def defenders(ranks: int) -> dict[str, Defender]:
    """All defenders, those that are players as well."""
    game = load_game("challenge", ranks=ranks)

    def playing(player: Player) -> Defender:
        return lambda solution, rng: player.choose(solution.position, rng)  # type: ignore[return-value]

    return PLAIN | {"perfect": playing(Perfect(game)), "pimc": playing(Pimc(game))}


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


def in_tricks(ranks: int, rng: random.Random) -> Iterator[Position]:
    """Random positions, some random moves later, so that either may win, or be to move."""
    for position in positions(ranks, rng):
        for _ in range(rng.randrange(1, 6)):
            if position.winner is None:
                position = position.apply(rng.choice(position.legal_actions()))
        if position.winner is None:
            yield position


def tricks_to_win(
    solver: Solver, winner: Perfect, position: Position, defender: Defender, rng: random.Random
) -> int:
    """Play a position that is no draw; the number of tricks, the last included.

    Raises SystemExit if the winner ever stands worse than his table promises.
    """
    seat, tricks, left = solver.solve(position).winner, 0, 1 << 14
    tables = solver.tables
    while position.winner is None:
        solution = solver.solve(position)
        if position.is_base:
            tricks += 1
            now = tables.get_distance(position, tables.get_progress(position))
            if solution.winner != seat or now is None or now >= left:
                raise SystemExit(f"no progress in {position}")
            left = now
        action = winner.choose(position, rng) if position.turn == seat else defender(solution, rng)
        position = position.apply(action)
    if position.winner != seat:
        raise SystemExit(f"the winner of {position} has lost")
    return tricks


@click.command()
@click.option("--ranks", default=6, show_default=True)
@click.option("--games", default=1000, show_default=True)
@json_option
def main(ranks: int, games: int, as_json: bool) -> None:
    """Play won deals and positions to the end against all defenders."""
    solver = Solver(method="table", compiled=True, unpack=True)
    winner = Perfect(load_game("challenge", ranks=ranks))
    rows = []
    for source in (deals, positions, in_tricks):
        for name, defender in defenders(ranks).items():
            rng = random.Random(1)
            candidates = source(ranks, rng)
            lengths: list[int] = []
            while len(lengths) < games:
                position = next(candidates)
                if solver.solve(position).winner in ((1,) if source is deals else (1, 2)):
                    lengths.append(tricks_to_win(solver, winner, position, defender, rng))
            lengths.sort()
            rows.append(
                {
                    "of": source.__name__.replace("_", " "),
                    "defender": name,
                    "games won": len(lengths),
                    "median tricks": lengths[games // 2],
                    "longest": lengths[-1],
                }
            )
    print_report(rows, as_json)


if __name__ == "__main__":
    main()
