"""Challenge, Besicovitch's two-player Svoyi Kozyri: open hands, no chance after the deal.

A position is written on one line of six fields, `RANKS HAND1 HAND2 TRUMPS TURN TOP`:

    6 KQJ.JT9.AT9.AKQ AT9.AKQ.KQJ.JT9 SD 1 -

TRUMPS is player 1's suit, then player 2's; TURN is who acts; TOP is the card that he faces, or `-`
when he must lead: on an empty table, or on top of the card with which he has just beaten. The cards
in neither hand are on the table. A position with an empty hand is a finished game; TURN then is the
player who would act next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any

from engine.cards import (
    PICKUP,
    RANKS,
    SUITS,
    Card,
    Hand,
    beats,
    cheapest,
    deck_cards,
    in_order,
    parse_deck,
)
from engine.errors import GameError, NotationError
from engine.game import Action, State
from engine.notation import clean, format_hand, parse_card, parse_hand
from engine.observation import Observation, Pen, card_number, card_rows
from engine.text import quoted

ChallengeAction = Card | str
"""A card, led or beaten with, or `PICKUP`."""


@dataclass(frozen=True, slots=True, repr=False)
class Position(State):
    """One moment of the game, without its history.

    `parse` makes sure that it is possible; the constructor leaves that to `check`.
    """

    ranks: int
    hands: tuple[Hand, Hand]
    trumps: tuple[int, int]
    """The players' trump suits, indices in `SUITS`."""
    turn: int
    """Who acts, 1 or 2; after the end, who would act next."""
    top: Card | None
    """The card that he faces; None when he must lead."""

    @classmethod
    def parse(cls, text: str) -> Position:
        """The position written `text`. Raises GameError, also for an impossible position."""
        fields = clean(text).split()
        if len(fields) != 6:
            raise NotationError(
                f"a position has six fields, RANKS HAND1 HAND2 TRUMPS TURN TOP, "
                f"found {len(fields)} in {quoted(text)}"
            )
        deck, hand1, hand2, trumps, turn, top = fields
        ranks = parse_deck(deck)
        if len(trumps) != 2 or not set(trumps) <= set(SUITS):
            raise NotationError(f"trumps {quoted(trumps)} are wrong, expected two suits such as SD")
        if turn not in ("1", "2"):
            raise NotationError(
                f"the turn {quoted(turn)} is wrong, expected the player who acts, 1 or 2"
            )
        position = cls(
            ranks,
            (parse_hand(hand1, ranks), parse_hand(hand2, ranks)),
            (SUITS.index(trumps[0]), SUITS.index(trumps[1])),
            int(turn),
            None if top == "-" else parse_card(top),
        )
        position.check()
        return position

    def __str__(self) -> str:
        hand1, hand2 = map(format_hand, self.hands)
        trumps = "".join(SUITS[suit] for suit in self.trumps)
        return f"{self.ranks} {hand1} {hand2} {trumps} {self.turn} {self.top or '-'}"

    def __repr__(self) -> str:
        return f"Position.parse({str(self)!r})"

    def check(self) -> None:
        """Raise GameError unless play from some base position leads here.

        Besides what each field means, this says: the cards on the table, without the top card, fall
        into pairs of a lead and its beat; the players have taken turns to beat, and the last beat
        is by whoever played last; only his hand may be empty. There is no more to it, for before
        the trick the hands may have been any.
        """
        hand1, hand2 = self.hands
        if self.trumps[0] == self.trumps[1]:
            raise GameError("both players have the same trump suit, expected two different ones")
        if common := hand1 & hand2:
            raise GameError(f"{_list(common)} in both hands, expected every card once")
        if not hand1 and not hand2:
            raise GameError("both hands are empty, expected cards in at least one")
        table = self.table
        if self.top is None:
            last, pile = self.turn, table
        else:
            last, pile = 3 - self.turn, table - {self.top}
            if self.top not in deck_cards(self.ranks):
                raise GameError(f"the top card {self.top} is not in a deck of {self.ranks} ranks")
            if self.top not in table:
                raise GameError(f"the top card {self.top} is in a hand, expected it on the table")
        if not table and not (hand1 and hand2):
            raise GameError("a hand is empty and so is the table, but nobody wins by picking up")
        if not self.hands[2 - last]:
            raise GameError(
                f"player {3 - last}'s hand is empty, but player {last} has played after that"
            )
        counts = [0, 0, 0, 0]
        for card in pile:
            counts[card.suit] += 1
        if len(pile) % 2 or not _could_be_played(tuple(counts), self.trumps, last):
            raise GameError(
                f"{_list(table)} on the table, but no play leads there: "
                f"{'under the top card' if self.top else 'with a lead to come'} "
                f"there must be pairs of a lead and a beat, the last beat by player {last}"
            )

    @property
    def table(self) -> Hand:
        """The cards in neither hand."""
        return deck_cards(self.ranks) - self.hands[0] - self.hands[1]

    @property
    def is_base(self) -> bool:
        """Whether the table is empty."""
        return len(self.hands[0]) + len(self.hands[1]) == 4 * self.ranks

    @property
    def winner(self) -> int | None:
        """The player who has played his last card."""
        return next((player for player in (1, 2) if not self.hands[player - 1]), None)

    @property
    def current_player(self) -> int:
        return 0 if self.winner else self.turn

    def legal_actions(self) -> tuple[ChallengeAction, ...]:
        """The cards in the order in which a hand is written, then `PICKUP`."""
        if self.winner:
            return ()
        hand = in_order(self.hands[self.turn - 1])
        if self.top is None:
            return hand
        trump = self.trumps[self.turn - 1]
        return (*(card for card in hand if beats(card, self.top, trump)), PICKUP)

    def apply(self, action: Any) -> Position:
        if action not in self.legal_actions():
            action = self._named(action)
        mine = self.hands[self.turn - 1]
        other = 3 - self.turn
        if action == PICKUP:
            return self._moved(mine | self.table, other, None)
        if self.top is None:
            return self._moved(mine - {action}, other, action)
        return self._moved(mine - {action}, self.turn, None)

    def _moved(self, hand: Hand, turn: int, top: Card | None) -> Position:
        """The position after an action that leaves the player in turn with `hand`."""
        hands = (hand, self.hands[1]) if self.turn == 1 else (self.hands[0], hand)
        return replace(self, hands=hands, turn=turn, top=top)

    def returns(self) -> tuple[float, ...]:
        """1 for the winner and -1 for the loser."""
        if not self.winner:
            raise GameError("the game is not over, nobody has played his last card")
        return (1.0, -1.0) if self.winner == 1 else (-1.0, 1.0)

    def observation(self, player: int) -> OpenPosition:
        """The position itself: hands are open."""
        return OpenPosition(self, player)

    def rule_of_thumb(self, among: Sequence[Action] | None = None) -> Action:
        """Beat if possible. Lead a card that the other player cannot beat, if there is one.

        Of several cards take the cheapest. `among`: the legal actions to choose from, if not all.
        """
        actions = self.legal_actions() if among is None else among
        cards = [action for action in actions if isinstance(action, Card)]
        if not self.top:
            other = 2 - self.turn
            hand, trump = self.hands[other], self.trumps[other]
            safe = [card for card in cards if not any(beats(held, card, trump) for held in hand)]
            cards = safe or cards
        return cheapest(cards, (self.trumps[self.turn - 1],))

    def action_number(self, action: Any) -> int:
        """The place of the card in the deck; a pickup comes after all cards."""
        return 4 * self.ranks if action == PICKUP else card_number(action, self.ranks)

    def task(self, pen: Pen) -> str:
        if self.top is None:
            return "now lead" if self.table else "lead"
        return pen.answer(self.top, len(self.table), can_beat=len(self.legal_actions()) > 1)

    def phrase(self, action: Any, pen: Pen, public: bool) -> str:
        if action == PICKUP:
            return pen.pickup(len(self.table))
        return pen.play(action, beats=self.top is not None)


@dataclass(frozen=True, slots=True)
class OpenPosition(Observation):
    """What a player of Challenge sees: everything."""

    position: Position
    player: int

    def __str__(self) -> str:
        return str(self.position)

    def picture(self, pen: Pen) -> Iterator[str]:
        """Both hands side by side, a column for each rank, and the cards on the table."""
        position = self.position
        width = 2 + max(len("Player 1 faces 9D"), len("S  trumps") + 2 * position.ranks)
        yield pen.columns((self._heading(player, pen) for player in (1, 2)), width)
        for suit in range(len(SUITS)):
            yield pen.columns((self._holding(player, suit, pen) for player in (1, 2)), width)
        if position.table:
            yield f"On the table: {pen.cards(in_order(position.table))}"

    def _heading(self, player: int, pen: Pen) -> str:
        name, top = pen.style(f"Player {player}", bold=True), self.position.top
        if player != self.position.turn:
            return name
        return name + (f" faces {pen.card(top)}" if top else " leads")

    def _holding(self, player: int, suit: int, pen: Pen) -> str:
        """One suit of a hand."""
        position = self.position
        trump = position.trumps[player - 1] == suit
        cards = (
            pen.style(RANKS[14 - card.rank], suit, bold=trump)
            if card in position.hands[player - 1]
            else pen.style(pen.gap, dim=True)
            for card in (Card(suit, rank) for rank in range(14, 14 - position.ranks, -1))
        )
        return " ".join((pen.suit(suit), *cards, " trumps" if trump else ""))

    def numbers(self) -> list[int]:
        """Columns: in his hand, in the other hand, on the table, to be beaten.

        Rest: his trump suit, the other player's, and, while they choose, the dealer's second suit,
        1 in one of four places each; whether it is his turn.
        """
        position, mine, other = self.position, self.player - 1, 2 - self.player
        marks = (
            (position.hands[mine], 0, 1),
            (position.hands[other], 1, 1),
            (position.table, 2, 1),
            ([position.top] if position.top else [], 3, 1),
        )
        suits = (position.trumps[mine], position.trumps[other], None)
        trumps = (flag for suit in suits for flag in flags(suit))
        return [*card_rows(position.ranks, 4, marks), *trumps, int(position.turn == self.player)]


def flags(suit: int | None) -> list[int]:
    """1 in the place of a suit, if there is one, among four."""
    return [int(suit == other) for other in range(len(SUITS))]


@lru_cache(1 << 16)
def _could_be_played(counts: tuple[int, ...], trumps: tuple[int, int], last: int) -> bool:
    """Whether this many cards of each suit can be pairs of lead and beat, the last beat by `last`.

    The ranks do not matter: of two cards of one suit the higher beats the lower.
    """
    if not any(counts):
        return True
    for lead, beat in product(range(4), repeat=2):
        if beat in (lead, trumps[last - 1]):
            rest = list(counts)
            rest[lead] -= 1
            rest[beat] -= 1
            if min(rest) >= 0 and _could_be_played(tuple(rest), trumps, 3 - last):
                return True
    return False


def _list(cards: Hand) -> str:
    """The cards and the verb, as the start of a sentence."""
    names = [str(card) for card in in_order(cards)]
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"
