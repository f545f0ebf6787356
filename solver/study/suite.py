"""A fixed suite of positions, easy to hard, and the work of the trick search on them.

The same positions mean the same work on any machine and any day: times may differ, numbers of nodes
may not.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from engine.cards import Card
from engine.position import Position
from solver.core.bitboard import hand_bits, swap_trumps, table_indices, view
from solver.core.jit import njit
from solver.core.trick import Context, new_generation, proves
from solver.tables import open_tables

SUITE = Path(__file__).parent.parent / "data" / "suite.txt"

_PART = 1 << 18


def suite() -> list[Position]:
    """The positions of the suite: decks of 4 to 6 ranks, on an empty table and in a trick."""
    lines = SUITE.read_text(encoding="ascii").splitlines()
    return [Position.parse(line) for line in lines if not line.startswith("#")]


class Searches:
    """For each of some positions of one deck: can the player to lead, can the other force a win?

    Whoever faces a card leads after each beat that he has: one pair of searches for each. The facts
    about empty tables come from the finished solution, so that the work does not depend on a build.
    """

    def __init__(self, ranks: int, positions: list[Position]) -> None:
        self._context = Context(ranks)
        self._context.use_bit_tables(*bit_tables(ranks))
        searches = [
            (number, *search)
            for number, position in enumerate(positions)
            for search in _searches(position)
        ]
        self._searches = np.array(searches, np.int64).reshape(-1, 4)
        self._nodes = np.zeros(len(positions), np.int64)

    def run(self) -> list[int]:
        """Search all; the number of lead nodes for each position."""
        self._nodes[:] = 0
        _search(self._searches, self._context.array, self._nodes)
        nodes: list[int] = self._nodes.tolist()
        return nodes


def _searches(position: Position) -> Iterator[tuple[int, int, int]]:
    """The arguments of `proves` for both players, at every lead node that is next."""
    if position.top is not None:
        for beat in position.legal_actions():
            if isinstance(beat, Card):
                yield from _searches(position.apply(beat))
    elif position.winner is None:
        leader = position.turn
        for prover in (leader, 3 - leader):
            suits = view(position.trumps, prover)
            own, other = (
                hand_bits(position.hands[player - 1], suits, position.ranks)
                for player in (prover, 3 - prover)
            )
            yield own, other, prover == leader


@njit(cache=True, nogil=True)
def _search(searches: np.ndarray, contexts: np.ndarray, nodes: np.ndarray) -> None:
    """Run the searches (position number, hands, prover leads), each with an empty memo."""
    c = contexts[0]
    for number, own, other, leading in searches:
        before = c.nodes
        new_generation(c)
        proves(own, other, leading != 0, c)
        nodes[number] += c.nodes - before


def bit_tables(ranks: int) -> tuple[np.ndarray, np.ndarray]:
    """The finished solution as a build would hold it: "prover leads and wins", "prover responds and
    wins", bits over the prover's hand (see `solver.core.trick`).

    Raises MissingTable, TableError.
    """
    scores = open_tables().deck(ranks).scores()
    size = 1 << 4 * ranks
    leader, responder = (np.zeros(max(1, size >> 6), np.uint64) for _ in range(2))
    for start in range(0, size, _PART):
        hands = np.arange(start, min(size, start + _PART))
        others = swap_trumps(size - 1 - hands, ranks)
        inner = (hands > 0) & (hands < size - 1)
        for table, wins in (
            (leader, scores[table_indices(hands, ranks)] > 0),
            (responder, scores[table_indices(others, ranks)] < 0),
        ):
            bits = np.packbits(wins & inner, bitorder="little")
            table.view(np.uint8)[start >> 3 : (start >> 3) + len(bits)] = bits
    return leader, responder
