"""Learn the weights of `solver.single.evaluation`, and tell which deck predicts which.

    python -m benchmarks.evaluation

For each deck a logistic regression on 60,000 base positions, each size of the leader's hand as
likely as any other; for each pair of decks the share of positions of which the guess tells who
wins. The weights of 6 ranks are those in `solver/evaluation.py`.
"""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from benchmarks.report import json_option, print_report
from solver.single.evaluation import suit_features
from solver.tables import open_tables

STEPS = 12
"""Newton steps, more than it takes."""


def sample(ranks: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Features of random positions, a constant last, and whether the leader wins."""
    cards = 4 * ranks
    rng = np.random.default_rng(ranks)
    held = rng.integers(1, cards, size)
    order = rng.random((size, cards)).argsort(1).argsort(1)
    hands = ((order < held[:, None]) * (1 << np.arange(cards))).sum(1)
    table = suit_features(ranks)
    own, other, p, q = (table[hands >> ranks * suit & (1 << ranks) - 1] for suit in range(4))
    features = np.concatenate([own, other, p + q, np.ones((size, 1))], 1)
    return features, open_tables().deck(ranks).outcomes(hands) > 0


def learn(features: np.ndarray, wins: np.ndarray) -> np.ndarray:
    """The weights of a logistic regression, by Newton's method with a touch of shrinking."""
    weights = np.zeros(features.shape[1])
    shrink = 1e-3 * np.eye(weights.size)
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (wins - chance) - shrink @ weights
        curve = (features * (chance * (1 - chance))[:, None]).T @ features + shrink
        weights += np.linalg.solve(curve, slope)
    return weights


@click.command()
@click.option("--ranks", type=click.IntRange(3, 8), multiple=True, default=[4, 5, 6, 7, 8])
@click.option("--sample", "size", default=60_000, show_default=True, help="Positions of each deck.")
@json_option
def main(ranks: tuple[int, ...], size: int, as_json: bool) -> None:
    """Learn from each deck, and test on each."""
    samples = {deck: sample(deck, size) for deck in ranks}
    rows: list[dict[str, Any]] = []
    for deck, (features, wins) in samples.items():
        weights = learn(features, wins)
        right = {
            f"right on {other}, %": round(100 * float(np.mean((test @ weights > 0) == truth)), 1)
            for other, (test, truth) in samples.items()
        }
        rows.append({"learned on": deck, **right})
        for row in np.split(weights, [10, 20, 30]):
            click.echo(f"{deck}: ({', '.join(f'{weight:.4g}' for weight in row)})", err=True)
    print_report(rows, as_json)


if __name__ == "__main__":
    main()
