"""Recorded playthroughs: whole games as a text file with every state printed.

A game starts with a header, `key: value` lines up to an empty one. It names the game, its options
(JSON) and the seed of the deal, and may hold more (`players`, `choices`); the rest is the game. In
a deal of a match the header says which it is, on which seats its players sit, and the target;
where cards were cut for the deal, `seats` and `cut` say by whom. A file holds one game or several.
`check` plays the recorded actions again and expects the same text to the letter, so that any change
of the rules shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from engine.arena.match import Match
from engine.arena.play import FINISHED, Play
from engine.cards import Card
from engine.errors import GameError
from engine.game import Action, Game, State, load_game
from engine.notation import parse_card
from engine.text import quoted


def header(game: str, options: Mapping[str, Any], seed: int, **more: object) -> dict[str, str]:
    """The header of a game to be recorded."""
    fields = {"game": game, "options": json.dumps(options), "seed": seed, **more}
    return {key: str(value) for key, value in fields.items()}


def match_fields(match: Match) -> dict[str, object]:
    """What the header of a deal says of its match."""
    return {"deal": match.deals + 1, "target": match.target, **seat_fields(match.seats, match.cut)}


def seat_fields(seats: Sequence[int], cut: Sequence[Sequence[Card]]) -> dict[str, object]:
    """What the header of a deal says of the seats of its players, and of the cards cut for it."""
    rounds = ", ".join(" ".join(map(str, cards)) for cards in cut)
    return {"seats": ",".join(map(str, seats)), **({"cut": rounds} if cut else {})}


def match_of(header: Mapping[str, str], before: Match | None) -> Match | None:
    """The match that this deal belongs to, None if to none; `before` as the last deal has left it.

    Raises GameError if it is not the next deal of that match.
    """
    if "target" not in header:
        return None
    play = start(header)
    try:
        seats = tuple(map(int, header["seats"].split(",")))
        number = int(header["deal"])
        dealer = seats[play.state.dealer - 1]
    except (KeyError, ValueError, IndexError):
        raise GameError("a deal of a match must say which it is, and its seats") from None
    match = before if number > 1 else Match.start(play.game, 0, header["target"])
    if number == 1 and match:
        match = replace(match, dealer=dealer, cut=cut_of(header)[1])
    if match is None or (match.deals + 1, match.seats, match.game.dealt_by(dealer)) != (
        number,
        seats,
        play.game.dealt_by(dealer),
    ):
        raise GameError(f"deal {number} does not follow in its match, expected the next one")
    return match


def cut_of(header: Mapping[str, str]) -> tuple[tuple[int, ...], tuple[tuple[Card, ...], ...]]:
    """The seats of the players of a deal, and the cards cut for it, round by round, by seat.

    Both are () if no cards were cut. Raises GameError if the dealer has not cut the highest rank.
    """
    if "cut" not in header:
        return (), ()
    play = start(header)
    count = play.game.players
    try:
        seats = tuple(map(int, header["seats"].split(",")))
        cut = tuple(tuple(map(parse_card, text.split())) for text in header["cut"].split(","))
        dealer = seats[play.state.dealer - 1]
        good = sorted(seats) == list(range(1, count + 1))
        good = good and all(len(cards) == len(set(cards)) == count for cards in cut)
        *ties, last = ([card.rank for card in cards] for cards in cut)
        good = good and last.count(max(last)) == 1 and last.index(max(last)) == dealer - 1
        good = good and all(ranks.count(max(ranks)) > 1 for ranks in ties)
    except (KeyError, ValueError, IndexError, GameError):
        good = False
    if not good:
        raise GameError(
            f"the cut {quoted(header['cut'])} of seats {quoted(header.get('seats', ''))} is wrong, "
            "expected a card of each, the highest of the dealer"
        )
    return seats, cut


def start(header: Mapping[str, str]) -> Play:
    """The game that a header describes, just dealt. Raises GameError."""
    if missing := {"game", "options", "seed"} - header.keys():
        raise GameError(f"a recorded game must start with lines for {', '.join(sorted(missing))}")
    try:
        options = {key: str(value) for key, value in json.loads(header["options"]).items()}
        seed = int(header["seed"])
    except (ValueError, AttributeError, RecursionError):
        raise GameError(
            f"options {quoted(header['options'])} and seed {quoted(header['seed'])} are wrong, "
            "expected a JSON object and a number"
        ) from None
    game = load_game(header["game"], **options)
    return Play(game, game.initial(seed))


def write(header: Mapping[str, str], choose: Callable[[State], Action]) -> str:
    """The playthrough of a game in which `choose` takes every action. Raises GameError."""
    play = start(header)
    lines = [f"{key}: {value}" for key, value in header.items()]
    while True:
        lines += ["", f"state {play.actions}", *_seen(play.game, play.state)]
        if play.end:
            break
        state = play.state
        names = [state.action_to_string(action) for action in state.legal_actions()]
        lines += [f"player: {state.current_player}", f"legal: {', '.join(names)}"]
        action = choose(state)
        lines.append(f"action: {state.action_to_string(action)}")
        play.act(action)
    if play.end != FINISHED:
        lines.append(f"end: {play.end}")
    lines.append(f"returns: {' '.join(f'{value:g}' for value in play.returns())}")
    return "\n".join(lines) + "\n"


def _seen(game: Game, state: State) -> Iterator[str]:
    """The state, then what each player has seen of it if that is less."""
    yield from _indented(str(state))
    for player in range(1, game.players + 1):
        seen = state.information_state_string(player)
        if seen != str(state):
            yield f"seen by {player}"
            yield from _indented(seen)


def _indented(text: str) -> Iterator[str]:
    return (f"  {line}".rstrip() for line in text.splitlines())


@dataclass(frozen=True, slots=True)
class Record:
    """One recorded game, as read."""

    line: int
    """The number of its first line in the file, from 1."""
    lines: tuple[str, ...]

    @property
    def header(self) -> dict[str, str]:
        """The keys and values before the first empty line."""
        end = self.lines.index("") if "" in self.lines else len(self.lines)
        return dict(_key_value(line) for line in self.lines[:end])

    def chooser(self) -> Callable[[State], Action]:
        """Gives the recorded actions, one a call; raises GameError for one that is not legal."""
        actions = iter(
            [
                (i, _key_value(line)[1])
                for i, line in enumerate(self.lines, self.line)
                if line.startswith("action: ")
            ]
        )

        def choose(state: State) -> Action:
            number, text = next(actions, (0, ""))
            if not number:
                raise GameError(f"the game recorded from line {self.line} on is cut short")
            try:
                return state.parse_action(text)
            except GameError as error:
                raise GameError(f"line {number}: {error}") from None

        return choose


def _key_value(line: str) -> tuple[str, str]:
    key, _, value = line.partition(": ")
    return key, value


def read(text: str) -> list[Record]:
    """The games recorded in a file. Raises GameError if there is none."""
    lines = [line.rstrip() for line in text.lstrip("\ufeff").splitlines()]
    starts = [i for i, line in enumerate(lines) if line.startswith("game: ")]
    if not starts or any(lines[: starts[0]]):
        raise GameError("this is no recorded game, expected 'game: …' in the first line")
    records = []
    for first, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        while not lines[end - 1]:
            end -= 1
        records.append(Record(first + 1, tuple(lines[first:end])))
    return records


def check(text: str) -> list[Record]:
    """The games recorded in a file, played again.

    Raises GameError with the first line that differs.
    """
    records = read(text)
    for record in records:
        again = write(record.header, record.chooser()).splitlines()
        pairs = zip_longest(record.lines, again, fillvalue="")
        for number, (found, expected) in enumerate(pairs, record.line):
            if found != expected:
                raise GameError(f"line {number} is {found!r}, expected {expected!r}")
    return records
