"""Looking ahead over estimates: what seems the best move where nothing can be proved.

An alpha-beta search, deeper and deeper, whose leaves are the network's estimates of base positions
(`solver.single.network`). It looks over whole tricks: at its horizon it follows the trick on, as
far as somebody gains by beating. Values are log odds of a win against a loss for the player whose
turn it is to lead. They tell moves apart well, and say less about how likely a win is: the largest
of many guesses is mostly too large.

Base positions that have come up in the game count as a draw, which they lead to: so a winner gets
on, and a loser goes round in circles if he can. By the theorems *lowest of a run* and *lowest beat*
(docs/theory.md) few moves have to be tried.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types

from engine.cards import Card
from engine.position import ChallengeAction, Position
from solver.core.bitboard import Deck, card_bits, leader_bits, trick_bits, view
from solver.core.bitboard import swap_trumps as seen_from_other
from solver.core.jit import njit
from solver.core.lowlevel import product
from solver.core.trick import MULTIPLIER, MULTIPLIER2, below_highest, run_lows, swap_trumps
from solver.single.network import Network

WON = 1000.0
"""Log odds of a win that is seen to its end, beyond those of any estimate."""
BEYOND = 12
"""So many leads a trick is followed beyond the horizon, at most, and at most twice the depth."""
MOST_DEPTH = 60
"""Leads that are looked ahead, at most."""
ENTRIES = 1 << 18
"""Entries of the transposition table."""
FIRST_PACE = 300_000
"""Nodes in a second, until that is measured."""

# Counts:
_NODES, _LIMIT, _STOPPED, _BEYOND = range(4)
# Columns of the transposition table:
_MINE, _OTHERS, _DEPTH, _FURTHER, _BOUND, _MOVE = range(6)
# What a value in it is:
_EXACT, _AT_LEAST, _AT_MOST = range(3)


class _Tools(NamedTuple):
    """What the kernel looks at: a deck, the network's layers, and working memory."""

    deck: Deck
    suits: np.ndarray
    """float32: shape (3, 2**ranks, width)."""
    inner: np.ndarray
    """float32: shape (hidden, width)."""
    biases: np.ndarray
    outer: np.ndarray
    """Weights of the log odds, float32, and their constant at the end."""
    counts: np.ndarray
    entries: np.ndarray
    """int64: shape (entries, 6)."""
    values: np.ndarray
    seen: np.ndarray
    """The leader's hand, seen from him, in base positions that have come up; int64."""


def _tools(ranks: int, network: Network | None) -> _Tools:
    """Of a deck; without a network, of the same types."""
    if network is None:
        suits, inner = np.zeros((3, 1, 1), np.float32), np.zeros((1, 1), np.float32)
        biases, outer = np.zeros(1, np.float32), np.zeros(2, np.float32)
    else:
        p = network.parameters
        suits = (network.suits(ranks) + p["b2"] / 4).astype(np.float32)
        inner, biases = np.ascontiguousarray(p["V1"].T), p["c1"]
        odds = np.append(p["V2"], p["c2"][None], 0)
        outer = (network.odds_scale(ranks) * (odds[:, 0] - odds[:, 2])).astype(np.float32)
    return _Tools(
        Deck.of(ranks),
        suits,
        inner,
        biases,
        outer,
        np.zeros(4, np.int64),
        np.zeros((ENTRIES if network else 1, 6), np.int64),
        np.zeros(ENTRIES if network else 1),
        np.zeros(0, np.int64),
    )


_I64, _F64, _TOOLS = types.int64, types.float64, typeof(_tools(1, None))  # type: ignore[no-untyped-call]


@njit([_F64(_I64, _TOOLS)], cache=True, fastmath=True, nogil=True)
def guess(hand: int, t: Any) -> float:
    """The log odds of the leader who holds `hand`, seen from him."""
    if hand & hand - 1 == 0:
        return WON
    ranks = t.deck.ranks
    low = (1 << ranks) - 1
    own, other = hand & low, hand >> ranks & low
    p, q = hand >> 2 * ranks & low, hand >> 3 * ranks
    width = t.suits.shape[2]
    total = np.empty(width, np.float32)
    for i in range(width):
        value = t.suits[0, own, i] + t.suits[1, other, i] + t.suits[2, p, i] + t.suits[2, q, i]
        total[i] = max(value, np.float32(0))
    hidden = t.biases.size
    odds = t.outer[hidden]
    for j in range(hidden):
        value = t.biases[j]
        for i in range(width):
            value += t.inner[j, i] * total[i]
        odds += max(value, np.float32(0)) * t.outer[j]
    return float(odds)


@njit([_F64(_I64, _I64, _I64, _I64, _F64, _F64, _F64, _TOOLS)], cache=True, nogil=True)
def worth(
    mine: int, others: int, card: int, depth: int, low: float, high: float, picked: float, t: Any
) -> float:
    """Log odds for the player who holds `mine`; exact between `low` and `high`, else a bound.

    He is about to lead if `card` is 0; else he has led it, it has left his hand, and `picked` is
    the guess of what comes of picking it up. `depth`: leads that are still looked ahead. If the
    nodes are used up it says so in the counts, and the value means nothing.
    """
    deck = t.deck
    no_card = card & 0  # not a literal, which would break numba's cache
    if card:
        # The other player picks up or beats, whatever is worst.
        if mine == 0:
            return WON
        own = deck.other
        higher = others & -(card << 1) if card & below_highest(others, deck) else 0
        trumps = 0 if card & own else others & own
        beats = (higher & -higher, trumps & -trumps)
        beaten = higher | trumps != 0
        value = picked if depth <= 0 else WON
        at_first = depth > 0 and (picked <= low or not beaten)
        if at_first:
            value = worth(mine, deck.full ^ mine, no_card, depth - 1, low, high, picked, t)
        for beat in beats:
            if beat and value > low:
                kept = others ^ beat
                if kept == 0:
                    return -WON
                kept, rest = swap_trumps(kept, deck.ranks), swap_trumps(mine, deck.ranks)
                most = min(high, value)
                value = min(value, -worth(kept, rest, no_card, depth - 1, -most, -low, picked, t))
        if depth > 0 and not at_first and value > low:
            most = min(high, value)
            picked = worth(mine, deck.full ^ mine, no_card, depth - 1, low, most, picked, t)
            value = min(value, picked)
        return value

    if mine & mine - 1 == 0:
        return WON
    counts = t.counts
    counts[_NODES] += 1
    base = mine | others == deck.full
    if base:
        for hand in t.seen:
            if hand == mine:
                return 0.0
        if depth <= 0:
            return guess(mine, t)
    if counts[_NODES] > counts[_LIMIT]:
        counts[_STOPPED] = 1
    if counts[_STOPPED]:
        return 0.0
    place = product(mine, MULTIPLIER) ^ product(others, MULTIPLIER2)
    entry = t.entries[place >> 44 & t.values.size - 1]
    likely = 0
    if entry[_MINE] == mine and entry[_OTHERS] == others:
        likely = entry[_MOVE]
        value = t.values[place >> 44 & t.values.size - 1]
        deep = entry[_DEPTH] >= depth and entry[_FURTHER] >= counts[_BEYOND]
        if deep and (
            entry[_BOUND] == _EXACT
            or (entry[_BOUND] == _AT_LEAST and value >= high)
            or (entry[_BOUND] == _AT_MOST and value <= low)
        ):
            return value

    cards, guesses = np.empty(40, np.int64), np.empty(40, np.float64)
    number = 0
    leads = run_lows(mine, others, deck)
    while leads:
        card = leads & -leads
        leads ^= card
        cards[number], guesses[number] = card, guess(mine ^ card, t)
        number += 1
    best, move = -2 * WON, 0
    for k in range(number):
        next_one = k
        for j in range(k, number):
            if cards[j] == likely:
                next_one = j
                break
            if guesses[j] > guesses[next_one]:
                next_one = j
        card, picked = cards[next_one], guesses[next_one]
        cards[next_one], guesses[next_one] = cards[k], guesses[k]
        least = max(low, best)
        if depth <= -counts[_BEYOND] or (depth <= 0 and picked <= least):
            value = picked  # as if it were picked up
        else:
            value = worth(mine ^ card, others, card, depth, least, high, picked, t)
        if counts[_STOPPED]:
            return 0.0
        if value > best:
            best, move = value, card
        if best >= high:
            break
    entry[_MINE], entry[_OTHERS], entry[_MOVE] = mine, others, move
    entry[_DEPTH], entry[_FURTHER] = depth, counts[_BEYOND]
    entry[_BOUND] = _AT_LEAST if best >= high else _AT_MOST if best <= low else _EXACT
    t.values[place >> 44 & t.values.size - 1] = best
    return best


class Lookahead:
    """Looks for good moves in one deck. Belongs to one thread at a time."""

    def __init__(self, ranks: int, network: Network | None = None) -> None:
        """`network`: that of the package if it is not given."""
        self._tools = _tools(ranks, network or Network.load())
        self.depth = 0
        """How many leads the last search has looked ahead, all moves with their answers."""

    def best(
        self,
        position: Position,
        among: Sequence[ChallengeAction],
        *,
        max_nodes: int | None = None,
        max_seconds: float | None = None,
        seen: Iterable[Position] = (),
    ) -> ChallengeAction:
        """What seems the best of some legal moves, of which there is at least one.

        Begins with the rule of thumb and looks further and further ahead until so many lead nodes
        or seconds are used up; without seconds it always chooses the same. `seen`: base positions
        that have come up, with whatever trumps the position has. Raises ValueError if neither limit
        is given.
        """
        if max_nodes is None and max_seconds is None:
            raise ValueError("neither nodes nor seconds are limited")
        started = time.perf_counter()
        hands = [leader_bits(each) for each in seen]
        tools = self._tools._replace(seen=np.array(hands, np.int64))
        tools.entries[:] = 0
        counts = tools.counts
        counts[:] = 0
        thumb = position.rule_of_thumb(among)
        moves, self.depth = sorted(among, key=lambda move: move != thumb), 0
        while self.depth < MOST_DEPTH and len(moves) > 1:
            limit = 1 << 62 if max_nodes is None else max_nodes
            if max_seconds is not None and self.depth:  # to look at each move takes no time
                used = time.perf_counter() - started
                pace = int(counts[_NODES]) / used if used > 0.05 else FIRST_PACE
                limit = min(limit, int(counts[_NODES] + pace * (max_seconds - used)))
            counts[_LIMIT] = limit
            counts[_BEYOND] = min(BEYOND, 2 * (self.depth + 1))
            values = _values(position, moves, self.depth + 1, tools)
            # A move that is better than those looked at before it is better, whatever is left.
            moves.sort(key=lambda move: -values.get(move, -3 * WON))
            if counts[_STOPPED]:
                break
            self.depth += 1
            if abs(values[moves[0]]) >= WON:
                break
        return moves[0]


def _values(
    position: Position, moves: Iterable[ChallengeAction], depth: int, tools: _Tools
) -> dict[ChallengeAction, float]:
    """Log odds of moves, exact for the best; of those before the nodes were used up."""
    ranks = position.ranks
    mine, others, top, _ = trick_bits(position)
    bits = card_bits(view(position.trumps, position.turn), ranks)
    values: dict[ChallengeAction, float] = {}
    low, high = -2 * WON, 2 * WON
    for move in moves:
        if not isinstance(move, Card):
            hand = seen_from_other(others, ranks)
            rest = tools.deck.full ^ hand
            value = -worth(hand, rest, 0, depth - 1, -high, -low, 0.0, tools)
        else:
            card = bits[move]
            rest = mine ^ card
            picked = guess(rest, tools) if rest else WON
            value = worth(
                rest, others, 0 if top and rest else card, depth, low, high, picked, tools
            )
        if tools.counts[_STOPPED]:
            break
        values[move] = value
        low = max(low, value)
    return values
