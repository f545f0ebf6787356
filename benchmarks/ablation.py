"""What each idea in the builder brings: counts of a build without it.

    python benchmarks/ablation.py --ranks 5

For every idea a copy of the solver is changed in a few places, built and counted. Tests and nodes
do not depend on the machine; times do. Every copy must find the same wins, losses and draws.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from benchmarks.report import json_option, print_report

ROOT = Path(__file__).parent.parent

Change = tuple[str, str, str]
IDEAS: dict[str, list[Change]] = {
    "everything": [],
    "no spreading of successes": [
        (
            "blocks.py",
            "new += 1 + flood(block, counts, firsts, twins, digits, stamp, better, stack)",
            "new += 1",
        )
    ],
    "no marks of failures": [
        ("blocks.py", "flood(block, counts, firsts, twins, digits, FAILED, worse, stack)", "pass")
    ],
    "tests in table order, not scattered": [
        ("blocks.py", "step = max(1, int(count * 0.6180339887))", "step = 1")
    ],
    "wins and losses together, not one after the other": [
        (
            "build.py",
            "            for losses in (False, True)\n            for blocks in by_cards\n",
            "            for blocks in by_cards\n            for losses in (False, True)\n",
        )
    ],
    "large hands first": [
        ("build.py", "for blocks in by_cards\n", "for blocks in by_cards[::-1]\n")
    ],
    "all leads, not the lowest of each run": [
        ("trick.py", "return hand & ~reached", "return hand")
    ],
    "no transposition table": [
        ("trick.py", "and load(memo, slot + U1) == tag", "and load(memo, slot + U1) == ~tag")
    ],
    "transposition table of 64 entries": [
        ("trick.py", "_SHIFT_HASH: int = word(52)", "_SHIFT_HASH: int = word(58)")
    ],
    "leads that can be beaten in two ways first": [
        ("trick.py", "leads = one_way if step == 0", "leads = one_way if step == 1")
    ],
}
DISTANCE_IDEAS: dict[str, list[Change]] = {
    "everything": [],
    "test again what no new fact can reach": [
        ("build.py", "if self.round > 1:  # before", "if self.round < 0:  # before")
    ],
}

COUNT = """
import json, sys, time
from solver.complete.build import Builder
Builder(2, distances={distances}, threads=1).run()
started = time.perf_counter()
builder = Builder({ranks}, distances={distances}, threads=1)
builder.run()
seconds = time.perf_counter() - started
now = builder.progress()
print(json.dumps([now.round, now.tests, now.nodes, seconds, builder.totals()]))
"""


@contextmanager
def changed_solver(changes: list[Change]) -> Iterator[str]:
    """A folder with a copy of the solver in which some pieces of text are replaced."""
    with tempfile.TemporaryDirectory() as folder:
        ignore = shutil.ignore_patterns("__pycache__", "data")
        for package in ("engine", "solver"):
            shutil.copytree(ROOT / package, Path(folder, package), ignore=ignore)
        Path(folder, "solver", "data").symlink_to(ROOT / "solver" / "data")
        for name, old, new in changes:
            path = Path(folder, "solver", name)
            text = path.read_text("utf-8")
            if old not in text:
                raise SystemExit(f"{name} has no {old!r} any more")
            path.write_text(text.replace(old, new), "utf-8")
        yield folder


def run(script: str, changes: list[Change]) -> Any:
    """What a script that imports a changed solver prints, as JSON."""
    with changed_solver(changes) as folder:
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=folder, stdout=subprocess.PIPE, check=True
        )
    return json.loads(done.stdout)


def count(changes: list[Change], ranks: int, distances: bool) -> list[Any]:
    """Rounds, tests, nodes, seconds and totals of a build by a changed solver."""
    found: list[Any] = run(COUNT.format(ranks=ranks, distances=distances), changes)
    return found


@click.command()
@click.option("--ranks", default=5, show_default=True)
@json_option
def main(ranks: int, as_json: bool) -> None:
    """Count what each idea of the builder brings."""
    rows = []
    for kind, ideas in (("outcomes", IDEAS), ("distances", DISTANCE_IDEAS)):
        reference = None
        for name, changes in ideas.items():
            rounds, tests, nodes, seconds, totals = count(changes, ranks, kind == "distances")
            reference = reference or (nodes, totals)
            if totals != reference[1]:
                raise SystemExit(f"{name}: totals {totals}, expected {reference[1]}")
            rows.append(
                {
                    "build": kind,
                    "with": name,
                    "rounds": rounds,
                    "tests": tests,
                    "nodes": nodes,
                    "of nodes": nodes / reference[0],
                    "seconds": seconds,
                }
            )
    print_report(rows, as_json)


if __name__ == "__main__":
    main()
