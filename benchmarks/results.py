"""What the solution of a deck says, as the tables of docs/results.md.

    python -m benchmarks.results --ranks 6

Counts everything from the table itself: positions by the number of the leader's cards, all
symmetric deals, the chance that the dealer wins. Needs the outcome table of the deck.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

import click
import numpy as np

from engine.cards import deck_cards
from engine.notation import format_hand
from engine.position import Position
from solver.complete.deck import DeckTables
from solver.core.bitboard import hand_cards, plain_suits, slices, view
from solver.tables import open_tables

SUITS = view((0, 2), 1)


def count_positions(tables: DeckTables) -> tuple[np.ndarray, list[int]]:
    """Wins, losses and draws by the number of the leader's cards; some drawn hands."""
    ranks = tables.ranks
    counts = np.zeros((4 * ranks + 1, 3), np.int64)
    draws: list[int] = []
    cards = np.bitwise_count(np.arange(1 << 2 * ranks)).astype(np.int64)
    for number in range(slices(ranks)):
        p, q = plain_suits(number)
        scores = tables.slice_scores(number)
        size = cards + p.bit_count() + q.bit_count()
        for column, chosen in enumerate((scores > 0, scores < 0, scores == 0)):
            found = np.bincount(size[chosen], minlength=4 * ranks + 1)
            counts[:, column] += found * (1 if p == q else 2)
        for place in np.flatnonzero(scores == 0)[:1]:
            draws.append(int(place) | p << 2 * ranks | q << 3 * ranks)
    counts[[0, -1]] = 0  # no positions
    return counts, draws


def deal_hands(ranks: int) -> tuple[np.ndarray, np.ndarray]:
    """The dealer's hand of every deal, and how many half decks make it."""
    suit = (1 << ranks) - 1
    trump, second = np.divmod(np.arange(1 << 2 * ranks, dtype=np.int64), 1 << ranks)
    hands = trump | (suit ^ trump) << ranks | second << 2 * ranks | (suit ^ second) << 3 * ranks
    chosen = np.bitwise_count(trump) + np.bitwise_count(second)
    weights = np.array([comb(2 * ranks, k) for k in range(2 * ranks + 1)])
    return hands, weights[chosen]


@click.command()
@click.option("--ranks", type=click.IntRange(1, 8), required=True)
def main(ranks: int) -> None:
    """Print what the solution of a deck says, as Markdown."""
    tables = open_tables().deck(ranks)

    hands, weights = deal_hands(ranks)
    outcomes = tables.outcomes(hands)
    print(f"## {ranks} ranks\n\n### Deals\n")
    print("| | deals | half decks | share |\n| --- | ---: | ---: | ---: |")
    for name, chosen in (
        ("dealer wins", outcomes > 0),
        ("dealer loses", outcomes < 0),
        ("draw", outcomes == 0),
    ):
        weight = int(weights[chosen].sum())
        share = Fraction(weight, comb(4 * ranks, 2 * ranks))
        print(f"| {name} | {int(chosen.sum()):,} | {weight:,} | {share} = {float(share):.6f} |")
    if tables.distance is not None:
        longest = tables.distances(hands).max()
        print(f"\nThe longest game of a deal with best play takes {longest} tricks.")

    counts, draws = count_positions(tables)
    total = counts.sum(axis=0)
    print("\n### Positions by the number of the leader's cards\n")
    print("| cards | wins | losses | draws |\n| ---: | ---: | ---: | ---: |")
    for size in range(1, 4 * ranks):
        print(f"| {size} | " + " | ".join(f"{n:,}" for n in counts[size]) + " |")
    print("| all | " + " | ".join(f"{n:,}" for n in total) + " |")
    if draws:
        print(f"\n### Some of the {total[2]:,} draws\n")
        for hand in draws[:: max(1, len(draws) // 5)][:5]:
            cards = hand_cards(hand, SUITS, ranks)
            position = Position(ranks, (cards, deck_cards(ranks) - cards), (0, 2), 1, None)
            print(f"- `{position}` ({format_hand(cards)})")


if __name__ == "__main__":
    main()
