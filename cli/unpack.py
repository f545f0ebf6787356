"""Progress unpacked before it is needed: announced, with a bar, once."""

from __future__ import annotations

import click

from cli.progress import Progress
from solver.complete.unpacked import PackedTable, UnpackError, unpacked_bytes
from solver.tables import open_tables


def get_ready(ranks: int) -> None:
    """Unpack the progress of a deck, if it has packed progress that is not unpacked yet.

    Where that cannot be done, say so and go on. Raises TableError if the files are broken.
    """
    tables = open_tables()
    packed = tables.deck(ranks).packed if ranks in tables else None
    if packed is not None:
        unpack(packed)


def get_ready_to_play(ranks: int) -> None:
    """The same for the player perfect, who can do without; say so if he has to."""
    tables = open_tables()
    if ranks in tables and tables.deck(ranks).measure is None:
        click.echo(
            f"There is no progress for {ranks} ranks: perfect keeps a win, "
            "but need not bring it to an end.",
            err=True,
        )
    get_ready(ranks)


def unpack(packed: PackedTable) -> None:
    """Unpack a table with a bar; where that cannot be done, say so."""
    if packed.failed or packed.ready:
        return
    ranks = packed.ranks
    size = unpacked_bytes(ranks)
    how_long = "about a minute" if size > 1e9 else "some seconds"
    text = f"{size / 1e9:.1f} GB" if size > 1e9 else f"{size / 1e6:.0f} MB"
    click.echo(
        f"Unpacking the progress of {ranks} ranks: {text} into {packed.cache.parent}, "
        f"{how_long}, once.",
        err=True,
    )
    try:
        with Progress() as bar:
            packed.prepare(lambda done: bar(done, "Ctrl-C stops it"))
    except UnpackError as error:
        click.echo(f"{error}; going on without progress.", err=True)
