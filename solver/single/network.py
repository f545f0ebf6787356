"""The network of `solver.single.estimate` on arrays of hands, for many positions at once."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from solver.single.estimate import FILE, suit_features

Parameters = dict[str, np.ndarray]
"""Layers of the encoders, stacked (own trumps, other's trumps, plain suit), and of what follows:
weights W1, W2, V1, V2 by input, and biases b1, b2, c1, c2. All suits share b2."""

ROLES = (0, 1, 2, 2)
"""The encoder of each suit of a hand."""
CHUNK = 1 << 14


class Network:
    """Chances of base positions. May be called from any thread."""

    def __init__(self, parameters: Parameters, learned: tuple[int, ...], scale: float = 1) -> None:
        self.parameters = parameters
        self.learned = learned
        self.scale = scale

    @classmethod
    def load(cls) -> Network:
        """The network in the package."""
        data = json.loads(FILE.read_text(encoding="utf-8"))
        p: Parameters = {}
        for number in (0, 1):
            weights, biases = zip(*(encoder[number] for encoder in data["encoders"]), strict=True)
            p[f"W{number + 1}"] = np.array(weights, np.float32)
            p[f"b{number + 1}"] = np.array(biases, np.float32)
            weights, biases = data["layers"][number]
            p[f"V{number + 1}"] = np.array(weights, np.float32)
            p[f"c{number + 1}"] = np.array(biases, np.float32)
        p["b1"], p["b2"] = p["b1"][:, None], p["b2"][0] + p["b2"][1] + 2 * p["b2"][2]
        return cls(p, tuple(data["learned on"]), data["scale"])

    def to_dict(self) -> dict[str, Any]:
        """The content of the file, with four digits of every number."""
        p = self.parameters
        biases = [p["b2"], 0 * p["b2"], 0 * p["b2"]]
        return {
            "learned on": list(self.learned),
            "scale": float(f"{self.scale:.4g}"),
            "encoders": [
                [
                    [_short(p["W1"][role]), _short(p["b1"][role, 0])],
                    [_short(p["W2"][role]), _short(biases[role])],
                ]
                for role in range(3)
            ],
            "layers": [[_short(p[f"V{n}"]), _short(p[f"c{n}"])] for n in (1, 2)],
        }

    def suits(self, ranks: int) -> np.ndarray:
        """What every hand of a suit adds to the first layer: shape (3, 2**ranks, width)."""
        p = self.parameters
        inner = np.maximum(features(ranks) @ p["W1"] + p["b1"], 0)
        added: np.ndarray = inner @ p["W2"]
        return added

    def odds_scale(self, ranks: int) -> float:
        """The factor of log odds for a deck of so many ranks."""
        return float(self.scale ** max(0, ranks - max(self.learned)))

    def chances(self, hands: np.ndarray, ranks: int) -> np.ndarray:
        """The chances of win, draw and loss for the leaders who hold `hands`: shape (size, 3)."""
        p, suits, low = self.parameters, self.suits(ranks), (1 << ranks) - 1
        found = []
        for start in range(0, len(hands), CHUNK):
            some = hands[start : start + CHUNK]
            values = p["b2"] + sum(
                suits[role][some >> ranks * suit & low] for suit, role in enumerate(ROLES)
            )
            values = np.maximum(np.maximum(values, 0) @ p["V1"] + p["c1"], 0)
            odds = self.odds_scale(ranks) * (values @ p["V2"] + p["c2"])
            odds = np.exp(odds - odds.max(1, keepdims=True))
            found.append(odds / odds.sum(1, keepdims=True))
        return np.concatenate(found)


def features(ranks: int) -> np.ndarray:
    """`suit_features` of every hand of a suit, float32."""
    return np.array([suit_features(hand, ranks) for hand in range(1 << ranks)], np.float32)


def _short(values: np.ndarray) -> list[Any]:
    if values.ndim > 1:
        return [_short(row) for row in values]
    return [float(f"{value:.4g}") for value in values]
