"""A player by rules of thumb, for each game: fast, and far better than chance."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

from engine.cards import PICKUP, Card, beats
from engine.game import Action, Game
from engine.games.kozel import KozelState
from engine.games.kozel_tricks import ANSWER, DECLARE, ORDER, PLAYERS, POINTS, SHOKHA, Group, side
from engine.games.pile import CHOOSE, PileState
from engine.players.player import Player
from engine.position import Position


class Greedy(Player):
    """Plays by rules of thumb: beats whenever possible, sheds cheap cards first."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._rules = RULES[game.name]

    def choose(self, state: Any, rng: random.Random) -> Action:
        """The same action for the same state: there is no chance in it."""
        return self._rules(state)


def challenge(position: Position) -> Action:
    """Beat whenever possible. Lead a card that the other player cannot beat, if there is one.

    Of several cards take the cheapest: plain suits before trumps, low before high.
    """
    own = position.trumps[position.turn - 1]
    cards = [action for action in position.legal_actions() if isinstance(action, Card)]
    if not position.top:
        other = 2 - position.turn
        hand, trump = position.hands[other], position.trumps[other]
        safe = [card for card in cards if not any(beats(held, card, trump) for held in hand)]
        cards = safe or cards
    return _cheapest(cards, (own,))


def pile(state: PileState) -> Action:
    """Svoyi Kozyri and Hund: beat whenever possible, beat and lead with the cheapest card.

    Plain suits are cheaper than trumps, low cards cheaper than high ones. Of trump suits the first
    free one is as good as another: it is chosen before the hands are seen.
    """
    actions = state.legal_actions()
    if state.phase == CHOOSE:
        return actions[0]
    cards = [action for action in actions if isinstance(action, Card)]
    return _cheapest(cards, state.trumps[state.turn - 1])


def _cheapest(cards: Iterable[Card], trumps: tuple[int, ...]) -> Card | str:
    """Of the cards with which a player may beat the cheapest; if there are none, he picks up."""
    return min(cards, key=lambda card: (card.suit in trumps, card.rank), default=PICKUP)


def kozel(state: KozelState) -> Action:
    """Declare whenever possible. Lead the largest group, of those the cheapest.

    Take over from the other side whenever possible, with the cheapest cards, the last player also
    counting the points that he brings home. When the partner is winning, and nobody can take over
    any more, give him as many points as possible; else put down points and strong cards last.
    """
    actions = state.legal_actions()
    if state.phase == DECLARE:
        return actions[0]
    groups = [action for action in actions if isinstance(action, Group)]

    def strength(group: Group) -> int:
        return sum(_strength(card, state.turned.suit) for card in group.cards)

    if state.phase != ANSWER:
        return max(groups, key=lambda group: (len(group.cards), -strength(group)))
    up, down = ([group for group in groups if group.up == up] for up in (True, False))
    last = len(state.trick.groups) == PLAYERS - 1
    if side(state.trick.winner) == side(state.turn):
        if last:
            return max(down, key=lambda group: (_points(group), -strength(group)))
    elif up:
        return min(up, key=lambda group: strength(group) - 2 * last * _points(group))
    return min(down, key=lambda group: 2 * _points(group) + strength(group))


def _points(group: Group) -> int:
    return sum(POINTS.get(card.rank, 0) for card in group.cards)


def _strength(card: Card, trump: int) -> int:
    """What it costs to spend a card: shokha above the trumps above the rest."""
    if card == SHOKHA:
        return 20
    return ORDER.index(card.rank) + (12 if card.suit == trump else 0)


RULES: dict[str, Callable[[Any], Action]] = {
    "challenge": challenge,
    "svoyi_kozyri": pile,
    "hund": pile,
    "kozel": kozel,
}
"""Game -> its rules of thumb."""
