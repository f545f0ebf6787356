"""The complete solution of one deck: its tables, opened and probed by hands."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any

from solver.complete.table import KINDS, MissingTable, Table, TableError
from solver.complete.unpacked import PackedTable
from solver.complete.value import WIN
from solver.core.bitboard import plain_suits, slices, table_indices

if TYPE_CHECKING:
    import numpy as np

UNPACKED_RANKS = 7
"""Up to so many ranks arrays of hands are looked up in unpacked tables, then slice by slice."""


class DeckTables:
    """The complete solution of one deck: outcomes and, where there are any, distances or progress.

    Raises TableError for tables that do not belong together.
    """

    def __init__(
        self,
        ranks: int,
        outcome: Table,
        distance: Table | None = None,
        progress: Table | PackedTable | None = None,
    ) -> None:
        self.ranks = ranks
        self.outcome = outcome
        self.distance = distance
        self.progress = progress
        self._slice_bits = 2 * ranks
        self._slice_mask = (1 << 2 * ranks) - 1
        self._draws = outcome.slice_bytes >> 1  # where the bits of draws begin in a slice
        self._unpacked: dict[str, np.ndarray] = {}
        self._lock = Lock()
        for kind, table in zip(KINDS, (outcome, distance, progress), strict=True):
            if table is not None and (table.kind, table.ranks) != (kind, ranks):
                raise TableError(
                    f"{table.path} is a table of the kind {table.kind} for {table.ranks} ranks, "
                    f"expected the kind {kind} for {ranks} ranks"
                )
            if table is not None and totals_of(table) != totals_of(outcome):
                raise TableError(
                    f"{table.path} and {outcome.path} do not belong together: they claim "
                    "different numbers of wins, losses and draws"
                )

    @property
    def measure(self) -> Table | PackedTable | None:
        """The table that says which winning moves lead to a win: distances, or else progress."""
        return self.distance or self.progress

    @property
    def packed(self) -> PackedTable | None:
        """The measure, if it has to be unpacked before it is probed."""
        return self.measure if isinstance(self.measure, PackedTable) else None

    def without(self, *kinds: str) -> DeckTables:
        """The same solution without its tables of these kinds."""
        return DeckTables(
            self.ranks,
            self.outcome,
            None if "distance" in kinds else self.distance,
            None if "progress" in kinds else self.progress,
        )

    def __getitem__(self, index: int) -> int:
        """The score at a table index, as `solver.complete.value` wants it.

        A win counts as a win in d: its distance; else its place in the order of proofs, `stamp *
        64 + cards of the leader`, which falls with every trick of a proper win, too; else 1.
        """
        number, place = index >> self._slice_bits, index & self._slice_mask
        if self.distance is None and self.progress is not None:
            data, start = self.progress.slice(number)
            stamp = data[start + place]
            p, q = plain_suits(number)
            cards = place.bit_count() + p.bit_count() + q.bit_count()
            score = WIN - (stamp << 6 | cards)
            return 0 if stamp == 0 else score if stamp & 1 else -score
        data, start = self.outcome.slice(number)
        byte, bit = start + (place >> 3), place & 7
        wins = data[byte] >> bit & 1
        if not wins and data[byte + self._draws] >> bit & 1:
            return 0
        score = WIN - 1
        if self.distance is not None:
            data, start = self.distance.slice(number)
            score = WIN - data[start + place]
        return score if wins else -score

    def outcomes(self, hands: np.ndarray) -> np.ndarray:
        """Who wins the base positions in which the leader holds `hands`.

        `hands`: an array of an integer type and any shape, each hand a bit set seen from the leader
        (`solver.core.bitboard.leader_bits` gives that of a position). The result is an int8 array
        of the same shape: 1 where the leader wins, -1 where he loses, 0 for a draw. Raises
        ValueError for a hand that is empty, full or not of this deck, or for another type.
        """
        return self._look_up(hands, self.outcome, _read_outcomes, "int8")

    def distances(self, hands: np.ndarray) -> np.ndarray:
        """How many tricks the base positions take, int16, -1 for a draw. Otherwise as `outcomes`.

        Raises MissingTable where the deck has no distances.
        """
        import numpy as np

        distances = self._look_up(hands, self._table("distance"), _read_bytes, "int16")
        zeros = np.flatnonzero(distances == 0)  # draws, and hands of one card
        cards = np.bitwise_count(np.asarray(hands).flat[zeros])
        distances.flat[zeros] = np.where(cards > 1, -1, 0)
        return distances

    def progress_of(self, hands: np.ndarray) -> np.ndarray:
        """The places of the base positions in the order of proofs, int16, -1 for a draw.

        The place falls with every trick of a proper win. Otherwise as `outcomes`. Raises
        MissingTable where the deck has no progress.
        """
        import numpy as np

        stamps = self._look_up(hands, self._table("progress"), _read_bytes, "int16")
        places: np.ndarray = np.where(stamps, stamps << 6 | np.bitwise_count(np.asarray(hands)), -1)
        return places

    def _table(self, kind: str) -> Table | PackedTable:
        table: Table | PackedTable | None = {"distance": self.distance, "progress": self.progress}[
            kind
        ]
        if table is None:
            raise MissingTable(f"there is no table of {kind} for decks of {self.ranks} ranks")
        return table

    def _look_up(
        self, hands: np.ndarray, table: Table | PackedTable, read: _Read, dtype: str
    ) -> np.ndarray:
        """What `read` makes of the entries of some hands."""
        import numpy as np

        hands = np.asarray(hands)
        if hands.dtype.kind not in "iu":
            raise ValueError(f"hands of the type {hands.dtype} given, expected integers")
        full = (1 << 4 * self.ranks) - 1
        if hands.size and not 0 < hands.min() <= hands.max() < full:
            wrong = hands[(hands <= 0) | (hands >= full)]
            raise ValueError(f"hand {int(wrong[0]):#x} is no base position with {self.ranks} ranks")
        indices = table_indices(hands.astype(np.int64), self.ranks)
        size = table.slice_bytes
        whole = self.ranks <= UNPACKED_RANKS or isinstance(table, PackedTable)
        if whole and table.kind != "outcome":  # a byte for each table index
            return self.unpacked(table.kind)[indices].astype(dtype)
        numbers, places = indices >> self._slice_bits, indices & self._slice_mask
        if whole:
            return read(self.unpacked(table.kind), numbers * size, places, size).astype(dtype)
        result = np.empty(indices.shape, dtype)
        order = np.argsort(numbers, axis=None, kind="stable")  # one slice after the other
        first = np.flatnonzero(np.diff(numbers.flat[order], prepend=-1))
        for here in np.split(order, first[1:]) if indices.size else ():
            data, start = table.slice(int(numbers.flat[here[0]]))
            content = np.frombuffer(data, np.uint8)
            result.flat[here] = read(content, start, places.flat[here], size)
        return result

    def slice_scores(self, number: int) -> np.ndarray:
        """The scores of one slice, int16, in the order of table indices."""
        import numpy as np

        positions = 1 << 2 * self.ranks
        data, start = self.outcome.slice(number)
        planes = np.frombuffer(data, np.uint8, self.outcome.slice_bytes, start).reshape(2, -1)
        wins, draws = np.unpackbits(planes, axis=1, bitorder="little")[:, :positions]
        signs = np.where(wins, 1, np.where(draws, 0, -1)).astype(np.int16)
        measure = self.measure
        if measure is None:
            return signs * np.int16(WIN - 1)
        data, start = measure.slice(number)
        d = np.frombuffer(data, np.uint8, positions, start).astype(np.int16)
        if measure.kind == "progress":
            self._compare(number, signs, d)
            p, q = plain_suits(number)
            cards = np.bitwise_count(np.arange(positions)) + (p.bit_count() + q.bit_count())
            d = d << 6 | cards
        scores: np.ndarray = signs * (WIN - d).astype(np.int16)
        return scores

    def _compare(self, number: int, signs: np.ndarray, stamps: np.ndarray) -> None:
        """Raise TableError if the outcomes of a slice are not those that its stamps say."""
        import numpy as np

        differs = signs != np.where(stamps == 0, 0, (stamps & 1) * 2 - 1)
        if number == 0:
            differs[0] = False  # the empty hand
        if number == slices(self.ranks) - 1:
            differs[-1] = False  # the whole deck
        if differs.any():
            raise TableError(
                f"{self.outcome.path} has other outcomes than the progress beside it, "
                f"in slice {number}"
            )

    def scores(self) -> np.ndarray:
        """All scores by table index, int16, 2 bytes a stored position."""
        import numpy as np

        result = np.empty((slices(self.ranks), 1 << 2 * self.ranks), np.int16)
        for number in range(len(result)):
            result[number] = self.slice_scores(number)
        return result.ravel()

    def unpacked(self, kind: str) -> np.ndarray:
        """The whole content of a table, uint8, kept until `release`. Raises MissingTable."""
        if kind == "progress" and isinstance(self.progress, PackedTable):
            return self.progress.unpack()
        with self._lock:
            if kind not in self._unpacked:
                table = self.outcome if kind == "outcome" else self._table(kind)
                self._unpacked[kind] = table.unpack()
            return self._unpacked[kind]

    def release(self) -> None:
        """Free the memory of what is unpacked."""
        with self._lock:
            self._unpacked.clear()
        if isinstance(self.progress, PackedTable):
            self.progress.release()


def totals_of(table: Table | PackedTable) -> tuple[int, int, int]:
    """Wins, losses and draws."""
    return table.wins, table.losses, table.draws


_Read = Callable[..., "np.ndarray"]
"""Of a content, where slices start in it, places in the slices and their size: the entries."""


def _read_outcomes(content: np.ndarray, starts: Any, places: np.ndarray, size: int) -> np.ndarray:
    at, bit = starts + (places >> 3), places & 7
    wins = content[at] >> bit & 1
    draws = content[at + (size >> 1)] >> bit & 1
    outcomes: np.ndarray = 2 * wins + draws - 1
    return outcomes


def _read_bytes(content: np.ndarray, starts: Any, places: np.ndarray, size: int) -> np.ndarray:
    entries: np.ndarray = content[starts + places]
    return entries
