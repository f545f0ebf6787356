"""Claims that a player wins within so many tricks: how they are searched, and what is kept.

As in `solver.core.trick`, everything is seen from a *prover* who claims a win. `achieves` is an
AND-OR search within the trick, whose leaves are base positions with one trick less to go. So no
line of play is endless, and a success is a proof whatever the path to it: a least-fixpoint fact,
valid for good.

What is found about a base position is kept in stores of facts (`solver.single.facts`) and settles
all that it dominates:

- *Wins*, one store for each side to lead, which serve both players: they settle what they dominate
  by Raising or by trump aces (docs/theory.md), and a win of the other player refutes a claim.
- *Failures*: the claim was searched with so many tricks in vain. As any win that is known counts,
  whatever its length, a win found later can make a claim succeed that has failed. So a failure is
  no fact about the game; it only keeps the search from trying again before there are more tricks
  to go. Nothing is ever claimed because of failures, and they are forgotten now and then.
"""

from __future__ import annotations

from threading import RLock
from typing import Any

import numpy as np
from numba import types

from solver.core.bitboard import Deck
from solver.core.bitboard import swap_trumps as seen_from_other
from solver.core.jit import njit
from solver.core.lowlevel import load, product, store
from solver.core.trick import (
    MULTIPLIER,
    MULTIPLIER2,
    Context,
    before_pickup,
    lowest_beats,
    run_lows,
    swap_plain,
    swap_trumps,
    ways_to_beat,
)
from solver.single.evaluation import guess_tables
from solver.single.facts import (
    HAND,
    MOST_LEVEL,
    RECORD,
    SEARCH,
    add,
    entries,
    known,
    make_groups,
    make_pool,
    thin_out,
)

# Places: within a trick,
OTHER_LEADS = 0
PROVER_LEADS = 1
# and base positions: the prover leads, he responds.
BASE_LEADS = 2
BASE_RESPONDS = 3

# Why a search has stopped.
STOP_NODES = 1
STOP_MEMORY = 2

# What is known of a claim.
FAILS = 0
WINS = 1
UNKNOWN = 2

FAILURES = 2
"""The stores of facts: wins of the prover where he leads, where the other leads; then failures,
likewise, with complementary hands and level 255 - tricks."""
STORES = 4

CACHE_SIZE = 1 << 20
LEAST_POOL = 1 << 20
"""Bytes for facts with which a search may begin."""
FIRST_THINNING = 1 << 21
"""Bytes of facts when they are thinned out the first time."""
MOST_TRICKS = 250
"""Longest win that can be claimed."""
FORGET = 2
"""Failures are forgotten after so many nodes for every fact there is."""
NO_LIMIT = 1 << 62
"""More nodes than any search has."""

Claim = tuple[int, int, int]
"""That the prover wins: his hand, the other's hand and the place, as `achieves` takes them."""

_MULTIPLIER3 = 0x165667B19E3779F9
_I64, _FLAG = types.int64, types.boolean


@njit(cache=True)
def _twin(hand: int, c: Any) -> int:
    """Of a hand and the one with the plain suits exchanged, the one that stands for both."""
    return min(hand, swap_plain(hand, c.ranks))


@njit(_I64(_I64, _I64, _I64, RECORD), cache=True)
def status(hand: int, responds: int, tricks: int, c: Any) -> int:
    """What is known of the claim that the prover, who will hold `hand`, wins a base position within
    `tricks` tricks: FAILS, WINS or UNKNOWN.

    `responds`: 0 if he leads, 1 if the other does.
    """
    rest = c.full ^ hand
    if responds == 0 and hand & hand - 1 == 0:
        return WINS
    if responds and rest & rest - 1 == 0:
        return FAILS
    if tricks == 0:
        return WINS if known(hand, responds, 0, c) else FAILS
    # The cache: key (41 bits) | status | tricks | epoch. What is unknown is looked up again when
    # there are many new facts.
    hand = _twin(hand, c)
    key = hand | responds << 40
    slot = product(key, MULTIPLIER) >> 44 & CACHE_SIZE - 1
    entry = load(c.cache, slot)
    epoch = c.facts >> 5 & 255
    if entry >> 22 == key:
        found = entry >> 20 & 3
        upto = entry >> 8 & 255
        if found == WINS or (found == FAILS and tricks <= upto):
            return found
        if found == UNKNOWN and tricks == upto and entry & 255 == epoch:
            return found
    found = UNKNOWN
    upto = tricks
    if known(c.full ^ hand, FAILURES + responds, MOST_LEVEL - tricks, c):
        found = FAILS
    elif known(hand, responds, 0, c):
        found = WINS
    elif known(swap_trumps(c.full ^ hand, c.ranks), 1 - responds, 0, c):
        found = FAILS
        upto = 255
    store(c.cache, slot, key << 22 | found << 20 | upto << 8 | epoch)
    return found


@njit(_FLAG(_I64, _I64, RECORD), cache=True)
def is_won(hand: int, responds: int, c: Any) -> bool:
    """Whether a win is known."""
    return known(hand, responds, 0, c)


@njit(_FLAG(_I64, _I64, RECORD), cache=True)
def enter_alone(hand: int, responds: int, c: Any) -> bool:
    """Enter a win, and none that follows by trump aces; False if there is no room."""
    return add(hand, responds, 0, c)


@njit(_FLAG(_I64, _I64, RECORD), cache=True)
def enter_win(hand: int, responds: int, c: Any) -> bool:
    """Enter a win, and those that follow by trump aces; False if there is no room."""
    if not enter_alone(hand, responds, c):
        return False
    own = 1 << c.ranks - 1
    other = own << c.ranks
    for gain in (own, other, own | other):
        if hand & gain or hand | gain == c.full:
            continue
        if is_won(hand | gain, responds, c):
            continue
        if not enter_alone(hand | gain, responds, c):
            return False
    return True


@njit(_I64(_I64, _I64, RECORD), cache=True)
def guess(hand: int, responds: int, c: Any) -> int:
    """How likely the prover is to win a base position, for comparison only."""
    size = 1 << c.ranks
    suit = size - 1
    own = c.guess + 8 * 3 * size * responds
    other = own + 8 * size
    plain = other + 8 * size
    found = load(own, hand & suit) + load(other, hand >> c.ranks & suit)
    return found + load(plain, hand >> 2 * c.ranks & suit) + load(plain, hand >> 3 * c.ranks)


@njit(_I64(_I64, _I64, _FLAG, RECORD), cache=True)
def _likeliest(leads: int, held: int, leading: bool, c: Any) -> int:
    """The lead of which picking up is likeliest to settle a lead node, by `guess`.

    `held`: see `solver.core.trick.before_pickup`.
    """
    best = 0
    likeliest = 0
    while leads:
        card = leads & -leads
        leads ^= card
        value = guess(held ^ card, 0 if leading else 1, c)
        if not leading:
            value = -value
        if likeliest == 0 or value > best:
            best, likeliest = value, card
    return likeliest


@njit(_FLAG(_I64, _I64, _I64, _I64, RECORD), cache=True, nogil=True)
def achieves(a: int, b: int, place: int, tricks: int, c: Any) -> bool:
    """Whether the prover, holding `a`, is found to win within `tricks` tricks, the current one not
    counted if it has begun.

    `place`: PROVER_LEADS or OTHER_LEADS, a lead node within a trick at which the other holds `b`,
    neither hand empty; or BASE_LEADS, BASE_RESPONDS, where `b` is not used. Means nothing if the
    search has stopped.
    """
    if place >= BASE_LEADS:
        responds = place - BASE_LEADS
        found = status(a, responds, tricks, c)
        if found != UNKNOWN:
            return found == WINS
        a = _twin(a, c)
        c.tests += 1
        success = achieves(a, c.full ^ a, 1 - responds, tricks - 1, c)
        if c.stopped == 0:
            if success:
                room = enter_win(a, responds, c)
            else:
                room = add(c.full ^ a, FAILURES + responds, MOST_LEVEL - tricks, c)
            if not room:
                c.stopped = STOP_MEMORY
        return success
    if c.stopped:
        return False
    if c.nodes >= c.limit:
        c.stopped = STOP_NODES
        return False
    c.nodes += 1
    leading = place == PROVER_LEADS
    leader, responder = (a, b) if leading else (b, a)
    if leader & leader - 1 == 0:  # his last card
        return leading
    own, trumps, in_suit, beatable = ways_to_beat(responder, leading, c)
    responds = 0 if leading else 1
    held = before_pickup(a, b, leading, c)
    # What is known of picking up drops most leads: those with which the claim fails, or cannot
    # fail. Of the rest, `settled` are those of which a beat will decide.
    settled = unknown = 0
    leads = run_lows(leader, responder, c)
    last = responder & responder - 1 == 0  # a beat would end the game
    if last and leading:
        leads &= ~beatable
    while leads:
        card = leads & -leads
        leads ^= card
        found = status(held ^ card, responds, tricks, c)
        if found == UNKNOWN:
            unknown |= card
        elif (found == WINS) == leading:
            if card & beatable == 0:
                return leading
            settled |= card
    if last:
        settled &= ~beatable
        unknown &= ~beatable
    if settled | unknown == 0:
        return not leading

    key = b | place << 40 | tricks << 42
    slot = product(a, MULTIPLIER) ^ product(b, MULTIPLIER2) ^ product(tricks, _MULTIPLIER3)
    slot = (slot >> 52 & c.memo_mask) * 2
    entry = load(c.memo, slot)
    if entry >> 1 == a and load(c.memo, slot + 1) == key:
        return entry & 1 != 0

    # First the leads of which only beats decide, those that can be beaten in one way first; then
    # the others, the likeliest to settle the node first.
    one_way = own | ~in_suit if trumps else -1
    success = not leading
    for leads in (settled & one_way, settled & ~one_way, unknown):
        while leads and success != leading:
            card = leads & -leads
            if leads & unknown and leads != card:
                card = _likeliest(leads, held, leading, c)
            leads ^= card
            rest = leader ^ card
            beaten = False  # some beat is good for the responder
            for beat in lowest_beats(card, responder, own, trumps, in_suit):
                if beat and not beaten:
                    kept = responder ^ beat
                    if leading:
                        beaten = not achieves(rest, kept, 1 - place, tricks, c)
                    else:
                        beaten = achieves(kept, rest, 1 - place, tricks, c)
            if not beaten and card & unknown:  # is picking up?
                beaten = achieves(held ^ card, b, BASE_LEADS + responds, tricks, c) != leading
            success = beaten != leading
    if c.stopped:
        return False
    store(c.memo, slot, a << 1 | success)
    store(c.memo, slot + 1, key)
    return success


class Memory:
    """The memory of searches in one deck; what is proved serves all that follow.

    `memory`: bytes for all that is kept. They are reserved at once, but used only as facts come in.
    Raises MemoryError if the memory is too little to begin with.

    It may be shared between threads: `lock` (reentrant) is held by whatever searches in it, by
    `solver.single.search.Search` for a moment at a time, by `solver.solve` for a whole search, so
    that its counts are those of one search.
    """

    def __init__(self, ranks: int, memory: int) -> None:
        self.ranks = ranks
        self.lock = RLock()
        self._context = Context(ranks, SEARCH)
        self.record: Any = self._context.record
        """What the kernels take."""
        self._cache = np.zeros(CACHE_SIZE, np.int64)
        self._context.point(cache=self._cache, guess=guess_tables(ranks))
        make_groups(self._context, ranks, STORES)
        self._fixed = self._context.nbytes
        self.bound = memory
        """Bytes that it may take in all."""
        least = self._fixed + LEAST_POOL
        if memory < least:
            raise MemoryError(
                f"a search with {ranks} ranks takes at least {-(-least >> 20)} MiB, "
                f"but may only take {memory >> 20}"
            )
        make_pool(self._context, (memory - self._fixed) // 8)
        self._next_thinning = FIRST_THINNING  # bytes of facts
        self._used = 0  # bytes in use while facts were thinned out, at most
        self._forgotten = 0  # nodes when failures were forgotten the last time

    @property
    def nodes(self) -> int:
        """Lead nodes searched so far."""
        return int(self.record.nodes)

    @property
    def tests(self) -> int:
        """Base positions searched so far."""
        return int(self.record.tests)

    @property
    def facts(self) -> int:
        """Facts entered so far."""
        return int(self.record.facts)

    @property
    def kept(self) -> int:
        """Facts that are there: those that follow from others are dropped now and then."""
        return int(self.record.kept)

    @property
    def used(self) -> int:
        """Bytes in use, at most, so far."""
        return max(self._used, self._fixed + self._pool)

    @property
    def full(self) -> bool:
        """Whether the last attempt ended for want of memory."""
        return bool(self.record.stopped == STOP_MEMORY)

    def count(self, nodes: int) -> None:
        """Count nodes that were searched for this memory's search elsewhere."""
        self.record.nodes += nodes

    def wins(self, responds: int, room: int) -> np.ndarray:
        """Hands of which a win is known, enough for all others to follow; int64.

        Raises MemoryError if there are more than `room`.
        """
        return self._listed(responds, 0, room)

    def failures(self, responds: int, tricks: int, room: int) -> np.ndarray:
        """Complements of hands whose claim has failed within `tricks` tricks or more, as `wins`."""
        return np.unique(self._listed(FAILURES + responds, MOST_LEVEL - tricks, room))

    def _listed(self, kind: int, level: int, room: int) -> np.ndarray:
        if self.kept > room:
            raise MemoryError(f"more than {room} facts")
        return entries(self.record, kind, level) & HAND

    def attempt(self, claim: Claim, tricks: int, limit: int) -> bool | None:
        """Whether a claim is found to hold within `tricks` tricks; None if the search stopped.

        It stops at `limit` nodes (of all searches so far), or when it is out of memory.
        """
        with self.lock:
            self.record.limit = limit
            self.record.stopped = 0
            success = achieves(*claim, tricks, self.record)
            return None if self.record.stopped else bool(success)

    def interrupt(self) -> None:
        """Stop the test that is running in another thread; a test may begin right after that."""
        self.record.limit = 0

    def thin_out(self) -> None:
        """Drop the facts that follow from others, if it is time and there is room to list them all.

        It is time when the facts take twice as much as the last time, or when there will be no room
        later. What is known stays the same.
        """
        room = self.bound - self._listing
        soon = self._next_thinning * (1 if room >= LEAST_POOL else 0.625)
        if room >= 0 and self._pool >= soon:
            self._enter_again(STORES)

    def forget_failures(self) -> None:
        """Forget all failures, if that costs little compared with the search since the last time.

        Many would succeed by now, because of wins found later. Thins out the wins as well; not if
        there is no room to list them.
        """
        if self.nodes - self._forgotten >= FORGET * self.kept and self._listing <= self.bound:
            self._enter_again(FAILURES)
            self._cache.fill(0)
            self._forgotten = self.nodes

    @property
    def _pool(self) -> int:
        """Bytes of facts."""
        return 8 * int(self.record.pool_used)

    @property
    def _listing(self) -> int:
        """Bytes in use while all facts are listed, at most."""
        return self._fixed + self._pool + 8 * self.kept

    def _enter_again(self, kept: int) -> None:
        """Thin out the facts of the first stores, so many, and drop those of the others."""
        self._used = max(self._used, self._listing)
        thin_out(self.record, STORES, kept)
        self._next_thinning = max(FIRST_THINNING, 2 * self._pool)


def turned(claim: Claim, ranks: int) -> Claim:
    """The claim that the other player wins where `claim` says that the prover does."""
    a, b, place = claim
    if place >= BASE_LEADS:
        mine = Deck.of(ranks).full ^ a
        return seen_from_other(mine, ranks), 0, BASE_LEADS + BASE_RESPONDS - place
    return seen_from_other(b, ranks), seen_from_other(a, ranks), 1 - place
