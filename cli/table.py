"""`challenge table`: build, verify and describe the complete solution of a deck."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.errors import BAD_INPUT, FAILED, stop
from cli.extras import need
from cli.files import FILE, check_plain, force_option
from cli.parameters import COUNT, JOBS, Group, Seconds, Whole
from cli.progress import Progress
from cli.unpack import get_ready
from cli.unpack import unpack as unpack_with_bar
from engine.cards import MAX_RANKS
from engine.errors import GameError
from solver.complete.deck import DeckTables
from solver.complete.packed import PackedFile
from solver.complete.table import (
    KINDS,
    Table,
    file_name,
    find_rounds,
    find_table,
    table_path,
)
from solver.complete.unpacked import PackedTable, open_table
from solver.core.files import check_different, check_new, user_folder
from solver.core.machine import cores
from solver.tables import open_tables

if TYPE_CHECKING:
    from solver.complete.build import Progress as BuildProgress

RANKS = Whole(1, MAX_RANKS)


@click.group(cls=Group)
def table() -> None:
    """Build, verify and describe complete solutions of a deck.

    A solution is two files: a table of the outcomes of all positions with an empty table, and one
    of their distances, the numbers of tricks to the end. Large decks have a table of progress
    instead of distances: with it a won position can be won, though not in the fewest tricks.
    """


@table.command()
@click.option("--ranks", type=RANKS, required=True, help="Ranks in the deck.")
@click.option(
    "--distances/--no-distances",
    default=None,
    help="Compute distances, or leave them out, which is faster (default: up to 6 ranks).",
)
@click.option("--threads", type=JOBS, help="Number of threads (default: one for each processor).")
@click.option(
    "-o",
    "--output",
    type=FILE,
    metavar="FILE",
    help="Write outcomes to FILE, distances (or progress) beside it with the ending .distance "
    "(or .progress); default: where `challenge solve` finds them.",
)
@click.option(
    "--checkpoint",
    type=FILE,
    metavar="FILE",
    help="Where the state of the build is saved every ten minutes; a build that finds the file "
    "continues from there (default: from 7 ranks on, in the user's data folder).",
)
@click.option(
    "--known",
    is_flag=True,
    help="Begin with what the tables of this deck that are there already say: who wins, and what "
    "the first rounds of a build prove. The files are the same, sooner.",
)
@click.option(
    "--scheduler",
    metavar="tcp://…|local:K",
    help="Have the workers of a Dask cluster do the work, or K processes of this machine.",
)
@click.option(
    "--log",
    type=FILE,
    metavar="FOLDER",
    help="Where finished pieces of the work are kept; a build that finds them continues from there "
    "(with --scheduler; default: beside the tables). Without --scheduler threads do the pieces.",
)
@click.option("--checkpoint-every", "every", type=Seconds(least=0), default=600, hidden=True)
@force_option
def build(
    ranks: int,
    distances: bool | None,
    threads: int | None,
    output: Path | None,
    checkpoint: Path | None,
    known: bool,
    scheduler: str | None,
    log: Path | None,
    every: float,
    force: bool,
) -> None:
    """Build the complete solution of a deck.

    The files are written whole, when everything is computed. A deck always gives the same files,
    whatever the number of threads and of interruptions.
    """
    from solver.complete import build as builds

    by_pieces = bool(scheduler or log)
    if by_pieces and (checkpoint or known):
        raise click.UsageError("A build with a log has no --checkpoint and no --known.")
    if scheduler and threads:
        raise click.UsageError("Expected either --threads or --scheduler.")
    if scheduler:
        need("distributed", "cluster")
    kinds = builds.kinds_to_build(ranks, distances)
    paths = {kind: table_path(ranks, kind) for kind in kinds}
    if output:
        endings = {"distance": "distance", "progress": "progress.1"}
        paths = {
            kind: output if kind == "outcome" else _beside(output, endings[kind]) for kind in kinds
        }
    else:
        user_folder().mkdir(parents=True, exist_ok=True)
    for path in paths.values():
        if (path.exists() and not path.is_file()) or not os.access(path.parent, os.W_OK):
            raise GameError(f"cannot write {path}, expected a file in a directory for writing")
    if len(set(paths.values())) < len(paths):
        raise GameError(f"the outcomes cannot be written to {output}, where the {kinds[1]} goes")
    threads = threads or cores()
    if scheduler and log is None:
        log = _beside(output, "log") if output else user_folder() / file_name(ranks, "log")
    if checkpoint is None and ranks > builds.DISTANCE_RANKS and not by_pieces:
        name = file_name(ranks, "checkpoint")
        checkpoint = _beside(output, "checkpoint") if output else user_folder() / name
    check_different(
        **{f"table of {kind}": path for kind, path in paths.items()}, checkpoint=checkpoint
    )
    if output:
        check_plain(output)
        continued = any(path is not None and path.exists() for path in (checkpoint, log))
        for path in paths.values():
            check_new(path, force or continued)
    memory = builds.memory_needed(ranks, "distance" in kinds, threads) / 2**30
    hours = builds.seconds_needed(ranks, "distance" in kinds, threads) / 3600
    if hours > 0.01 and not by_pieces:
        click.echo(
            f"A build of {ranks} ranks with {threads} threads needs {memory:,.1f} GiB of memory "
            f"and roughly {f'{hours:,.1f} hours' if hours > 1 else f'{hours * 60:.0f} minutes'}.",
            err=True,
        )
    rounds = find_rounds(ranks) if known else None
    try:
        with Progress() as progress:

            def report(now: BuildProgress) -> None:
                progress(now.decided / now.total, _state(now))

            if log is not None:
                from solver.complete.cluster import build_by_pieces

                build_by_pieces(
                    ranks, paths, log, scheduler=scheduler, count=threads, report=report
                )
            else:
                builds.build_tables(
                    ranks,
                    paths,
                    threads=threads,
                    report=report,
                    checkpoint=checkpoint,
                    every=every,
                    known=open_tables().deck(ranks) if known else None,
                    begins=PackedFile(rounds) if rounds else None,
                )
    except builds.BuildError as error:
        stop(str(error), BAD_INPUT)
    for kind, path in paths.items():
        parts = [path] if kind != "progress" else PackedTable(path).paths
        for part in parts:
            click.echo(f"{part}: {part.stat().st_size:,} bytes")


@table.command()
@click.argument("file", type=FILE, required=False)
@click.option("--ranks", type=RANKS, help="The deck whose own tables are verified.")
@click.option("--sample", type=COUNT, help="Verify this number of random positions.")
@click.option("--full", is_flag=True, help="Verify all positions (the default).")
@click.option(
    "--checkpoint",
    type=FILE,
    metavar="FILE",
    help="Where a full check saves its progress; one that finds the file continues from there.",
)
def verify(
    file: Path | None, ranks: int | None, sample: int | None, full: bool, checkpoint: Path | None
) -> None:
    """Check tables against the rules of the game.

    The check shares nothing with the search that made them. FILE is a table of outcomes; the
    distances or the progress beside it are verified with it. A sample tries every move of its
    positions. The full check leaves out moves and positions that are proved to be needless; if it
    passes with distances or progress, that is a proof of every entry.

    \b
    Exit status:
      0    the tables are right
      1    they contradict the rules
      2    bad input
      3    there is no table for this deck
      130  interrupted
    """
    if (file is None) == (ranks is None):
        raise click.UsageError("Expected either a FILE or --ranks.")
    if full and sample:
        raise click.UsageError("Expected only one of --sample and --full.")
    if checkpoint and sample:
        raise click.UsageError("--checkpoint is for a full check, not for a --sample.")
    tables = _open_beside(file) if file else open_tables().deck(ranks or 0)
    if tables.packed:
        unpack_with_bar(tables.packed)
    for each in (tables.outcome, tables.distance, tables.progress):
        check_different(table=each.path if each else None, checkpoint=checkpoint)
    from solver.complete.verify import VerifyError
    from solver.complete.verify import verify as verify_tables

    try:
        with Progress() as progress:
            report = verify_tables(
                tables,
                sample=sample,
                checkpoint=checkpoint,
                report=lambda done, total: progress(
                    done / total, f"{done:,} of {total:,} positions"
                ),
            )
    except VerifyError as error:
        stop(str(error), FAILED)
    measure = tables.measure
    what = "outcomes"
    if measure is not None:
        what += " and distances" if measure.kind == "distance" else " and progress"
    which = "random positions" if sample else "positions, all up to exchanging the plain suits,"
    click.echo(
        f"{tables.outcome.path}: the {what} of {report.positions:,} {which} follow from their moves"
    )


@table.command()
@click.argument("file", type=FILE, required=False)
def info(file: Path | None) -> None:
    """Describe a table, or list all that `challenge solve` finds."""
    if file:
        _print_facts(open_table(file))
        return
    unpacked: list[str] = []
    paths = [find_table(ranks, kind) for ranks in range(1, MAX_RANKS + 1) for kind in KINDS]
    click.echo(
        "ranks  kind           positions           wins         losses    draws        bytes"
    )
    for path in paths:
        if path:
            table = open_table(path)
            click.echo(
                f"{table.ranks:5}  {table.kind:8} {table.positions:15,} {table.wins:14,} "
                f"{table.losses:14,} {table.draws:8,} {table.size_bytes:12,}"
            )
            if isinstance(table, PackedTable):
                unpacked.append(_unpacked(table))
    for line in unpacked:
        click.echo(line)


@table.command()
@click.option("--ranks", type=RANKS, required=True, help="Ranks in the deck.")
@click.option("--remove", is_flag=True, help="Remove the unpacked file instead.")
def unpack(ranks: int, remove: bool) -> None:
    """Unpack the progress of a deck, for lines, hints and the player perfect.

    They do it themselves when they first need it. The file goes into the cache folder of the user
    and may be removed at any time.
    """
    packed = open_tables().deck(ranks).packed
    if packed is None:
        raise GameError(f"there is nothing to unpack for decks of {ranks} ranks")
    if remove:
        click.echo(f"Removed {packed.cache}." if packed.remove() else "There was no such file.")
        return
    get_ready(ranks)
    if packed.failed:
        click.get_current_context().exit(FAILED)
    click.echo(_unpacked(packed))


def _unpacked(table: PackedTable) -> str:
    """Whether progress is unpacked, and where."""
    command = f"challenge table unpack --ranks {table.ranks}"
    if not table.ready:
        return f"The progress of {table.ranks} ranks is not unpacked (`{command}`)."
    if not table.cache.exists():
        return f"The progress of {table.ranks} ranks is unpacked in memory."
    size = table.cache.stat().st_size
    return (
        f"The progress of {table.ranks} ranks is unpacked in {table.cache}, {size:,} bytes "
        f"(`{command} --remove` removes it)."
    )


def _print_facts(table: Table | PackedTable) -> None:
    packed = f"\n{_unpacked(table)}" if isinstance(table, PackedTable) else ""
    click.echo(
        f"file       {table.path}\n"
        f"kind       {table.kind}\n"
        f"ranks      {table.ranks}\n"
        f"positions  {table.positions:,}\n"
        f"wins       {table.wins:,} (of the leader)\n"
        f"losses     {table.losses:,}\n"
        f"draws      {table.draws:,}\n"
        f"bytes      {table.size_bytes:,}\n"
        f"SHA-256    {table.digest} (of the content){packed}"
    )


def _state(now: BuildProgress) -> str:
    """A line on a build that may take hours."""
    left = now.seconds_left
    return (
        f"round {now.round}, {now.tests / max(now.seconds, 1e-9):,.0f} tests/s, "
        f"{'?' if left is None else timedelta(seconds=round(left))} left, "
        f"{now.memory / 2**20:,.0f} MiB"
    )


def _beside(outcome: Path, ending: str) -> Path:
    """A file that belongs to a table of outcomes."""
    return outcome.parent / f"{outcome.stem}.{ending}"


def _open_beside(path: Path) -> DeckTables:
    """The table of outcomes `path` and what there is of the others beside it."""
    found = {
        kind: next((p for end in ends if (p := _beside(path, end)).exists()), None)
        for kind, ends in (("distance", ("distance",)), ("progress", ("progress.1", "progress")))
    }
    others: dict[str, Any] = {kind: path and open_table(path) for kind, path in found.items()}
    outcome = Table(path)
    return DeckTables(outcome.ranks, outcome, **others)
