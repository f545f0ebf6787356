"""How far does the search from a single deal reach?

    python -m benchmarks.search --ranks 7 --deals 200 --seconds 60 --output reach.jsonl
    python -m benchmarks.search --plot reach.svg --output reach.jsonl

Searches random deals, as they come up at the table, each with a memory of its own, and adds one
record a deal to a file. A run that was cut off goes on where it was; a record of a shorter search
that was undecided is replaced by a longer one. Processes can share deals (`--ranks`, `--first`),
each with a file of its own; the files may be put together. The summary counts all records of the
file.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import click

from benchmarks.report import json_option, print_report
from engine.deals import random_deal
from solver.complete.table import find_table
from solver.core.files import whole_file
from solver.solver import solve

BUDGETS = (1, 10, 60, 600)
"""Seconds for which the summary tells the share of decided deals."""


def read(path: Path) -> dict[tuple[int, int], dict[str, Any]]:
    """The last record of each deal, by ranks and number."""
    lines = path.read_text().splitlines() if path.exists() else []
    records = map(json.loads, lines)
    return {(record["ranks"], record["number"]): record for record in records}


def search(ranks: int, number: int, seed: int, seconds: float, memory: int) -> dict[str, Any]:
    """The record of a deal; stops the program if there is a table that says otherwise."""
    deal = random_deal(ranks, random.Random(f"{seed} {ranks} {number}"))
    found = solve(deal.position(), method="search", max_seconds=seconds, max_memory=memory << 20)
    assert found.effort is not None
    if found.outcome != "undecided" and find_table(ranks, "outcome"):
        expected = solve(deal.position(), method="table").outcome
        if found.outcome != expected:
            raise SystemExit(f"{deal}: {found.outcome} by search, {expected} by the table")
    return {
        "ranks": ranks,
        "number": number,
        "deal": str(deal),
        "outcome": found.outcome,
        "seconds": round(found.seconds, 3),
        "limit": seconds,
        "nodes": found.effort.nodes,
        "MiB": found.effort.memory >> 20,
        "stopped": found.effort.stopped,
    }


def share(records: list[dict[str, Any]], budget: float) -> tuple[int, int]:
    """How many deals are decided within so many seconds, and of how many that had as long."""
    had = [r for r in records if r["limit"] >= budget]
    decided = [r for r in had if r["outcome"] != "undecided" and r["seconds"] <= budget]
    return len(decided), len(had)


def summary(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each deck."""
    rows = []
    for ranks in sorted({record["ranks"] for record in records}):
        of = [record for record in records if record["ranks"] == ranks]
        decided = sorted(r["nodes"] for r in of if r["outcome"] != "undecided")
        row: dict[str, Any] = {"ranks": ranks, "deals": len(of)}
        for budget in BUDGETS:
            part, had = share(of, budget)
            row[f"within {budget} s"] = f"{part} of {had}" if had else "-"
        row["median nodes of those decided"] = decided[len(decided) // 2] if decided else "-"
        rows.append(row)
    return rows


def plot(records: list[dict[str, Any]], path: Path) -> None:
    """Draw the share of decided deals against seconds, a line for each deck."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    for ranks in sorted({record["ranks"] for record in records}):
        of = [record for record in records if record["ranks"] == ranks]
        times = sorted({0.01, *(r["seconds"] for r in of), *(r["limit"] for r in of)})
        points = [(t, *share(of, t)) for t in times]
        axes.step(
            [t for t, _, had in points if had],
            [100 * part / had for _, part, had in points if had],
            where="post",
            label=f"{ranks} ranks, {len(of)} deals",
        )
    axes.set(xscale="log", ylim=(-2, 102), xlabel="seconds", ylabel="deals decided, %")
    axes.grid(alpha=0.3)
    axes.legend()
    with whole_file(path) as file:
        figure.savefig(file, format=path.suffix[1:] or "svg")


@click.command()
@click.option("--ranks", type=click.IntRange(1, 10), multiple=True, help="Decks to search.")
@click.option("--deals", default=20, show_default=True, help="Deals of each deck.")
@click.option("--first", default=0, show_default=True, help="Number of the first deal.")
@click.option("--seconds", default=60.0, show_default=True, help="For one deal.")
@click.option("--memory", default=2048, show_default=True, help="For one deal, in MiB.")
@click.option("--seed", default=0, show_default=True, help="Of the random deals.")
@click.option("--output", type=click.Path(path_type=Path), default="reach.jsonl", show_default=True)
@click.option("--plot", "picture", type=click.Path(path_type=Path), help="Draw a picture.")
@json_option
def main(
    ranks: tuple[int, ...],
    deals: int,
    first: int,
    seconds: float,
    memory: int,
    seed: int,
    output: Path,
    picture: Path | None,
    as_json: bool,
) -> None:
    """Search random deals and tell how many are decided in what time."""
    records = read(output)
    for number in range(first, first + deals):
        for deck in ranks:
            old = records.get((deck, number))
            if old and (old["outcome"] != "undecided" or old["limit"] >= seconds):
                continue
            records[deck, number] = search(deck, number, seed, seconds, memory)
            with output.open("a") as file:
                file.write(json.dumps(records[deck, number]) + "\n")
    if picture:
        plot(list(records.values()), picture)
    print_report(summary(list(records.values())), as_json)


if __name__ == "__main__":
    main()
