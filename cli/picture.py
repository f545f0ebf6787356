"""Hands, cards and whole games drawn for the terminal, in its colours and with its characters."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

import click

from engine.cards import RANKS, SUIT_SYMBOLS, SUITS, Card, in_order
from engine.position import ChallengeAction, Position


class Picture:
    """Draws with suit symbols where standard output can show them, else with letters."""

    def __init__(self) -> None:
        try:
            f"{SUIT_SYMBOLS}·".encode(sys.stdout.encoding or "ascii")
            self.suits, self.gap = SUIT_SYMBOLS, "·"
        except (UnicodeEncodeError, LookupError):
            self.suits, self.gap = SUITS, "."

    def cards(self, actions: Iterable[ChallengeAction]) -> str:
        """Cards and pickups, with spaces between them."""
        return " ".join(
            _colour(action.suit, RANKS[14 - action.rank] + self.suits[action.suit])
            if isinstance(action, Card)
            else action
            for action in actions
        )

    def position(self, position: Position) -> Iterator[str]:
        """Both hands side by side, a column for each rank, and the cards on the table."""
        width = 2 + max(len("Player 1 faces 9D"), len("♠  trumps") + 2 * position.ranks)
        for row in (self._heading, *[lambda *at, s=s: self._holding(s, *at) for s in range(4)]):
            yield _columns((row(position, player) for player in (1, 2)), width)
        if position.table:
            table = in_order(position.table)
            yield f"On the table: {self.cards(table)}"

    def _heading(self, position: Position, player: int) -> str:
        name = click.style(f"Player {player}", bold=True)
        if player != position.turn:
            return name
        return name + (f" faces {self.cards([position.top])}" if position.top else " leads")

    def _holding(self, suit: int, position: Position, player: int) -> str:
        """One suit of a hand."""
        trump = position.trumps[player - 1] == suit
        cards = (
            _colour(suit, RANKS[14 - rank], bold=trump)
            if Card(suit, rank) in position.hands[player - 1]
            else click.style(self.gap, dim=True)
            for rank in range(14, 14 - position.ranks, -1)
        )
        return " ".join((_colour(suit, self.suits[suit]), *cards, " trumps" if trump else ""))

    def game(self, position: Position, line: Iterable[ChallengeAction]) -> Iterator[str]:
        """A game from `position` on, a turn of each player in a row, and how it ends.

        A turn is a card led, or a card that beats and the next lead, or a pickup. The numbers of
        cards are those at the start of the trick. Tricks are numbered as distances count them: the
        lead of an only card is none.
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
            yield f"{margin:5}  {sizes:5}  {_columns(cells, 10)}"
        if position.winner:
            yield f"Player {position.winner} has played his last card and wins."
        else:
            yield f"This is the position before trick {tricks[position]}: play is endless."


def _colour(suit: int, text: str, bold: bool = False) -> str:
    return click.style(text, fg="red" if SUITS[suit] in "HD" else None, bold=bold or None)


def _columns(cells: Iterable[str], width: int) -> str:
    """Cells side by side, each as wide as `width` on the screen."""
    return "".join(cell + " " * (width - len(click.unstyle(cell))) for cell in cells).rstrip()
