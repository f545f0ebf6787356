"""Files of records: CSV and JSON lines that grow by whole records, and Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from engine.errors import GameError
from solver.study.batch import COLUMNS, TIMES, Record, RecordError

FORMATS = ("csv", "jsonl", "parquet")
INTEGERS = ("trumps_held", "weight", "distance")
ROW_GROUP = 1 << 16
"""Records in memory at once while Parquet is written."""


class RecordFile:
    """A binary stream of records, a line each: `csv` (under a header line) or `jsonl`.

    Whenever the process is killed, all records appended so far are in it, and after them at most
    one torn line.
    """

    def __init__(self, stream: IO[bytes], kind: str, columns: Sequence[str]) -> None:
        self._stream = stream
        self._kind = kind
        self._columns = columns
        self._header = (",".join(columns) + "\n").encode() if kind == "csv" else b""
        self._end = 0

    def read(self) -> Iterator[Record]:
        """The whole records in it. Raises RecordError where a byte is not as `append` writes it."""
        self._stream.seek(0)
        self._end = 0
        start = self._header or f'{{"{COLUMNS[0]}": "'.encode()
        for number, line in enumerate(self._stream, 1):
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
        self._stream.truncate(self._end)
        self._stream.seek(self._end)

    def append(self, record: Record) -> None:
        """Write one record through to the system."""
        line = self._encode(record)
        if not self._end:
            line = self._header + line
        self._stream.write(line)
        self._stream.flush()
        self._end += len(line)

    def _encode(self, record: Record) -> bytes:
        row = {column: record[column] for column in self._columns}
        if self._kind == "jsonl":
            return f"{json.dumps(row)}\n".encode()
        cells = ("" if value is None else str(value) for value in row.values())
        return (",".join(cells) + "\n").encode()


@contextmanager
def record_file(
    output: Path | IO[bytes], kind: str, columns: Sequence[str], resume: bool
) -> Iterator[RecordFile]:
    """Where the records of a batch go.

    Parquet cannot grow by records, so these are gathered as JSON lines in `FILE.part` and become
    Parquet at the end. No file is left where nothing was written. Raises GameError if there is a
    file already, though not to be resumed; RecordError if it is no Parquet file of these columns.
    """
    if isinstance(output, Path) and not resume:
        for path in (output, _part(output)):
            if path.is_file() and path.stat().st_size:
                raise GameError(f"{path} is there already, expected --resume or another name")
    if kind != "parquet":
        with _growing(output) as stream:
            yield RecordFile(stream, kind, columns)
    elif isinstance(output, Path):
        with _unpacked(output, columns, resume) as part:
            with _growing(part) as stream:
                file = RecordFile(stream, "jsonl", columns)
                yield file
                with _whole(output) as whole:
                    write_parquet(file.read(), columns, whole)
            part.unlink()
    else:
        with TemporaryFile() as stream:
            file = RecordFile(stream, "jsonl", columns)
            yield file
            write_parquet(file.read(), columns, output)


@contextmanager
def _growing(output: Path | IO[bytes]) -> Iterator[IO[bytes]]:
    """A stream to append to, and to read if it is a file."""
    if not isinstance(output, Path):
        yield output
        return
    try:
        with output.open("ab" if output.exists() and not output.is_file() else "a+b") as stream:
            yield stream
    finally:
        if output.is_file() and not output.stat().st_size:
            output.unlink()


@contextmanager
def _whole(path: Path) -> Iterator[IO[bytes]]:
    """Like `whole_file`, but if this process is killed the next one clears up."""
    new = path.with_name(f"{path.name}.new")
    try:
        with new.open("wb") as stream:
            yield stream
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def _part(output: Path) -> Path:
    return output.with_name(f"{output.name}.part")


@contextmanager
def _unpacked(output: Path, columns: Sequence[str], resume: bool) -> Iterator[Path]:
    """Where the records of a Parquet file are gathered, with those that it already has."""
    part = _part(output)
    if not resume or part.exists() or not output.exists():
        yield part
        return
    with _whole(part) as stream:
        copy = RecordFile(stream, "jsonl", columns)
        for record in read_parquet(output, columns):
            copy.append(record)
    try:
        yield part
    except RecordError:
        part.unlink()
        raise


def read_records(path: Path) -> Iterator[Record]:
    """The records of a file of any of `FORMATS`, without a torn last line.

    Raises RecordError, ImportError without the extra `parquet` for a Parquet file.
    """
    with path.open("rb") as stream:
        parquet = stream.read(4) == b"PAR1"
    if parquet:
        yield from read_parquet(path)
        return
    kind, columns = "", list(COLUMNS)
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            if not kind:
                kind = "jsonl" if line.lstrip().startswith("{") else "csv"
                if kind == "csv":
                    (columns,) = csv.reader([line])
                    continue
            try:
                yield _parse(line, number, kind, columns)
            except RecordError:
                if line.endswith("\n"):
                    raise


def write_parquet(records: Iterable[Record], columns: Sequence[str], stream: IO[bytes]) -> None:
    """Write records as Parquet. Raises ImportError without the extra `parquet`."""
    import pyarrow as pa
    from pyarrow import parquet

    numbers = dict.fromkeys(INTEGERS, pa.int64()) | {TIMES: pa.float64()}
    schema = pa.schema([(column, numbers.get(column, pa.string())) for column in columns])
    rows = iter(records)
    with parquet.ParquetWriter(stream, schema) as writer:
        while group := list(islice(rows, ROW_GROUP)):
            writer.write_table(pa.Table.from_pylist(group, schema))


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> Iterator[Record]:
    """The records of a Parquet file, which must have just `columns`. Raises as `read_records`."""
    from pyarrow import ArrowInvalid, parquet

    try:
        with parquet.ParquetFile(path) as file:
            names = file.schema_arrow.names
            if columns and names != list(columns):
                raise RecordError(
                    f"it has the columns {', '.join(names)}, expected {', '.join(columns)}"
                )
            rows = (row for group in file.iter_batches(ROW_GROUP) for row in group.to_pylist())
            for number, row in enumerate(rows, 1):
                yield _checked(row, f"record {number}")
    except ArrowInvalid as error:
        raise RecordError(f"it is no Parquet file: {error}") from None


def _parse(line: str, number: int, kind: str, columns: Sequence[str]) -> Record:
    where = f"line {number}"
    try:
        if kind == "jsonl":
            return _checked(json.loads(line), where)
        (cells,) = csv.reader([line])
        return _checked(dict(zip(columns, cells, strict=True)), where)
    except (ValueError, csv.Error):
        raise RecordError(f"{where} is no record: {_quote(line)}") from None


def _checked(row: Any, where: str) -> Record:
    """A row with the types of a record."""
    try:
        for column in INTEGERS:
            row[column] = None if row[column] in ("", None) else int(row[column])
        if TIMES in row:
            row[TIMES] = float(row[TIMES])
        texts = (row[column] for column in COLUMNS if column not in INTEGERS)
        decided = {"win": True, "loss": True, "draw": row["distance"] is None}
        if decided[row["outcome"]] and all(isinstance(text, str) for text in texts):
            return dict(row)
    except (LookupError, TypeError, ValueError):
        pass
    raise RecordError(f"{where} is no record, expected {', '.join(COLUMNS)}")


def _quote(line: str | bytes) -> str:
    text = line if isinstance(line, str) else line.decode(errors="replace")
    text = text.rstrip("\r\n")
    return repr(text if len(text) <= 120 else f"{text[:120]}…")
