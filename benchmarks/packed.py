"""Size of the packed progress of decks, and how fast it is unpacked.

Unpacks every deck that comes with packed progress, or one built here (`--build 6`), by one thread
and by all. `cpu` counts less than the wall clock what else the machine does; `memory` is what one
thread takes beside what unpacking writes, and is 0 where the program took more before.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from benchmarks.report import json_option, print_report
from solver import open_tables
from solver.complete.build import Builder
from solver.complete.coder import decode_blocks, write_packed
from solver.complete.packed import PackedFile
from solver.complete.unpacked import unpacked_bytes
from solver.core.machine import cores


def peak() -> int:
    """Bytes that this process has taken at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(file: PackedFile) -> Iterator[dict[str, Any]]:
    """Rows of the report; the content goes nowhere."""
    positions = unpacked_bytes(file.facts.ranks)
    for threads in sorted({1, cores()}):
        before, started, cpu = peak(), time.perf_counter(), time.process_time()
        decode_blocks(file, lambda numbers, content: None, lambda done: None, threads)
        yield {
            "ranks": file.facts.ranks,
            "bytes": file.size_bytes,
            "bits a position": 8 * file.size_bytes / positions,
            "threads": threads,
            "seconds": time.perf_counter() - started,
            "positions/s": positions / (time.perf_counter() - started),
            "positions/s of cpu": positions / (time.process_time() - cpu),
            "memory": peak() - before,
        }


def shipped() -> Iterator[PackedFile]:
    """The packed tables that are found."""
    for ranks in open_tables().decks:
        if packed := open_tables().deck(ranks).packed:
            yield PackedFile(packed.path)


def built(ranks: int, folder: Path) -> PackedFile:
    """A packed table made here."""
    builder = Builder(ranks, distances=False)
    builder.run()
    return PackedFile(write_packed(folder / f"ranks{ranks}.progress.1", ranks, builder.stamps)[0])


@click.command(help=__doc__)
@click.option("--build", type=click.IntRange(1, 7), help="Build this deck instead.")
@json_option
def main(build: int | None, as_json: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        small = Builder(3, distances=False)  # compiles
        small.run()
        write_packed(Path(folder) / "small.1", 3, small.stamps)
        decode_blocks(PackedFile(Path(folder) / "small.1"), lambda n, c: None, lambda done: None, 1)
        files = [built(build, Path(folder))] if build else list(shipped())
        print_report([row for file in files for row in measure(file)], as_json)


if __name__ == "__main__":
    main()
