"""What each idea of the builder brings: what a build does without it, on one thread.

    python -m benchmarks.ablation --ranks 5

Tests and nodes do not depend on the machine; times do. Every build must find the same wins, losses
and draws.
"""

from __future__ import annotations

import time
from typing import Any

import click

from benchmarks.report import json_option, print_report
from solver.complete.blocks import Plan
from solver.complete.build import Builder

OUTCOMES = {
    "nothing left out": Plan(),
    "spreading successes by Raising": Plan(spread=False),
    "marking what a failure rules out": Plan(rule_out=False),
    "scattered order of tests": Plan(scattered=False),
    "all wins of a round before all losses": Plan(wins_first=False),
    "small hands first (large ones first)": Plan(small_hands_first=False),
    "only the lowest card of a run": Plan(lowest_of_run=False),
    "transposition table (1 entry)": Plan(memo_size=1),
    "a transposition table of 4,096 entries (64)": Plan(memo_size=64),
    "first the leads that can be beaten in one way only (last)": Plan(one_way_first=False),
}
DISTANCES = {
    "nothing left out": Plan(),
    "testing only what a new fact can reach": Plan(only_reachable=False),
}


@click.command(help=__doc__)
@click.option("--ranks", type=click.IntRange(1, 7), default=5, show_default=True)
@json_option
def main(ranks: int, as_json: bool) -> None:
    Builder(2, distances=False, threads=1).run()  # compiles
    rows: list[dict[str, Any]] = []
    for kind, plans in (("outcomes", OUTCOMES), ("distances", DISTANCES)):
        nodes, totals = 0, None
        for idea, plan in plans.items():
            started = time.perf_counter()
            builder = Builder(ranks, distances=kind == "distances", threads=1, plan=plan)
            builder.run()
            done = builder.progress()
            nodes, totals = nodes or done.nodes, totals or builder.totals()
            if builder.totals() != totals:
                raise SystemExit(f"{idea}: totals {builder.totals()}, expected {totals}")
            rows.append(
                {
                    "build": kind,
                    "without": idea,
                    "rounds": done.round,
                    "tests": done.tests,
                    "nodes": done.nodes,
                    "of nodes": done.nodes / nodes,
                    "seconds": time.perf_counter() - started,
                }
            )
    print_report(rows, as_json)


if __name__ == "__main__":
    main()
