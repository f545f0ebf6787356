"""The exact value of a position inside a trick, from a table of base positions.

One source, two speeds. These functions use only what means the same to Python and to numba (signed
integers, tuples, indexing), so one position is answered by plain Python, at once and without
loading a compiler, and thousands by `compiled()`. Hands are bit sets as in `solver.core.bitboard`.

A *score* is for the player to act: `WIN - d` for a win in d tricks, `d - WIN` for a loss, 0 for a
draw; greater is better. Any other number that falls with every trick of a proper win does as well
for d. `scores` maps the table index of a base position to the score of its leader.
"""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any

WIN = 1 << 14
"""More than any distance; scores fit in 16 bits."""

MAX_CARDS = 40
MEMO_SIZE = 1 << 14


def make_deck(ranks: int) -> tuple[int, int, int, int, int, int, int, int]:
    """What the search must know of a deck.

    Ranks, both trump suits, all cards but the aces, all cards, and all cards but the lowest one,
    two and four of each suit.
    """

    def every(suit_bits: int) -> int:
        return sum(suit_bits << (ranks * suit) for suit in range(4))

    field = (1 << ranks) - 1
    full = every(field)
    return (
        ranks,
        field,
        field << ranks,
        full ^ every(1 << (ranks - 1)),
        full,
        full ^ every(1),
        full ^ every(min(3, field)),
        full ^ every(min(15, field)),
    )


def make_memo() -> tuple[list[int], ...]:
    """Working memory of a search, good for one table for ever.

    Four columns of a transposition table (leader's hand, responder's hand and side, lower bound,
    upper bound) and two of the leads of the nodes on the path, best first.
    """
    columns = [[0] * MEMO_SIZE for _ in range(4)]
    return (*columns, [0] * MAX_CARDS**2, [0] * MAX_CARDS**2)


def table_index(x: Any, ranks: int) -> Any:
    """Where the base position with leader's hand `x` stands in a table (see `solver.core.bitboard`)."""
    two = 2 * ranks
    p = (x >> two) & ((1 << ranks) - 1)
    q = x >> (two + ranks)
    if p < q:
        p, q = q, p
    return ((p * (p + 1) >> 1) + q) << two | x & ((1 << two) - 1)


def base_index(x: Any, side: Any, deck: Any) -> Any:
    """The table index of the base position in which the player of `side` leads with `x`.

    Side 0 owns the first trump suit of the view, side 1 the second.
    """
    ranks = deck[0]
    if side:
        field = deck[1]
        x = x & ~(field | field << ranks) | (x & field) << ranks | (x >> ranks) & field
    return table_index(x, ranks)


def base_score(x: Any, side: Any, deck: Any, scores: Any) -> Any:
    """The score, one trick earlier, of a base position as `base_index` has it."""
    score = int(scores[base_index(x, side, deck)])
    if score > 0:
        return score - 1
    if score < 0:
        return score + 1
    return score


def base_outcome(x: Any, side: Any, deck: Any, content: Any) -> Any:
    """As `base_score`, but every win counts as a win in 1, from the content of an outcome table."""
    two = 2 * deck[0]
    index = base_index(x, side, deck)
    positions = 1 << two  # of a slice
    field = positions + 7 >> 3  # bytes of one of its two bit fields
    place = index & (positions - 1)
    byte = (index >> two) * 2 * field + (place >> 3)
    if content[byte] >> (place & 7) & 1:
        return WIN - 2
    if content[byte + field] >> (place & 7) & 1:
        return 0
    return 2 - WIN


def below_highest(hand: Any, deck: Any) -> Any:
    """The cards of each suit that lie below the highest card of `hand` in that suit."""
    low1 = deck[5]
    x = (hand & low1) >> 1
    x |= (x & low1) >> 1
    x |= (x & deck[6]) >> 2
    x |= (x & deck[7]) >> 4
    return x | (x & low1) >> 1


def run_lows(hand: Any, other: Any, deck: Any) -> Any:
    """The lowest card of each run of `hand`; `solver.core.trick.run_lows` explains the carry."""
    inner = deck[3]
    above = (hand & inner) << 1
    empty = inner & ~(hand | other)
    entering = above & empty
    return hand & ~(above | ((empty + entering) ^ empty ^ entering))


def lead_value(
    a: Any, b: Any, side: Any, alpha: Any, beta: Any, depth: Any, deck: Any, scores: Any, memo: Any
) -> Any:
    """The score of the lead node at which the player of `side` holds `a` and is to lead, the other
    holds `b`.

    Alpha-beta, fail-soft: the result is exact inside the window, a lower bound if it is at least
    `beta`, an upper bound if it is at most `alpha`. Neither hand is empty; the pile is not empty or
    `a` has two cards or more. `depth` counts the lead nodes above this one.
    """
    if a & (a - 1) == 0:
        return WIN - 1
    memo_a, memo_b, memo_low, memo_high, sorted_leads, sorted_values = memo
    key = b | side << 40
    slot = (a * 40503 ^ b * 30103) >> 9 & (MEMO_SIZE - 1)
    low, high = -WIN, WIN
    if memo_a[slot] == a and memo_b[slot] == key:
        low, high = int(memo_low[slot]), int(memo_high[slot])
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        alpha = max(alpha, low)
        beta = min(beta, high)
    own = deck[1] if side else deck[2]  # the responder's trump suit
    trumps = b & own
    beatable = below_highest(b, deck)

    # No lead is worth more than the position after it is picked up: the best of these first.
    first = end = depth * MAX_CARDS
    leads = run_lows(a, b, deck)
    while leads:
        card = leads & -leads
        leads ^= card
        value = base_score(a ^ card, side, deck, scores)
        i = end
        while i > first and sorted_values[i - 1] < value:
            sorted_values[i] = sorted_values[i - 1]
            sorted_leads[i] = sorted_leads[i - 1]
            i -= 1
        sorted_values[i] = value
        sorted_leads[i] = card
        end += 1

    best = -WIN
    for i in range(first, end):
        card = int(sorted_leads[i])
        value = int(sorted_values[i])
        if best >= beta:
            break
        floor = max(alpha, best)
        if value <= floor:  # and so are the leads to come
            best = max(best, value)
            break
        rest = a ^ card
        in_suit = b & -(card << 1) if card & beatable else 0
        for beats in (in_suit, 0 if card & own else trumps):
            if beats and value > floor:
                kept = b ^ (beats & -beats)
                reply = WIN - 1
                if kept:
                    reply = lead_value(
                        kept, rest, 1 - side, -value, -floor, depth + 1, deck, scores, memo
                    )
                value = min(value, -reply)
        best = max(best, value)
    if best <= alpha:
        high = min(high, best)
    elif best >= beta:
        low = max(low, best)
    else:
        low = high = best
    memo_a[slot] = a
    memo_b[slot] = key
    memo_low[slot] = low
    memo_high[slot] = high
    return best


def move_scores(
    a: Any, b: Any, top: Any, empty: Any, most: Any, deck: Any, scores: Any, memo: Any, out: Any
) -> Any:
    """Write the score of every legal move of the player of side 0 to `out`.

    He holds `a`, the other holds `b`. `top`: the card (one bit) that he faces, 0 if he is to lead;
    `empty`: the table is empty. `out[i]` is for playing card number i, `out[MAX_CARDS]` for picking
    up (if `top`). Scores of at least `most`, and at most `-most`, are bounds only: with `most` = 1
    they tell the outcome, in less time. Returns the set of his cards that are legal.
    """
    ranks, own, other = deck[0], deck[1], deck[2]
    legal = a
    if top:
        field = deck[1]
        while field & top == 0:
            field <<= ranks
        legal = a & field & -(top << 1)
        if top & own == 0:
            legal |= a & own
        out[MAX_CARDS] = -base_score(b, 1, deck, scores)
    left = legal
    bit = 0
    while left >> bit:
        card = 1 << bit
        if left & card:
            rest = a ^ card
            if rest == 0:
                value = WIN if empty else WIN - 1
            elif top:
                value = lead_value(rest, b, 0, -most, most, 0, deck, scores, memo)
            else:
                value = base_score(rest, 0, deck, scores)
                in_suit = b & -(card << 1) if card & below_highest(b, deck) else 0
                for beats in (in_suit, 0 if card & other else b & other):
                    if beats:
                        kept = b ^ (beats & -beats)
                        reply = WIN - 1
                        if kept:
                            reply = lead_value(kept, rest, 1, -most, most, 0, deck, scores, memo)
                        value = min(value, -reply)
            out[bit] = value
        bit += 1
    return legal


@cache
def compiled(outcomes_only: bool = False) -> Any:
    """`move_scores` compiled by numba; the compiled code is cached on disk.

    It takes int64 arrays for `out` and the columns of the memo; for `scores` an int16 array or,
    with `outcomes_only`, the content of an outcome table (`Tables.outcomes`), a uint8 array.
    """
    from numba import njit, types

    from solver.complete import value

    tuple_of: Any = types.UniTuple
    word, deck = types.int64, tuple_of(types.int64, 8)
    scores = types.uint8[::1] if outcomes_only else types.int16[::1]
    column = types.int64[::1]
    memo = tuple_of(column, 6)
    signatures = {  # given in full: numba cannot cache recursive functions whose types it inferred
        "table_index": word(word, word),
        "base_index": word(word, word, deck),
        "base_score": word(word, word, deck, scores),
        "below_highest": word(word, deck),
        "run_lows": word(word, word, deck),
        "lead_value": word(word, word, word, word, word, word, deck, scores, memo),
        "move_scores": word(word, word, word, word, word, deck, scores, memo, column),
    }
    namespace = dict(vars(value))
    for name, signature in signatures.items():
        source = "base_outcome" if outcomes_only and name == "base_score" else name
        function = FunctionType(vars(value)[source].__code__, namespace, name)
        namespace[name] = njit(signature, cache=True, nogil=True)(function)
    return namespace["move_scores"]
