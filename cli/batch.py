"""`challenge batch`: many deals solved, a record of each, and what they come to."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from cli.extras import need
from cli.files import FILE, check_plain, force_option
from cli.parameters import COUNT, DEFAULT_DECK, JOBS, SEED, Choice, deck_option
from cli.progress import Progress
from cli.unpack import get_ready
from engine.arena.interval import share_interval
from engine.cards import deck_name
from engine.errors import GameError
from engine.text import counted
from solver.core.files import check_different, check_new, whole_file
from solver.study.batch import COLUMNS, LINE_TRICKS, TIMES, Batch, RecordError, Solve
from solver.study.records import FORMATS, gathering, record_file
from solver.study.summary import LISTED, OUTCOMES, Summary
from solver.study.workers import cluster, processes


@click.command()
@deck_option("The deck (default: easy).", default=DEFAULT_DECK)
@click.option("--count", type=COUNT, help="Number of random deals.")
@click.option("--all", "every", is_flag=True, help="Every deal of the deck once.")
@click.option("--seed", type=SEED, help="Another seed, other deals (default: 0).")
@click.option(
    "--format",
    "kind",
    type=Choice(FORMATS),
    help="Default: by the ending of FILE, or csv.",
)
@click.option(
    "-o", "--output", type=FILE, metavar="FILE", help="A new file; default: standard output."
)
@click.option("--resume", is_flag=True, help="Continue FILE where an earlier run stopped.")
@force_option
@click.option("--jobs", type=JOBS, default=1, help="Number of processes (default: 1).")
@click.option("--scheduler", metavar="tcp://…", help="Have a Dask cluster do the work.")
@click.option("--timings", is_flag=True, help="Add the seconds that each deal took.")
@click.option(
    "--line-tricks",
    "line",
    is_flag=True,
    help="Add the tricks of a game in which the winner follows distances or progress.",
)
@click.option("--summary", type=FILE, metavar="FILE", help="Write the summary as JSON.")
def batch(
    deck: int,
    count: int | None,
    every: bool,
    seed: int | None,
    kind: str | None,
    output: Path | None,
    resume: bool,
    force: bool,
    jobs: int,
    scheduler: str | None,
    timings: bool,
    line: bool,
    summary: Path | None,
) -> None:
    """Solve many deals: --count random ones, as they come up at the table, or --all of a deck.

    Each deal is a record: the deal, the dealer's cards in his trump suit and in his second suit,
    the number of his trumps, how many half decks make the deal (its weight), the outcome for the
    dealer, the distance in tricks, the leads that keep a win, and where the answer comes from. A
    summary goes to standard error.

    The same deck, seed and format give the same file, byte for byte, whoever does the work; only
    the seconds of --timings differ. It can be interrupted at any moment: --resume solves the whole
    records of FILE again, keeps them if they are right, and adds what is missing. Parquet is
    gathered in a hidden file beside FILE until it is complete.

    \b
    Examples:
      challenge batch --all -o easy.csv --summary easy.json
      challenge batch --deck standard --count 10000 --seed 1 --jobs 4 -o deals.jsonl --resume
    """
    if every == (count is not None):
        raise click.UsageError("Expected either --all or --count.")
    if every and seed is not None:
        raise click.UsageError("--all has no --seed, its deals are not random.")
    if resume and output is None:
        raise click.UsageError("--resume continues a file, expected -o FILE as well.")
    if resume and force:
        raise click.UsageError("Expected either --resume or --force.")
    if scheduler and jobs > 1:
        raise click.UsageError("Expected either --jobs or --scheduler.")
    if summary and not summary.absolute().parent.is_dir():
        raise click.UsageError(f"There is no directory for {summary}.")
    suffix = output.suffix.lower()[1:] if output else ""
    kind = kind or (suffix if suffix in FORMATS else "csv")
    if kind == "parquet":
        need("pyarrow", "parquet")
    check_plain(output)
    check_plain(summary)
    check_different(records=output, summary=summary, gathered_records=output and gathering(output))
    if summary:
        check_new(summary, force or resume)
    columns = (*COLUMNS, *[LINE_TRICKS] * line, *[TIMES] * timings)
    if line and not scheduler:
        get_ready(deck)
    work = Batch(deck, None if every else count, seed or 0)
    tally = Summary(weighted=every)
    with Progress() as progress, continuing(output), ExitStack() as stack:
        progress(0, f"loading the tables of {deck_name(deck)}")
        solve = stack.enter_context(workers(deck, jobs, scheduler, line))
        file = stack.enter_context(
            record_file(output or sys.stdout.buffer, kind, columns, resume, force)
        )
        if output or not sys.stdout.isatty():
            progress.now(0, f"0 of {counted(work.count, 'deal')}")
        if resume:
            for record in work.keep(file.read(), solve):
                tally.add(record)
                progress(tally.records / work.count, f"{counted(tally.records, 'deal')} checked")
            file.cut()
        started, before = time.perf_counter(), tally.records
        for record in work.records(solve):
            file.append(record)
            tally.add(record)
            if output or not sys.stdout.isatty():
                rate = (tally.records - before) / (time.perf_counter() - started)
                progress(tally.records / work.count, pace(tally.records, work.count, rate))
    if summary:
        heading = {"ranks": deck, "deals": "all" if every else "random", "seed": work.seed}
        text = json.dumps(heading | tally.to_dict(), indent=2)
        with whole_file(summary) as stream:
            stream.write(f"{text}\n".encode())
    click.echo("\n".join(describe(work, tally)), err=True)


@contextmanager
def workers(deck: int, jobs: int, scheduler: str | None, line: bool) -> Iterator[Solve]:
    """Who does the work; one sentence if it cannot be done."""
    if scheduler:
        need("distributed", "cluster")
    try:
        with cluster(scheduler, line) if scheduler else processes(deck, jobs, line) as solve:
            yield solve
    except BrokenExecutor as error:
        reason = str(error) if scheduler else "worker processes have died (out of memory?)"
        raise click.ClickException(f"{reason}, --resume continues after the last record") from None


@contextmanager
def continuing(output: Path | None) -> Iterator[None]:
    """Say which file cannot be continued, and why."""
    try:
        yield
    except RecordError as error:
        raise GameError(f"cannot continue {output}: {error}") from None


def pace(done: int, count: int, rate: float) -> str:
    """How far the work is, how fast, and how long it may still take."""
    left = (count - done) / rate
    rest = f"{left:.0f} s" if left < 100 else f"{left / 60:.0f} min"
    return f"{done:,} of {counted(count, 'deal')}, {rate:,.0f}/s, {rest} left"


def describe(work: Batch, tally: Summary) -> Iterator[str]:
    """The lines of a summary."""
    deck = deck_name(work.ranks)
    if work.seed is None:
        yield f"All {counted(work.count, 'deal')} of {deck}, by how often they come up"
    else:
        yield f"{counted(work.count, 'random deal')} of {deck}, seed {work.seed}"
    won, drawn, lost = (tally.outcomes[outcome] for outcome in OUTCOMES)
    total = won + drawn + lost
    share = f"The dealer wins {won:,} / {total:,} = {won / total:.4%}"
    if work.seed is not None:
        share += " (95% interval {:.2%} to {:.2%})".format(*share_interval(won, total))
    yield f"{share}, loses {lost:,}, draws {drawn:,}"
    if tally.longest is not None:
        longest = ", ".join(tally.longest_deals[:LISTED])
        more = len(tally.longest_deals) - LISTED
        yield (
            f"Tricks: median {tally.median}, longest {tally.longest} "
            f"({longest}{f' and {more} more' if more > 0 else ''})"
        )
    yield "Own trumps       won     drawn      lost  share won"
    for trumps, outcomes in sorted(tally.by_trumps.items()):
        counts = " ".join(f"{outcomes[outcome]:9,}" for outcome in OUTCOMES)
        yield f"{trumps:10} {counts}  {outcomes['win'] / outcomes.total():9.2%}"
    if tally.slowest:
        slowest = ", ".join(f"{deal} {seconds:.3f} s" for deal, seconds in tally.slowest)
        yield f"Slowest to solve: {slowest}"
