"""Kozel with shokha: four players in two partnerships, tricks of one to four cards.

The text form of a state is one line of fields:

    hands=…/… stock=7S,AH turned=AH tricks=2:JH+8H,6S+QH,(7C+8D),(9S+TS);… shown=1.4:AS+AH+TC+6S
    trick=3:KD turn=4 phase=answer

The stock is drawn from the front; its last card, `turned`, lies face up. A trick is its leader and
the groups of cards in the order played, those in brackets face down. `trick` is the next or current
one; its leader is the winner of the last one, or who has declared. `shown` are hands shown by
declarers: the number of tricks before, the player, the cards. `turn` is who acts, after the end the
winner of the last trick; `phase` is what he does: declare or pass, lead, answer.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import ClassVar

from engine.cards import Card, deal, deck_cards, in_order
from engine.errors import GameError
from engine.games import fields
from engine.games.kozel_state import PASS, KozelState
from engine.games.kozel_tricks import (
    DECLARE,
    HAND_SIZE,
    LEAD,
    PHASES,
    PLAYERS,
    RANKS,
    Cards,
    Group,
    KozelFields,
    Shown,
    Trick,
    declaration,
    seat,
)
from engine.games.options import OptionGame, dealer_option, limit_option
from engine.notation import parse_card

RULES = """\
Players 1 and 3 against 2 and 4. The ranks are A 10 K Q J 9 8 7 6, worth 11 10
4 3 2 0 0 0 0; the six of spades, shokha, beats everything. The leader plays
one to four cards of one suit, which shokha may join; everybody answers with
as many: face up if they can be paired with the winning ones, each beating its
partner, and so take over; or face down, winning nothing. The last who took
over, or else the leader, takes the trick. All refill their hands to four, the
winner first. Then everybody is asked to declare: Moskva (four aces and tens,
at least one of them a real ace; shokha may stand for a ten) or molodka (four
cards of one suit, or three and shokha) shows the hand and takes the lead. The
side with fewer points gets penalties: 2, with less than 31 points 4, without
a trick 6.
"""
EXAMPLES = {
    "JH 8H": "lead these cards, or take over with them, face up",
    "down 7C 8D": "put these cards down",
    "moskva": "declare Moskva; likewise molodka",
    "pass": "declare nothing",
}


class Kozel(OptionGame):
    """The game with its options."""

    name = "kozel"
    players = PLAYERS
    action_count = 2 << HAND_SIZE
    targets = (12,)
    usual_target = 12
    bounds = (-6.0, 6.0)
    rules = RULES
    examples: ClassVar = EXAMPLES
    OPTIONS: ClassVar = {"dealer": dealer_option(PLAYERS), "limit": limit_option(200)}

    def initial(self, seed: int) -> KozelState:
        rng = random.Random(seed)
        dealer = self.dealer_or(rng.randint(1, PLAYERS))
        cards = sorted(deck_cards(RANKS))
        rng.shuffle(cards)
        dealt, (turned, *stock) = cards[: PLAYERS * HAND_SIZE], cards[PLAYERS * HAND_SIZE :]
        hands = deal(dealt, PLAYERS, dealer)
        leader = seat(dealer + 1)
        lead = Trick(leader, ())
        return KozelState(self, hands, (*stock, turned), turned, (), (), lead, leader, LEAD)

    def parse(self, text: str) -> KozelState:
        """The state written `text`. Raises GameError unless play from some deal leads there."""
        found = fields.read(text, KozelFields._fields[1:])
        state = KozelState(
            self,
            tuple(map(in_order, fields.parse_hands("hands", found["hands"], PLAYERS, RANKS))),
            fields.parse_cards(found["stock"]),
            parse_card(found["turned"]),
            tuple(map(_parse_trick, fields.items(found["tricks"], ";"))),
            tuple(map(_parse_shown, fields.items(found["shown"], ";"))),
            _parse_trick(found["trick"]),
            _parse_player(found["turn"]),
            fields.word("phase", found["phase"], PHASES),
        )
        _check(state)
        return state

    def points(self, final: KozelState) -> tuple[int, ...]:
        """The penalties of the two sides."""
        return final.penalties() * 2

    def ends_match(self, scores: Sequence[int], target: int) -> bool:
        """One side has the target or more, and the other has fewer."""
        return max(scores) >= target and scores[0] != scores[1]


def _parse_player(text: str) -> int:
    return fields.number("a player", text, range(1, PLAYERS + 1))


def _parse_cards(text: str) -> Cards:
    return in_order(fields.parse_cards(text, "+"))


def _parse_trick(text: str) -> Trick:
    """The trick written `text`. Raises GameError."""
    leader, _, groups = text.partition(":")
    return Trick(
        _parse_player(leader),
        tuple(
            Group(_parse_cards(group.strip("()")), not group.startswith("("))
            for group in fields.items(groups, ",")
        ),
    )


def _parse_shown(text: str) -> Shown:
    """The shown hand written `text`. Raises GameError."""
    where, _, cards = text.partition(":")
    number, _, player = where.partition(".")
    return Shown(
        fields.number("a number of tricks", number, range(RANKS)),
        _parse_player(player),
        _parse_cards(cards),
    )


def _check(state: KozelState) -> None:
    """Raise GameError unless play from some deal leads to the state.

    A deal is made in which everybody draws his cards in the order in which he needs them; if any
    deal leads to the state, that one does. All is played again from it.
    """
    tricks = state.all_tricks
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
    for number, trick in enumerate(state.all_tricks):
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
    leader = state.all_tricks[0].leader
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
    """The state after those declarations before a trick that have been made in `goal`.

    Raises GameError for one that cannot be made.
    """
    declarers = [shown.player for shown in goal.shown if shown.number == number]
    is_last = number == len(goal.tricks) and goal.phase == DECLARE
    while state.phase == DECLARE and not (is_last and state.turn == goal.turn):
        kind = declaration(state.hands[state.turn - 1])
        state = state.apply(kind if state.turn in declarers else PASS)
    return state
