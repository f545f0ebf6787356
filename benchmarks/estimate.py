"""How good estimates are, on a deck that was not learned, against its table.

    python -m benchmarks.estimate
    python -m benchmarks.estimate --advanced

Does the leader win? Log loss, Brier score, area under the ROC curve (AUC), and how far
chances are from what happens (mean over ten bins, weighted). Beside it the log loss of the base
rate and of the guess that orders the moves of the search (`solver.single.evaluation`).
Positions: random ones by the size of the leader's hand, all deals, deals as they come up at the
table, and those of games in which nobody gives away what he has. `--advanced` estimates instead how
many deals the dealer wins, each deal as likely as it comes up, for 7 to 10 ranks.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import click
import numpy as np

from benchmarks.learn_estimate import any_size
from benchmarks.learn_estimate import deals as all_deals
from benchmarks.report import json_option, print_report
from engine.deals import random_deal
from solver.core.bitboard import leader_bits
from solver.single.evaluation import guess_tables
from solver.single.network import ROLES, Network
from solver.solver import Solver
from solver.tables import open_tables

MOST_ACTIONS = 150
"""A game is left after so many."""


def dealt(ranks: int, size: int) -> np.ndarray:
    """The dealer's hands of random deals."""
    rng = random.Random(1)
    return np.array([leader_bits(random_deal(ranks, rng).position()) for _ in range(size)])


def played(ranks: int, games: int) -> np.ndarray:
    """The leaders' hands in games from random deals where nobody gives away a win or a draw."""
    solver = Solver(method="table", outcomes_only=True, compiled=True)
    rng = random.Random(2)
    hands = set()
    for _ in range(games):
        position = random_deal(ranks, rng).position()
        for _ in range(MOST_ACTIONS):
            if position.winner:
                break
            if position.is_base:
                hands.add(leader_bits(position))
            best = solver.solve(position).best
            position = position.apply(position.rule_of_thumb(best))
    return np.array(sorted(hands))


def linear(hands: np.ndarray, ranks: int) -> np.ndarray:
    """The chances of the guess that orders moves."""
    tables = guess_tables(ranks)[0]
    low = (1 << ranks) - 1
    odds = sum(
        tables[role][hands >> ranks * suit & low] - (1 << 20) for suit, role in enumerate(ROLES)
    )
    chances: np.ndarray = 1 / (1 + np.exp(-odds / 64))
    return chances


def log_loss(chances: np.ndarray, wins: np.ndarray) -> float:
    chances = np.clip(chances, 1e-6, 1 - 1e-6)
    return -float(np.mean(np.log(np.where(wins, chances, 1 - chances))))


def area(chances: np.ndarray, wins: np.ndarray) -> float:
    """How often a won position looks better than another."""
    order = chances.argsort()
    places = np.empty(len(order))
    places[order] = np.arange(1, len(order) + 1)
    won, lost = int(wins.sum()), int((~wins).sum())
    return float((places[wins].sum() - won * (won + 1) / 2) / max(1, won * lost))


def off(chances: np.ndarray, wins: np.ndarray) -> float:
    """How far chances are from what happens."""
    bins = np.minimum(9, (10 * chances).astype(int))
    sums = np.bincount(bins, chances - wins, 10)
    return float(np.abs(sums).sum() / len(wins))


def judged(what: str, hands: np.ndarray, ranks: int, network: Network) -> dict[str, Any]:
    """A row of the report."""
    wins = open_tables().deck(ranks).outcomes(hands) > 0
    chances = network.chances(hands, ranks)[:, 0]
    rate = np.full(len(hands), wins.mean())
    return {
        "positions": what,
        "number": len(hands),
        "right": float(np.mean((chances > 0.5) == wins)),
        "log loss": log_loss(chances, wins),
        "base rate": log_loss(rate, wins),
        "linear": log_loss(linear(hands, ranks), wins),
        "Brier": float(np.mean((chances - wins) ** 2)),
        "AUC": area(chances, wins),
        "calibration": off(chances, wins),
    }


def rows(ranks: int, size: int, games: int, network: Network) -> Iterator[dict[str, Any]]:
    """The report on one deck."""
    hands = any_size(ranks, size, np.random.default_rng(99))
    yield judged("random", hands, ranks, network)
    held = np.bitwise_count(hands)
    for low in range(0, 4 * ranks, ranks):
        some = hands[(held > low) & (held <= low + ranks)]
        yield judged(f"  {low + 1} to {low + ranks} cards", some, ranks, network)
    yield judged("all deals", all_deals(ranks), ranks, network)
    yield judged("deals as they come", dealt(ranks, size // 4), ranks, network)
    yield judged("in games", played(ranks, games), ranks, network)


def shares(size: int, network: Network) -> Iterator[dict[str, Any]]:
    """The share of deals that the dealer wins, estimated, and exact where there is a table."""
    for ranks in (7, 8, 9, 10):
        hands = dealt(ranks, size)
        chances = network.chances(hands, ranks)
        exact: float | str = "?"
        if ranks in open_tables():
            exact = float(np.mean(open_tables().deck(ranks).outcomes(hands) > 0))
        yield {
            "ranks": ranks,
            "deals": size,
            "dealer wins": float(chances[:, 0].mean()),
            "exact": exact,
            "draws": float(chances[:, 1].mean()),
        }


@click.command()
@click.option("--ranks", default=8, show_default=True)
@click.option("--sample", "size", default=60_000, show_default=True, help="Random positions.")
@click.option("--games", default=100, show_default=True)
@click.option("--advanced", is_flag=True, help="Estimate shares of deals instead.")
@json_option
def main(ranks: int, size: int, games: int, advanced: bool, as_json: bool) -> None:
    """Compare estimates with a table."""
    network = Network.load()
    found = shares(size, network) if advanced else rows(ranks, size, games, network)
    print_report(list(found), as_json)


if __name__ == "__main__":
    main()
