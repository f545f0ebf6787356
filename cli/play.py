"""`challenge play`: games and matches between people and programs."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import click

from cli.board import Board
from cli.files import FILE, check_plain, force_option
from cli.human import Human, Quit
from cli.parameters import COUNT, GAME, SEED, option_option, players_option
from cli.seats import has_people, numbered, parse_options, seat_players
from engine.arena import record as records
from engine.arena.match import Match
from engine.arena.play import Play, taking_turns
from engine.game import Game, State, load_game
from engine.players.player import Player

NOTHING: Mapping[str, Any] = MappingProxyType({})
MOST_DRAWS = 100
"""After this many deals in a row without points a match is drawn."""


@click.command()
@click.argument("game", type=GAME)
@players_option("One per seat (default: human, greedy …).")
@option_option
@click.option(
    "--seed",
    type=SEED,
    help="Repeat the same deals and choices of programs (default: new ones each time).",
)
@click.option(
    "--deals",
    type=COUNT,
    help="Number of deals, with consecutive seeds (default: 1).",
)
@click.option("--match", "is_match", is_flag=True, help="Play a match by the rules of the game.")
@click.option("--target", metavar="N", help="The score that ends the match.")
@click.option("--quiet", is_flag=True, help="Print only the results.")
@click.option(
    "--record",
    "file",
    type=FILE,
    metavar="FILE",
    help="Record the games in a file for challenge replay.",
)
@force_option
def play(
    game: str,
    specs: str | None,
    pairs: tuple[str, ...],
    seed: int | None,
    deals: int | None,
    is_match: bool,
    target: str | None,
    quiet: bool,
    file: Path | None,
    force: bool,
) -> None:
    """Play GAME. To list games, their options and players: challenge games.

    Games between programs are printed move by move, with all hands open.

    \b
    Examples:
      challenge play challenge --option ranks=standard
      challenge play kozel --players human,greedy,pimc,greedy --match
      challenge play hund --players greedy,greedy,greedy,random --deals 10 --quiet --seed 1
    """
    if is_match and deals:
        raise click.UsageError("--deals and --match cannot be used together")
    if target and not is_match:
        raise click.UsageError("--target needs --match")
    options = parse_options(pairs)
    rules = load_game(game, **options)
    specs = specs or ",".join(["human"] + ["greedy"] * (rules.players - 1))
    if has_people(specs):
        options = {**rules.at_the_table, **options}
        rules = load_game(game, **options)
    names, players = seat_players(specs, rules)
    seed = random.randrange(10**6) if seed is None else seed
    try:
        with _new_file(file, force) if file else nullcontext() as stream:
            table = Table(names, players, rules, options, quiet, stream)
            match = Match.start(rules, seed, target)
            if is_match:
                table.play_match(match)
            else:
                table.play_deals(match, deals or 1)
    except Quit:
        click.echo("Stopped; nothing is recorded." if file else "Stopped.")


def _new_file(path: Path, force: bool) -> AbstractContextManager[BinaryIO]:
    from solver.core.files import check_new, whole_file  # not needed for playing

    check_plain(path)
    check_new(path, force)
    return whole_file(path)


class Table:
    """The players around a table."""

    def __init__(
        self,
        names: Sequence[str],
        players: Sequence[Player],
        game: Game,
        options: Mapping[str, Any],
        quiet: bool,
        stream: BinaryIO | None,
    ) -> None:
        """`stream` gets the playthroughs."""
        self.names = names
        self.players = players
        self.game = game
        self.options = options
        self.quiet = quiet
        self.stream = stream
        self._board = Board()
        people = [player for player in players if isinstance(player, Human)]
        for person in people:
            person.alone = len(people) == 1
        self._public = bool(people)

    def play_match(self, match: Match) -> None:
        """Play until the match is over, or nobody has scored for long."""
        without_points = 0
        names = numbered(self.names, "seat")
        while not match.over and without_points < MOST_DRAWS:
            self._board.start_of_deal(match, names)
            # Options that change during a match: the dealer, trumps once agreed.
            changed = {
                key: value
                for key, value in match.game.options.items()
                if key == "dealer" or value != self.game.options[key]
            }
            final = self.play_deal(
                match.game, match.deal_seed, match.seats, changed, records.match_fields(match)
            )
            scored = match.scores
            match = match.after(final)
            without_points = without_points + 1 if match.scores == scored else 0
            self._board.scores(match, names)
        if not match.over:
            click.echo(f"The match is drawn: no points in {MOST_DRAWS} deals in a row.")

    def play_deals(self, match: Match, deals: int) -> None:
        """Play deals that do not count for a match, with consecutive seeds.

        Where people cut for the deal, it alternates; else it goes by the game and the seed.
        """
        dealer = match.dealer
        cuts = self._public and bool(match.cut)
        if cuts:
            self._board.cut(match.cut, numbered(self.names, "seat"))
        for number in range(deals):
            seats = self.game.seats(dealer) if cuts else range(1, self.game.players + 1)
            heading = records.seat_fields(seats, match.cut) if cuts and not number else NOTHING
            final = self.play_deal(self.game, match.seed + number, seats, heading=heading)
            dealer = self.game.next_dealer(dealer, final)

    def play_deal(
        self,
        game: Game,
        seed: int,
        seats: Sequence[int],
        options: Mapping[str, Any] = NOTHING,
        heading: Mapping[str, Any] = NOTHING,
    ) -> State:
        """Play one deal, its players on these seats; the final state.

        `options` are set besides those of the table; `heading` goes into the record.
        """
        names = [self.names[seat - 1] for seat in seats]
        play = Play(game, game.initial(seed))
        choose = taking_turns([self.players[seat - 1] for seat in seats], seed)
        taken = iter(
            self._board.show(play, choose, seed, numbered(names), self._public, self.quiet)
        )
        if self.stream:
            header = records.header(
                game.name, {**self.options, **options}, seed, players=",".join(names), **heading
            )
            gap = "\n" if self.stream.tell() else ""
            text = records.write(header, lambda _: next(taken))
            self.stream.write(f"{gap}{text}".encode())
        return play.state
