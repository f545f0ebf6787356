"""Claims that a player wins within so many tricks: how they are searched, and what is kept.

As in `solver.core.trick`, everything is seen from a *prover* who claims a win. `achieves` is an AND-OR
search within the trick, whose leaves are base positions with one trick less to go. So no line of
play is endless, and a success is a proof whatever the path to it: a least-fixpoint fact, valid for
good.

What is found about a base position is kept, in stores of facts (`solver.single.facts`) or, where there is
memory for all positions of the deck, as marks (`solver.single.marks`), and settles all that it dominates:

- *Wins*, one store for each side to lead, which serve both players: they settle what they dominate
  by Raising or by trump aces (docs/theory.md), and a win of the other player refutes a claim.
- *Failures*: the claim was searched with so many tricks in vain. As any win that is known counts,
  whatever its length, a win found later can make a claim succeed that has failed. So a failure is
  no fact about the game; it only keeps the search from trying again before there are more tricks
  to go. Nothing is ever claimed because of failures, and they are forgotten now and then.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from solver.core.bitboard import swap_trumps
from solver.single.evaluation import guess_tables
from solver.single.facts import (
    FACTS,
    HAND,
    KEPT,
    POOL_USED,
    RANKS,
    add,
    entries,
    known,
    make_groups,
    make_pool,
    thin_out,
)
from solver.single.marks import (
    LOST,
    MARK_WORDS,
    MARKS,
    WON,
    border,
    make_marks,
    mark,
    mark_of,
    number_of_marks,
    unmark_failures,
)
from solver.single.old_lowlevel import load, store
from solver.single.old_trick import (
    FULL,
    MEMO,
    MEMO_SIZE,
    MULTIPLIER,
    MULTIPLIER2,
    NODES,
    U0,
    U1,
    make_context,
    run_lows,
    swap_fields,
    ways_to_beat,
    word,
)

OTHER_LEADS: int = word(0)  # within a trick
PROVER_LEADS: int = word(1)
BASE_LEADS: int = word(2)  # base positions: the prover leads, he responds
BASE_RESPONDS: int = word(3)

CACHE: int = word(MARK_WORDS)  # address of the cache, CACHE_SIZE words
GUESS: int = word(MARK_WORDS + 1)  # address of `guess_tables`
LIMIT: int = word(MARK_WORDS + 2)  # number of nodes at which to stop
STOPPED: int = word(MARK_WORDS + 3)  # STOP_NODES or STOP_MEMORY: unwinding, results mean nothing
TESTS: int = word(MARK_WORDS + 4)  # number of base positions searched
SEARCH_WORDS = MARK_WORDS + 5

STOP_NODES: int = word(1)
STOP_MEMORY: int = word(2)

FAILS: int = word(0)
WINS: int = word(1)
UNKNOWN: int = word(2)

CACHE_SIZE = 1 << 20
LEAST_POOL = 1 << 20
"""Bytes for facts with which a search may begin."""
MOST_TRICKS = 250
"""Longest win that can be claimed."""
MARKS_A_FACT = 64
"""So many marks are gone through in the time of listing one fact, or less."""
FORGET = 2
"""Failures are forgotten after so many nodes for every fact there is."""
NO_LIMIT = 1 << 62
"""More nodes than any search has."""

Claim = tuple[int, int, int]
"""That the prover wins: his hand, the other's hand and the place, as `achieves` takes them."""


# Stores of facts: wins of the prover where he leads, and where the other leads; then failures, with
# complementary hands and level 255 - tricks.
FAILURES: int = word(2)
STORES = 4

_MULTIPLIER3: int = word(0x165667B19E3779F9)
_CACHE_SHIFT: int = word(44)  # 64 - log2(CACHE_SIZE)
_MEMO_SHIFT: int = word(52)
_BYTE: int = word(255)
_EPOCH: int = word(5)


@njit("uint64(uint64, uint64)", cache=True)
def _twin(hand: int, context: int) -> int:
    """Of a hand and the one with the plain suits exchanged, the one that stands for both."""
    ranks = load(context, RANKS)
    other = swap_fields(hand, ranks + ranks, ranks + ranks + ranks, ranks)
    return hand if hand < other else other


@njit("uint64(uint64, uint64, uint64, uint64)", cache=True)
def status(hand: int, responds: int, tricks: int, context: int) -> int:
    """What is known of the claim that the prover, who will hold `hand`, wins a base position within
    `tricks` tricks: FAILS, WINS or UNKNOWN.

    `responds`: 0 if he leads, 1 if the other does.
    """
    full = load(context, FULL)
    rest = full ^ hand
    if responds == U0 and hand & (hand - U1) == U0:
        return WINS
    if responds and rest & (rest - U1) == U0:
        return FAILS
    if load(context, MARKS):
        found = mark_of(hand, responds, context)
        if found == WON:
            return WINS
        return FAILS if found >= tricks else UNKNOWN
    if tricks == U0:
        return WINS if known(hand, responds, U0, context) else FAILS
    # The cache: key (41 bits) | status | tricks | epoch. What is unknown is looked up again when
    # there are many new facts.
    hand = _twin(hand, context)
    key = hand | responds << word(40)
    cache = load(context, CACHE)
    slot = (key * MULTIPLIER) >> _CACHE_SHIFT
    entry = load(cache, slot)
    epoch = (load(context, FACTS) >> _EPOCH) & _BYTE
    if entry >> word(22) == key:
        found = (entry >> word(20)) & word(3)
        upto = (entry >> word(8)) & _BYTE
        if found == WINS:
            return WINS
        if found == FAILS:
            if tricks <= upto:
                return FAILS
        elif tricks == upto and entry & _BYTE == epoch:
            return UNKNOWN
    found = UNKNOWN
    upto = tricks
    ranks = load(context, RANKS)
    if known(full ^ hand, FAILURES + responds, _BYTE - tricks, context):
        found = FAILS
    elif known(hand, responds, U0, context):
        found = WINS
    elif known(swap_fields(full ^ hand, U0, ranks, ranks), U1 - responds, U0, context):
        found = FAILS
        upto = _BYTE
    store(cache, slot, key << word(22) | found << word(20) | upto << word(8) | epoch)
    return found


@njit("boolean(uint64, uint64, uint64)", cache=True)
def is_won(hand: int, responds: int, context: int) -> bool:
    """Whether a win is known."""
    if load(context, MARKS):
        return bool(mark_of(hand, responds, context) == WON)
    return bool(known(hand, responds, U0, context))


@njit("boolean(uint64, uint64, uint64)", cache=True)
def enter_alone(hand: int, responds: int, context: int) -> bool:
    """Enter a win, and none that follows by trump aces; False if there is no room."""
    if load(context, MARKS) == U0:
        return bool(add(hand, responds, U0, context))
    ranks = load(context, RANKS)
    mark(hand, responds, WON, context)
    mark(swap_fields(load(context, FULL) ^ hand, U0, ranks, ranks), U1 - responds, LOST, context)
    return True


@njit("boolean(uint64, uint64, uint64)", cache=True)
def enter_win(hand: int, responds: int, context: int) -> bool:
    """Enter a win, and those that follow by trump aces; False if there is no room."""
    ranks = load(context, RANKS)
    if not enter_alone(hand, responds, context):
        return False
    own = U1 << (ranks - U1)
    other = own << ranks
    for gain in (own, other, own | other):
        if hand & gain or hand | gain == load(context, FULL):
            continue
        if is_won(hand | gain, responds, context):
            continue
        if not enter_alone(hand | gain, responds, context):
            return False
    return True


@njit("boolean(uint64, uint64, uint64, uint64)", cache=True)
def _enter_failure(hand: int, responds: int, tricks: int, context: int) -> bool:
    """Enter that a claim has failed within so many tricks; False if there is no room."""
    if load(context, MARKS) == U0:
        rest = load(context, FULL) ^ hand
        return bool(add(rest, FAILURES + responds, _BYTE - tricks, context))
    mark(hand, responds, tricks, context)
    return True


@njit("uint64(uint64, uint64, uint64)", cache=True)
def guess(hand: int, responds: int, context: int) -> int:
    """How likely the prover is to win a base position, for comparison only."""
    ranks = load(context, RANKS)
    size = U1 << ranks
    table = load(context, GUESS)
    at = responds * (size + size + size)
    field = size - U1
    total: int = load(table, at + (hand & field))
    total += load(table, at + size + ((hand >> ranks) & field))
    at += size + size
    total += load(table, at + ((hand >> (ranks + ranks)) & field))
    total += load(table, at + (hand >> (ranks + ranks + ranks)))
    return total


@njit("boolean(uint64, uint64, uint64, uint64, uint64)", cache=True)
def achieves(a: int, b: int, place: int, tricks: int, context: int) -> bool:
    """Whether the prover, holding `a`, is found to win within `tricks` tricks, the current one not
    counted if it has begun.

    `place`: PROVER_LEADS or OTHER_LEADS, a lead node within a trick at which the other holds `b`,
    neither hand empty; or BASE_LEADS, BASE_RESPONDS, where `b` is not used. Means nothing if the
    search has STOPPED.
    """
    full = load(context, FULL)
    if place >= BASE_LEADS:
        responds = place - BASE_LEADS
        found = status(a, responds, tricks, context)
        if found != UNKNOWN:
            return bool(found == WINS)
        a = _twin(a, context)
        store(context, TESTS, load(context, TESTS) + U1)
        success = achieves(a, full ^ a, U1 - responds, tricks - U1, context)
        if load(context, STOPPED) == U0:
            if success:
                room = enter_win(a, responds, context)
            else:
                room = _enter_failure(a, responds, tricks, context)
            if not room:
                store(context, STOPPED, STOP_MEMORY)
        return success
    if load(context, STOPPED):
        return False
    if load(context, NODES) >= load(context, LIMIT):
        store(context, STOPPED, STOP_NODES)
        return False
    store(context, NODES, load(context, NODES) + U1)
    leading = place == PROVER_LEADS
    leader = a if leading else b
    responder = b if leading else a
    if leader & (leader - U1) == U0:  # his last card
        return leading
    own, trumps, in_suit, beatable = ways_to_beat(responder, leading, context)
    last = responder & (responder - U1) == U0  # a beat would end the game
    # What is known of picking up drops most leads: those with which the claim fails, or cannot
    # fail. Of the rest, `settled` are those of which a beat will decide.
    settled = U0
    unknown = U0
    leads = run_lows(leader, responder, context)
    if last:
        leads &= ~beatable if leading else full
    while leads:
        card = leads & (~leads + U1)
        leads ^= card
        if leading:
            found = status(a ^ card, U0, tricks, context)
        else:
            found = status(full ^ b ^ card, U1, tricks, context)
        if found == UNKNOWN:
            unknown |= card
        elif (found == WINS) == leading:
            if card & beatable == U0:
                return leading
            settled |= card
    if last and not leading:
        settled &= ~beatable
        unknown &= ~beatable
    if settled | unknown == U0:
        return not leading

    tag = b | place << word(40) | tricks << word(42)
    slot = a * MULTIPLIER ^ b * MULTIPLIER2 ^ tricks * _MULTIPLIER3
    slot = (slot >> _MEMO_SHIFT) << U1
    memo = load(context, MEMO)
    if load(memo, slot) >> U1 == a and load(memo, slot + U1) == tag:
        return bool(load(memo, slot) & U1)

    # First the leads of which only beats decide, those that can be beaten in one way first; then
    # the others, the likeliest to settle the node first.
    one_way = own | ~in_suit if trumps else full
    success = not leading
    for step in range(3):
        if step == 0:
            leads = settled & one_way
        elif step == 1:
            leads = settled & ~one_way
        else:
            leads = unknown
        while leads and success != leading:
            card = leads & (~leads + U1)
            if step == 2 and leads != card:
                best = U0
                others = leads
                while others:
                    other = others & (~others + U1)
                    others ^= other
                    if leading:
                        value = guess(a ^ other, U0, context)
                    else:
                        value = ~guess(full ^ b ^ other, U1, context)
                    if value > best:
                        best = value
                        card = other
            leads ^= card
            rest = leader ^ card
            beaten = False  # some beat is good for the responder
            if card & in_suit:
                higher = responder & ~((card << U1) - U1)
                beat = higher & (~higher + U1)
                if leading:
                    beaten = not achieves(rest, b ^ beat, U1 - place, tricks, context)
                else:
                    beaten = achieves(a ^ beat, rest, U1 - place, tricks, context)
            if not beaten and trumps and card & own == U0:
                beat = trumps & (~trumps + U1)
                if leading:
                    beaten = not achieves(rest, b ^ beat, U1 - place, tricks, context)
                else:
                    beaten = achieves(a ^ beat, rest, U1 - place, tricks, context)
            if not beaten and step == 2:  # is picking up?
                if leading:
                    beaten = not achieves(a ^ card, U0, BASE_LEADS, tricks, context)
                else:
                    beaten = achieves(full ^ b ^ card, U0, BASE_RESPONDS, tricks, context)
            success = beaten != leading
    if load(context, STOPPED):
        return False
    store(memo, slot, a << U1 | (U1 if success else U0))
    store(memo, slot + U1, tag)
    return success


class Memory:
    """The memory of searches in one deck; what is proved serves all that follow.

    `memory`: bytes for all that is kept. They are reserved at once, but used only as facts come in.
    `marks`: keep marks (`solver.single.marks`), which is faster but takes memory for every position of the
    deck, instead of facts; by default if they take no more than half of it. Raises MemoryError if
    the memory is too little to begin with.
    """

    def __init__(self, ranks: int, memory: int, *, marks: bool | None = None) -> None:
        self.ranks = ranks
        self.context: Any = np.zeros(SEARCH_WORDS, np.uint64)
        made = make_context(ranks)
        self.context[: made.size] = made
        if marks is None:
            marks = 4 * number_of_marks(ranks) <= memory
        self._cache: Any = np.zeros(0 if marks else CACHE_SIZE, np.uint64)
        arrays = {
            MEMO: np.zeros(2 * MEMO_SIZE, np.uint64),
            CACHE: self._cache,
            GUESS: guess_tables(ranks),
        }
        for slot, array in arrays.items():
            self.context[slot] = array.ctypes.data
        self._arrays = [*arrays.values(), *make_groups(self.context, ranks, STORES)]
        self._marks: list[np.ndarray] = []
        if marks:
            others = make_marks(self.context, ranks)
            self._arrays += others
            self._marks = others[:2]
        self._fixed = sum(array.nbytes for array in self._arrays)
        self.bound = memory
        """Bytes that it may take in all."""
        least = self._fixed + (0 if marks else LEAST_POOL)
        if memory < least:
            raise MemoryError(
                f"a search with {ranks} ranks takes at least {-(-least >> 20)} MiB, "
                f"but may only take {memory >> 20}"
            )
        self.address: Any = np.uint64(self.context.ctypes.data)
        if not marks:
            self._arrays.append(make_pool(self.context, (memory - self._fixed) // 8))
        self._thinned = LEAST_POOL  # bytes of facts after they were thinned out the last time
        self._used = 0  # bytes in use while that was done, at most
        self._forgotten = 0  # nodes when failures were forgotten the last time

    @property
    def nodes(self) -> int:
        """Lead nodes searched so far."""
        return int(self.context[NODES])

    @property
    def tests(self) -> int:
        """Base positions searched so far."""
        return int(self.context[TESTS])

    @property
    def facts(self) -> int:
        """Facts entered so far."""
        return int(self.context[FACTS])

    @property
    def kept(self) -> int:
        """Facts that are there: those that followed from others are dropped now and then.

        With marks, how many facts it would take as long to go through.
        """
        if self._marks:
            return sum(marks.size for marks in self._marks) // MARKS_A_FACT
        return int(self.context[KEPT])

    @property
    def used(self) -> int:
        """Bytes in use, at most, so far."""
        return max(self._used, self._fixed + 8 * int(self.context[POOL_USED]))

    @property
    def full(self) -> bool:
        """Whether the last attempt ended for want of memory."""
        return bool(self.context[STOPPED] == STOP_MEMORY)

    def wins(self, responds: int, room: int) -> np.ndarray:
        """Hands of which a win is known, enough for all others to follow.

        Raises MemoryError if there are more than `room`.
        """
        if self._marks:
            return border(self.context, responds, int(WON), int(WON), room)
        return self._listed(responds, 0, room)

    def failures(self, responds: int, tricks: int, room: int) -> np.ndarray:
        """Complements of hands whose claim has failed within `tricks` tricks or more, as `wins`."""
        if self._marks:
            full = np.uint64(self.context[FULL])
            return full ^ border(self.context, responds, tricks, int(LOST) - 1, room)
        return np.unique(self._listed(int(FAILURES) + responds, 255 - tricks, room))

    def _listed(self, kind: int, level: int, room: int) -> np.ndarray:
        if self.kept > room:
            raise MemoryError(f"more than {room} facts")
        return entries(self.context, kind, level) & HAND

    def attempt(self, claim: Claim, tricks: int, limit: int) -> bool | None:
        """Whether a claim is found to hold within `tricks` tricks; None if the search stopped.

        It stops at `limit` nodes (of all searches so far), or when it is out of memory.
        """
        self.context[LIMIT] = limit
        self.context[STOPPED] = 0
        a, b, place = map(word, claim)
        success = achieves(a, b, place, word(tricks), self.address)
        return None if self.context[STOPPED] else success

    def thin_out(self) -> None:
        """Drop the facts that follow from others, if it is time and there is room to list them all.

        It is time when the facts take twice as much as the last time, or when there will be no room
        later. What is known stays the same.
        """
        if self._marks:
            return
        pool = 8 * int(self.context[POOL_USED])
        room = self.bound - self._listing
        if room >= 0 and pool >= (2 if room >= LEAST_POOL else 1.25) * self._thinned:
            self._enter_again(STORES)

    def forget_failures(self) -> None:
        """Forget all failures, if that costs little compared with the search since the last time.

        Many would succeed by now, because of wins found later. Thins out the wins as well; not if
        there is no room to list them.
        """
        if self.nodes - self._forgotten < FORGET * self.kept:
            return
        if self._marks:
            for marks in self._marks:
                unmark_failures(marks)
        elif self._listing <= self.bound:
            self._enter_again(int(FAILURES))
            self._cache.fill(0)
        else:
            return
        self._forgotten = self.nodes

    @property
    def _listing(self) -> int:
        """Bytes in use while all facts are listed, at most."""
        return self._fixed + 8 * (int(self.context[POOL_USED]) + self.kept)

    def _enter_again(self, kept: int) -> None:
        """Thin out the facts of the first stores, so many, and drop those of the others."""
        self._used = max(self._used, self._listing)
        thin_out(self.context, STORES, kept)
        self._thinned = max(LEAST_POOL, 8 * int(self.context[POOL_USED]))


def turned(claim: Claim, ranks: int) -> Claim:
    """The claim that the other player wins where `claim` says that the prover does."""
    a, b, place = claim
    if place >= BASE_LEADS:
        full = (1 << 4 * ranks) - 1
        return swap_trumps(full ^ a, ranks), 0, int(BASE_LEADS + BASE_RESPONDS) - place
    return swap_trumps(b, ranks), swap_trumps(a, ranks), 1 - place
