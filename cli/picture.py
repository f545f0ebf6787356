"""Cards and games drawn for the terminal, with its colours and characters."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

import click

from engine.cards import SUIT_SYMBOLS, SUITS
from engine.observation import Pen
from engine.position import ChallengeAction, Position


class Picture(Pen):
    """Draws with suit symbols where standard output can show them, else with letters."""

    def __init__(self) -> None:
        try:
            f"{SUIT_SYMBOLS}·".encode(sys.stdout.encoding or "ascii")
            self.suits, self.gap = SUIT_SYMBOLS, "·"
        except (UnicodeEncodeError, LookupError):
            self.suits, self.gap = SUITS, "."

    def style(
        self, text: str, suit: int | None = None, bold: bool = False, dim: bool = False
    ) -> str:
        red = suit is not None and SUITS[suit] in "HD"
        return click.style(text, fg="red" if red else None, bold=bold or None, dim=dim or None)

    def width(self, text: str) -> int:
        return len(click.unstyle(text))

    def position(self, position: Position) -> Iterator[str]:
        """Both hands of a position of Challenge, and the cards on the table."""
        return position.observation(0).picture(self)

    def game(self, position: Position, line: Iterable[ChallengeAction]) -> Iterator[str]:
        """A game from `position` on, a turn of each player in a row, and how it ends.

        A turn is a card led, or a card that beats and the next lead, or a pickup. The numbers of
        cards are those at the start of the trick. Tricks are numbered as distances count them: the
        lead of a last card is none.
        """
        rows = [["Trick", "Cards", "Player 1", "Player 2"]]
        tricks: dict[Position, int] = {}
        turn: list[ChallengeAction] = []
        for action in line:
            player = position.turn
            if not turn:
                if position.is_base or not tricks:
                    tricks[position] = len(tricks) + 1
                    sizes = "-".join(str(len(hand)) for hand in position.hands)
                    only = position.is_base and len(position.hands[player - 1]) == 1
                    number = "" if only else len(tricks)
                    rows.append([f"{number:>5}", f"{sizes:>5}", "", ""])
                elif player == 1:
                    rows.append([""] * 4)
            turn.append(action)
            position = position.apply(action)
            if position.turn != player or position.winner:
                rows[-1][player + 1] = self.cards(turn)
                turn = []
        for margin, sizes, *cells in rows:
            yield f"{margin:5}  {sizes:5}  {self.columns(cells, 10)}"
        if position.winner:
            yield f"Player {position.winner} has played his last card and wins."
        else:
            yield f"This is the position before trick {tricks[position]}: play never ends."
