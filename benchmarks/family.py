"""Solve a family of deals together: those in which the dealer holds all of his trumps.

    python -m benchmarks.family --ranks 6 --ranks 10
    python -m benchmarks.family --ranks 10 --short
    python -m benchmarks.family --ranks 6 --random 100

There are 2**ranks deals in a family, one for each second suit; with complementary second suits they
are the same position but for the names of the plain suits. One memory serves them all, first the
deals with few changes of holder in the plain suits: what is proved of these helps with the others.
With `--short`, the deals are those that are the shortest in decks with tables, in two groups with a
memory for each; with `--random`, that many of all deals of the deck.
"""

from __future__ import annotations

import random
import statistics
from collections import Counter
from collections.abc import Iterator

import click

from benchmarks.report import json_option, print_report
from engine.deals import Deal, all_deals
from solver import Outcome, Solution, Solver
from solver.single.claims import Memory


def family(ranks: int) -> Iterator[Deal]:
    """One of each two deals that are alike, in the order of solving."""

    def changes(second: int) -> int:
        return ((second ^ second >> 1) & (1 << ranks - 1) - 1).bit_count()

    values = range(15 - ranks, 15)
    for second in sorted(range(1 << (ranks - 1)), key=lambda suit: (changes(suit), suit)):
        held = frozenset(value for i, value in enumerate(values) if second >> i & 1)
        yield Deal(ranks, frozenset(values), held)


def short(ranks: int) -> list[list[Deal]]:
    """Deals whose like are over within 20 tricks with 7 ranks, but for those in which the dealer
    holds all of his trumps; one of each two that are alike. Those of a group have most in common.
    """
    lowest = 15 - ranks
    second, third, ace, king, queen = lowest + 1, lowest + 2, 14, 13, 12
    every = frozenset(range(lowest, 15))
    most = [
        (every - {lowest}, ((), {lowest}, {second})),
        (every - {second}, ((), {lowest}, {second})),
        (every - {third}, ((), {lowest})),
        (every - {lowest}, (every - {ace},)),
        (every - {second}, (every - {ace},)),
    ]
    few = [((), ((), {lowest})), ({ace}, ((),)), ({king}, ((),)), ({queen}, ((),))]
    return [
        [
            Deal(ranks, frozenset(trump), frozenset(held))
            for trump, seconds in group
            for held in seconds
        ]
        for group in (most, few)
    ]


def solved(deals: list[Deal], memory: Memory, seconds: float) -> Iterator[Solution]:
    """The solutions of deals, undecided where they take more than so many seconds."""
    solver = Solver(method="search", memory=memory, max_seconds=seconds)
    for deal, solution in zip(deals, solver.solve_many(deals), strict=True):
        assert solution.effort
        click.echo(
            f"{deal} {solution.outcome} {solution.effort.nodes:,} nodes {solution.seconds:.1f} s, "
            f"{memory.facts:,} facts {memory.used >> 20} MiB",
            err=True,
        )
        yield solution


@click.command()
@click.option("--ranks", type=click.IntRange(1, 10), multiple=True, default=[6], show_default=True)
@click.option("--memory", "gigabytes", type=int, default=8, show_default=True, help="In GiB.")
@click.option("--seconds", type=float, default=600.0, show_default=True, help="For one deal.")
@click.option("--short", "shortest", is_flag=True, help="Solve the shortest deals instead.")
@click.option("--random", "sample", type=int, metavar="N", help="Solve random deals instead.")
@json_option
def main(
    ranks: tuple[int, ...],
    gigabytes: int,
    seconds: float,
    shortest: bool,
    sample: int | None,
    as_json: bool,
) -> None:
    """Outcomes of all deals in which the dealer holds all of his trumps."""
    if shortest and min(ranks) < 4:
        raise click.UsageError("--short is for decks of 4 ranks or more")
    rows = []
    for deck in ranks:
        groups = short(deck) if shortest else [list(family(deck))]
        if sample:
            groups = [random.Random(0).sample(list(all_deals(deck)), sample)]
        found: list[Solution] = []
        facts = used = 0
        for deals in groups:
            memory = Memory(deck, gigabytes << 30)
            found += solved(deals, memory, seconds)
            facts += memory.facts
            used = max(used, memory.used)
        nodes = [solution.effort.nodes for solution in found if solution.effort]
        times = [solution.seconds for solution in found]
        each = 1 if sample else 2  # deals of a family stand for two that are alike
        number = Counter(solution.outcome for solution in found)
        rows.append(
            {
                "ranks": deck,
                "dealer wins": each * number[Outcome.WIN],
                "dealer loses": each * number[Outcome.LOSS],
                "undecided": each * number[Outcome.UNDECIDED],
                "nodes": sum(nodes),
                "median": round(statistics.median(nodes)),
                "most": max(nodes),
                "facts": facts,
                "MiB": used >> 20,
                "seconds": round(sum(times), 1),
                "slowest deal, s": round(max(times), 1),
            }
        )
    print_report(rows, as_json)


if __name__ == "__main__":
    main()
