"""Estimates: how likely a position is won, drawn or lost where nothing is proved.

A small neural network looks at base positions. It is learned from complete tables of small decks
(`python -m benchmarks.learn_estimate`) and describes each suit by numbers that mean the same in
decks of any size, so that what is learned carries over to decks without tables. Inside a trick the
next turns are played out, both players taking what looks best; their ends are base positions.

An estimate is no proof, and nothing that is proved depends on one. Plain Python, without numpy. All
of it may be called from any thread.

The network is `solver/data/estimate.json`, an object: "learned on", numbers of ranks; "encoders",
for the leader's trumps, the other's and a plain suit, the two layers that turn `suit_features` into
numbers that are added up over the suits, each layer [weights by input, biases]; "layers", those
that turn the sum into log odds of win, draw and loss, all inputs having passed `max(0, x)`;
"scale", a factor of the log odds for each rank more than the decks that it has learned.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from operator import mul
from pathlib import Path
from typing import Any

from engine.cards import PICKUP, Card
from engine.errors import GameError
from engine.position import ChallengeAction, Position
from solver.core.bitboard import Deck, card_bits, run_lows, swap_trumps, trick_bits, view

FILE = Path(__file__).parent.parent / "data" / "estimate.json"
TURNS = 2
"""So many turns of a trick are looked ahead; from then on nobody beats any more."""
_STEPS = 1 << 20
"""Probabilities are multiples of its inverse, so that their sum is exact."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """How likely each outcome is, for the player to move; the sum is exactly 1."""

    win: float
    draw: float
    loss: float

    @classmethod
    def of(cls, win: float, loss: float) -> Estimate:
        """From two probabilities. Neither is ever 0: nothing is proved."""
        wins, losses = (max(1, round(chance * _STEPS)) for chance in (win, loss))
        draws = max(0, _STEPS - wins - losses)
        if wins > losses:
            wins = _STEPS - draws - losses
        else:
            losses = _STEPS - draws - wins
        return cls(wins / _STEPS, draws / _STEPS, losses / _STEPS)

    @property
    def score(self) -> float:
        """What the player may expect, from -1, a loss, to 1, a win."""
        return self.win - self.loss

    def turned(self) -> Estimate:
        """The same for the other player."""
        return Estimate(self.loss, self.draw, self.win)

    def to_dict(self) -> dict[str, float]:
        """The estimate as JSON shows it."""
        win, loss = round(self.win, 6), round(self.loss, 6)
        return {"win": win, "draw": round(1 - win - loss, 6), "loss": loss}


WON = Estimate(1.0, 0.0, 0.0)
"""Of a move that ends the game."""
LOST = WON.turned()


def percent(chance: float) -> str:
    """A chance for people: never all or nothing."""
    whole = round(100 * chance)
    return {0: "under 1 %", 100: "over 99 %"}.get(whole, f"{whole} %")


def estimate(position: Position) -> Estimate:
    """How likely a position is won, drawn and lost for the player to move.

    Raises GameError if the game is over.
    """
    if position.is_base and position.winner is None:
        hand, _, _, _ = trick_bits(position)
        return WON if hand & hand - 1 == 0 else estimate_base(hand, position.ranks)
    return max(estimate_moves(position).values(), key=lambda found: found.score)


def estimate_moves(position: Position) -> dict[ChallengeAction, Estimate]:
    """An estimate of every legal move, for the player who makes it.

    Raises GameError if the game is over.
    """
    if position.winner is not None:
        raise GameError(f"the game is over: player {position.winner} has won")
    ranks = position.ranks
    mine, others, top, _ = trick_bits(position)
    bits = card_bits(view(position.trumps, position.turn), ranks)
    trick = _Trick(ranks)
    found: dict[ChallengeAction, Estimate] = {}
    for action in position.legal_actions():
        if not isinstance(action, Card):
            found[PICKUP] = estimate_leader(swap_trumps(others, ranks), ranks).turned()
        elif top:
            found[action] = trick.lead(mine ^ bits[action], others, TURNS)
        else:
            found[action] = trick.after_lead(mine ^ bits[action], others, bits[action], TURNS)
    if position.is_base and mine & mine - 1:
        found = _aligned(found, estimate_base(mine, ranks))
    return found


def _aligned(
    found: dict[ChallengeAction, Estimate], whole: Estimate
) -> dict[ChallengeAction, Estimate]:
    """Estimates of moves, all moved in log odds until the best is that of the position.

    A look-ahead is better at telling moves apart than at saying how good the best of them is: the
    greatest of several guesses is mostly too high.
    """
    shift = _log_odds(whole) - max(map(_log_odds, found.values()))

    def moved(guess: Estimate) -> Estimate:
        win = 1 / (1 + math.exp(-_log_odds(guess) - shift))
        return Estimate.of(win * (1 - whole.draw), (1 - win) * (1 - whole.draw))

    return {action: moved(guess) for action, guess in found.items()}


def _log_odds(guess: Estimate) -> float:
    """Of a win against a loss, within reason."""
    return math.log((guess.win + 1e-9) / (guess.loss + 1e-9))


class _Trick:
    """The rest of a trick. Hands are seen from the player whose turn it is to lead."""

    def __init__(self, ranks: int) -> None:
        self.deck = Deck.of(ranks)
        self._ranks = ranks

    def lead(self, mine: int, others: int, turns: int, least: float = -2.0) -> Estimate:
        """The player holding `mine` is about to lead; not exact below `least`."""
        if mine & mine - 1 == 0:
            return WON  # his last card, or he has just played it
        leads = run_lows(mine, others, self.deck)
        picked: list[tuple[float, int]] = []
        while leads:
            card = leads & -leads
            leads ^= card
            picked.append((-estimate_leader(mine ^ card, self._ranks).score, card))
        best = LOST
        for score, card in sorted(picked):
            if -score <= max(best.score, least):
                break  # picking up is always possible
            value = self.after_lead(mine ^ card, others, card, turns, max(best.score, least))
            if value.score > best.score:
                best = value
        return best

    def after_lead(
        self, mine: int, others: int, card: int, turns: int, least: float = -2.0
    ) -> Estimate:
        """`card` has been led, and `mine` is left; the worst that the other can do."""
        if not mine:
            return WON
        worst = estimate_leader(mine, self._ranks)
        if turns == 0:
            return worst
        for beat in self._beats(card, others):
            if worst.score <= least:
                break
            kept = others ^ beat
            if not kept:
                return LOST
            kept, rest = swap_trumps(kept, self._ranks), swap_trumps(mine, self._ranks)
            value = self.lead(kept, rest, turns - 1, -worst.score)
            if -value.score < worst.score:
                worst = value.turned()
        return worst

    def _beats(self, card: int, hand: int) -> list[int]:
        """The lowest higher card of the suit, and the lowest trump of the other player."""
        ranks, deck = self._ranks, self.deck
        suit = deck.own << (card.bit_length() - 1) // ranks * ranks
        higher = hand & suit & -(card << 1)
        trumps = 0 if suit == deck.other else hand & deck.other
        return [cards & -cards for cards in (higher, trumps) if cards]


def estimate_leader(hand: int, ranks: int) -> Estimate:
    """Of a base position, by the hand of the leader, seen from him; an only card wins."""
    return estimate_base(hand, ranks) if hand & hand - 1 else WON


@lru_cache(1 << 16)
def estimate_base(hand: int, ranks: int) -> Estimate:
    """The network's answer for a base position, by the hand of the leader, seen from him."""
    network = _network()
    low = (1 << ranks) - 1
    suits = [_encoded(role, hand >> ranks * suit & low, ranks) for suit, role in _ROLES]
    values = [max(0.0, sum(column)) for column in zip(*suits, strict=True)]
    for layer in network.layers[:-1]:
        values = [max(0.0, value) for value in layer.apply(values)]
    odds = network.layers[-1].apply(values)
    more = max(0, ranks - network.most)
    odds = [each * network.scale**more for each in odds]
    chances = [math.exp(each - max(odds)) for each in odds]
    win, _, loss = (chance / sum(chances) for chance in chances)
    return Estimate.of(win, loss)


_ROLES = ((0, 0), (1, 1), (2, 2), (3, 2))
"""Each suit of a hand and its encoder."""


class _Layer:
    """Weights and biases."""

    def __init__(self, weights: list[list[float]], biases: list[float]) -> None:
        self._weights = list(zip(*weights, strict=True))
        self._biases = biases

    def apply(self, values: list[float]) -> list[float]:
        return [
            sum(map(mul, values, row), bias)
            for row, bias in zip(self._weights, self._biases, strict=True)
        ]


class _Network:
    """The network in the file."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.encoders = [[_Layer(*layer) for layer in encoder] for encoder in data["encoders"]]
        self.layers = [_Layer(*layer) for layer in data["layers"]]
        self.most = max(data["learned on"])
        self.scale = float(data["scale"])


@cache
def _network() -> _Network:
    return _Network(json.loads(FILE.read_text(encoding="utf-8")))


@lru_cache(1 << 13)
def _encoded(role: int, hand: int, ranks: int) -> list[float]:
    """What a suit adds to the first layer."""
    first, second = _network().encoders[role]
    inner = first.apply(suit_features(hand, ranks))
    return second.apply([max(0.0, value) for value in inner])


def suit_features(hand: int, ranks: int) -> list[float]:
    """What a player's holding in one suit is like, whatever the deck; `hand` has bit 0 lowest.

    Counts, runs at both ends, and how far ahead each player is when cards are counted from the ace
    down: at equal parts of the suit, at most and at least. (To name single cards, such as the four
    highest, tells more of the decks that are learned and less of larger ones.)
    """
    held = [hand >> rank & 1 for rank in range(ranks)]  # from the lowest
    mine = sum(held)
    his = ranks - mine
    lead, leads = 0, [0]  # cards of mine minus cards of his, from the ace down
    for bit in reversed(held):
        lead += 2 * bit - 1
        leads.append(lead)
    runs = [_run(held, 0), _run(held, 1), _run(held[::-1], 0), _run(held[::-1], 1)]
    changes = sum(a != b for a, b in pairwise(held))
    height = sum(leads) / ranks
    parts = [_between(leads, ranks * part / 8) for part in range(1, 8)]
    best, worst = max(leads), min(leads)
    beaten, beating = lead - worst, best - lead  # his cards that no card of mine beats, and mine
    small = [mine, his, *runs, changes, best, -worst, beaten, beating, height]
    return [
        *(number / 4 for number in parts),
        *(number / 4 for number in small),
        *(number / ranks for number in (mine, *parts, changes, best, worst, beaten, beating)),
        height / ranks,
        *(float(mine == number) for number in range(3)),
        *(float(his == number) for number in range(3)),
    ]


def _run(held: list[int], bit: int) -> int:
    """How many of the first cards are `bit`."""
    length = 0
    for each in held:
        if each != bit:
            break
        length += 1
    return length


def _between(values: list[int], place: float) -> float:
    """The value at a place between two entries."""
    low = min(int(place), len(values) - 2)
    return values[low] + (place - low) * (values[low + 1] - values[low])
