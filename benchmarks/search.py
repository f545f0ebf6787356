"""How far does the search from a single deal reach?

    python -m benchmarks.search --ranks 7 --deals 200 --seconds 60 --output reach.jsonl

Searches random deals, as they come up at the table, each with a memory of its own, and adds one
record a deal to a file. A run that was cut off goes on where it was; a record of a shorter search
that was undecided is replaced by a longer one. Processes can share deals (`--ranks`, `--first`),
each with a file of its own; the files may be put together. The summary counts all records of the
file.
"""

from __future__ import annotations

import json
import random
import statistics
from pathlib import Path
from typing import Any

import click

from benchmarks.report import json_option, print_report
from engine.deals import random_deal
from solver.complete.table import find_table
from solver.solver import solve

BUDGETS = (1, 10, 60, 600)
"""Seconds for which the summary tells the share of decided deals."""


def read(path: Path) -> dict[tuple[int, int], dict[str, Any]]:
    """The last record of each deal, by ranks and number."""
    lines = path.read_text().splitlines() if path.exists() else []
    records = map(json.loads, lines)
    return {(record["ranks"], record["number"]): record for record in records}


def search(ranks: int, number: int, seconds: float, memory: int) -> dict[str, Any]:
    """The record of a deal; stops the program if there is a table that says otherwise."""
    deal = random_deal(ranks, random.Random(f"0 {ranks} {number}"))
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


def summary(ranks: int, records: list[dict[str, Any]]) -> dict[str, Any]:
    """The row of a deck: within how many seconds how many deals are decided, of those that had
    them."""
    decided = [record for record in records if record["outcome"] != "undecided"]
    row: dict[str, Any] = {"ranks": ranks, "deals": len(records)}
    for budget in BUDGETS:
        had = sum(record["limit"] >= budget for record in records)
        within = sum(r["limit"] >= budget >= r["seconds"] for r in decided)
        row[f"within {budget} s"] = f"{within} of {had}" if had else "-"
    nodes = [record["nodes"] for record in decided]
    row["median nodes of those decided"] = statistics.median_high(nodes) if nodes else "-"
    return row


@click.command()
@click.option("--ranks", type=click.IntRange(1, 10), multiple=True, default=[6], show_default=True)
@click.option("--deals", default=20, show_default=True, help="Deals of each deck.")
@click.option("--first", default=0, show_default=True, help="Number of the first deal.")
@click.option("--seconds", default=60.0, show_default=True, help="For one deal.")
@click.option("--memory", default=2048, show_default=True, help="For one deal, in MiB.")
@click.option("--output", type=click.Path(path_type=Path), default="reach.jsonl", show_default=True)
@json_option
def main(
    ranks: tuple[int, ...],
    deals: int,
    first: int,
    seconds: float,
    memory: int,
    output: Path,
    as_json: bool,
) -> None:
    """Search random deals and tell how many are decided in what time."""
    records = read(output)
    for number in range(first, first + deals):
        for deck in ranks:
            old = records.get((deck, number))
            if old and (old["outcome"] != "undecided" or old["limit"] >= seconds):
                continue
            records[deck, number] = search(deck, number, seconds, memory)
            with output.open("a") as file:
                file.write(json.dumps(records[deck, number]) + "\n")
    decks = sorted({deck for deck, _ in records})
    print_report(
        [summary(n, [r for (deck, _), r in records.items() if deck == n]) for n in decks], as_json
    )


if __name__ == "__main__":
    main()
