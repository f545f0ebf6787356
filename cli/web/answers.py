"""What the API answers: problems as text in, plain data for JSON out.

Everything here may be called from any thread. Each thread has solvers of its own, and a deck is
probed in plain Python until what compiled probes take has been loaded in the background.
"""

from __future__ import annotations

import random
import threading
import warnings
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from cli.seats import KNOWN
from engine.arena import record as records
from engine.arena.play import TIMES
from engine.cards import (
    DECKS,
    MAX_RANKS,
    PICKUP,
    RANKS,
    Card,
    deck_name,
    lowest_rank,
)
from engine.challenge import Challenge
from engine.deals import Deal, random_deal
from engine.errors import ChallengeError, GameError
from engine.players.player import Player, make_player
from engine.position import ChallengeAction, Position
from engine.problem import position_of, read_problem
from engine.text import meant, number_in, quoted
from solver.complete.unpacked import UnpackError
from solver.core.bitboard import leader_bits
from solver.solution import Solution
from solver.solver import Solver
from solver.tables import Tables, open_tables

LONGEST_PROBLEM = 1000
"""Characters of a deal or a position."""
MOST_MOVES = 2000
"""Moves of a game."""
MOST_SEED = 2**63 - 1
QUICK_NODES, QUICK_SECONDS, QUICK_MEMORY = 20_000, 0.5, 64 << 20
"""Where there is no table, a search of this size may still settle a position near the end."""
PROGRAMS = {
    "perfect": "perfect",
    "search": "search:seconds=2:nodes=1000000",  # keeps nothing between moves
    "greedy": "greedy",
}
"""The players that answer, as they are specified."""


class Unpacking(ChallengeError):
    """A player has to wait until progress is unpacked."""


class Answers:
    """Answers questions about deals, positions and games. Raises ChallengeError for bad ones."""

    def __init__(self, tables: Tables | None = None) -> None:
        """`tables`: where solutions are looked up (default: `open_tables()`)."""
        self._tables = open_tables() if tables is None else tables
        self._own = threading.local()
        self._lock = threading.Lock()
        self._drawing = threading.Lock()
        self._loading: set[int] = set()
        self._loaded: set[int] = set()
        self._unpacked: dict[int, float] = {}
        self._broken: dict[int, Exception] = {}
        self._maps: dict[int, dict[str, Any]] = {}

    def decks(self) -> dict[str, Any]:
        """The decks, what is known of each, and the programs that play."""
        tables = self._tables
        names = {ranks: name for name, ranks in DECKS.items()}
        decks = []
        for ranks in range(1, MAX_RANKS + 1):
            known = ranks in tables
            deck = tables.deck(ranks) if known else None
            measure = deck.measure.kind if deck and deck.measure else None
            packed = bool(deck and deck.packed and not deck.packed.ready)
            decks.append(
                {
                    "ranks": ranks,
                    "name": names.get(ranks),
                    "table": known,
                    "measure": measure,
                    "to_unpack": packed,
                }
            )
        return {"version": 1, "decks": decks, "players": list(PROGRAMS)}

    def deal(self, ranks: int, seed: int | None) -> dict[str, Any]:
        """A random deal; the same one for the same seed."""
        if seed is None:
            seed = random.SystemRandom().randrange(10**6)
        deal = random_deal(ranks, random.Random(seed))
        return {"deal": str(deal), "position": str(deal.position()), "ranks": ranks, "seed": seed}

    def solve(self, text: str, ranks: int | None, line: bool) -> dict[str, Any]:
        """The solution as `challenge solve --json` prints it; moves say where they lead.

        Nobody waits for progress that is being unpacked: it is left out, and `unpacking` says
        which part of it is done.
        """
        return self._solve(position_of(read(text, ranks)), line)

    def tree(self, text: str, ranks: int | None) -> dict[str, Any]:
        """The trick from a position on: each move and the replies to it that matter.

        After a beat, the replies are the leads that follow it. To a lead they are picking up, the
        lowest beat in its suit and the lowest trump: no other can be better (docs/theory.md).
        """
        position = position_of(read(text, ranks))
        found = self._solve(position)
        for move in found["moves"]:
            after = Position.parse(move["to"])
            move["replies"] = []
            if after.winner is None and not after.is_base:
                replies = self._solve(after)["moves"]
                move["replies"] = [reply for reply in replies if reply["lowest"]]
        return found

    def game(self, start: str, moves: Sequence[str], ranks: int | None) -> dict[str, Any]:
        """The positions of a game, and whether it is over."""
        problem = read(start, ranks)
        position = position_of(problem)
        positions, names = [position], []
        times = Counter([position])
        end = None
        for number, text in enumerate(moves, 1):
            if position.winner is not None:
                raise GameError(f"the game is over before move {number}, expected no more moves")
            try:
                action = position.parse_action(text)
            except GameError as error:
                raise GameError(f"move {number}: {error}") from None
            names.append(str(action))
            position = position.apply(action)
            positions.append(position)
            if position.is_base:
                times[position] += 1
        if position.winner is not None:
            end = "finished"
        elif times[position] >= TIMES:
            end = "repetition"
        return {
            "start": str(problem),
            "deal": str(problem) if isinstance(problem, Deal) else None,
            "moves": names,
            "positions": list(map(str, positions)),
            "end": end,
            "winner": position.winner,
        }

    def move(
        self, start: str, moves: Sequence[str], ranks: int | None, player: str
    ) -> dict[str, Any]:
        """What a program plays where a game has come to.

        Raises Unpacking where it has to wait for progress.
        """
        if player not in PROGRAMS:
            like = meant(player, PROGRAMS)
            raise GameError(
                f"unknown player {quoted(player)}{like}, expected one of: {', '.join(PROGRAMS)}"
            )
        seen = [Position.parse(text) for text in self.game(start, moves, ranks)["positions"]]
        position = seen[-1]
        if position.winner is not None:
            raise GameError(f"the game is over: player {position.winner} has won")
        if player != "greedy" and position.ranks in self._tables:
            self.load(position.ranks)
            unpacking = self._unpacking(position.ranks)
            if unpacking is not None:
                raise Unpacking(
                    f"the progress of {position.ranks} ranks is being unpacked "
                    f"({unpacking:.0%}), try again in a moment"
                )
        action = self._choose(player, position, seen)
        return {"player": player, "move": str(action), "to": str(position.apply(action))}

    def record(self, start: str, moves: Sequence[str], ranks: int | None) -> str:
        """The game as `challenge replay` reads it; an unfinished one is cut off where it is."""
        game = self.game(start, moves, ranks)
        if not moves:
            raise GameError("no move has been played, expected a game to record")
        position = Position.parse(game["positions"][0])
        options = {
            "ranks": position.ranks,
            "suits": "SHDC",
            "limit": len(moves),
            "start": game["start"],
        }
        header = records.header("challenge", options, 0)
        actions = iter(game["moves"])
        return records.write(header, lambda state: state.parse_action(next(actions)))

    def map(self, ranks: int) -> dict[str, Any]:
        """The outcome of every deal of a deck: rows are his trumps, columns his second suit.

        Holdings come from few to many cards, as on the page of `challenge report`. Raises
        MissingTable.
        """
        tables = self._tables.deck(ranks)
        with self._drawing:
            if ranks not in self._maps:
                self._maps[ranks] = _map(tables)
            return self._maps[ranks]

    def _solve(self, position: Position, line: bool = False) -> dict[str, Any]:
        ranks = position.ranks
        if ranks not in self._tables:
            return {**describe(self._solver("search").solve(position)), "unpacking": None}
        self.load(ranks)
        unpacking = self._unpacking(ranks)
        solver = self._solver("fast" if ranks in self._loaded else "slow")
        solution = solver.solve(position, line=line and unpacking is None)
        return {**describe(solution), "unpacking": unpacking}

    def _unpacking(self, ranks: int) -> float | None:
        """Which part of the progress of a deck is unpacked; None where nothing is to be unpacked.

        Raises what the unpacking has failed with, unless it goes without.
        """
        if ranks in self._broken:
            raise self._broken[ranks].with_traceback(None)
        packed = self._tables.deck(ranks).packed
        if packed is None or packed.failed or packed.ready:
            return None
        return round(self._unpacked.get(ranks, 0.0), 2)

    def load(self, ranks: int) -> None:
        """Begin to load, in the background, what fast answers about a deck take.

        Progress is unpacked there, too: that takes seconds with 7 ranks, a minute with 8.
        """
        if ranks in self._loading:
            return
        with self._lock:
            if ranks not in self._loading:
                threading.Thread(target=self._load, args=(ranks,), daemon=True).start()
                self._loading.add(ranks)

    def _load(self, ranks: int) -> None:
        try:
            if ranks in self._tables:
                self._unpack(ranks)
                self._new_solver("fast").load(ranks)
            else:
                self._new_solver("search").solve("1 A.-")  # any position loads what a search takes
        except (ChallengeError, MemoryError, OSError):
            return  # answers stay slow, or say themselves what is wrong
        self._loaded.add(ranks)

    def _unpack(self, ranks: int) -> None:
        """Unpack the progress of a deck, if there is any, in the thread that loads it."""
        packed = self._tables.deck(ranks).packed
        if packed is None:
            return
        try:
            packed.prepare(lambda done: self._unpacked.update({ranks: done}))
        except UnpackError as error:
            warnings.warn(f"{error}; going on without", stacklevel=1)
        except (ChallengeError, MemoryError) as error:
            self._broken[ranks] = error
            raise

    def _solver(self, kind: str) -> Solver:
        """One of this thread's solvers."""
        solvers: dict[str, Solver] = self._own.__dict__.setdefault("solvers", {})
        if kind not in solvers:
            solvers[kind] = self._new_solver(kind)
        return solvers[kind]

    def _new_solver(self, kind: str) -> Solver:
        if kind == "search":
            return Solver(
                method="search",
                max_nodes=QUICK_NODES,
                max_seconds=QUICK_SECONDS,
                max_memory=QUICK_MEMORY,
            )
        return Solver(tables=self._tables, method="table", compiled=kind == "fast")

    def _choose(self, name: str, position: Position, seen: list[Position]) -> ChallengeAction:
        players: dict[tuple[str, int], Player] = self._own.__dict__.setdefault("players", {})
        key = name, position.ranks
        if key not in players:
            players[key] = make_player(PROGRAMS[name], Challenge(position.ranks), KNOWN)
        player = players[key]
        player.begin(seen)
        action: ChallengeAction = player.choose(position, random.Random(0))  # type: ignore[assignment]
        return action


def read(text: str, ranks: int | None = None) -> Deal | Position:
    """The deal or the position written `text`. Raises GameError."""
    if len(text) > LONGEST_PROBLEM:
        raise GameError(
            f"a text of {len(text):,} characters given, expected a deal or a position of "
            f"at most {LONGEST_PROBLEM:,}"
        )
    return read_problem(text, ranks)


def read_moves(text: str) -> list[str]:
    """Moves with commas or spaces between them. Raises GameError if there are too many."""
    moves = text.replace(",", " ").split()
    if len(moves) > MOST_MOVES:
        raise GameError(f"{len(moves):,} moves given, expected at most {MOST_MOVES:,}")
    return moves


def read_number(text: str, least: int, most: int, what: str) -> int:
    """The whole number written `text`. Raises GameError."""
    number = number_in(text, range(least, most + 1))
    if number is None:
        raise GameError(
            f"{what} {quoted(text)} is wrong, expected a whole number from {least:,} to {most:,}"
        )
    return number


def describe(solution: Solution) -> dict[str, Any]:
    """A solution as plain data; every move says what it is and where it leads.

    `lowest` marks the moves that matter: of several beats of one suit only the lowest.
    """
    found = solution.to_dict()
    position = solution.position
    lowest = _lowest(position)
    for move, (action, *_) in zip(found["moves"], solution.moves, strict=True):
        move["kind"] = PICKUP if action == PICKUP else "beat" if position.top else "lead"
        move["lowest"] = action in lowest
        move["to"] = str(position.apply(action))
    found["measure"] = solution.measure
    return found


def _lowest(position: Position) -> set[ChallengeAction]:
    """The legal moves without beats for which there is a lower one of the same suit."""
    if position.top is None:
        return set(position.legal_actions())
    beats: dict[int, Card] = {}
    for action in position.legal_actions():
        if isinstance(action, Card):
            beats[action.suit] = action  # from high to low
    return {PICKUP, *beats.values()}


def _map(tables: Any) -> dict[str, Any]:
    import numpy as np

    ranks = tables.ranks
    values = [
        frozenset(held)
        for size in range(ranks + 1)
        for held in list(combinations(range(14, lowest_rank(ranks) - 1, -1), size))[::-1]
    ]
    nothing: frozenset[int] = frozenset()

    def bits(trump: frozenset[int], second: frozenset[int]) -> int:
        return leader_bits(Deal(ranks, trump, second).position())

    # The cards of his trump suit and its mirror are bits apart from those of his second suit.
    rows = np.array([bits(trump, nothing) - bits(nothing, nothing) for trump in values], np.int64)
    columns = np.array([bits(nothing, second) for second in values], np.int64)
    hands = rows[:, None] + columns[None, :]
    letters = np.array(["L", "D", "W"])[tables.outcomes(hands) + 1]
    return {
        "ranks": ranks,
        "deck": deck_name(ranks),
        "holdings": ["".join(RANKS[14 - v] for v in sorted(held)[::-1]) or "-" for held in values],
        "outcomes": ["".join(row) for row in letters],
        "distances": tables.distances(hands).tolist() if tables.distance is not None else None,
    }
