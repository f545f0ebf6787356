"""`challenge deal`: random deals."""

from __future__ import annotations

import random

import click

from cli.input import DEFAULT_DECK, deck_option
from engine.deals import random_deal


@click.command()
@deck_option("The deck (default: easy).", default=DEFAULT_DECK)
@click.option(
    "--seed",
    type=click.IntRange(0),
    help="Repeat the same deals (default: new ones each time).",
)
@click.option("--count", type=click.IntRange(0), default=1, help="How many (default: 1).")
@click.option("--position", is_flag=True, help="Print positions, six fields, instead of deals.")
def deal(deck: int, seed: int | None, count: int, position: bool) -> None:
    """Print random deals, one a line, as likely as they come up at the table.

    A deal is the dealer's cards in his trump suit and in his second suit, such as KQJ.JT9; a dash
    stands for no cards.

    \b
    Example: who wins a hundred random deals
      challenge deal --count 100 | challenge solve -
    """
    rng = random.Random(seed)
    for _ in range(count):
        made = random_deal(deck, rng)
        click.echo(str(made.position() if position else made))
