"""Where cards that a player of Kozel has not seen may lie, as far as the history tells."""

from __future__ import annotations

import random
from collections.abc import Iterator

from engine.cards import Card, deck_cards, in_order
from engine.games.kozel_tricks import (
    DRAWS,
    RANKS,
    Group,
    KozelFields,
    Shown,
    Trick,
    seat,
)


def sample(state: KozelFields, player: int, rng: random.Random) -> KozelFields:
    """A state in which `player` has seen the same, each as likely; see `KozelState.sample`."""
    hidden = _Hidden(state, player)
    sampled = hidden.placed(rng)
    while not all(_could_play(sampled, shown) for shown in state.shown):
        sampled = hidden.placed(rng)
    return sampled


def _could_play(state: KozelFields, shown: Shown) -> bool:
    """Whether all that the declarer played later was shown or can have been drawn in between."""
    tricks = state.all_tricks
    strangers = 0
    for number in range(shown.number, len(tricks)):
        group = dict(tricks[number].by_player()).get(shown.player, Group((), True))
        strangers += len(set(group.cards).difference(shown.cards))
        if strangers > state.drawn_by(number) - state.drawn_by(shown.number):
            return False
    return True


class _Hidden:
    """The places of the cards that `player` does not know, and what he knows about them."""

    def __init__(self, state: KozelFields, player: int) -> None:
        self.state, self.player = state, player
        now = len(state.tricks)
        seen = {*state.hands[player - 1], *state.stock[-1:]}
        self.places: list[tuple[int, int]] = []
        """Of each hidden card the owner and the trick in which he played it, or a later number."""
        for number, trick in enumerate(state.all_tricks):
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

    def placed(self, rng: random.Random) -> KozelFields:
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

    def _filled(self, cards: Iterator[Card]) -> KozelFields:
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
