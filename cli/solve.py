"""`challenge solve`: the exact value of deals and positions, as a picture, as text or as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import groupby
from typing import Any, BinaryIO

import click
from click.core import ParameterSource

from cli.errors import FAILED, UNDECIDED
from cli.input import read_lines
from cli.parameters import NODES, Choice, Seconds, Size, deck_option
from cli.picture import Picture
from cli.unpack import get_ready
from engine.cards import deck_name
from engine.errors import GameError
from engine.problem import read_problem
from engine.text import counted
from solver.complete.table import MissingTable
from solver.solution import Outcome, Solution
from solver.solver import DEFAULT_SECONDS, METHODS, Solver
from solver.tables import open_tables

LIMITS = {"--time": "max_seconds", "--memory": "max_memory", "--nodes": "max_nodes"}
"""Options -> what `Solver` calls them."""
REASONS = {
    "time": "the time was up",
    "memory": "the memory was full",
    "nodes": "the limit of nodes was reached",
    "tricks": "a win takes more tricks than a search tries, if there is one",
    "interrupt": "interrupted",
}
"""Why a search has ended without a result."""


class DashedArguments(click.Command):
    """A command whose arguments may be deals such as `-.AK`, which click takes for options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [f" {a}" if a.startswith("-.") else a for a in args])


@click.command(cls=DashedArguments)
@deck_option("The deck of a deal (default: easy).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one object a line.")
@click.option("--line", is_flag=True, help="Add a whole game with best play on both sides.")
@click.option(
    "--method",
    type=Choice(METHODS),
    default="auto",
    show_default=True,
    help="Look up a table or search; auto searches for decks without a table.",
)
@click.option(
    "--time",
    "max_seconds",
    type=Seconds(),
    default=DEFAULT_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="Stop the search for a position after so long; inf: no limit.",
)
@click.option(
    "--memory",
    "max_memory",
    type=Size(),
    default="1G",
    show_default=True,
    metavar="SIZE",
    help="Let a search take no more memory than this, such as 500M or 8G.",
)
@click.option(
    "--nodes",
    "max_nodes",
    type=NODES,
    metavar="N",
    help="Stop a search after so many nodes; without another limit, always with the same answer.",
)
@click.argument("problem", nargs=-1, metavar="DEAL|POSITION|-")
@click.pass_context
def solve(
    ctx: click.Context,
    /,
    deck: int | None,
    as_json: bool,
    line: bool,
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
    limits are for searches only.

    With -, deals and positions are read from standard input, one a line, and each answer is one
    line. Empty lines and comments, from # to the end of a line, are left out. Searches use what was
    proved for earlier lines of the same deck.

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
    solver = Solver(**how)
    if problem == ("-",):
        if sys.stdin is None:  # it is closed
            raise GameError("standard input is closed, expected deals or positions, one a line")
        check_effect(ctx, solver, deck, line)
        ctx.exit(solve_stream(sys.stdin.buffer, deck, as_json, line, solver))
    asked = read_problem(" ".join(problem), deck)
    check_effect(ctx, solver, asked.ranks, line)
    if line and solver.looks_up(asked.ranks):
        get_ready(asked.ranks)
    solution = solver.solve(asked, line=line)
    click.echo(as_object(solution, line) if as_json else "\n".join(describe(solution)))
    if solution.outcome == Outcome.UNDECIDED:
        ctx.exit(UNDECIDED)


def check_effect(ctx: click.Context, solver: Solver, ranks: int | None, line: bool) -> None:
    """Raise a usage error for an option that cannot have an effect.

    `ranks`: the deck; None for lines that may be of several decks.
    """
    searches = solver.method == "search" or bool(ranks and not solver.looks_up(ranks))
    looks_up = solver.method == "table" or bool(ranks and solver.looks_up(ranks))
    deck = deck_name(ranks) if ranks else "every deck"
    if line and searches:
        raise click.UsageError(f"--line takes a table, but {deck} is searched, expected no --line.")
    for option, name in LIMITS.items():
        if looks_up and ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{option} limits a search, but {deck} is looked up in a table, "
                f"expected no {option}, or --method search."
            )


def solve_stream(
    stream: BinaryIO, deck: int | None, as_json: bool, line: bool, solver: Solver
) -> int:
    """Answer each line of a stream as it comes; the exit status."""
    picture = Picture()
    status = 0
    for number, text in read_lines(stream):
        try:
            if isinstance(text, GameError):
                raise text
            problem = read_problem(text, deck)
            if line and solver.looks_up(problem.ranks):
                get_ready(problem.ranks)
            solution = solver.solve(problem, line=line)
        except (GameError, MissingTable) as error:
            if deck and isinstance(error, MissingTable):
                raise  # no line can be answered
            click.echo(f"line {number}: {error}", err=True)
            status = FAILED
            continue
        if as_json:
            click.echo(as_object(solution, line))
        else:
            click.echo(f"{problem}: {summary(solution, picture)}")
        if solution.effort and solution.effort.stopped == "interrupt":
            raise KeyboardInterrupt
        if solution.outcome == Outcome.UNDECIDED and not status:
            status = UNDECIDED
    return status


def as_object(solution: Solution, line: bool) -> str:
    """The solution as JSON; with `line`, a key for it even where no game can be given."""
    found = solution.to_dict()
    return json.dumps({"line": None, **found} if line and "line" not in found else found)


def verdict(solution: Solution) -> str:
    """Who wins, in how many tricks."""
    if solution.outcome == "undecided":
        return f"undecided, {REASONS[solution.effort.stopped]}"  # type: ignore[union-attr,index]
    if solution.winner is None:
        return "a draw, neither player can force a win"
    how = {None: "", 0: " at once"}.get(
        solution.distance, f" in {counted(solution.distance or 0, 'trick')}"
    )
    return f"player {solution.winner} wins{how}"


def summary(solution: Solution, picture: Picture) -> str:
    """The verdict, the best moves and the game, if there is one, on one line."""
    if solution.outcome == "undecided":
        return verdict(solution)
    text = f"{verdict(solution)}; best {picture.cards(solution.best)}"
    return text + (f"; line {picture.cards(solution.line)}" if solution.line else "")


def describe(solution: Solution) -> Iterator[str]:
    """The lines of a picture, the verdict, the moves that matter and the game, if there is one."""
    picture = Picture()
    yield from picture.position(solution.position)
    yield ""
    sentence = verdict(solution)
    yield click.style(f"{sentence[0].upper()}{sentence[1:]}.", bold=True)
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
        "undecided": "Not proved",
    }
    for outcome, label in labels.items():
        moves = [move.action for move in solution.moves if move.outcome == outcome]
        if outcome == "loss" and len(moves) == len(solution.moves):
            yield f"All {kind} lose."
        elif moves:
            yield f"{label}: {picture.cards(moves)}"
    effort = solution.effort
    assert effort is not None
    mebibytes = effort.memory / 2**20
    nodes = counted(effort.nodes, "node")
    yield f"\nSearched {nodes} in {solution.seconds:.1f} s and {mebibytes:.0f} MiB."
