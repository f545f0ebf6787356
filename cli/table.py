"""`challenge table`: build, verify and describe the complete solution of a deck."""

from __future__ import annotations

import os
from pathlib import Path

import click

from cli.progress import Progress
from engine.cards import DECKS, MAX_RANKS
from engine.game import GameError
from solver.table import KINDS, Table, table_path

RANKS = click.IntRange(1, MAX_RANKS)
FILE = click.Path(path_type=Path)


@click.group()
def table() -> None:
    """Build, verify and describe complete solutions of a deck.

    A solution is two files: one with the outcomes of all positions with an empty table, one with
    their distances, the numbers of tricks to the end.
    """


@table.command()
@click.option("--ranks", type=RANKS, required=True, help="Ranks in the deck.")
@click.option("--no-distances", is_flag=True, help="Build outcomes only, about four times faster.")
@click.option("--threads", type=click.IntRange(1), help="Default: one for each processor.")
@click.option(
    "-o",
    "--output",
    type=FILE,
    metavar="FILE",
    help="Write outcomes to FILE and distances to FILE.distance "
    "(default: where `challenge solve` finds them).",
)
def build(ranks: int, no_distances: bool, threads: int | None, output: Path | None) -> None:
    """Build the complete solution of a deck.

    The files are written when everything is computed. The same deck always gives the same files.
    """
    paths = {
        kind: output.with_name(output.name + suffix) if output else table_path(ranks, kind)
        for kind, suffix in (("outcome", ""), ("distance", ".distance"))
        if not (kind == "distance" and no_distances)
    }
    for path in paths.values():
        if path.is_dir() or not os.access(path.parent, os.W_OK):
            raise GameError(
                f"cannot write {path}, expected a file in a directory that can be written"
            )
    from solver.build import build_tables

    with Progress() as progress:
        build_tables(
            ranks,
            paths,
            threads=threads,
            report=lambda now: progress(
                now.decided / now.total, f"round {now.round}, {now.decided:,} positions decided"
            ),
        )
    for path in paths.values():
        _describe(Table(path))


@table.command()
@click.argument("file", type=FILE, required=False)
def info(file: Path | None) -> None:
    """Describe a table FILE, or all tables that `challenge solve` finds."""
    paths = (
        [file] if file else [table_path(n, kind) for n in range(1, MAX_RANKS + 1) for kind in KINDS]
    )
    for path in paths:
        if file or path.exists():
            _describe(Table(path))


def _describe(table: Table) -> None:
    names = {ranks: f" ({name})" for name, ranks in DECKS.items()}
    click.secho(f"{table.path}", bold=True)
    click.echo(
        f"  {table.kind} table of the deck of {table.ranks} ranks{names.get(table.ranks, '')}"
    )
    click.echo(
        f"  {table.positions:,} positions: the leader wins {table.wins:,}, "
        f"loses {table.losses:,}, draws {table.draws:,}"
    )
    click.echo(f"  {table.size_bytes:,} bytes, SHA-256 of the content {table.digest}")
