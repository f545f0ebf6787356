"""`challenge batch`: many deals solved, a record of each, and what they come to."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click

from cli.errors import FAILED
from cli.extras import need
from cli.files import FILE, check_plain, force_option
from cli.input import read_lines
from cli.limits import check_effect, limit_options
from cli.parameters import COUNT, DEFAULT_DECK, JOBS, SEED, Choice, deck_option
from cli.progress import Progress
from cli.unpack import get_ready
from engine.cards import DECKS, deck_name
from engine.errors import GameError
from engine.text import counted
from solver.core.files import check_different, check_new, open_regular, whole_file
from solver.solver import DEFAULT_SECONDS
from solver.study.batch import Batch, How, RecordError, Solve
from solver.study.records import FORMATS, gathering, record_file
from solver.study.summary import LISTED, OUTCOMES, UNDECIDED, Summary, bounds
from solver.study.workers import cluster, processes


@click.command()
@deck_option("The deck (default: easy; with --input, that of every line).")
@click.option("--count", type=COUNT, help="Number of random deals.")
@click.option("--all", "every", is_flag=True, help="Every deal of the deck once.")
@click.option(
    "--input",
    "source",
    type=FILE,
    metavar="FILE",
    help="Deals and positions, one a line; -: standard input.",
)
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
@limit_options(None, f"{DEFAULT_SECONDS:.0f}, or inf with --nodes")
@click.option("--timings", is_flag=True, help="Add the seconds that each deal took.")
@click.option(
    "--line-tricks",
    "line",
    is_flag=True,
    help="Add the tricks of a game in which the winner follows distances or progress.",
)
@click.option("--summary", type=FILE, metavar="FILE", help="Write the summary as JSON.")
@click.pass_context
def batch(
    ctx: click.Context,
    /,
    deck: int | None,
    count: int | None,
    every: bool,
    source: Path | None,
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
    **limits: Any,
) -> None:
    """Solve many deals: --count random ones, as they come up at the table, --all of a deck, or the
    deals and positions of --input.

    Each deal is a record: the deal, the dealer's cards in his trump suit and in his second suit,
    the number of his trumps, how many half decks make the deal (its weight), the outcome for the
    dealer, the distance in tricks, the leads that keep a win, and where the answer comes from. A
    summary goes to standard error.

    A deck without tables is searched, every deal with an empty memory. Then a record has the nodes
    too and, if the outcome is "undecided", which limit stopped the search and an estimate.

    With --input, deals and positions are read as solve reads them. Every record has the number and
    the text of its line, of a position the outcome for the player to move, and of a bad line an
    error; the exit status is then 1.

    The same deals and format give the same file, byte for byte, whoever does the work; only the
    seconds of --timings differ, and searches limited by --time, whose records say that they are not
    reproducible. It can be interrupted at any moment: --resume looks the whole records of FILE up
    again, keeps them if they are right, and adds what is missing. Records of searches are kept;
    what is undecided is searched again if the limit that stopped it is higher now. Parquet is
    gathered in a hidden file beside FILE until it is complete.

    \b
    Examples:
      challenge batch --all -o easy.csv --summary easy.json
      challenge batch --deck standard --count 10000 --seed 1 --jobs 4 -o deals.jsonl --resume
      challenge batch --deck advanced --count 100 --nodes 10000000 -o advanced.csv
      challenge deal --count 100 | challenge batch --input - -o mine.csv

    \b
    Exit status:
      0    all deals are recorded, also those that are undecided
      1    some lines of --input were bad
      2    bad input
      3    there is no table for this deck (only with --method table)
      130  interrupted
    """
    if every + (count is not None) + (source is not None) != 1:
        raise click.UsageError("Expected one of --all, --count and --input.")
    if every and seed is not None:
        raise click.UsageError("--all has no --seed, its deals are not random.")
    if source and seed is not None:
        raise click.UsageError("--input has no --seed, its deals are not random.")
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
    check_different(
        records=output,
        summary=summary,
        gathered_records=output and gathering(output),
        input=None if source == STANDARD else source,
    )
    if summary:
        check_new(summary, force or resume)
    ranks = deck if source else deck or DECKS[DEFAULT_DECK]
    if limits["max_seconds"] is None:
        limits["max_seconds"] = math.inf if limits["max_nodes"] else DEFAULT_SECONDS
    how = How(ranks, line=line, listed=source is not None, **limits)
    looks_up = not how.searches
    searches = bool(ranks and not looks_up) or how.method == "search"
    check_effect(ctx, looks_up, searches, ranks, "--line-tricks" if line else None)
    if line and ranks and not scheduler:
        get_ready(ranks)
    with ExitStack() as stack:
        if source:
            work = stack.enter_context(lines(source, ranks))
        else:
            work = Batch(how.ranks or 0, None if every else count, seed or 0)
        tally = run(work, how, kind, how.columns(timings), output, resume, force, jobs, scheduler)
    if summary:
        heading: dict[str, Any] = {
            "ranks": ranks,
            "deals": "all" if every else "random",
            "seed": work.seed,
        }
        if source:
            heading |= {"deals": "input", "input": str(source)}
        if how.searches:
            heading |= {"limits": how.limits, "reproducible": tally.reproducible}
        text = json.dumps(heading | tally.to_dict(), indent=2)
        with whole_file(summary) as stream:
            stream.write(f"{text}\n".encode())
    click.echo("\n".join(describe(work, tally)), err=True)
    if tally.errors:
        ctx.exit(FAILED)


def run(
    work: Batch,
    how: How,
    kind: str,
    columns: Sequence[str],
    output: Path | None,
    resume: bool,
    force: bool,
    jobs: int,
    scheduler: str | None,
) -> Summary:
    """Write the records of a batch; what they come to."""
    tally = Summary(weighted=work.every)
    what = "line" if work.listed else "deal"
    with Progress() as progress, continuing(output), ExitStack() as stack:
        if how.ranks and not how.searches:
            progress(0, f"loading the tables of {deck_name(how.ranks)}")
        solve = stack.enter_context(workers(how, jobs, scheduler))
        file = stack.enter_context(
            record_file(output or sys.stdout.buffer, kind, columns, resume, force)
        )
        shown = output is not None or not sys.stdout.isatty()
        if shown:
            progress.now(0, pace(0, work.count, 0, what))
        if resume:
            file.settle()
            kept = work.keep(file.read(), solve, how)
            if any(map(how.improves, file.read())):
                kept = file.renew(work.keep(file.read(), solve, how))
            for record in kept:
                tally.add(record)
                done = tally.records / work.count if work.count else 0
                progress(done, f"{counted(tally.records, what)} checked")
            file.cut()
        started, before = time.perf_counter(), tally.records
        for record in work.records(solve):
            file.append(record)
            tally.add(record)
            if shown:
                rate = (tally.records - before) / (time.perf_counter() - started)
                done = tally.records / work.count if work.count else 0
                progress(done, pace(tally.records, work.count, rate, what))
    return tally


STANDARD = Path("-")
"""What stands for standard input."""


@contextmanager
def lines(source: Path, ranks: int | None) -> Iterator[Batch]:
    """The batch of the lines of a file or of standard input."""
    if source == STANDARD:
        if sys.stdin is None:  # it is closed
            raise GameError("standard input is closed, expected deals or positions, one a line")
        yield Batch.of_lines(read_lines(sys.stdin.buffer), ranks)
        return
    with open_regular(source) as stream:
        count = sum(1 for _ in read_lines(stream, str(source)))
        stream.seek(0)
        yield Batch.of_lines(read_lines(stream, str(source)), ranks, count)


@contextmanager
def workers(how: How, jobs: int, scheduler: str | None) -> Iterator[Solve]:
    """Who does the work; one sentence if it cannot be done."""
    if scheduler:
        need("distributed", "cluster")
    try:
        with cluster(how, scheduler) if scheduler else processes(how, jobs) as solve:
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


def pace(done: int, count: int | None, rate: float, what: str = "deal") -> str:
    """How far the work is, how fast, and how long it may still take."""
    text = counted(done, what) if count is None else f"{done:,} of {counted(count, what)}"
    if not rate:
        return text
    text += f", {rate:,.0f}/s" if rate >= 10 else f", {60 * rate:.2g} a minute"
    if count is None:
        return text
    left = (count - done) / rate
    return f"{text}, {f'{left:.0f} s' if left < 100 else f'{left / 60:.0f} min'} left"


def describe(work: Batch, tally: Summary) -> Iterator[str]:
    """The lines of a summary."""
    deck = deck_name(work.ranks) if work.ranks else "several decks"
    if work.listed:
        bad = f", of which {tally.errors:,} bad" if tally.errors else ""
        yield f"{counted(tally.records, 'line')}{bad}"
    elif work.seed is None:
        yield f"All {counted(tally.records, 'deal')} of {deck}, by how often they come up"
    else:
        yield f"{counted(tally.records, 'random deal')} of {deck}, seed {work.seed}"
    total = tally.outcomes.total()
    if not total:
        return
    yield from _shares(work, tally, total)
    if tally.longest is not None:
        longest = ", ".join(tally.longest_deals[:LISTED])
        more = len(tally.longest_deals) - LISTED
        yield (
            f"Tricks: median {tally.median}, longest {tally.longest} "
            f"({longest}{f' and {more} more' if more > 0 else ''})"
        )
    open_ones = bool(tally.outcomes[UNDECIDED])
    if tally.by_trumps:
        undecided = " undecided" if open_ones else ""
        yield f"Own trumps       won     drawn      lost{undecided}  share won"
    for trumps, outcomes in sorted(tally.by_trumps.items()):
        columns = (*OUTCOMES, *[UNDECIDED] * open_ones)
        counts = " ".join(f"{outcomes[outcome]:9,}" for outcome in columns)
        yield f"{trumps:10} {counts}  {outcomes['win'] / outcomes.total():9.2%}"
    if tally.slowest:
        slowest = ", ".join(f"{deal} {seconds:.3f} s" for deal, seconds in tally.slowest)
        yield f"Slowest to solve: {slowest}"
    if not tally.reproducible:
        yield "Not reproducible: searches were limited in time."


def _shares(work: Batch, tally: Summary, total: int) -> Iterator[str]:
    """Who wins how many."""
    won, drawn, lost = (tally.outcomes[outcome] for outcome in OUTCOMES)
    undecided = tally.outcomes[UNDECIDED]
    who = "The player to move" if work.listed else "The dealer"
    least = "at least " if undecided else ""
    share = f"{who} wins {least}{won:,} / {total:,} = {won / total:.4%}"
    if work.seed is not None:
        low, high = bounds(tally.outcomes)
        share += f" (95% interval {low:.2%} to {high:.2%})"
    share += f", loses {lost:,}, draws {drawn:,}"
    yield f"{share}, undecided {undecided:,}" if undecided else share
    if tally.estimated_share is not None:
        yield f"Estimate, not a proof: {who[0].lower()}{who[1:]} wins {tally.estimated_share:.1%}"
