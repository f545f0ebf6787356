"""`challenge solve`: the exact value of deals and positions, as a picture, as text or as JSON."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from itertools import groupby
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from cli.errors import FAILED, UNDECIDED
from cli.input import read_lines
from cli.limits import check_effect, limit_options
from cli.parameters import JOBS, deck_option
from cli.picture import Picture
from cli.progress import Status
from cli.unpack import get_ready
from engine.deals import Deal
from engine.errors import GameError
from engine.position import Position
from engine.problem import Line, read_problem
from engine.text import counted, one_line
from solver.complete.table import MissingTable
from solver.single.estimate import Estimate, percent
from solver.solution import Outcome, Solution
from solver.solver import DEFAULT_SECONDS, Solver
from solver.tables import open_tables

if TYPE_CHECKING:
    from solver.single.run import Looking

AHEAD = 4
"""Lines read ahead for every process."""

REASONS = {
    "memory": "the memory was full",
    "nodes": "the limit of nodes was reached",
    "tricks": "a win takes more tricks than a search tries, if there is one",
    "interrupt": "interrupted",
}
"""Why a search has ended without a result."""
BEST_LOOKING = 5
"""Undecided moves that people are shown."""
LIKELY_DRAW = 0.01
"""The least chance of a draw that people are told."""


class DashedArguments(click.Command):
    """A command whose arguments may be deals such as `-.AK`, which click takes for options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [f" {a}" if a.startswith("-.") else a for a in args])


@click.command(cls=DashedArguments)
@deck_option("The deck of a deal (default: easy).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one object a line.")
@click.option("--line", is_flag=True, help="Add a whole game with best play on both sides.")
@limit_options(DEFAULT_SECONDS)
@click.option("--jobs", type=JOBS, default=1, help="Number of processes for lines (default: 1).")
@click.argument("problem", nargs=-1, metavar="DEAL|POSITION|-")
@click.pass_context
def solve(
    ctx: click.Context,
    /,
    deck: int | None,
    as_json: bool,
    line: bool,
    jobs: int,
    problem: tuple[str, ...],
    **how: Any,
) -> None:
    """Who wins a deal or a position, in how many tricks, and how.

    A DEAL is the dealer's cards in his trump suit and in his second suit: KQJ.JT9. His trumps are
    spades, his second suit is hearts; the other player's trumps are diamonds. A dash stands for no
    cards.

    A POSITION has six fields, RANKS HAND1 HAND2 TRUMPS TURN TOP: ranks in the deck, both hands as
    spades.hearts.diamonds.clubs, both trump suits, who acts (1 or 2), and the card that he faces,
    or - if he leads. The other cards are on the table.

    Tricks are counted from the current one to the end, when the winner hurries and the loser
    delays. The lead of an only card on an empty table is not counted.

    A search proves who wins, but not in how many tricks, so it has no --line. The answer is
    "undecided" when nothing was proved within --time, --memory and --nodes, or before Ctrl-C; these
    limits are for searches only. On a terminal you see how far it is: the tricks that it looks
    ahead, nodes, facts that it has proved or failed to, memory, and the time left.

    With -, deals and positions are read from standard input, one a line, and each answer is one
    line. Empty lines and comments, from # to the end of a line, are left out. Searches use what was
    proved for earlier lines of the same deck; with --jobs each process does so by itself, in as
    much memory. With --json every object has the line it answers, "line_number" and "input", and
    a line that is bad has an object with "error".

    \b
    Examples:
      challenge solve KQJ.JT9
      challenge solve --deck advanced --time 10 AKQJT98765.-
      challenge solve --line 3 AK.Q.AK.Q Q.AK.-.AK SD 2 QD
      challenge deal --count 100 | challenge solve --json -

    \b
    Exit status:
      0    solved
      1    some lines of standard input were bad, the others are solved
      2    bad input
      3    there is no table for this deck (only with --method table)
      4    undecided, also when Ctrl-C has ended the search for a single position
      130  interrupted, while reading lines or before a search
    """
    if not problem:
        raise click.UsageError(
            "Missing argument, expected a deal such as KQJ.JT9, a position, "
            "or - to read them from standard input."
        )
    status = Status()
    solver = Solver(**how, watch=lambda at: status.show(look(at)))
    if problem == ("-",):
        if sys.stdin is None:  # it is closed
            raise GameError("standard input is closed, expected deals or positions, one a line")
        check(ctx, solver, deck, line)
        with contextlib.ExitStack() as stack:
            lines = answers(sys.stdin.buffer, deck, line, solver, status)
            if jobs > 1:
                lines = stack.enter_context(shared(sys.stdin.buffer, deck, line, solver, how, jobs))
            code = tell(lines, deck, as_json, line)
        ctx.exit(code)
    if jobs > 1:
        raise click.UsageError("--jobs is for lines of standard input, expected - or no --jobs.")
    asked = read_problem(" ".join(problem), deck)
    check(ctx, solver, asked.ranks, line)
    if line and solver.looks_up(asked.ranks):
        get_ready(asked.ranks)
    solution = solver.solve(asked, line=line)
    status.clear()
    text = json.dumps(as_object(solution, line)) if as_json else "\n".join(describe(solution))
    click.echo(text)
    if solution.outcome == Outcome.UNDECIDED:
        ctx.exit(UNDECIDED)


def check(ctx: click.Context, solver: Solver, ranks: int | None, line: bool) -> None:
    """Raise a usage error for an option that cannot have an effect; `ranks`: see `check_effect`."""
    searches = solver.method == "search" or bool(ranks and not solver.looks_up(ranks))
    looks_up = solver.method == "table" or bool(ranks and solver.looks_up(ranks))
    check_effect(ctx, looks_up, searches, ranks, "--line" if line else None)


Answer = tuple[Line, Deal | Position | None, Solution | Exception]
"""A line, what it asks, and the answer or what is wrong with the line."""


def read(line: Line, deck: int | None, solver: Solver, game: bool) -> Deal | Position:
    """What a line asks; with `game`, tables are ready for one. Raises GameError."""
    if line.error:
        raise line.error
    problem = read_problem(line.text, deck)
    if game and solver.looks_up(problem.ranks):
        get_ready(problem.ranks)
    return problem


def look(at: Looking) -> str:
    """How far a search is, for people."""
    text = (
        f"looking {counted(at.tricks, 'trick')} ahead, {counted(at.nodes, 'node')}, "
        f"{counted(at.facts, 'fact')}, {at.memory >> 20:,} MiB"
    )
    return text if at.seconds_left is None else f"{text}, {at.seconds_left:.0f} s left"


def answers(
    stream: BinaryIO, deck: int | None, game: bool, solver: Solver, status: Status
) -> Iterator[Answer]:
    """The answers to the lines of a stream as they come, in this process."""
    for line in read_lines(stream):
        problem = None
        try:
            problem = read(line, deck, solver, game)
            solution = solver.solve(problem, line=game)
            status.clear()
            yield line, problem, solution
        except (GameError, MissingTable) as error:
            yield line, problem, error


@contextlib.contextmanager
def shared(
    stream: BinaryIO, deck: int | None, game: bool, solver: Solver, how: dict[str, Any], jobs: int
) -> Iterator[Iterator[Answer]]:
    """`answers` by several processes, in the order of the lines, each as soon as it is known.

    A thread reads ahead, by a few lines for every process.
    """
    from solver.study.workers import solvers

    Pending = tuple[Line, Deal | Position | None, Any]
    waiting: queue.Queue[Pending | BaseException | None] = queue.Queue(AHEAD * jobs)

    def read_ahead() -> None:
        try:
            for line in read_lines(own_stream(stream)):
                try:
                    problem = read(line, deck, solver, game)
                    waiting.put((line, problem, ask(problem, game)))
                except (GameError, MissingTable) as error:
                    waiting.put((line, None, error))
        except BaseException as error:  # raised where answers are taken
            waiting.put(error)
        else:
            waiting.put(None)

    def taken() -> Iterator[Answer]:
        while (pending := waiting.get()) is not None:
            if isinstance(pending, BaseException):
                raise pending
            line, problem, answer = pending
            try:
                yield line, problem, answer if problem is None else answer.result()
            except (GameError, MissingTable) as error:
                yield line, problem, error

    try:
        with solvers(jobs, **how) as ask:
            threading.Thread(target=read_ahead, daemon=True).start()
            yield taken()
    except BrokenExecutor:
        raise click.ClickException("worker processes have died (out of memory?)") from None


def own_stream(stream: BinaryIO) -> BinaryIO:
    """A stream for a thread that may be left waiting for it, which must not keep Python running."""
    try:
        return open(os.dup(stream.fileno()), "rb")
    except OSError:  # no file, but something that does not wait
        return stream


def tell(answered: Iterator[Answer], deck: int | None, as_json: bool, line: bool) -> int:
    """Print answers as they come; the exit status."""
    picture = Picture()
    status = 0
    for where, problem, solution in answered:
        place = {"line_number": where.number, "input": one_line(where.text)}
        if isinstance(solution, Exception):
            if deck and isinstance(solution, MissingTable):
                raise solution  # no line can be answered
            click.echo(f"line {where.number}: {solution}", err=True)
            if as_json:
                click.echo(json.dumps(place | {"error": one_line(str(solution))}))
            status = FAILED
            continue
        if as_json:
            click.echo(json.dumps(place | as_object(solution, line)))
        else:
            click.echo(f"{problem}: {summary(solution, picture)}")
        if solution.effort and solution.effort.stopped == "interrupt":
            raise KeyboardInterrupt
        if solution.outcome == Outcome.UNDECIDED and not status:
            status = UNDECIDED
    return status


def as_object(solution: Solution, line: bool) -> dict[str, Any]:
    """The solution for JSON; with `line`, a key for it even where no game can be given."""
    found = solution.to_dict()
    return {"line": None, **found} if line and "line" not in found else found


def verdict(solution: Solution) -> str:
    """Who wins, in how many tricks."""
    if solution.effort and solution.effort.stopped == "time":
        return f"undecided after {solution.seconds:.3g} s"
    if solution.effort and solution.effort.stopped:
        return f"undecided, {REASONS[solution.effort.stopped]}"
    if solution.winner is None:
        return "a draw, neither player can force a win"
    how = {None: "", 0: " at once"}.get(
        solution.distance, f" in {counted(solution.distance or 0, 'trick')}"
    )
    return f"player {solution.winner} wins{how}"


def likely(guess: Estimate, player: int) -> str:
    """An estimate for `player` in words, for the player who more likely wins."""
    if guess.win < guess.loss:
        guess, player = guess.turned(), 3 - player
    draw = f", a draw {percent(guess.draw)}" if guess.draw >= LIKELY_DRAW else ""
    return f"estimate, not a proof: player {player} wins, {percent(guess.win)}{draw}"


def summary(solution: Solution, picture: Picture) -> str:
    """The verdict, the best moves and the game, if there is one, on one line."""
    if solution.estimate:
        return f"{verdict(solution)}; {likely(solution.estimate, solution.to_move)}"
    text = f"{verdict(solution)}; best {picture.cards(solution.best)}"
    return text + (f"; line {picture.cards(solution.line)}" if solution.line else "")


def describe(solution: Solution) -> Iterator[str]:
    """The lines of a picture, the verdict, the moves that matter and the game, if there is one."""
    picture = Picture()
    yield from picture.position(solution.position)
    yield ""
    sentence = verdict(solution)
    sentence = f"{sentence[0].upper()}{sentence[1:]}."
    if solution.estimate:
        found = likely(solution.estimate, solution.to_move)
        sentence += f" {found[0].upper()}{found[1:]}."
    yield click.style(sentence, bold=True)
    kind = "moves" if solution.position.top else "leads"
    if solution.effort:
        yield from _found(solution, kind, picture)
        return
    if solution.outcome == "win":
        yield f"Winning {kind}:"
        winning = [move for move in solution.moves if move.outcome == "win"]
        for distance, moves in groupby(winning, key=lambda move: move.distance):
            label = {None: "", 0: "at once  "}.get(distance, f"in {distance!s:<3}   ")
            yield f"  {label}{picture.cards(move.action for move in moves)}"
        if solution.measure == "progress":
            yield f"Most progress: {picture.cards(solution.best)}"
    elif solution.outcome == "loss" and not solution.measure:
        yield f"All {kind} lose."
    else:
        resistance = "Longest resistance" if solution.measure == "distance" else "Most resistance"
        label = f"Drawing {kind}" if solution.outcome == "draw" else resistance
        yield f"{label}: {picture.cards(solution.best)}"
    if solution.outcome != "draw" and not solution.measure:
        yield f"\n{_without_progress(solution.position.ranks)}"
    if solution.line is not None:
        yield ""
        yield from picture.game(solution.position, solution.line)


def _without_progress(ranks: int) -> str:
    """How to find out which moves get on towards the end."""
    if open_tables().deck(ranks).packed:
        return (
            "Which move brings the end nearer, and a game, are shown with --line: at first it "
            f"unpacks progress,\nas `challenge table unpack --ranks {ranks}` does."
        )
    time = "minutes" if ranks <= 7 else "hours"
    return (
        "Which move brings the end nearer is not known, so no game can be shown. For this,"
        f"\n`challenge table build --ranks {ranks}` makes a table of progress, in {time}."
    )


def _found(solution: Solution, kind: str, picture: Picture) -> Iterator[str]:
    """What a search has proved of the moves, and what it took."""
    labels = {
        "win": f"Winning {kind}",
        "draw": f"Drawing {kind}",
        "loss": f"Losing {kind}",
    }
    for outcome, label in labels.items():
        moves = [move.action for move in solution.moves if move.outcome == outcome]
        if outcome == "loss" and len(moves) == len(solution.moves):
            yield f"All {kind} lose."
        elif moves:
            yield f"{label}: {picture.cards(moves)}"
    guesses = [
        f"{picture.cards([move.action])} {percent(move.estimate.win)}"
        for move in solution.moves
        if move.estimate
    ]
    if guesses:
        more = f" and {len(guesses) - BEST_LOOKING} more" if len(guesses) > BEST_LOOKING else ""
        yield f"Not proved, likely to win: {', '.join(guesses[:BEST_LOOKING])}{more}"
    effort = solution.effort
    assert effort is not None
    mebibytes = effort.memory / 2**20
    nodes = counted(effort.nodes, "node")
    yield f"\nSearched {nodes} in {solution.seconds:.1f} s and {mebibytes:.0f} MiB."
