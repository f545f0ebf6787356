"""Hund, a game of Silesia for four players; trumps are set by the queen of clubs."""

from __future__ import annotations

import random
from typing import ClassVar

from engine.cards import SUITS, Card, Hand, deck_cards
from engine.game import GameError
from engine.options import OptionGame, dealer_option, limit_option
from engine.pile import BEAT, LEAD, START, PileState, Trumps, deal

RANKS = 13
PLAYERS = 4
TWO_OF_CLUBS = Card(SUITS.index("C"), 2)
QUEEN_OF_CLUBS = Card(SUITS.index("C"), 12)
NO_TRUMPS: Trumps = ((),) * PLAYERS


class Hund(OptionGame):
    """The game with its options."""

    name = "hund"
    players = PLAYERS
    OPTIONS: ClassVar = {"dealer": dealer_option(PLAYERS), "limit": limit_option(1000)}

    def initial(self, seed: int) -> HundState:
        rng = random.Random(seed)
        dealer = self.dealer_or(rng.randint(1, PLAYERS))
        cards = sorted(deck_cards(RANKS))
        rng.shuffle(cards)
        hands = deal(cards, PLAYERS, dealer)
        starter = next(player for player, hand in enumerate(hands, 1) if TWO_OF_CLUBS in hand)
        known = tuple(frozenset({TWO_OF_CLUBS} & set(hand)) for hand in hands)
        return HundState(self, hands, known, (), NO_TRUMPS, dealer, starter, START, ())

    def parse(self, text: str) -> HundState:
        return HundState.parse(self, text)


class HundState(PileState):
    """One moment of the game; fields and text form are those of `PileState`."""

    __slots__ = ()

    RANKS: ClassVar = RANKS
    PHASES: ClassVar = (START, LEAD, BEAT)
    AFTER_LAST_BEAT: ClassVar = BEAT

    def check(self) -> None:
        """Raise GameError if the fields contradict each other."""
        super().check()
        if self.trumps != NO_TRUMPS and not all(self.trumps):
            raise GameError("some players have trumps, expected all or none")
        if self.phase == START and TWO_OF_CLUBS not in self.hands[self.turn - 1]:
            raise GameError(f"player {self.turn} starts, but does not have {TWO_OF_CLUBS}")

    def _playable(self) -> Hand:
        if self.phase == START:
            return frozenset({TWO_OF_CLUBS})
        cards = super()._playable()
        return cards if self.trumps != NO_TRUMPS else cards | {QUEEN_OF_CLUBS}

    def _pickup_size(self) -> int:
        return len(self.pile)

    def _trumps_after(self, card: Card) -> Trumps:
        """The first queen of clubs gives its player clubs, the others spades, hearts, diamonds."""
        if card != QUEEN_OF_CLUBS or self.trumps != NO_TRUMPS:
            return self.trumps
        order = [SUITS.index(suit) for suit in "CSHD"]
        return tuple((order[(seat - self.turn + 1) % PLAYERS],) for seat in range(PLAYERS))
