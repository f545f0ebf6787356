"""Any game drawn for the terminal: what one player may see, or everything for a spectator.

Games with hidden hands are drawn from `State.information_state_string` and nothing else, so that a
picture cannot show more than a player has seen.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from cli.picture import Picture
from engine.arena.play import FINISHED, LIMIT, Play, steps
from engine.cards import PICKUP, SUIT_NAMES, SUITS, Card, in_order
from engine.game import Action, State
from engine.games.fields import NONE, items
from engine.games.kozel import PASS, KozelState
from engine.games.kozel_tricks import LEAD, Group
from engine.games.pile import BEAT, PileState
from engine.notation import parse_card, parse_hand
from engine.position import Position


class Board:
    """Draws states, actions and results."""

    def __init__(self) -> None:
        self.picture = Picture()

    def state(self, state: State, viewer: int | None) -> Iterator[str]:
        """What the player `viewer` may see, everything if he is None."""
        if isinstance(state, Position):
            yield from self.picture.position(state)
            return
        text = str(state) if viewer is None else state.information_state_string(viewer)
        fields = dict(field.split("=", 1) for field in text.split())
        yield from self._pile(fields) if "pile" in fields else self._kozel(fields)

    def label(self, state: State, action: Action) -> str:
        """The text form of an action with its cards drawn."""
        return self._cards(state.action_to_string(action))

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
            click.echo(f"\n{play.game.name}, seed {seed}")
            if not public:
                click.echo("\n".join(self.state(play.state, None)))
        for state, action in steps(play, choose):
            taken.append(action)
            if not quiet:
                name = names[state.current_player - 1]
                for line in self._events(numbers, name, state, action, play.state, public):
                    click.echo(line)
        click.echo(f"Seed {seed}: {self._result(play, names)}.")
        return taken

    def _phrase(self, state: Any, action: Action, after: Any, public: bool) -> str | None:
        """What the current player does; None if it shall not be noticed.

        `public` leaves out what only he knows.
        """
        place = state.current_player - 1
        if action == PICKUP:
            count = len(after.hands[place]) - len(state.hands[place])
            return f"picks up {count} card{'s' * (count > 1)}"
        if isinstance(action, Card):
            beats = state.top if isinstance(state, Position) else state.phase == BEAT
            return f"{'beats with' if beats else 'leads'} {self.picture.cards([action])}"
        if isinstance(action, Group):
            cards = self.picture.cards(action.cards)
            if state.phase == LEAD:
                return f"leads {cards}"
            if action.up:
                return f"takes over with {cards}"
            return f"puts down {f'{len(action.cards)} face down' if public else f'({cards})'}"
        if action in SUIT_NAMES:
            return f"chooses {action}"
        if action == PASS:
            return None if public else "does not declare"
        return f"declares {action}: {self.picture.cards(state.hands[place])}"

    def _events(
        self,
        numbers: Iterator[int],
        name: str,
        state: Any,
        action: Action,
        after: Any,
        public: bool,
    ) -> Iterator[str]:
        """What happens when the current player, called `name`, acts.

        Only what is noticed gets one of the `numbers`: a gap would tell of a secret pass.
        """
        if phrase := self._phrase(state, action, after, public):
            yield f"{next(numbers):4}. {name} {phrase}"
        if isinstance(state, PileState) and state.turn in after.out:
            yield f"      {name} is out"
        if isinstance(state, KozelState) and len(after.tricks) > len(state.tricks):
            yield f"      player {after.tricks[-1].winner} takes the trick"

    def _result(self, play: Play, names: Sequence[str]) -> str:
        """How a game has ended."""
        if play.end == LIMIT:
            return f"a draw after {play.actions} actions"
        if play.end != FINISHED:
            return "a draw, the same position has come up for the third time"
        returns = play.returns()
        scores = (f"{name} {value:+.3g}" for name, value in zip(names, returns, strict=True))
        text = ", ".join(scores) if any(returns) else "a draw"
        if isinstance(play.state, KozelState):
            text += "; {} points to {}".format(*play.state.points())
        return text

    def _pile(self, fields: dict[str, str]) -> Iterator[str]:
        known = fields["known"].split("/")
        trumps = fields["trumps"].split("/")
        for seat, hand in self._hands(fields):
            own = re.sub(f"[{SUITS}]", self._suit, trumps[seat - 1])
            sure = f"   known: {self._hand(known[seat - 1])}" if known[seat - 1] != NONE else ""
            yield f"{self._name(fields, seat)}  {own:2}  {hand}{sure}"
        pile = fields["pile"].split(",")[::-1]
        unseen = pile.count("?")
        seen = self._cards(" ".join(pile[: len(pile) - unseen]))
        yield f"Pile, top first: {seen}" + (f" and {unseen} more" if unseen else "")

    def _kozel(self, fields: dict[str, str]) -> Iterator[str]:
        stock = fields["stock"]
        left = int(stock) if stock.isdecimal() else len(items(stock, ","))
        yield f"Trumps: {self._cards(fields['turned'])} turned up, {left} cards in the stock"
        for seat, hand in self._hands(fields):
            yield f"{self._name(fields, seat)}  {hand}"
        for number, text in enumerate(items(fields["tricks"], ";"), start=1):
            yield f"Trick {number}, led by {self._trick(text)}"
        for text in items(fields["shown"], ";"):
            before, _, rest = text.partition(".")
            yield f"Shown before trick {int(before) + 1} by {self._trick(rest)}"
        if NONE not in fields["trick"]:
            yield f"On the table, led by {self._trick(fields['trick'])}"

    def _trick(self, text: str) -> str:
        leader, _, groups = text.partition(":")
        return f"player {leader}: {self._cards(groups.replace(',', ', ').replace('+', ' '))}"

    def _hands(self, fields: dict[str, str]) -> Iterator[tuple[int, str]]:
        """Each seat with the hand or its size."""
        hands = fields["hands"].split("/") if "hands" in fields else []
        sizes = fields.get("sizes", "").split("/")
        for seat in range(1, max(len(hands), len(sizes)) + 1):
            if hands:
                yield seat, self._hand(hands[seat - 1])
            elif fields["player"] == str(seat) and fields["hand"] != "?":
                yield seat, self._hand(fields["hand"])
            else:
                yield seat, f"{sizes[seat - 1]} cards" if sizes[seat - 1] != "0" else "out"

    def _name(self, fields: dict[str, str], seat: int) -> str:
        turn = fields["turn"] == str(seat)
        return click.style(f"{'>' if turn else ' '} Player {seat}", bold=turn or None)

    def _hand(self, text: str) -> str:
        hand = () if text == NONE else parse_hand(text)
        return self.picture.cards(in_order(hand)) or "out"

    def _suit(self, match: re.Match[str]) -> str:
        return self.picture.suits[SUITS.index(match[0])]

    def _cards(self, text: str) -> str:
        """`text` with its cards drawn."""
        return re.sub(
            "[2-9TJQKA][SHDC]", lambda match: self.picture.cards([parse_card(match[0])]), text
        )
