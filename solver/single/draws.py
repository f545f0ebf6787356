"""Proof of a draw: a set of positions in which neither player can be made to lose.

A player *holds out* in a base position if the other cannot force a win there. Take a set of claims
that somebody holds out somewhere. If every one follows from the play of a single trick, all ends of
which are wins of his or positions where the set says that he holds out, then all are true: he can
go from one to the next for ever. (So they hold as a greatest fixpoint, where wins are a least one.)
A position in which both players hold out is a draw.

A search (`solver.single.claims`) leaves candidates behind: where a claim to win within many tricks
has failed, the other player may hold out. `Closing` tests them all and drops what does not follow,
as often as needed, until all that is left follows. That last pass is the proof, wherever the claims
came from. Claims are facts as wins are, so each holds for all that it dominates (by Raising), and
the same kernel tests them: within no tricks, only what is known counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from solver.core.bitboard import swap_trumps
from solver.core.jit import njit
from solver.single.claims import NO_LIMIT, Claim, Memory, achieves, enter_alone, is_won
from solver.single.facts import RECORD

_HANDS = types.int64[::1]

CHUNK = 1 << 14
"""Claims tested or entered in one step."""
FACT_BYTES = 64
"""Bytes for every fact of a memory that it takes to collect the candidates, at most."""
HORIZON = 3
"""Candidates have failed within a third of the tricks that the search looks ahead, or more."""


@njit(types.boolean(_HANDS, _HANDS, RECORD), cache=True, nogil=True)
def _enter(hands: np.ndarray, responds: np.ndarray, c: Any) -> bool:
    """Enter claims of a player who holds these hands; False if there is no room."""
    for i in range(len(hands)):
        new = not is_won(hands[i], responds[i], c)
        if new and not enter_alone(hands[i], responds[i], c):
            return False
    return True


@njit(types.void(_HANDS, _HANDS, types.boolean[::1], RECORD), cache=True, nogil=True)
def _test(hands: np.ndarray, responds: np.ndarray, follows: np.ndarray, c: Any) -> None:
    """Which claims follow from those that are entered."""
    for i in range(len(hands)):
        follows[i] = achieves(hands[i], c.full ^ hands[i], 1 - responds[i], 0, c)


class Closing:
    """Dropping claims that do not follow, until all that are left do.

    `tricks`: how far the search looks whose `memory` this is. Raises MemoryError if there is no
    room to begin. Belongs to one thread at a time, which holds the memory's lock.
    """

    closed = False
    """Whether all claims that are left follow, so that they are true."""

    def __init__(self, memory: Memory, tricks: int) -> None:
        ranks = memory.ranks
        room = max(0, memory.bound - memory.used) // FACT_BYTES
        least = max(1, tricks // HORIZON)
        wins = [memory.wins(responds, room) for responds in (0, 1)]
        failed = [memory.failures(responds, least, room) for responds in (0, 1)]
        if sum(map(len, (*wins, *failed))) > room:
            raise MemoryError("no room to collect what may prove a draw")
        # A failure is kept as the hand of the other player, who responds where the prover leads.
        held = [swap_trumps(hands, ranks) for hands in reversed(failed)]
        self._memory = memory
        self._wins = _join(wins)
        self.claims = _join(held)
        """Those that are left: hands, and whether (1) their holder responds; two int64 arrays."""
        self._follows = np.zeros(0, np.bool_)
        self._begin()

    def _begin(self) -> None:
        """A pass begins."""
        hands, _ = self.claims
        size = sum(array.nbytes for array in (*self._wins, *self.claims, hands))
        room = self._memory.bound - self._memory.used - size
        self._held: Memory | None = None
        try:
            held = Memory(self._memory.ranks, room)
        except MemoryError:
            return
        if _enter(*self._wins, held.record) and _enter(*self.claims, held.record):
            self._held = held
        self._follows = np.zeros(len(hands), np.bool_)
        self._next = 0

    def holds_out(self, claim: Claim) -> bool:
        """Whether the prover of the claim holds out, if the claims that are left are true."""
        return self._held is not None and bool(self._held.attempt(claim, 0, NO_LIMIT))

    def halt(self) -> None:
        """Have another thread's `step` come back soon."""
        if self._held is not None:
            self._held.interrupt()

    def step(self, limit: int) -> bool:
        """Test some more claims, up to `limit` nodes of the search; whether there is more to do.

        Not if it is closed, or cannot be finished for want of nodes or memory.
        """
        if self._held is None or self.closed:
            return False
        record = self._held.record
        before = self._held.nodes
        record.limit = before + max(0, limit - self._memory.nodes)
        record.stopped = 0
        part = slice(self._next, self._next + CHUNK)
        hands, responds = self.claims
        _test(hands[part], responds[part], self._follows[part], record)
        self._memory.count(self._held.nodes - before)
        if record.stopped:
            return False
        self._next += CHUNK
        if self._next >= len(hands):
            if self._follows.all():
                self.closed = True
                return False
            self.claims = hands[self._follows], responds[self._follows]
            self._begin()
        return True


def _join(parts: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Hands that lead and hands that respond as one array, and an array that says which."""
    responds = np.repeat(np.array([0, 1]), [len(part) for part in parts])
    return np.concatenate(parts), responds
