"""Files of records: CSV and JSON lines that grow by whole records, and Parquet."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import StringIO, TextIOWrapper
from itertools import islice
from math import comb, inf
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, AnyStr, BinaryIO

from engine.cards import MAX_RANKS
from engine.errors import GameError
from engine.text import number_in, quoted
from solver.core.files import (
    check_new,
    open_own_to_append,
    open_pipe,
    open_regular,
    open_to_append,
    sync,
    sync_folder,
    target,
    unlock,
    whole_file,
)
from solver.study.batch import (
    COLUMNS,
    ERROR,
    ESTIMATES,
    LINE_TRICKS,
    TIMES,
    Record,
    RecordError,
    as_written,
)

FORMATS = ("csv", "jsonl", "parquet")
INTEGERS = {
    "line_number": range(1, 10**18),
    "trumps_held": range(MAX_RANKS + 1),
    "weight": range(1, comb(2 * MAX_RANKS, MAX_RANKS) + 1),
    "distance": range(10_000),  # tables hold none that is near
    LINE_TRICKS: range(10_000),
    "nodes": range(10**19),
}
"""The columns of whole numbers -> which ones a record may have."""
REALS = ("limit", *ESTIMATES, TIMES)
"""The columns of other numbers, none of which is negative."""
FLAGS = {"True": True, "False": False, True: True, False: False}
"""What may stand for yes and no, in the column "reproducible"."""
DECIDED = ("win", "draw", "loss")
STOPPED = ("nodes", "memory", "time", "tricks")
ROW_GROUP = 1 << 16
"""Records in memory at once while Parquet is written."""
MOST_LINE = 1 << 16
"""Bytes in a line of records, at most."""


class RecordFile:
    """A binary stream of records, a line each: `csv` (under a header line) or `jsonl`.

    Whenever the process is killed, all records appended so far are in it, and after them at most
    one torn line. `path`: the file that the stream is, if it is one.
    """

    def __init__(
        self, stream: IO[bytes], kind: str, columns: Sequence[str], path: Path | None = None
    ) -> None:
        self.stream = stream
        self.path = path
        self._kind = kind
        self._columns = columns
        self._header = (",".join(columns) + "\n").encode() if kind == "csv" else b""
        self._end = 0

    def read(self) -> Iterator[Record]:
        """The whole records in it. Raises RecordError where a byte is not as `append` writes it."""
        self.stream.seek(0)
        self._end = 0
        start = self._header or f'{{"{self._columns[0]}": '.encode()
        for number, line in enumerate(_lines(self.stream), 1):
            if line.endswith(b"\r\n"):
                raise RecordError(
                    "its lines end with CRLF, expected LF: convert it, for instance by dos2unix"
                )
            if number == 1 and line[: len(start)] != start[: len(line)]:
                raise RecordError(
                    f"it begins with {_quote(line)}, expected {_quote(start)}: "
                    "other columns, another format, or no file of records"
                )
            if not line.endswith(b"\n"):
                return
            if number > 1 or not self._header:
                text = line.decode(errors="replace")
                record = _parse(text, number, self._kind, self._columns)
                if tuple(record) != tuple(self._columns) or self._encode(record) != line:
                    raise RecordError(
                        f"line {number} is {_quote(line)}, not as it is written, "
                        f"expected the columns {', '.join(self._columns)}"
                    )
                yield record
            self._end += len(line)

    def cut(self) -> None:
        """Cut off what follows the records read: a torn line."""
        self.stream.truncate(self._end)
        self.stream.seek(self._end)

    def append(self, record: Record) -> None:
        """Write one record through to the system."""
        line = self._encode(record)
        if not self._end:
            line = self._header + line
        self.stream.write(line)
        self.stream.flush()
        self._end += len(line)

    def renew(self, records: Iterable[Record]) -> Iterator[Record]:
        """Give on records, which take the place of those in the file when there are no more.

        Until then they stand in a hidden file beside it (`renewed`): if that is cut short, `settle`
        takes over what there is. Raises OSError.
        """
        assert self.path is not None
        beside = renewed(self.path)
        new = RecordFile(open_own_to_append(beside, self.path), self._kind, self._columns)
        try:
            new.stream.truncate(0)
            for record in records:
                new.append(record)
                yield record
            self._become(new)
        except RecordError:
            beside.unlink(missing_ok=True)
            raise
        finally:
            if new.stream is not self.stream:
                if not new._end:
                    beside.unlink(missing_ok=True)
                unlock(new.stream)

    def settle(self) -> None:
        """Take over the records that an earlier `renew` has left beside the file."""
        if self.path is None or not renewed(self.path).exists():
            return
        stream = open_own_to_append(renewed(self.path), self.path)
        new = RecordFile(stream, self._kind, self._columns)
        try:
            number = sum(1 for _ in new.read())
            new.cut()
            for record in islice(self.read(), number, None):
                new.append(record)
            self._become(new)
        finally:
            if new.stream is not self.stream:
                unlock(new.stream)

    def _become(self, new: RecordFile) -> None:
        """Give the name, and the lock, to another file."""
        assert self.path is not None
        sync(new.stream, self.path)
        os.replace(renewed(self.path), self.path)
        sync_folder(self.path)
        old, self.stream, self._end = self.stream, new.stream, new._end
        unlock(old)

    def _encode(self, record: Record) -> bytes:
        row = {column: record[column] for column in self._columns}
        if self._kind == "jsonl":
            return f"{json.dumps(row)}\n".encode()
        cells = ("" if value is None else str(value) for value in row.values())
        line = StringIO()
        csv.writer(line, lineterminator="\n").writerow(cells)
        return line.getvalue().encode()


def renewed(path: Path) -> Path:
    """Where records stand that will take the place of those in a file."""
    return path.with_name(f".{path.name}.challenge-renewed")


@contextmanager
def record_file(
    output: Path | IO[bytes],
    kind: str,
    columns: Sequence[str],
    resume: bool,
    force: bool = False,
) -> Iterator[RecordFile]:
    """Where the records of a batch go; nobody else writes there meanwhile.

    Parquet cannot grow by records, so these are gathered as JSON lines in a hidden file beside it
    (`gathering`) and become Parquet at the end. No file is left where nothing was written. Raises
    GameError if there is a file already, which is neither to be resumed nor, with `force`, to be
    replaced; RecordError if it is no Parquet file of these columns; OSError.
    """
    if not isinstance(output, Path):
        if kind != "parquet":
            yield RecordFile(output, kind, columns)
            return
        with TemporaryFile() as stream:
            file = RecordFile(stream, "jsonl", columns)
            yield file
            write_parquet(file.read(), columns, output)
        return
    keep = resume or force
    if kind != "parquet":
        with _growing(output, kind, columns, resume, keep) as file:
            yield file
        return
    output = target(output)  # or it could not be written at the end
    gathered = open_own_to_append(gathering(output), output)
    with _locked_file(gathered, gathering(output), "jsonl", columns, resume, keep) as file:
        check_new(output, keep, "--resume, ")
        copied = resume and output.exists() and not os.fstat(file.stream.fileno()).st_size
        try:
            if copied:
                for record in read_parquet(output, columns):
                    file.append(record)
            yield file
        except RecordError:
            if copied:
                file.stream.truncate(0)
            raise
        with whole_file(output) as whole:
            write_parquet(file.read(), columns, whole)
        file.stream.truncate(0)  # so that it is removed


def gathering(output: Path) -> Path:
    """Where the records of a Parquet file are gathered until it is complete."""
    return output.with_name(f".{output.name}.challenge-records")


@contextmanager
def _growing(
    path: Path, kind: str, columns: Sequence[str], resume: bool, keep: bool
) -> Iterator[RecordFile]:
    """A stream to append to, and to read if it is a file."""
    if path.exists() and not path.is_file():
        if resume:
            raise GameError(f"cannot continue {path}, it is no regular file")
        with open_pipe(path) as pipe:
            yield RecordFile(pipe, kind, columns)
        return
    path = target(path)
    with _locked_file(open_to_append(path), path, kind, columns, resume, keep) as file:
        yield file


@contextmanager
def _locked_file(
    stream: BinaryIO, path: Path, kind: str, columns: Sequence[str], resume: bool, keep: bool
) -> Iterator[RecordFile]:
    """A file that was opened and locked; it is synced at the end, or removed if it is empty."""
    file = RecordFile(stream, kind, columns, path)
    try:
        check_new(path, keep, "--resume, ")
        if not resume:
            renewed(path).unlink(missing_ok=True)
            file.stream.truncate(0)
        yield file
        sync(file.stream, path)
        sync_folder(path)
    finally:
        try:
            if not os.fstat(file.stream.fileno()).st_size:
                path.unlink(missing_ok=True)
        finally:
            with suppress(OSError):  # of a full disk, which has been reported
                unlock(file.stream)


def read_records(path: Path) -> Iterator[Record]:
    """The records of a file of any of `FORMATS`, without a torn last line.

    Raises RecordError, OSError, ImportError without the extra `parquet` for a Parquet file.
    """
    with open_regular(path) as stream:
        start = stream.read(4)
        if start == b"PAR1":
            yield from read_parquet(path)
            return
        if start.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise RecordError("it is UTF-16, expected UTF-8: convert it, for instance by iconv")
        stream.seek(0)
        with TextIOWrapper(stream, "utf-8-sig", "replace") as text:
            yield from _read_text(text)


def _read_text(text: IO[str]) -> Iterator[Record]:
    kind, columns = "", list(COLUMNS)
    for number, line in enumerate(_lines(text), 1):
        if not line.strip():
            continue
        if not kind:
            kind = "jsonl" if line.lstrip().startswith("{") else "csv"
            if kind == "csv":
                try:
                    (columns,) = csv.reader([line])
                except (ValueError, csv.Error):
                    raise RecordError(f"line {number} is no heading: {_quote(line)}") from None
                continue
        try:
            yield _parse(line, number, kind, columns)
        except RecordError:
            if line.endswith("\n"):
                raise


def _lines(stream: IO[AnyStr]) -> Iterator[AnyStr]:
    """The lines of a stream. Raises RecordError for a very long one."""
    number = 0
    while line := stream.readline(MOST_LINE + 1):
        number += 1
        if len(line) > MOST_LINE:
            raise RecordError(
                f"line {number} is {_quote(line)} and so on, longer than {MOST_LINE:,} bytes"
            )
        yield line


def write_parquet(records: Iterable[Record], columns: Sequence[str], stream: IO[bytes]) -> None:
    """Write records as Parquet. Raises ImportError without the extra `parquet`."""
    import pyarrow as pa
    from pyarrow import parquet

    numbers = dict.fromkeys(INTEGERS, pa.int64()) | dict.fromkeys(REALS, pa.float64())
    numbers["reproducible"] = pa.bool_()
    schema = pa.schema([(column, numbers.get(column, pa.string())) for column in columns])
    rows = iter(records)
    with parquet.ParquetWriter(stream, schema, write_page_checksum=True) as writer:
        while group := list(islice(rows, ROW_GROUP)):
            writer.write_table(pa.Table.from_pylist(group, schema))


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> Iterator[Record]:
    """The records of a Parquet file, which must have just `columns`. Raises as `read_records`."""
    from pyarrow import parquet

    stream = open_regular(path)
    try:
        with stream, parquet.ParquetFile(stream, page_checksum_verification=True) as file:
            names = file.schema_arrow.names
            if columns and names != list(columns):
                raise RecordError(
                    f"it has the columns {', '.join(names)}, expected {', '.join(columns)}"
                )
            rows = (row for group in file.iter_batches(ROW_GROUP) for row in group.to_pylist())
            number = 0
            for number, row in enumerate(rows, 1):
                yield _checked(row, f"record {number}")
            if number != file.metadata.num_rows:
                raise RecordError(f"it holds {number} records, not {file.metadata.num_rows}")
    except (RecordError, GeneratorExit):
        raise
    except Exception as error:  # whatever a damaged file makes of pyarrow
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise RecordError(f"it is no Parquet file, or a damaged one: {reason[:200]}") from None


def _parse(line: str, number: int, kind: str, columns: Sequence[str]) -> Record:
    where = f"line {number}"
    try:
        if kind == "jsonl":
            return _checked(json.loads(line), where)
        (cells,) = csv.reader([line])
        return _checked(dict(zip(columns, cells, strict=True)), where)
    except RecordError:
        raise
    except (ValueError, RecursionError, csv.Error):
        raise RecordError(f"{where} is no record: {_quote(line)}") from None


def _checked(row: Any, where: str) -> Record:
    """A row with the types of a record."""
    try:
        record: Record = {name: None if value == "" else value for name, value in row.items()}
        good = all(
            isinstance(value, str | None)
            for name, value in record.items()
            if name not in (*INTEGERS, *REALS, "reproducible")
        )
        good = good and row.keys() >= set(COLUMNS)
        record["winning_leads"] = row["winning_leads"] or ""
        for name in REALS:
            if record.get(name) is not None:
                real = float(record[name])
                record[name] = as_written(real) if name == "limit" else real
                good = good and 0 <= record[name] < inf
        if record.get("reproducible") is not None:
            record["reproducible"] = FLAGS[record["reproducible"]]
        good = good and _is_sound(record)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        good = False
    if not good:
        raise RecordError(f"{where} is no record, expected {', '.join(COLUMNS)}")
    for column, legal in INTEGERS.items():
        value = record.get(column)
        if value is not None and number_in(value, legal) is None:
            raise RecordError(
                f"{where} has the {column} {quoted(value)}, "
                f"expected a whole number from {legal[0]} to {legal[-1]:,}"
            )
        if column in record:
            record[column] = None if value is None else number_in(value, legal)
    return record


def _is_sound(record: Record) -> bool:
    """Whether a record has what it must have, and nothing that contradicts the rest of it."""
    if "line_number" in record and record["line_number"] is None:
        return False
    if record.get(ERROR) is not None:
        return all(record[column] is None for column in ("outcome", "distance", "source"))
    outcome, searched = record["outcome"], record["source"] == "search"
    if outcome == "undecided":
        stopped, limit = record["stopped"], record["limit"]
        good = searched and stopped in STOPPED and (limit is None) == (stopped == "tricks")
    else:
        good = outcome in DECIDED and record.get("stopped") is None
    if "position" not in record or record["position"] is None:
        good = good and None not in [record[name] for name in COLUMNS if name != "distance"]
    return bool(
        good and record["source"] and (outcome in ("win", "loss") or record["distance"] is None)
    )


def _quote(line: str | bytes) -> str:
    text = line if isinstance(line, str) else line.decode(errors="replace")
    return repr(text.removesuffix("\n") if len(text) <= 120 else f"{text[:120]}…")
