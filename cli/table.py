"""`challenge table`: build, verify and describe the complete solution of a deck."""

from __future__ import annotations

import os
from pathlib import Path

import click

from cli.errors import BAD_INPUT, FAILED, stop
from cli.progress import Progress
from engine.cards import MAX_RANKS
from engine.game import GameError
from solver.table import KINDS, Table, Tables, open_tables, table_path

RANKS = click.IntRange(1, MAX_RANKS)
FILE = click.Path(path_type=Path)


@click.group()
def table() -> None:
    """Build, verify and describe complete solutions of a deck.

    A solution is two files: a table of the outcomes of all positions with an empty table, and one
    of their distances, the numbers of tricks to the end.
    """


@table.command()
@click.option("--ranks", type=RANKS, required=True, help="Ranks in the deck.")
@click.option("--no-distances", is_flag=True, help="Build outcomes only, which is much faster.")
@click.option("--threads", type=click.IntRange(1), help="Default: one for each processor.")
@click.option(
    "-o",
    "--output",
    type=FILE,
    metavar="FILE",
    help="Write outcomes to FILE, distances beside it with the ending .distance "
    "(default: where `challenge solve` finds them).",
)
def build(ranks: int, no_distances: bool, threads: int | None, output: Path | None) -> None:
    """Build the complete solution of a deck.

    The files are written whole, when everything is computed. A deck always gives the same files,
    whatever the number of threads.
    """
    paths = {"outcome": output or table_path(ranks, "outcome")}
    if not no_distances:
        paths["distance"] = _beside(output) if output else table_path(ranks, "distance")
    for path in paths.values():
        if path.is_dir() or not os.access(path.parent, os.W_OK):
            raise GameError(f"cannot write {path}, expected a file in a directory for writing")
    if len(set(paths.values())) < len(paths):
        raise GameError(f"the outcomes cannot be written to {output}, where the distances go")
    from solver.build import BuildError, build_tables

    try:
        with Progress() as progress:
            build_tables(
                ranks,
                paths,
                threads=threads,
                report=lambda now: progress(
                    now.decided / now.total, f"round {now.round}: {now.decided:,} positions decided"
                ),
            )
    except BuildError as error:
        stop(str(error), BAD_INPUT)
    for path in paths.values():
        click.echo(f"{path}: {path.stat().st_size:,} bytes")


@table.command()
@click.argument("file", type=FILE, required=False)
@click.option("--ranks", type=RANKS, help="The deck whose own tables are verified.")
@click.option("--sample", type=click.IntRange(1), help="Verify so many random positions.")
@click.option("--full", is_flag=True, help="Verify all positions (the default).")
def verify(file: Path | None, ranks: int | None, sample: int | None, full: bool) -> None:
    """Check tables against the rules of the game.

    The check shares nothing with the search that made them. FILE is a table of outcomes; the
    distances beside it are verified with it. A sample tries every move of its positions. The full
    check leaves out moves that are proved to be needless; if it passes with distances, that is a
    proof of every entry.

    Exit status 1: the tables contradict the rules.
    """
    if (file is None) == (ranks is None):
        raise click.UsageError("Expected either a FILE or --ranks.")
    if full and sample:
        raise click.UsageError("Expected only one of --sample and --full.")
    tables = _open_beside(file) if file else open_tables(ranks or 0)
    from solver.verify import VerifyError
    from solver.verify import verify as verify_tables

    try:
        with Progress() as progress:
            report = verify_tables(
                tables,
                sample=sample,
                report=lambda done, total: progress(
                    done / total, f"{done:,} of {total:,} positions"
                ),
            )
    except VerifyError as error:
        stop(str(error), FAILED)
    what = "outcomes and distances" if report.distances else "outcomes"
    which = "random positions" if sample else "positions, all up to exchanging the plain suits,"
    click.echo(
        f"{tables.outcome.path}: the {what} of {report.positions:,} {which} follow from their moves"
    )


@table.command()
@click.argument("file", type=FILE, required=False)
def info(file: Path | None) -> None:
    """Describe a table, or list all that `challenge solve` finds."""
    if file:
        _print_facts(Table(file))
        return
    paths = [table_path(ranks, kind) for ranks in range(1, MAX_RANKS + 1) for kind in KINDS]
    click.echo(
        "ranks  kind           positions           wins         losses    draws        bytes"
    )
    for path in paths:
        if path.exists():
            table = Table(path)
            click.echo(
                f"{table.ranks:5}  {table.kind:8} {table.positions:15,} {table.wins:14,} "
                f"{table.losses:14,} {table.draws:8,} {table.size_bytes:12,}"
            )


def _print_facts(table: Table) -> None:
    click.echo(
        f"file       {table.path}\n"
        f"kind       {table.kind}\n"
        f"ranks      {table.ranks}\n"
        f"positions  {table.positions:,}\n"
        f"wins       {table.wins:,} (of the leader)\n"
        f"losses     {table.losses:,}\n"
        f"draws      {table.draws:,}\n"
        f"bytes      {table.size_bytes:,}\n"
        f"SHA-256    {table.digest} (of the content)"
    )


def _beside(outcome: Path) -> Path:
    """Where the distances are that belong to a table of outcomes."""
    return outcome.with_suffix(".distance")


def _open_beside(path: Path) -> Tables:
    """The table of outcomes `path` and, if there are any, the distances beside it."""
    outcome = Table(path)
    distance = Table(_beside(path)) if _beside(path).exists() else None
    if outcome.kind != "outcome":
        raise GameError(f"{path} holds distances, expected the table of outcomes beside it")
    if distance and (distance.kind, distance.ranks) != ("distance", outcome.ranks):
        raise GameError(
            f"{distance.path} is a table of the kind {distance.kind} and {distance.ranks} ranks, "
            f"expected the distances of {outcome.ranks} ranks"
        )
    return Tables(outcome.ranks, outcome, distance)
