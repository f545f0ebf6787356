"""Time to build the complete solution of a deck, and the size of what it gives.

Medians over the repeats, after compilation. `cpu` are the seconds of all threads, which count less
than the wall clock what else the machine does. Writing the tables is not in the time.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import click

from benchmarks.report import json_option, print_report
from solver.complete.build import Builder, Progress
from solver.complete.table import write_table
from solver.core.machine import cores


def build(ranks: int, distances: bool, threads: int, repeats: int) -> dict[str, Any]:
    """A row of the report."""
    seconds, cpu = [], []
    for _ in range(repeats):
        started, cpu_started = time.perf_counter(), time.process_time()
        builder = Builder(ranks, distances=distances, threads=threads)
        builder.run()
        seconds.append(time.perf_counter() - started)
        cpu.append(time.process_time() - cpu_started)
    done: Progress = builder.progress()
    return {
        "ranks": ranks,
        "solution": "distances" if distances else "outcomes",
        "threads": threads,
        "seconds": statistics.median(seconds),
        "lowest": min(seconds),
        "highest": max(seconds),
        "cpu": statistics.median(cpu),
        "rounds": done.round,
        "tests": done.tests,
        "nodes": done.nodes,
        "memory": done.memory,
        "table": table_size(builder),
    }


def table_size(builder: Builder) -> int:
    """Bytes of the table with the most that a build knows, outcomes or distances."""
    kind = "distance" if builder.distances else "outcome"
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / kind
        write_table(path, builder.ranks, kind, builder.totals(), builder.slices(kind))
        return path.stat().st_size


@click.command(help=__doc__)
@click.option("--ranks", type=click.IntRange(1, 8), multiple=True, default=(5, 6))
@click.option("--repeats", type=click.IntRange(1), default=3)
@json_option
def main(ranks: tuple[int, ...], repeats: int, as_json: bool) -> None:
    kinds = (False, True)
    for distances in kinds:
        Builder(2, distances=distances).run()  # compiles
    threads = sorted({1, cores()})
    print_report(
        [build(n, kind, k, repeats) for n in ranks for kind in kinds for k in threads], as_json
    )


if __name__ == "__main__":
    main()
