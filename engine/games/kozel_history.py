"""What the history of a deal of Kozel says: whether it is possible, where unseen cards may lie."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.cards import Card, deck_cards, in_order
from engine.errors import GameError
from engine.games import fields
from engine.games.kozel_tricks import (
    DECLARE,
    DRAWS,
    HAND_SIZE,
    LEAD,
    PLAYERS,
    RANKS,
    Group,
    Shown,
    Trick,
    seat,
)

if TYPE_CHECKING:
    from engine.games.kozel import KozelState


def check(state: KozelState) -> None:
    """Raise GameError unless play from some deal leads to the state.

    A deal is made in which everybody draws his cards in the order in which he needs them; if any
    deal leads to the state, that one does. All is played again from it.
    """
    tricks = (*state.tricks, state.trick)
    played = [group.cards for trick in tricks for group in trick.groups]
    fields.check_deck((*state.hands, state.stock, *played), deck_cards(RANKS))
    for trick in state.tricks:
        if len(trick.groups) != PLAYERS or not trick.groups[0].up:
            raise GameError(f"the trick {trick} is wrong, expected an open lead and three answers")
    replayed = _deal(state)
    for number, trick in enumerate(tricks):
        replayed = _declared(replayed, state, number)
        for group in trick.groups:
            replayed = replayed.apply(group)
    if replayed != state:
        raise GameError(f"these tricks lead to the state {replayed}, not to {state}")


def _deal(state: KozelState) -> KozelState:
    """The state after a deal from which play can have led to `state`. Raises GameError."""
    now = len(state.tricks)
    owned = [list(hand) for hand in state.hands]
    needed = {card: now + 1 for hand in state.hands for card in hand}
    for number, trick in enumerate((*state.tricks, state.trick)):
        for owner, group in trick.by_player():
            owned[owner - 1] += group.cards
            needed |= dict.fromkeys(group.cards, number)
    for shown in state.shown:
        needed |= {card: min(needed.get(card, now), shown.number) for card in shown.cards}
    for cards in owned:
        cards.sort(key=lambda card: (card == state.turned, needed[card]))
        if len(cards) != HAND_SIZE + state.drawn_by(now):
            raise GameError(
                f"a player has had {len(cards)} cards, "
                f"expected {HAND_SIZE + state.drawn_by(now)} after {now} tricks"
            )
    stock: list[Card] = []
    for number, trick in enumerate(state.tricks):
        for i in range(state.drawn_by(number), state.drawn_by(number + 1)):
            stock += (owned[seat(trick.winner + p) - 1][HAND_SIZE + i] for p in range(PLAYERS))
    stock += state.stock
    if stock[-1] != state.turned:
        raise GameError(f"{state.turned} was turned up, but is not the last card of the stock")
    leader = (*state.tricks, state.trick)[0].leader
    return state._replace(
        hands=tuple(in_order(cards[:HAND_SIZE]) for cards in owned),
        stock=tuple(stock),
        tricks=(),
        shown=(),
        trick=Trick(leader, ()),
        turn=leader,
        phase=LEAD,
    )


def _declared(state: KozelState, goal: KozelState, number: int) -> KozelState:
    """The state after those declarations before a trick that have been made in `goal`."""
    declarers = [shown.player for shown in goal.shown if shown.number == number]
    is_last = number == len(goal.tricks) and goal.phase == DECLARE
    while state.phase == DECLARE and not (is_last and state.turn == goal.turn):
        state = state.declared() if state.turn in declarers else state.passed()
    return state


def sample(state: KozelState, player: int, rng: random.Random) -> KozelState:
    """A state in which `player` has seen the same, each as likely; see `KozelState.sample`."""
    hidden = _Hidden(state, player)
    sampled = hidden.placed(rng)
    while not all(_could_play(sampled, shown) for shown in state.shown):
        sampled = hidden.placed(rng)
    if state.phase == DECLARE and state.turn != player:
        return sampled._replace(turn=state.trick.leader, phase=LEAD)
    return sampled


def _could_play(state: KozelState, shown: Shown) -> bool:
    """Whether all that the declarer played later was shown or can have been drawn in between."""
    tricks = (*state.tricks, state.trick)
    strangers = 0
    for number in range(shown.number, len(tricks)):
        group = dict(tricks[number].by_player()).get(shown.player, Group((), True))
        strangers += len(set(group.cards).difference(shown.cards))
        if strangers > state.drawn_by(number) - state.drawn_by(shown.number):
            return False
    return True


class _Hidden:
    """The places of the cards that `player` does not know, and what he knows about them."""

    def __init__(self, state: KozelState, player: int) -> None:
        self.state, self.player = state, player
        now = len(state.tricks)
        seen = {*state.hands[player - 1], *state.stock[-1:]}
        self.places: list[tuple[int, int]] = []
        """Of each hidden card the owner and the trick in which he played it, or a later number."""
        for number, trick in enumerate((*state.tricks, state.trick)):
            for owner, group in trick.by_player():
                if self._is_hidden(owner, group):
                    self.places += [(owner, number)] * len(group.cards)
                else:
                    seen.update(group.cards)
        for owner, hand in enumerate(state.hands, start=1):
            if owner != player:
                self.places += [(owner, now + 1)] * len(hand)
        self.places += [(0, 0)] * len(state.stock[:-1])
        self.cards = sorted(deck_cards(RANKS) - seen)
        self.held = self._held(now + 2)

    def _is_hidden(self, owner: int, group: Group) -> bool:
        return owner != self.player and not group.up

    def _held(self, end: int) -> list[tuple[Card, int, range]]:
        """Hidden cards with known owners: card, owner, numbers of the tricks; the last ones first.

        What a declarer has shown he plays later, but before he shows his hand without it. The card
        that was turned up is played after the last draw, by the player to the winner's right.
        """
        state = self.state
        held: dict[Card, tuple[int, range]] = {}
        for shown in state.shown:
            for card, (owner, when) in held.items():
                if owner == shown.player and when.stop == end and card not in shown.cards:
                    held[card] = owner, range(when.start, shown.number)
            held |= dict.fromkeys(shown.cards, (shown.player, range(shown.number, end)))
        if not state.stock:
            first = next(n for n in range(end) if state.drawn_by(n) == DRAWS)
            drawer = seat(state.tricks[first - 1].winner - 1)
            held.setdefault(state.turned, (drawer, range(first, end)))
        known = [(card, *where) for card, where in held.items() if card in self.cards]
        return sorted(known, key=lambda hold: (-hold[2].start, hold[0]))

    def placed(self, rng: random.Random) -> KozelState:
        """The state with the hidden cards in places where they may be, every placing as likely.

        The places of one held card contain those of an earlier one or have none in common with
        them, so how many are left for it does not depend on where the earlier ones went.
        """
        free, cards = list(range(len(self.places))), list(self.cards)
        placed: dict[int, Card] = {}
        for card, owner, when in self.held:
            places = [i for i in free if self.places[i][0] == owner and self.places[i][1] in when]
            place = rng.choice(places)
            placed[place] = card
            free.remove(place)
            cards.remove(card)
        rng.shuffle(cards)
        placed |= zip(free, cards, strict=True)
        return self._filled(placed[i] for i in range(len(self.places)))

    def _filled(self, cards: Iterator[Card]) -> KozelState:
        """The state with hidden cards taken from `cards`, which are in the order of `places`."""

        def filled(trick: Trick) -> Trick:
            groups = [
                Group(in_order(next(cards) for _ in group.cards), False)
                if self._is_hidden(owner, group)
                else group
                for owner, group in trick.by_player()
            ]
            return Trick(trick.leader, tuple(groups))

        tricks = tuple(map(filled, self.state.tricks))
        trick = filled(self.state.trick)
        hands = tuple(
            hand if owner == self.player else in_order(next(cards) for _ in hand)
            for owner, hand in enumerate(self.state.hands, start=1)
        )
        stock = (*cards, *self.state.stock[-1:])
        return self.state._replace(hands=hands, stock=stock, tricks=tricks, trick=trick)
