"""Exact search from one position, for decks without a table.

Two claims are tried in turn, that the player to move wins and that he loses, within more and more
tricks (`solver.single.claims`), until one is proved. Now and then, when enough work has been done
to make it cheap, what has failed so far is tried as the proof of a draw (`solver.single.draws`).
"""

from __future__ import annotations

from contextlib import suppress

from engine.cards import PICKUP, Card
from engine.errors import GameError
from engine.position import ChallengeAction, Position
from solver.core.bitboard import hand_bits, view
from solver.single.claims import (
    BASE_LEADS,
    BASE_RESPONDS,
    MOST_TRICKS,
    NO_LIMIT,
    OTHER_LEADS,
    PROVER_LEADS,
    Claim,
    Memory,
    turned,
)
from solver.single.draws import Closing

SLICE = 1 << 18
"""Nodes between two looks at the clock, or more if one test takes more."""
DRAW_SHARE = 10
"""A draw is tried after so many times the nodes that trying has taken the last time, …"""
DRAW_COST = 10
"""… for the first time so many for every fact that there is, …"""
DRAW_TRICKS = 64
"""… or when the search looks so far ahead, and twice as far as at the last time."""


def consequences(position: Position, action: ChallengeAction) -> list[Claim] | None:
    """Claims that together say that the player to move wins with a move; None if it loses at once.

    A lead wins if it wins against picking up and against the lowest beats (docs/theory.md).
    """
    player = position.turn
    ranks = position.ranks
    suits = view(position.trumps, player)

    def claim(after: Position) -> Claim:
        mine, others = (
            hand_bits(hand, suits, ranks)
            for hand in (after.hands if player == 1 else after.hands[::-1])
        )
        if after.is_base:
            return mine, 0, BASE_LEADS if after.turn == player else BASE_RESPONDS
        return mine, others, PROVER_LEADS if after.turn == player else OTHER_LEADS

    after = position.apply(action)
    if after.winner == player:
        return []
    if after.top is None:
        return [claim(after)]
    beats: dict[int, Card] = {}
    for reply in after.legal_actions():
        if isinstance(reply, Card):
            lowest = beats.setdefault(reply.suit, reply)
            beats[reply.suit] = min(lowest, reply, key=lambda card: card.rank)
    replies = [after.apply(reply) for reply in (PICKUP, *beats.values())]
    if any(reply.winner for reply in replies):
        return None
    return [claim(reply) for reply in replies]


class Search:
    """A search for the value of one position, which can be stopped and continued.

    Belongs to one thread, but for `halt`; several searches, in several threads too, may share a
    memory. Raises GameError if the game is over, or the memory is for another deck.
    """

    def __init__(self, position: Position, memory: Memory) -> None:
        if memory.ranks != position.ranks:
            raise GameError(
                f"the position has {position.ranks} ranks, the memory is for {memory.ranks}"
            )
        if position.winner is not None:
            raise GameError(f"the game is over: player {position.winner} has won")
        self.position = position
        self._memory = memory
        self.outcomes: dict[ChallengeAction, str] = {}
        """What is proved of the legal moves: "win", "loss" or "draw" for the player to move."""
        self.tricks = 1
        """How far the search looks at present."""
        self._claims: dict[ChallengeAction, list[Claim]] = {}
        for action in position.legal_actions():
            claims = consequences(position, action)
            if claims:
                self._claims[action] = claims
            else:
                self.outcomes[action] = "loss" if claims is None else "win"
        self._moves = list(self._claims)
        self._winning = True  # the claim at hand: he wins within `tricks` tricks, or he loses
        self._slice = SLICE
        self._drawn = False
        self._halted = False
        self._closing: Closing | None = None
        self._draw_nodes: int | None = None  # when a draw was last tried, and what that took
        self._draw_cost: int | None = None
        self._draw_tricks = DRAW_TRICKS  # when to try again, at the latest

    @property
    def outcome(self) -> str | None:
        """ "win", "loss" or "draw" for the player to move, as soon as it is proved."""
        if "win" in self.outcomes.values():
            return "win"
        if self._drawn:
            return "draw"
        if len(self.outcomes) == len(self.position.legal_actions()):
            return "loss"
        return None

    def advance(self, limit: int, most: int = NO_LIMIT) -> bool:
        """Search on for a moment, up to `limit` nodes of the memory; whether there is more to do.

        A moment is a slice of nodes, or more if one test takes more, but then no more than `most`.
        Not if the outcome is proved, the memory is full, or no number of tricks is left to try.
        Holds the lock of the memory.
        """
        with self._memory.lock:
            if self._draw_nodes is None:
                self._draw_nodes = self._memory.nodes
            return self._advance(limit, most)

    def halt(self) -> None:
        """End the search, in the midst of another thread's `advance`; to be repeated until then."""
        self._halted = True
        self._memory.interrupt()
        if self._closing:
            self._closing.halt()

    def _advance(self, limit: int, most: int) -> bool:
        if self._halted or self.outcome or self.tricks > MOST_TRICKS:
            return False
        if self._closing:
            self._advance_draw(self._closing, limit)
            return not self.outcome
        before, facts = self._memory.nodes, self._memory.facts
        nodes = min(self._slice, max(SLICE, most))
        if self._claim_settled(min(limit, before + nodes)):
            self._slice = SLICE
            if not self._winning:
                self._begin_draw()
                self.tricks += max(1, self.tricks // 4)
                self._memory.forget_failures()
            self._winning = not self._winning
        elif self._memory.full:
            return False
        elif self._memory.facts == facts:
            self._slice *= 2  # too short for a single test
        return not self.outcome

    def _claim_settled(self, limit: int) -> bool:
        """Try the claim at hand; False if the search stopped before there was a result."""
        self._memory.thin_out()
        for move in list(self._moves):
            if self._halted:
                return False
            if move in self.outcomes:
                continue
            found: bool | None
            if self._winning:  # he wins if with some move all claims hold
                for claim in self._claims[move]:
                    found = self._memory.attempt(claim, self.tricks, limit)
                    if not found:
                        break
                if found:
                    self.outcomes[move] = "win"
                    return True
            else:  # he loses if for every move the other's claim holds against one of his
                for claim in self._claims[move]:
                    other = turned(claim, self.position.ranks)
                    found = self._memory.attempt(other, self.tricks, limit)
                    if found is not False:
                        break
                if found:
                    self.outcomes[move] = "loss"
                elif found is False:  # this move is not refuted: try it first next time
                    self._moves.remove(move)
                    self._moves.insert(0, move)
                    return True
            if found is None:
                return False
        return True

    def _begin_draw(self) -> None:
        assert self._draw_nodes is not None
        work = self._memory.nodes - self._draw_nodes
        cost = self._draw_cost or DRAW_COST * self._memory.kept
        if work >= DRAW_SHARE * cost or self.tricks >= self._draw_tricks:
            with suppress(MemoryError):
                self._closing = Closing(self._memory, self.tricks)
            self._draw_nodes = self._memory.nodes
            self._draw_tricks = max(self._draw_tricks, 2 * self.tricks)

    def _advance_draw(self, closing: Closing, limit: int) -> None:
        """Go on trying to prove a draw, as long as both players seem to hold out."""
        drawing = [
            move for move, claims in self._claims.items() if all(map(closing.holds_out, claims))
        ]
        if drawing and all(
            any(closing.holds_out(turned(claim, self.position.ranks)) for claim in claims)
            for claims in self._claims.values()
        ):
            if closing.step(limit):
                return
            if closing.closed:
                self._drawn = True
                self.outcomes.update(dict.fromkeys(drawing, "draw"))
        self._closing = None
        assert self._draw_nodes is not None
        self._draw_cost = self._memory.nodes - self._draw_nodes
        self._draw_nodes = self._memory.nodes
