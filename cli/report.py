"""`challenge report`: a page for the browser on what a batch has found."""

from __future__ import annotations

from pathlib import Path

import click

from cli.extras import need
from cli.files import FILE, check_plain, force_option
from engine.errors import GameError
from engine.text import counted
from solver.core.files import check_different, check_new, whole_file
from solver.study.batch import RecordError
from solver.study.records import read_records


@click.command()
@click.argument("file", type=FILE)
@click.option(
    "-o",
    "--output",
    type=FILE,
    metavar="PAGE",
    help="Default: FILE, but .html.",
)
@force_option
def report(file: Path, output: Path | None, force: bool) -> None:
    """Draw what `challenge batch` has written to FILE, in any of its formats.

    The page needs nothing but itself. It shows the share of deals won by number and by rank of the
    dealer's own trumps, distances, a map of all deals, and the ten longest games.

    \b
    Example:
      challenge batch --all -o easy.csv && challenge report easy.csv
    """
    need("matplotlib", "report")
    output = output or file.with_suffix(".html")
    check_different(records=file, page=output)
    check_plain(output)
    check_new(output, force)
    try:
        records = list(read_records(file))
    except ModuleNotFoundError:
        need("pyarrow", "parquet")
        raise
    except RecordError as error:
        raise GameError(f"{file}: {error}") from None
    if not records:
        raise GameError(f"{file} holds no records, expected what challenge batch writes")
    from cli.page import write_page

    page = write_page(records)
    with whole_file(output) as stream:
        stream.write(page.encode())
    click.echo(f"{output}: {counted(len(records), 'deal')}")
