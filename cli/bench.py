"""`challenge bench`: how fast search, builds, probes and solving are here."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from cli.files import FILE
from cli.parameters import Whole
from cli.progress import Progress
from engine.errors import GameError
from solver.core.files import open_regular

COMMAND = """
import sys
from cli.main import main
main(sys.argv[1:], "challenge", standalone_mode=False)
"""
DEAL = "KQJ.JT9"
MOST_BYTES = 1 << 20
"""Of a report; one takes some thousand."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print a report as JSON, to be kept.")
@click.option(
    "--compare",
    type=FILE,
    metavar="OLD.json",
    help="Add how many times better each number is than in this report.",
)
@click.option(
    "--repeats", type=Whole(1, 1000), default=5, help="Measurements of each (default: 5)."
)
@click.option(
    "--ranks",
    type=Whole(1, 7),
    multiple=True,
    default=(4, 5),
    help="A deck to build, may be repeated (default: 4 and 5).",
)
def bench(as_json: bool, compare: Path | None, repeats: int, ranks: tuple[int, ...]) -> None:
    """Measure the speed of search, builds, probes and solving, and the memory they take.

    Positions and builds are always the same, so that numbers of different days mean the same work.
    It takes about a minute.

    \b
    Example: how much faster a change has made it
      challenge bench --json > old.json
      challenge bench --compare old.json
    """
    old = None if compare is None else read_report(compare)
    from solver.study.bench import measure, memory, ratios, start_to_end, tasks

    todo = [
        *tasks(sorted(set(ranks))),
        start_to_end("challenge --help", COMMAND, "--help"),
        start_to_end(f"challenge solve {DEAL}", COMMAND, "solve", DEAL),
        *memory(f"memory of challenge solve {DEAL}", COMMAND, "solve", DEAL),
    ]
    with Progress() as progress:
        report = measure(todo, repeats, progress)
    if old is not None:
        report["ratios"] = ratios(report, old)
    click.echo(json.dumps(report, indent=1) if as_json else "\n".join(describe(report)))


def read_report(path: Path) -> dict[str, Any]:
    """A report as `--json` prints it. Raises GameError, OSError."""
    try:
        with open_regular(path) as file:
            report: dict[str, Any] = json.loads(file.read(MOST_BYTES))
        for measurement in report["measurements"]:
            if not {"name", "unit", "work", "median"} <= measurement.keys():
                raise KeyError
            if not 0 < measurement["median"] < math.inf:
                raise ValueError
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise GameError(
            f"{path} is no report, expected what `challenge bench --json` prints"
        ) from None
    return report


def describe(report: dict[str, Any]) -> Iterator[str]:
    """The machine and a table."""
    yield machine_line(report["machine"])
    yield f"{report['repeats']} repeats of each"
    yield ""
    ratios = report.get("ratios")
    rows = [["", "", "median", "lowest", "highest", *(["times better"] if ratios else [])]]
    for each in report["measurements"]:
        name = each["name"]
        values = (number(each[key]) for key in ("median", "lowest", "highest"))
        rows.append([name, each["unit"], *values])
        if ratios:
            ratio = ratios.get(name)
            rows[-1].append(number(ratio) if ratio else "other work" if name in ratios else "new")
    yield from columns(rows)


def machine_line(machine: dict[str, Any]) -> str:
    """Where and with what was measured."""
    versions = ", ".join(f"{name} {machine[name]}" for name in ("python", "numpy", "numba"))
    revision = machine["revision"] or machine["project"] or "unknown"
    return (
        f"{machine['cpu']}, {machine['cores']} cores, load {machine['load']}; {versions}; "
        f"revision {revision}; {machine['time']}"
    )


def number(value: float) -> str:
    """Three significant digits."""
    return f"{float(f'{value:.3g}'):,.10g}"


def columns(rows: Iterable[list[str]]) -> Iterator[str]:
    """A table: the first column aligned to the left, the others to the right."""
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [first.ljust(widths[0]), *map(str.rjust, others, widths[1:])]
        yield "  ".join(cells).rstrip()
