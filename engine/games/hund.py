"""Hund, a Silesian game for four players; the queen of clubs sets the trumps."""

from __future__ import annotations

import random
from typing import ClassVar

from engine.cards import SUITS, Card, Hand, deal, deck_cards
from engine.errors import GameError
from engine.game import one_point
from engine.games.options import OptionGame, dealer_option, limit_option
from engine.games.pile import PileState
from engine.games.pile_seen import BEAT, LEAD, SECOND, START, Cards, Trumps

RANKS = 13
PLAYERS = 4
TWO_OF_CLUBS = Card(SUITS.index("C"), 2)
QUEEN_OF_CLUBS = Card(SUITS.index("C"), 12)
NO_TRUMPS: Trumps = ((),) * PLAYERS


RULES = """\
Everyone for himself. Whoever faces the top card of the pile beats it with a
higher card of its suit and plays any other card on top; or he takes the whole
pile, and the next player starts a new one. The queen of clubs beats
everything until it is first played; then its player has clubs as trumps, and
clockwise from him the others have spades, hearts and diamonds. From then on
everyone may beat other suits with his own trumps. Whoever has no cards is
out; the last player with cards is the Hund.
"""
EXAMPLES = {
    "9D": "lead this card, or beat with it",
    "pickup": "take the whole pile",
}


class Hund(OptionGame):
    """The game with its options."""

    name = "hund"
    players = PLAYERS
    bounds = (-1.0, 1.0 / (PLAYERS - 1))
    action_count = 4 * RANKS + 5
    rules = RULES
    examples: ClassVar = EXAMPLES
    OPTIONS: ClassVar = {"dealer": dealer_option(PLAYERS), "limit": limit_option(1000)}

    def initial(self, seed: int) -> HundState:
        rng = random.Random(seed)
        dealer = self.dealer_or(rng.randint(1, PLAYERS))
        cards = sorted(deck_cards(RANKS))
        rng.shuffle(cards)
        hands = deal(cards, PLAYERS, dealer)
        starter = next(player for player, hand in enumerate(hands, 1) if TWO_OF_CLUBS in hand)
        known = _two_of_clubs(hands)
        return HundState(self, hands, known, (), NO_TRUMPS, dealer, starter, START, ())

    def parse(self, text: str) -> HundState:
        return HundState.parse(self, text)

    def points(self, final: HundState) -> tuple[int, ...]:
        """A point against the last player with cards."""
        return one_point(final.loser, PLAYERS)


class HundState(PileState):
    """One moment of the game; fields and text form are those of `PileState`."""

    __slots__ = ()

    RANKS: ClassVar = RANKS
    PHASES: ClassVar = (START, LEAD, BEAT, SECOND)
    AFTER_LAST_BEAT: ClassVar = BEAT

    def check(self) -> None:
        """Raise GameError if the fields contradict each other."""
        super().check()
        if self.trumps not in (NO_TRUMPS, *map(_trumps_by_queen, range(1, PLAYERS + 1))):
            raise GameError("expected the trumps C, S, H, D clockwise from some player, or none")
        if self.phase == LEAD and self.pile:
            raise GameError("phase=lead, but there is a pile already")
        if self.phase == START:
            known = _two_of_clubs(self.hands)
            if self.trumps != NO_TRUMPS or self.known != known or not known[self.turn - 1]:
                raise GameError(
                    f"player {self.turn} starts, expected the one with {TWO_OF_CLUBS}, "
                    "no other known cards and no trumps"
                )

    def _playable(self) -> Hand:
        if self.phase == START:
            return frozenset({TWO_OF_CLUBS})
        cards = super()._playable()
        return cards if self.trumps != NO_TRUMPS else cards | {QUEEN_OF_CLUBS}

    def _pickup_size(self, top: Card) -> int:
        return len(self.pile)

    def _trumps_after(self, card: Card) -> Trumps:
        """The first queen of clubs sets trumps; they stay set."""
        if card != QUEEN_OF_CLUBS or self.trumps != NO_TRUMPS:
            return self.trumps
        return _trumps_by_queen(self.turn)


def _trumps_by_queen(player: int) -> Trumps:
    """Clubs for the player of the first queen of clubs; clockwise spades, hearts, diamonds."""
    order = [SUITS.index(suit) for suit in "CSHD"]
    return tuple((order[(seat - player) % PLAYERS],) for seat in range(1, PLAYERS + 1))


def _two_of_clubs(hands: tuple[Cards, ...]) -> tuple[Hand, ...]:
    """What of the hands is known before any play: who starts has this card."""
    return tuple(frozenset({TWO_OF_CLUBS} & set(hand)) for hand in hands)
