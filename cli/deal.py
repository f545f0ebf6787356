"""`challenge deal`: random deals."""

from __future__ import annotations

import random

import click

from cli.parameters import DEFAULT_DECK, SEED, Whole, deck_option
from engine.deals import random_deal


@click.command()
@deck_option("The deck (default: easy).", default=DEFAULT_DECK)
@click.option(
    "--seed",
    type=SEED,
    help="Repeat the same deals (default: new ones each time).",
)
@click.option("--count", type=Whole(0, 10**12), default=1, help="Number of deals (default: 1).")
@click.option("--position", is_flag=True, help="Print positions instead, six fields each.")
def deal(deck: int, seed: int | None, count: int, position: bool) -> None:
    """Print random deals, one a line, each as likely as at the table.

    A deal is the number of ranks, then the dealer's cards in his trump suit and in his second suit,
    such as 6 KQJ.JT9; a dash stands for no cards.

    \b
    Example: who wins a hundred random deals
      challenge deal --count 100 | challenge solve -
    """
    rng = random.Random(seed)
    for _ in range(count):
        made = random_deal(deck, rng)
        click.echo(str(made.position() if position else made))
