"""Names of files, as commands take them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from engine.errors import GameError

COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")


class _File(click.Path):
    """A path that is not empty; click takes an empty one for the current directory."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        if value == "" or "\0" in str(value):
            self.fail(f"{value!r} is no name of a file.", param, ctx)
        return super().convert(value, param, ctx)


FILE = _File(path_type=Path)

force_option = click.option("--force", is_flag=True, help="Replace files that exist.")


def check_plain(path: Path | None) -> None:
    """Raise GameError for a name that promises compression, of which nothing is written."""
    if path and path.suffix.lower() in COMPRESSED:
        raise GameError(
            f"{path} would not be compressed, expected another name, or no -o and a pipe to gzip"
        )
