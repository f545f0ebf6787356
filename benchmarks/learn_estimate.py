"""Learn the network of `solver.single.estimate` from complete tables, with numpy.

    python -m benchmarks.learn_estimate --ranks 5,6,7 -o solver/data/estimate.json
    python -m benchmarks.estimate

Positions: 45 % with the leader's hand of any size, all sizes equally likely; 15 % with suits that
he holds more or less of; 40 % deals with up to a third of the cards changed. The same seed gives
the same file on the same machine. Six minutes on a free core.

The file that ships came from a forerunner of this script (docs/advanced.md).
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import click
import numpy as np

from benchmarks.report import json_option, print_report
from solver.core.jit import njit
from solver.single.network import ROLES, Network, features
from solver.tables import open_tables

INNER, WIDTH, HIDDEN = 32, 64, 32
"""Sizes of the layers: of an encoder, of the sum over suits, of the last but one."""
POOL = {4: 20_000, 5: 120_000, 6: 400_000, 7: 1_600_000}
"""Positions of each deck."""
BATCH = 2048
RATE = 3e-3
DECAY = 0.1
"""How fast weights shrink; without it larger decks are judged with far too much trust."""


def any_size(ranks: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Hands of every size from 2 cards to all but 2, equally likely."""
    return _hands(rng.random((size, 1)), ranks, rng, 2)


def by_suit(ranks: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Hands with more cards of some suits than of others."""
    share = np.clip(rng.random((size, 1)) + rng.normal(0, 0.25, (size, 4)), 0.02, 0.98)
    return _hands(np.repeat(share, ranks, 1), ranks, rng, 1)


def near_deals(ranks: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Deals with some cards changed."""
    hands = rng.choice(deals(ranks), size)
    hands ^= _bits(rng.random((size, 4 * ranks)) < 0.35 * rng.random((size, 1)) ** 2)
    return hands[(hands > 0) & (hands < (1 << 4 * ranks) - 1)]


def deals(ranks: int) -> np.ndarray:
    """The dealer's hand in every deal."""
    full = (1 << ranks) - 1
    trump, second = (each.ravel() for each in np.meshgrid(np.arange(full + 1), np.arange(full + 1)))
    hands: np.ndarray = (
        trump | (full ^ trump) << ranks | second << 2 * ranks | (full ^ second) << 3 * ranks
    )
    return hands


def _hands(share: np.ndarray, ranks: int, rng: np.random.Generator, least: int) -> np.ndarray:
    hands = _bits(rng.random((len(share), 4 * ranks)) < share)
    sizes = np.bitwise_count(hands)
    return hands[(sizes >= least) & (sizes <= 4 * ranks - least)]


def _bits(held: np.ndarray) -> np.ndarray:
    hands: np.ndarray = (held * (1 << np.arange(held.shape[1]))).sum(1)
    return hands


def labelled(ranks: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Positions of a deck, mixed, and what they are: 0 won, 1 drawn, 2 lost."""
    size = POOL[ranks]
    hands = np.concatenate(
        [
            any_size(ranks, size * 45 // 100, rng),
            by_suit(ranks, size * 15 // 100, rng),
            near_deals(ranks, size * 40 // 100, rng),
        ]
    )
    hands = rng.permutation(hands)
    return hands, 1 - open_tables().deck(ranks).outcomes(hands)


@njit(cache=True)
def _add_rows(total: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
    for i in range(rows.size):
        for j in range(values.shape[1]):
            total[rows[i], j] += values[i, j]


class Learner:
    """A network that is learned by gradient descent (Adam, with decay of weights)."""

    def __init__(self, learned: tuple[int, ...], seed: int) -> None:
        rng = np.random.default_rng(seed)

        def normal(scale: float, *shape: int) -> np.ndarray:
            return (scale * rng.standard_normal(shape)).astype(np.float32)

        inputs = features(4).shape[1]
        self.network = Network(
            {
                "W1": normal(inputs**-0.5, 3, inputs, INNER),
                "b1": normal(0, 3, 1, INNER),
                "W2": normal(0.5 * (2 / INNER) ** 0.5, 3, INNER, WIDTH),
                "b2": normal(0, WIDTH),
                "V1": normal((2 / WIDTH) ** 0.5, WIDTH, HIDDEN),
                "c1": normal(0, HIDDEN),
                "V2": normal(0.1, HIDDEN, 3),
                "c2": normal(0, 3),
            },
            learned,
        )
        self._means = {key: np.zeros_like(p) for key, p in self.network.parameters.items()}
        self._squares = {key: np.zeros_like(p) for key, p in self.network.parameters.items()}
        self._steps = 0
        self._features = {ranks: features(ranks) for ranks in learned}

    def step(self, ranks: int, hands: np.ndarray, truth: np.ndarray, rate: float) -> float:
        """Learn from some positions; their mean log loss before."""
        p = self.network.parameters
        inputs = self._features[ranks]
        inner = np.maximum(inputs @ p["W1"] + p["b1"], 0)
        suits = inner @ p["W2"]
        low = (1 << ranks) - 1
        rows = [hands >> ranks * suit & low for suit in range(4)]
        total = p["b2"] + sum(suits[role][row] for role, row in zip(ROLES, rows, strict=True))
        total = np.maximum(total, 0)
        hidden = np.maximum(total @ p["V1"] + p["c1"], 0)
        odds = hidden @ p["V2"] + p["c2"]
        chances = np.exp(odds - odds.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        here = np.arange(len(hands)), truth
        loss = -float(np.log(chances[here] + 1e-9).mean())

        chances[here] -= 1
        up = chances / len(hands)
        slopes = {"V2": hidden.T @ up, "c2": up.sum(0)}
        up = up @ p["V2"].T * (hidden > 0)
        slopes |= {"V1": total.T @ up, "c1": up.sum(0)}
        up = np.ascontiguousarray(up @ p["V1"].T * (total > 0))
        slopes["b2"] = up.sum(0)
        added = np.zeros_like(suits)
        for role, row in zip(ROLES, rows, strict=True):
            _add_rows(added[role], row, up)
        slopes["W2"] = inner.transpose(0, 2, 1) @ added
        back = added @ p["W2"].transpose(0, 2, 1) * (inner > 0)
        slopes |= {"W1": inputs.T @ back, "b1": back.sum(1, keepdims=True)}
        self._move(slopes, rate)
        return loss

    def _move(self, slopes: dict[str, np.ndarray], rate: float) -> None:
        self._steps += 1
        for key, slope in slopes.items():
            mean, square = self._means[key], self._squares[key]
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            move = mean / (1 - 0.9**self._steps)
            move /= np.sqrt(square / (1 - 0.999**self._steps)) + 1e-8
            weights = self.network.parameters[key]
            weights -= rate * (move + (DECAY * weights if key[0] in "WV" else 0))


def learn(decks: tuple[int, ...], steps: int, seed: int) -> tuple[Network, float]:
    """The network that these decks teach, and its mean log loss in the last hundred steps."""
    rng = np.random.default_rng(seed)
    pools = [labelled(ranks, rng) for ranks in decks]
    shares = np.array([POOL[ranks] ** 0.7 for ranks in decks])
    learner = Learner(decks, seed)
    losses = []
    for step in range(steps):
        rate = RATE * min(1, step / 200) * (1 - step / steps) + 1e-5
        deck = rng.choice(len(decks), p=shares / shares.sum())
        hands, truth = pools[deck]
        start = rng.integers(0, max(1, len(hands) - BATCH))
        some = slice(start, start + BATCH)
        losses.append(learner.step(decks[deck], hands[some], truth[some], rate))
    return learner.network, float(np.mean(losses[-100:]))


@click.command()
@click.option("--ranks", default="5,6,7", show_default=True, help="Decks to learn, of 4 to 7.")
@click.option("--steps", default=12_500, show_default=True, help="Steps of 2,048 positions.")
@click.option("--seed", default=0, show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the network here.")
@json_option
def main(ranks: str, steps: int, seed: int, output: Path | None, as_json: bool) -> None:
    """Learn the network of estimates."""
    started = time.perf_counter()
    decks = tuple(map(int, ranks.split(",")))
    network, loss = learn(decks, steps, seed)
    if output:
        text = json.dumps(network.to_dict(), separators=(",", ":"))
        output.write_text(f"{text}\n", encoding="utf-8")
    print_report(
        [{"learned on": ranks, "log loss": loss, "seconds": time.perf_counter() - started}],
        as_json,
    )


if __name__ == "__main__":
    main()
