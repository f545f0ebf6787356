"""What every benchmark script prints: the machine and a table, or both as JSON."""

from __future__ import annotations

import json
from typing import Any

import click

from cli.bench import columns, machine_line, number
from solver.study.bench import machine

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def print_report(rows: list[dict[str, Any]], as_json: bool) -> None:
    """Print rows that have the same keys, the headings of the table."""
    if as_json:
        click.echo(json.dumps({"machine": machine(), "rows": rows}, indent=1))
        return
    click.echo(f"{machine_line(machine())}\n")
    for line in columns(
        [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
    ):
        click.echo(line)


def title(game: str, options: dict[str, Any]) -> str:
    """A variant of a game in one line."""
    return " ".join([game, *(f"{key}={value}" for key, value in options.items())])


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return number(value)
    return f"{value:,}" if isinstance(value, int) else str(value)
