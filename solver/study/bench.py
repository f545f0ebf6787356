"""Speed of search, builds, probes and solving: measurements that can be kept and compared.

A *report* is a JSON object of `machine` (see `machine`), `repeats`, and `measurements`, a list of

    name     what is measured
    unit     "nodes/s" and the like, where more is better; "ms" or "MB", where less is
    work     how many nodes, positions, … one repeat deals with: equal work can be compared
    median, lowest, highest, values

Every task runs once before it is measured: what is loaded, compiled or unpacked once does not
count.
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numba
import numpy as np

from engine.position import Position
from solver.complete.build import Builder
from solver.complete.table import open_tables
from solver.solver import Searcher
from solver.study.suite import Searches, suite

ROOT = Path(__file__).parents[2]
"""What must be on the module path for `solver` to be found."""

DEAL = "KQJ.JT9"
PROBE_RANKS = 6
PROBES = 1 << 20
SINGLE_PROBES = 1 << 14
SEARCH_PASSES = 100
SOLVE_PASSES = 10

_STATUS = Path("/proc/self/status")
_COMMAND = """
import sys
from cli.main import main
main(sys.argv[1:], "challenge", standalone_mode=False)
"""
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


def tasks(ranks: Iterable[int]) -> list[Task]:
    """All measurements, with builds of decks of these `ranks`."""
    positions = suite()
    on_empty = [position for position in positions if position.is_base]
    in_trick = [position for position in positions if not position.is_base]
    hands = np.random.default_rng(1).integers(1, (1 << 4 * PROBE_RANKS) - 1, PROBES)
    some = hands[:SINGLE_PROBES].tolist()
    tables = open_tables(PROBE_RANKS)
    result = [Task("trick search", "nodes/s", _rate(_search_suite(positions)))]
    for n in ranks:
        for kind, distances in (("outcomes", False), ("with distances", True)):
            build = _rate(_build(n, distances))
            result.append(Task(f"build of {n} ranks, {kind}, one thread", "positions/s", build))
    result += [
        Task("probes, one by one", "probes/s", _rate(lambda: len([*map(tables.probe, some)]))),
        Task("probes, an array", "probes/s", _rate(lambda: len(tables.probe(hands)))),
    ]
    for path, compiled, passes in (("Python", False, 1), ("compiled", True, SOLVE_PASSES)):
        for where, chosen in (("on an empty table", on_empty), ("in a trick", in_trick)):
            run = _solve_rate(chosen, compiled, passes)
            result.append(Task(f"solve {where}, {path}", "positions/s", run))
    for arguments in (["--help"], ["solve", DEAL]):
        name = " ".join(["challenge", *arguments])
        result.append(Task(f"{name}, start to end", "ms", _time([_COMMAND, *arguments])))
    if _STATUS.exists():
        largest = max(ranks)
        for name, code in (
            (f"memory of challenge solve {DEAL}", [_COMMAND + _PEAK, "solve", DEAL]),
            (f"memory of a build of {largest} ranks", [_BUILD.format(largest) + _PEAK]),
        ):
            result.append(Task(name, "MB", _memory(code)))
    return result


def _rate(run: Callable[[], int]) -> Callable[[], tuple[float, int]]:
    """The rate at which `run`, which returns how much it has done, does it."""

    def once() -> tuple[float, int]:
        started = time.perf_counter()
        work = run()
        return work / (time.perf_counter() - started), work

    return once


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
    decks = {position.ranks for position in positions}

    def once() -> tuple[float, int]:
        seconds = 0.0
        for _ in range(passes):
            searchers = {n: Searcher(open_tables(n), compiled=compiled) for n in decks}
            seconds += sum(searchers[p.ranks].solve(p).seconds for p in positions)
        work = passes * len(positions)
        return work / seconds, work

    return once


def _run_python(arguments: list[str]) -> str:
    """Run code in another process; its output. Byte code is kept, as it is for most users."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run(
        [sys.executable, "-c", *arguments],
        cwd=ROOT,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ).stdout


def _time(arguments: list[str]) -> Callable[[], tuple[float, int]]:
    def once() -> tuple[float, int]:
        started = time.perf_counter()
        _run_python(arguments)
        return 1000 * (time.perf_counter() - started), 1

    return once


def _memory(arguments: list[str]) -> Callable[[], tuple[float, int]]:
    """The peak in the process itself: what the system reports of a child may be its parent's."""
    return lambda: (int(_run_python(arguments).split()[-1]) / 1000, 1)


def measure(
    ranks: Iterable[int], repeats: int, report: Callable[[float, str], None] | None = None
) -> dict[str, Any]:
    """Run all tasks; a report. `report` is told how far it is (0 to 1), and with what."""
    where = machine()
    todo = tasks(sorted(set(ranks)))
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
