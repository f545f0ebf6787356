"""Speed of search, builds, probes and solving: measurements that can be kept and compared.

A *report* is a JSON object of `machine` (see `machine`), `repeats`, and `measurements`, a list of

    name     what is measured
    unit     "nodes/s" and the like, where more is better; "ms" or "MB", where less is
    work     how many nodes, positions, … one repeat deals with: equal work can be compared
    median, lowest, highest, values

Every task runs once before it is measured, so that loading, compiling and unpacking do not count.
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numba
import numpy as np

from engine.position import Position
from solver.complete.build import Builder
from solver.complete.deck import DeckTables
from solver.core.bitboard import table_index
from solver.solver import Solver
from solver.study.suite import Searches, suite
from solver.tables import open_tables

ROOT = Path(__file__).parents[2]
"""What must be on the module path for `solver` to be found."""

PROBE_RANKS = 6
PROBES = 1 << 20
SINGLE_PROBES = 1 << 14
SEARCH_PASSES = 100
SOLVE_PASSES = 10

_STATUS = Path("/proc/self/status")
_BUILD = """
from solver.complete.build import Builder
Builder({}, distances=False, threads=1).run()
"""
_PEAK = f"""
lines = open("{_STATUS}").read().splitlines()
print(next(line.split()[1] for line in lines if line.startswith("VmHWM")))
"""


@dataclass(frozen=True)
class Task:
    """Something to measure; `run` does it once and gives the value in `unit` and the work done."""

    name: str
    unit: str
    run: Callable[[], tuple[float, int]]


def tasks(ranks: Sequence[int]) -> list[Task]:
    """The tasks of the solver, with builds of decks of these `ranks`."""
    positions = suite()
    on_empty = [position for position in positions if position.is_base]
    in_trick = [position for position in positions if not position.is_base]
    hands = np.random.default_rng(1).integers(1, (1 << 4 * PROBE_RANKS) - 1, PROBES)
    some = hands[:SINGLE_PROBES].tolist()
    tables = open_tables().deck(PROBE_RANKS)
    result = [Task("trick search", "nodes/s", _rate(_search_suite(positions)))]
    for n in ranks:
        for kind, distances in (("outcomes", False), ("with distances", True)):
            build = _rate(_build(n, distances))
            result.append(Task(f"build of {n} ranks, {kind}, one thread", "positions/s", build))
    result += [
        Task("probes, one by one", "probes/s", _rate(lambda: _probe_each(tables, some))),
        Task("probes, an array", "probes/s", _rate(lambda: len(tables.distances(hands)))),
    ]
    for path, compiled, passes in (("Python", False, 1), ("compiled", True, SOLVE_PASSES)):
        for where, chosen in (("on an empty table", on_empty), ("in a trick", in_trick)):
            run = _solve_rate(chosen, compiled, passes)
            result.append(Task(f"solve {where}, {path}", "positions/s", run))
    largest = max(ranks)
    result += memory(f"memory of a build of {largest} ranks", _BUILD.format(largest))
    return result


def _rate(run: Callable[[], int]) -> Callable[[], tuple[float, int]]:
    """The rate at which `run`, which returns how much it has done, does it."""

    def once() -> tuple[float, int]:
        started = time.perf_counter()
        work = run()
        return work / (time.perf_counter() - started), work

    return once


def _probe_each(tables: DeckTables, hands: list[int]) -> int:
    return len([tables[table_index(hand, tables.ranks)] for hand in hands])


def _search_suite(positions: list[Position]) -> Callable[[], int]:
    decks = {position.ranks for position in positions}
    searches = [Searches(n, [p for p in positions if p.ranks == n]) for n in sorted(decks)]
    return lambda: sum(sum(each.run()) for _ in range(SEARCH_PASSES) for each in searches)


def _build(ranks: int, distances: bool) -> Callable[[], int]:
    def run() -> int:
        Builder(ranks, distances=distances, threads=1).run()
        return (1 << 4 * ranks) - 2

    return run


def _solve_rate(
    positions: list[Position], compiled: bool, passes: int
) -> Callable[[], tuple[float, int]]:
    """Each pass starts with an empty transposition table."""

    def once() -> tuple[float, int]:
        seconds = 0.0
        for _ in range(passes):
            solver = Solver(method="table", compiled=compiled)
            seconds += sum(solver.solve(position).seconds for position in positions)
        work = passes * len(positions)
        return work / seconds, work

    return once


def start_to_end(name: str, code: str, *arguments: str) -> Task:
    """How long Python takes to start, run the code and end."""

    def once() -> tuple[float, int]:
        started = time.perf_counter()
        run_python("-c", code, *arguments)
        return 1000 * (time.perf_counter() - started), 1

    return Task(f"{name}, start to end", "ms", once)


def memory(name: str, code: str, *arguments: str) -> list[Task]:
    """The most memory that a process takes which runs the code; no task where no system tells.

    The process reads it itself: what the system reports of a child may be its parent's.
    """

    def once() -> tuple[float, int]:
        return int(run_python("-c", code + _PEAK, *arguments).split()[-1]) / 1000, 1

    return [Task(name, "MB", once)] if _STATUS.exists() else []


def run_python(*arguments: str, stdin: str = "", **environment: str) -> str:
    """What another process of this Python prints. It finds this project and keeps byte code, as it
    is for most users. Raises CalledProcessError if it fails."""
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=inherited | environment,
        input=stdin,
        check=True,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ).stdout


def measure(
    todo: Sequence[Task], repeats: int, report: Callable[[float, str], None] | None = None
) -> dict[str, Any]:
    """Run the tasks; a report. `report` is told how far it is (0 to 1), and with what."""
    where = machine()
    measurements = []
    for number, task in enumerate(todo):
        runs = []
        for repeat in range(repeats + 1):
            if report:
                report((number + repeat / (repeats + 1)) / len(todo), task.name)
            runs.append(task.run())
        values = [value for value, _ in runs[1:]]
        measurements.append(
            {"name": task.name, "unit": task.unit, "work": runs[0][1], **spread(values)}
        )
    return {"machine": where, "repeats": repeats, "measurements": measurements}


def spread(values: list[float]) -> dict[str, Any]:
    """Median, lowest and highest of the values, and the values."""
    return {
        "median": statistics.median(values),
        "lowest": min(values),
        "highest": max(values),
        "values": values,
    }


def ratios(new: dict[str, Any], old: dict[str, Any]) -> dict[str, float | None]:
    """For each measurement that is in both reports: how many times better the new one is, faster or
    smaller. None where the work is not the same."""
    before = {measurement["name"]: measurement for measurement in old["measurements"]}
    result: dict[str, float | None] = {}
    for now in new["measurements"]:
        then = before.get(now["name"])
        if then is None:
            continue
        if (then["work"], then["unit"]) != (now["work"], now["unit"]):
            result[now["name"]] = None
        elif now["unit"].endswith("/s"):
            result[now["name"]] = now["median"] / then["median"]
        else:
            result[now["name"]] = then["median"] / now["median"]
    return result


def machine() -> dict[str, Any]:
    """Where and with what is measured: processor, cores, load, versions, git revision."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "project": _project_version(),
        "revision": _revision(),
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _project_version() -> str | None:
    try:
        return metadata.version("challenge-solver")
    except metadata.PackageNotFoundError:
        return None


def _revision() -> str | None:
    """The commit of the checkout that this is, marked if its code has been changed since."""
    if not (ROOT / ".git").exists():
        return None

    def git(*arguments: str) -> str:
        command = ["git", *arguments]
        return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout.strip()

    try:
        dirty = git("diff", "--name-only", "HEAD", "--", "*.py")
        return git("rev-parse", "--short=12", "HEAD") + ("-dirty" if dirty else "")
    except OSError:
        return None  # there is no git
