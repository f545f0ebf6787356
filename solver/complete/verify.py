"""An independent check of a complete solution, straight from the rules.

Every checked base position must be worth exactly what its moves make of it: its leader can force
the score the tables give, and no better one, when every pickup leads to a position worth what the
tables say one trick later. If all positions pass, every win and every loss is real, by induction
over distances, which fall with every trick; and no draw is false, because a position that could be
won or lost would fail as a draw, by induction over its true distance. Progress, the place in the
order of proofs, serves as well as distances, though it need not be exact. With neither, the check
shows only that the outcomes agree with one another.

Nothing is shared with the search that made the tables. `theorems=False` looks at every lead and
every beat of every position; `theorems=True` leaves out what the theorems of docs/theory.md make
needless: leads that are not the lowest of a run, beats that are not the lowest, and positions whose
value follows by *Raising* from that of a neighbour.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from engine.cards import deck_cards
from engine.errors import ChallengeError
from engine.position import Position
from solver.complete.deck import DeckTables
from solver.complete.value import WIN
from solver.core.bitboard import hand_cards, slices, table_index, view
from solver.core.checkpoint import load_checkpoint, save_checkpoint
from solver.core.files import locked
from solver.core.jit import njit
from solver.core.lowlevel import product
from solver.core.machine import cores

_MEMO_SIZE = 1 << 12
"""Entries of the transposition table: what one position needs stays in the caches, …"""
_LARGE_MEMO_SIZE = 1 << 20
"""… but looking at every lead and beat it needs far more."""
_MULTIPLIER = 0x1E3779B97F4A7C15
_table_index = njit("int64(int64, int64)", cache=True)(table_index)


class VerifyError(ChallengeError):
    """A table contradicts the rules; the message names the position."""


@dataclass(frozen=True)
class Report:
    """What a verification looked at and found in order."""

    ranks: int
    positions: int
    """Base positions checked; one of two that differ by exchanging the plain suits counts."""
    theorems: bool
    proof: bool
    """Whether distances or progress were checked too, so that a full check is a proof."""


@njit("int64(int64, int64, int64, int16[::1])", cache=True)
def after_pickup(hand: int, side: int, ranks: int, scores: np.ndarray) -> int:
    """What it is worth to the player of `side` that he will lead from an empty table with `hand`.

    That is the score of the position a trick later.
    """
    if side == 1:  # seen from him, the two trump suits change places
        suit = (1 << ranks) - 1
        hand = hand >> 2 * ranks << 2 * ranks | (hand & suit) << ranks | hand >> ranks & suit
    score = int(scores[_table_index(hand, ranks)])
    return score - int(np.sign(score))


@njit("int64(int64, int64)", cache=True)
def suit_of(card: int, ranks: int) -> int:
    """All cards of the suit of `card`, which is one bit."""
    suit = (1 << ranks) - 1
    while suit & card == 0:
        suit <<= ranks
    return suit


@njit("int64(int64, int64, int64)", cache=True)
def higher_cards(hand: int, card: int, ranks: int) -> int:
    """The cards of `hand` that beat `card` in its own suit."""
    return hand & suit_of(card, ranks) & -(card << 1)


@njit("boolean(int64, int64, int64, int64)", cache=True)
def follows_own(a: int, b: int, card: int, ranks: int) -> bool:
    """Whether the next lower card of the suit of `card` that somebody holds is in hand `a`."""
    lower = (a | b) & suit_of(card, ranks) & (card - 1)
    while lower & (lower - 1):
        lower &= lower - 1
    return lower & a != 0


@njit("boolean(int64, int64, int64, int64, int64, boolean, int16[::1], int64[:, ::1])", cache=True)
def can_force(
    a: int,
    b: int,
    side: int,
    bound: int,
    ranks: int,
    theorems: bool,
    scores: np.ndarray,
    memo: np.ndarray,
) -> bool:
    """Whether the player of `side`, about to lead with `a` against `b` inside a trick, can force a
    score of at least `bound`.

    Side 0 has the first suit as his trump, side 1 the second. `memo`: a transposition table with
    rows of both hands and the side, the bound, the result.
    """
    if a & (a - 1) == 0:
        return bound <= WIN - 1
    suit = (1 << ranks) - 1
    trump_suit = suit << ranks * (1 - side)  # the responder's
    trumps = b & trump_suit
    one_way, two_ways = 0, 0  # the leads that are good if picked up, by ways of beating them
    leads = a
    while leads:
        card = leads & -leads
        leads ^= card
        if theorems and follows_own(a, b, card, ranks):
            continue
        if after_pickup(a ^ card, side, ranks, scores) < bound:
            continue
        followed = higher_cards(b, card, ranks) != 0
        trumped = trumps != 0 and card & trump_suit == 0
        if followed and trumped:
            two_ways |= card
        elif followed or trumped:
            one_way |= card
        else:
            return True
    if one_way | two_ways == 0:
        return False

    slot = product(product(a, _MULTIPLIER) + b, _MULTIPLIER) + 2 * bound + side
    slot = product(slot, _MULTIPLIER) >> 40 & memo.shape[0] - 1
    key = b << 1 | side
    if memo[slot, 0] == a and memo[slot, 1] == key and memo[slot, 2] == bound:
        return memo[slot, 3] == 1
    result = False
    for leads in (one_way, two_ways):
        while leads and not result:
            card = leads & -leads
            leads ^= card
            rest = a ^ card
            in_suit = higher_cards(b, card, ranks)
            by_trump = 0 if card & trump_suit else trumps
            result = True
            # The lowest beat of each kind first, then, unless theorems say more, the others.
            for beats in (
                in_suit & -in_suit,
                by_trump & -by_trump,
                0 if theorems else in_suit & (in_suit - 1),
                0 if theorems else by_trump & (by_trump - 1),
            ):
                while beats and result:
                    kept = b & ~(beats & -beats)
                    beats &= beats - 1
                    if kept == 0:
                        result = bound <= 1 - WIN
                    else:
                        result = not can_force(
                            kept, rest, 1 - side, 1 - bound, ranks, theorems, scores, memo
                        )
    memo[slot, 0] = a
    memo[slot, 1] = key
    memo[slot, 2] = bound
    memo[slot, 3] = 1 if result else 0
    return result


@njit("boolean(int64, int64, boolean, boolean, int64, int16[::1])", cache=True)
def follows_from_neighbour(
    hand: int, bound: int, least: bool, signs: bool, ranks: int, scores: np.ndarray
) -> bool:
    """Whether Raising settles that the leader can force `bound` (`least`), or no more than that.

    He can if he is claimed to do so with one card lowered by a rank; he can force no more if he is
    claimed to force no more with one card raised.
    """
    aces = 0
    for suit in range(4):
        aces |= 1 << (suit * ranks + ranks - 1)
    deck = (1 << 4 * ranks) - 1
    lowered = ~hand & ~aces & deck & hand >> 1  # where cards can go that are one rank higher
    raised = hand & ~aces & ~(hand >> 1)  # the cards that can go one rank up
    moves = lowered if least else raised
    while moves:
        low = moves & -moves
        moves ^= low
        score = int(scores[_table_index(hand ^ low ^ low << 1, ranks)])
        if signs:
            score = int(np.sign(score))
        if score >= bound if least else score <= bound:
            return True
    return False


@njit(
    "int64(int64[::1], int64, boolean, boolean, boolean, int16[::1], int64[:, ::1])",
    cache=True,
    nogil=True,
)
def first_wrong(
    hands: np.ndarray,
    ranks: int,
    exact: bool,
    signs: bool,
    theorems: bool,
    scores: np.ndarray,
    memo: np.ndarray,
) -> int:
    """The place of the first of `hands` whose score does not follow from its moves, or -1.

    `exact`: scores are of distances. Otherwise the winner must be able to force a score at least as
    good, and no outcome may be better than claimed. `signs`: only the sign of a score means
    something.
    """
    full = (1 << 4 * ranks) - 1
    for i in range(hands.size):
        hand = hands[i]
        score = int(scores[_table_index(hand, ranks)])
        if hand & (hand - 1) == 0:  # the lead of an only card
            if score <= 0 or (exact and score != WIN):
                return i
            continue
        bound = int(np.sign(score)) if signs else score
        rest = full ^ hand
        if abs(bound) >= WIN:
            return i
        must = exact or bound >= 0
        if must and theorems:
            must = not follows_from_neighbour(hand, bound, True, signs, ranks, scores)
        if must and not can_force(hand, rest, 0, bound, ranks, theorems, scores, memo):
            return i
        must_not = exact or bound <= 0
        if must_not and theorems:
            must_not = not follows_from_neighbour(hand, bound, False, signs, ranks, scores)
        if must_not and can_force(hand, rest, 0, bound + 1, ranks, theorems, scores, memo):
            return i
    return -1


def verify(
    tables: DeckTables,
    *,
    sample: int | None = None,
    theorems: bool | None = None,
    seed: int = 0,
    threads: int | None = None,
    report: Callable[[int, int], None] | None = None,
    checkpoint: Path | None = None,
) -> Report:
    """Check `sample` random base positions, or all of them, and that the files are sound.

    `theorems`: leave out needless leads, beats and positions; by default only when everything is
    checked. `report` is called with the number of positions checked so far and the total. A check
    of everything notes in the file `checkpoint` how far it is, continues from there when it is
    called again, and removes the file at the end. Raises VerifyError with the first contradiction,
    TableError for a broken file, CheckpointError if the checkpoint is of another check or damaged.
    """
    with locked(checkpoint) if checkpoint and sample is None else nullcontext():
        return _verify(tables, sample, theorems, seed, threads, report, checkpoint)


def _verify(
    tables: DeckTables,
    sample: int | None,
    theorems: bool | None,
    seed: int,
    threads: int | None,
    report: Callable[[int, int], None] | None,
    checkpoint: Path | None,
) -> Report:
    ranks = tables.ranks
    theorems = sample is None if theorems is None else theorems
    what = {
        "theorems": theorems,
        **{table.kind: table.digest for table in (tables.outcome, tables.measure) if table},
    }
    if sample is not None:
        checkpoint = None
    last = (1 << ranks) - 1  # always checked, whatever a checkpoint says
    found = checkpoint and load_checkpoint(checkpoint, "verification", what, {"done": last})
    done = found["done"] if found else 0
    for table in (tables.outcome, tables.distance, tables.progress):
        if table is not None:
            table.check()
    scores = tables.scores()
    _check_totals(tables, scores)
    _check_encoding(tables, scores)
    threads = threads or cores()
    size = _MEMO_SIZE if theorems else _LARGE_MEMO_SIZE
    memos = [np.zeros((size, 4), np.int64) for _ in range(threads)]
    exact = tables.distance is not None
    signs = tables.measure is None

    def check(memo: np.ndarray, hands: np.ndarray) -> int:
        wrong = first_wrong(hands, ranks, exact, signs, theorems, scores, memo)
        if wrong >= 0:
            raise VerifyError(_contradiction(tables, int(hands[wrong])))
        return int(hands.size)

    total = stored_positions(ranks) if sample is None else sample
    checked = max(0, (done * (done + 1) // 2 << 2 * ranks) - 1)
    batches = _all_hands(ranks, done) if sample is None else _random_hands(ranks, sample, seed)
    with ThreadPoolExecutor(threads) as pool:
        while group := list(islice(batches, threads)):
            checked += sum(pool.map(check, memos, group))
            done += len(group)
            if checkpoint and done <= last:
                save_checkpoint(checkpoint, "verification", what, {"done": done})
            if report is not None:
                report(checked, total)
    if checkpoint:
        checkpoint.unlink(missing_ok=True)
    return Report(ranks, checked, theorems, not signs)


def stored_positions(ranks: int) -> int:
    """The number of base positions up to exchanging the plain suits."""
    return (slices(ranks) << 2 * ranks) - 2


def _all_hands(ranks: int, done: int) -> Iterator[np.ndarray]:
    """All hands up to exchanging the plain suits, from batch number `done` on."""
    within = np.arange(1 << 2 * ranks, dtype=np.int64)
    last = (1 << ranks) - 1
    for p in range(done, last + 1):
        parts = [within | p << 2 * ranks | q << 3 * ranks for q in range(p + 1)]
        hands = np.concatenate(parts)
        yield hands[(hands != 0) & (hands != (1 << 4 * ranks) - 1)]


def _random_hands(ranks: int, count: int, seed: int) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(seed)
    while count > 0:
        size = min(count, 1 << 12)
        yield rng.integers(1, (1 << 4 * ranks) - 1, size, np.int64)
        count -= size


def _check_totals(tables: DeckTables, scores: np.ndarray) -> None:
    """Compare the totals in the header with the content. A position with P > Q stands for two."""
    counts = np.zeros(3, np.int64)
    positions = 1 << 2 * tables.ranks
    last = (1 << tables.ranks) - 1
    pairs = ((i, j) for i in range(last + 1) for j in range(i + 1))
    for number, (p, q) in enumerate(pairs):
        part = scores[number * positions : (number + 1) * positions]
        part = part[1:] if p == 0 else part[:-1] if q == last else part
        found = [np.count_nonzero(part > 0), np.count_nonzero(part < 0)]
        counts += np.array([*found, part.size - sum(found)]) * (1 if p == q else 2)
    claimed = (tables.outcome.wins, tables.outcome.losses, tables.outcome.draws)
    if tuple(counts.tolist()) != claimed:
        raise VerifyError(
            f"{tables.outcome.path} claims {claimed} wins, losses and draws, "
            f"but holds {tuple(counts.tolist())}"
        )


def _check_encoding(tables: DeckTables, scores: np.ndarray) -> None:
    """The content must be just what the scores are written as, with nothing in spare bits."""
    outcome, measure = hashlib.sha256(), hashlib.sha256()
    shift = 6 if tables.distance is None else 0  # of a place in the order only the stamp is kept
    for part in scores.reshape(slices(tables.ranks), -1):
        for bits in (part > 0, part == 0):
            outcome.update(np.packbits(bits, bitorder="little").tobytes())
        d = np.where(part == 0, 0, WIN - np.abs(part)) >> shift
        measure.update(d.astype(np.uint8).tobytes())
    for table, digest in (
        (tables.outcome, outcome),
        (tables.measure, measure),
    ):
        if table is not None and table.digest != digest.hexdigest():
            raise VerifyError(f"{table.path} holds more than its positions: bits that mean nothing")


def _contradiction(tables: DeckTables, hand: int) -> str:
    """What is wrong with the position in which the leader holds `hand`."""
    ranks = tables.ranks
    suits = view((0, 2), 1)
    cards = hand_cards(hand, suits, ranks)
    position = Position(ranks, (cards, deck_cards(ranks) - cards), (0, 2), 1, None)
    score = tables[table_index(hand, ranks)]
    outcome = "a draw" if score == 0 else "a win" if score > 0 else "a loss"
    distance = f" in {WIN - abs(score)}" if score and tables.distance else ""
    return f"the table calls {position} {outcome}{distance}, which does not follow from its moves"
