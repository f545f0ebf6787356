"""A player at the terminal."""

from __future__ import annotations

import random
import shutil
import sys
from typing import Any

import click

from cli.board import Board
from engine.errors import GameError
from engine.game import Action, Game, State
from engine.observation import Pen
from engine.players.pimc import Pimc
from engine.players.player import Player
from engine.position import Position
from engine.text import number_in

COMMANDS = {
    "undo": "take back your last choice, until the next player acts",
    "hint": "which move is best",
    "?": "this help",
    "q": "stop playing",
}
SAMPLES = 20


class Quit(Exception):
    """The person stops playing."""


class Undo(Exception):
    """The person takes an action back."""


class Human(Player):
    """A person at the terminal, who plans a whole turn and may take it back."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.alone = True
        """Whether nobody else looks at this terminal."""
        self._board = Board()
        self._plan: dict[State, Action] = {}

    def choose(self, state: State, rng: random.Random) -> Action:
        """The next action of the turn that the person has planned. Raises Quit.

        Alone at the terminal, he is not asked where he has no choice and nobody notices it. Among
        others he is, for they would notice that he is not.
        """
        only, *others = state.legal_actions()
        if self.alone and not others and state.phrase(only, Pen(), True) is None:
            return only
        if state not in self._plan:
            self._plan = self._turn(state)
        return self._plan.pop(state)

    def _turn(self, state: State) -> dict[State, Action]:
        """The actions of one turn.

        A turn ends when the next player acts, or when the person would see something new, which
        cannot be taken back.
        """
        player = state.current_player
        others = [p for p in range(1, self.game.players + 1) if p != player]
        seen = state.information_state_string(player)
        hides = not self.alone and any(state.information_state_string(p) != seen for p in others)
        if hides:
            _prompt(f"Player {player}, press Enter when nobody else is looking: ")
        chosen: list[tuple[State, Action]] = []
        ended = False
        while True:
            try:
                if ended:
                    labels = ", then ".join(self._board.label(*step) for step in chosen)
                    click.echo(f"You play {labels}.")
                    while self._answer(state, "Enter to go on, or undo: "):
                        pass
                    break
                action = self._ask(state)
            except Undo:
                if chosen:
                    state, _ = chosen.pop()
                    ended = False
                else:
                    click.echo("There is nothing to take back in this turn.")
                continue
            chosen.append((state, action))
            after = state.apply(action)
            ended = after.current_player != player or _is_new(state, action)
            if not ended:
                state = after
        if hides:
            click.clear()
        return dict(chosen)

    def _ask(self, state: State) -> Action:
        """An action. Raises Undo, Quit."""
        actions = state.legal_actions()
        click.echo()
        for line in self._board.state(state, state.current_player):
            click.echo(line)
        labels = [self._board.label(state, action) for action in actions]
        self._list([f"{number:2} {label}" for number, label in enumerate(labels, start=1)])
        while True:
            task = state.task(self._board.picture)
            answer = self._answer(state, f"Player {state.current_player}, {task}: ")
            number = number_in(answer, range(1, len(actions) + 1))
            if number:
                return actions[number - 1]
            try:
                return state.parse_action(answer)
            except GameError as error:
                click.echo(f"{error if answer else 'Type a move'} (? for help)")

    def _list(self, cells: list[str]) -> None:
        """Print the moves in columns."""
        width = max(len(click.unstyle(cell)) for cell in cells) + 3
        columns = max(1, shutil.get_terminal_size().columns // width)
        for first in range(0, len(cells), columns):
            row = cells[first : first + columns]
            padded = (cell + " " * (width - len(click.unstyle(cell))) for cell in row)
            click.echo("".join(padded).rstrip())

    def _answer(self, state: State, question: str) -> str:
        """What the person answers, unless it is a command. Raises Undo, Quit."""
        while True:
            answer = _prompt(question)
            if answer in ("u", "undo"):
                raise Undo
            if answer in ("?", "help"):
                click.echo(self._help())
            elif answer == "hint" or (answer == "h" and not _is_legal(state, answer)):
                click.echo(self._hint(state))
            else:
                return answer

    def _help(self) -> str:
        """The rules in brief, and what may be typed."""
        moves = "Type the number of a move, or the move itself, such as:"
        entries = {**self.game.examples, "": "", **COMMANDS}
        lines = (f"  {name:12}{meaning}".rstrip() for name, meaning in entries.items())
        usual = type(self.game)().options
        options = [f"{k}={v}" for k, v in self.game.options.items() if v != usual[k]]
        changed = [f"Played with other options: {', '.join(options)}.\n"] if options else []
        return "\n".join(("", self.game.rules, *changed, moves, *lines, ""))

    def _hint(self, state: Any) -> str:
        """What the solver says of every move; where it cannot, what a program would play."""
        if isinstance(state, Position):
            from cli.unpack import get_ready
            from solver.complete.table import TableError
            from solver.search_player import SearchPlayer  # not needed for other games

            try:
                get_ready(state.ranks)
                return SearchPlayer(self.game).hint(state)
            except TableError:
                pass  # its files are broken
        action = Pimc(self.game).choose(state, random.Random(0))
        return f"The player pimc would play {self._board.label(state, action)}."


def _is_legal(state: State, text: str) -> bool:
    try:
        state.parse_action(text)
    except GameError:
        return False
    return True


def _is_new(state: State, action: Action) -> bool:
    """Whether the current player would see something after `action` that he cannot foresee now."""
    player, rng = state.current_player, random.Random(0)
    samples = (state.sample(player, rng) for _ in range(SAMPLES))
    seen = {s.apply(action).observation(player) for s in (state, *samples)}
    return len(seen) > 1


def _prompt(question: str) -> str:
    """A line from the terminal, in lower case. Raises Quit for `q` and at the end of the input."""
    if sys.stdin is None:
        raise GameError("standard input is closed, expected it open, or --players without human")
    try:
        answer: str = click.prompt(question, default="", show_default=False, prompt_suffix="")
    except click.Abort:
        raise Quit from None
    answer = answer.strip().lower()
    if answer in ("q", "quit"):
        raise Quit
    return answer
