"""The exact value of a position inside a trick, from a table of base positions.

Plain Python, so that one position is answered at once, without loading a compiler; thousands are
answered by `solver.complete.leads`. Hands are bit sets as in `solver.core.bitboard`, seen from one
player, "side 0", who owns the first trump suit; the other is side 1.

A *score* is for the player to act: `WIN - d` for a win in d tricks, `d - WIN` for a loss, 0 for a
draw; greater is better. Instead of d, any number will do that falls with every trick of a proper
win.
"""

from __future__ import annotations

from typing import Protocol

from solver.core.bitboard import Deck, below_highest, run_lows, swap_trumps, table_index

WIN = 1 << 14
"""More than any distance; scores fit in 16 bits."""

MEMO_SIZE = 1 << 17
"""Lead nodes that are remembered, at most."""


class Scores(Protocol):
    """The scores of base positions, for their leaders, by table index."""

    def __getitem__(self, index: int, /) -> int: ...


class TrickValues:
    """Values of lead nodes and moves, by alpha-beta within one trick.

    What is found is remembered for as long as `scores` mean the same. Owned by one thread.
    """

    def __init__(self, ranks: int, scores: Scores) -> None:
        self._deck = Deck.of(ranks)
        self._scores = scores
        self._memo: dict[tuple[int, int, int], tuple[int, int]] = {}

    def move_scores(
        self, a: int, b: int, top: int, empty: bool, most: int = WIN
    ) -> dict[int | None, int]:
        """The score of every legal move of side 0: of each card, one bit, and of None, picking up.

        He holds `a`, the other holds `b`. `top`: the card that he faces, 0 if he is to lead;
        `empty`: the table is empty. Scores of at least `most` and at most `-most` are bounds only:
        with `most` = 1 they tell the outcome, in less time.
        """
        moves: dict[int | None, int] = {}
        deck = self._deck
        if top:
            suit = deck.own
            while not suit & top:
                suit <<= deck.ranks
            legal = a & suit & -(top << 1)
            if not top & deck.own:
                legal |= a & deck.own
            moves[None] = -self._picked_up(b, 1)
        else:
            legal = a
            beatable = below_highest(b, deck)
        while legal:
            card = legal & -legal
            legal ^= card
            rest = a ^ card
            if not rest:
                moves[card] = WIN if empty else WIN - 1
            elif top:
                moves[card] = self._lead(rest, b, 0, -most, most)
            else:
                value = self._picked_up(rest, 0)
                in_suit = b & -(card << 1) if card & beatable else 0
                for beats in (in_suit, 0 if card & deck.other else b & deck.other):
                    if beats:
                        value = min(value, -self._beaten(b, beats, rest, 1, -most, most))
                moves[card] = value
        return moves

    def _beaten(self, b: int, beats: int, rest: int, side: int, alpha: int, beta: int) -> int:
        """The score, for `side`, of beating with the lowest of `beats`; the other holds `rest`."""
        kept = b ^ (beats & -beats)
        return self._lead(kept, rest, side, alpha, beta) if kept else WIN - 1

    def _picked_up(self, hand: int, side: int) -> int:
        """The score, one trick earlier, of the base position that `side` leads with `hand`."""
        deck = self._deck
        score = self._scores[
            table_index(swap_trumps(hand, deck.ranks) if side else hand, deck.ranks)
        ]
        return score - (score > 0) + (score < 0)

    def _lead(self, a: int, b: int, side: int, alpha: int, beta: int) -> int:
        """The score of the lead node at which `side` holds `a` and is to lead, the other holds `b`.

        Alpha-beta, fail-soft: the result is exact inside the window, a lower bound if it is at
        least `beta`, an upper bound if it is at most `alpha`. Neither hand is empty.
        """
        if not a & (a - 1):
            return WIN - 1
        key = a, b, side
        low, high = self._memo.get(key, (-WIN, WIN))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        alpha, beta = max(alpha, low), min(beta, high)
        deck = self._deck
        own = deck.own if side else deck.other  # the responder's trumps
        trumps = b & own
        beatable = below_highest(b, deck)
        # No lead is worth more than the position after it is picked up: the best of these first.
        leads = []
        lows = run_lows(a, b, deck)
        while lows:
            card = lows & -lows
            lows ^= card
            leads.append((-self._picked_up(a ^ card, side), card))
        leads.sort()
        best = -WIN
        for negative, card in leads:
            value = -negative
            if best >= beta:
                break
            floor = max(alpha, best)
            if value <= floor:  # and so are the leads to come
                best = max(best, value)
                break
            in_suit = b & -(card << 1) if card & beatable else 0
            for beats in (in_suit, 0 if card & own else trumps):
                if beats and value > floor:
                    reply = self._beaten(b, beats, a ^ card, 1 - side, -value, -floor)
                    value = min(value, -reply)
            best = max(best, value)
        if best <= alpha:
            high = min(high, best)
        elif best >= beta:
            low = max(low, best)
        else:
            low = high = best
        if len(self._memo) >= MEMO_SIZE:
            self._memo.clear()
        self._memo[key] = low, high
        return best
