"""What a user waits for at the shell: one deal, and thousands of positions through a pipe.

Cold is the first time after installation: no byte code, and no compiled code in numba's cache.
Medians over the repeats.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from typing import Any

import click

from benchmarks.report import json_option, print_report
from cli.bench import COMMAND
from engine.cards import PICKUP, deck_cards, in_order
from engine.position import Position
from solver.study.bench import run_python

RANKS = 6
LONGEST_TRICK = 12


def random_position(rng: random.Random) -> Position:
    """A position of 6 ranks: any hands, and some plays of a trick, none in one of thirteen."""
    deck = in_order(deck_cards(RANKS))
    hand = frozenset(rng.sample(deck, rng.randint(1, len(deck) - 1)))
    trumps = rng.sample(range(4), 2)
    hands = (hand, deck_cards(RANKS) - hand)
    position = Position(RANKS, hands, (trumps[0], trumps[1]), rng.randint(1, 2), None)
    for _ in range(rng.randint(0, LONGEST_TRICK)):
        plays = [action for action in position.legal_actions() if action != PICKUP]
        if not plays:
            break
        following = position.apply(rng.choice(plays))
        if following.winner:
            break
        position = following
    return position


def seconds(arguments: list[str], caches: str, stdin: str = "") -> float:
    """Wall time of a command that keeps its byte code and compiled code in `caches`."""
    started = time.perf_counter()
    folders = {"PYTHONPYCACHEPREFIX": caches, "NUMBA_CACHE_DIR": caches}
    run_python("-c", COMMAND, *arguments, stdin=stdin, **folders)
    return time.perf_counter() - started


@click.command(help=__doc__)
@click.option("--lines", type=click.IntRange(1), default=10_000)
@click.option("--repeats", type=click.IntRange(1), default=5)
@click.option("--long", is_flag=True, help="All deals and the proof of 6 ranks, too (minutes).")
@json_option
def main(lines: int, repeats: int, long: bool, as_json: bool) -> None:
    rng = random.Random(1)
    positions = "".join(f"{random_position(rng)}\n" for _ in range(lines))
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as caches:
        for arguments, stdin, times in (
            (["--help"], "", repeats),
            (["solve", "--deck", "easy", "KQJ.JT9"], "", repeats),
            (["solve", "--json", "-"], positions, repeats),
            *([(["batch", "--all"], "", repeats)] if long else []),
            *([(["table", "verify", "--ranks", "6"], "", 1)] if long else []),
        ):
            cold = seconds(arguments, caches, stdin)
            warm = [seconds(arguments, caches, stdin) for _ in range(times)]
            rows.append(
                {
                    "command": " ".join(["challenge", *arguments]),
                    "lines": stdin.count("\n"),
                    "cold s": cold,
                    "warm s": statistics.median(warm),
                    "lowest": min(warm),
                    "highest": max(warm),
                }
            )
    print_report(rows, as_json)


if __name__ == "__main__":
    main()
