"""Any game at the terminal, as it goes: what one player may see, or everything for a spectator."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

import click

from cli.picture import Picture
from engine.arena.match import Match
from engine.arena.play import LIMIT, REPETITION, Play, steps
from engine.cards import Card
from engine.game import Action, State


class Board:
    """Draws states, actions and results."""

    def __init__(self) -> None:
        self.picture = Picture()

    def state(self, state: State, viewer: int | None) -> Iterator[str]:
        """What the player `viewer` may see, everything if he is None."""
        return state.observation(viewer or 0).picture(self.picture)

    def label(self, state: State, action: Action) -> str:
        """The text form of an action with its cards drawn."""
        return state.label(action, self.picture)

    def show(
        self,
        play: Play,
        choose: Callable[[State], Action],
        seed: int,
        names: Sequence[str],
        public: bool = False,
        quiet: bool = False,
    ) -> list[Action]:
        """Play a deal to its end and print it as it goes, or only its result; the actions taken.

        `public` leaves out what not everybody sees.
        """
        taken = []
        numbers = itertools.count(1)
        if not quiet:
            dealer = names[play.state.dealer - 1]
            click.echo(f"\n{play.game.name}, seed {seed}: {dealer} deals")
            if not public:
                click.echo("\n".join(self.state(play.state, None)))
        for state, action in steps(play, choose):
            taken.append(action)
            if quiet:
                continue
            # Only what is noticed gets a number: a gap would tell of a secret pass.
            if phrase := state.phrase(action, self.picture, public):
                click.echo(f"{next(numbers):4}. {names[state.current_player - 1]} {phrase}")
            if news := state.news(play.state, names):
                click.echo(f"      {news}")
        click.echo(f"Seed {seed}: {self._result(play, names)}.")
        return taken

    def cut(self, rounds: Iterable[Sequence[Card]], names: Sequence[str]) -> None:
        """Print what has been cut for the deal; names are those of seats."""
        for cut in rounds:
            cards = zip(names, map(self.picture.card, cut), strict=True)
            click.echo(f"{', '.join(f'{name} cuts {card}' for name, card in cards)}.")

    def start_of_deal(self, match: Match, names: Sequence[str]) -> None:
        """Print who deals in a match; names are those of seats."""
        self.cut(match.cut, names)
        click.echo(f"Deal {match.deals + 1}: {names[match.dealer - 1]} deals.")

    def scores(self, match: Match, names: Sequence[str]) -> None:
        """Print the scores of a match, and how it has ended if it has."""
        scores = (f"{name} {score}" for name, score in zip(names, match.scores, strict=True))
        click.echo(f"Scores: {', '.join(scores)}")
        if match.over:
            won, lost = (
                " and ".join(names[seat - 1] for seat in seats)
                for seats in (match.winners, match.losers)
            )
            click.echo(f"The match is won by {won}, lost by {lost}.")

    def _result(self, play: Play, names: Sequence[str]) -> str:
        """How a game has ended."""
        returns = play.returns()
        if play.end == LIMIT and not any(returns):
            return f"a draw after {play.actions} actions"
        if play.end == REPETITION:
            return "a draw: the same position has come up for the third time"
        scores = (f"{name} {value:+.3g}" for name, value in zip(names, returns, strict=True))
        text = ", ".join(scores) if any(returns) else "a draw"
        more = f"cut off after {play.actions} actions" if play.end == LIMIT else play.state.result()
        return "; ".join(filter(None, (text, more)))
