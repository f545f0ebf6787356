"""Text of cards and hands: exact in what is written, liberal in what is read.

A card is its rank, then its suit: `9D`. A hand is its four suits in the order S.H.D.C, ranks high
to low, `-` for an empty suit: `KQJ.AKQ.AT9.JT9`.

On input, case, white space, quotation marks and the order of ranks do not matter; `10` is T, suit
symbols are suit letters, any dash is `-`, an empty suit may be left out between its dots, and a
card may have its suit first. A hand may name its suits, in any order and without the empty ones:
`♦AT9 ♠KQJ`.
"""

from __future__ import annotations

import re

from engine.cards import RANKS, SUIT_NAMES, SUITS, Card, Hand, in_order
from engine.errors import NotationError
from engine.text import counted, quoted

_SAME = str.maketrans(
    {symbol: letter for row in ("♠♥♦♣", "♤♡♢♧") for symbol, letter in zip(row, SUITS, strict=True)}
    | dict.fromkeys("‐‑‒–—−", "-")
    | dict.fromkeys("\ufeff\ufe0f\u200b", None)  # byte order mark, emoji style, zero-width space
    | dict.fromkeys("\"'`“”„‘’«»", None)  # pasted with the text
)
_SUITS = frozenset(SUITS)
_CARDS = {
    name: card
    for card in (Card(suit, rank) for suit in range(4) for rank in range(2, 15))
    for name in (str(card), str(card)[::-1])
}

_SUIT_WORDS = {
    word: suit
    for name, suit in zip(SUIT_NAMES, SUITS, strict=True)
    for word in (name.upper(), name.upper().removesuffix("S"))
}


def clean(text: str) -> str:
    """`text` in capitals, with plain letters for suit symbols and `-` for any dash."""
    return text.translate(_SAME).upper()


def parse_card(text: str) -> Card:
    """The card written `text`. Raises NotationError."""
    card = _card("".join(clean(text).split()))
    if card is None:
        raise NotationError(f"{quoted(text)} is not a card, expected rank and suit such as 9D")
    return card


def _card(text: str) -> Card | None:
    """The card of a text that is clean and has no spaces, if it is one."""
    return _CARDS.get(text.replace("10", "T"))


def parse_hand(text: str, ranks: int | None = None) -> Hand:
    """The hand written `text`, from a deck of the top `ranks` ranks (default: all 13).

    Raises NotationError.
    """
    groups = parse_suits(text, SUITS, ranks)
    return frozenset([_CARDS[r + s] for s, group in zip(SUITS, groups, strict=True) for r in group])


def format_hand(hand: Hand) -> str:
    """The text of a hand."""
    suits = [""] * 4
    for card in in_order(hand):
        suits[card.suit] += RANKS[14 - card.rank]
    return ".".join(suit or "-" for suit in suits)


def action_words(text: str) -> list[str]:
    """What a player does, in a form to compare: the same for all ways to write the same action.

    An action is written as a word, a card, or several of these in any order, with spaces, commas or
    `+` between them. A suit is its name, its letter or its symbol.
    """
    plain = clean(text).replace("PICK UP", "PICKUP")
    words = [_SUIT_WORDS.get(word, word) for word in re.split(r"[\s,;+]+", plain) if word]
    words = ["".join(words)] if _card("".join(words)) else words
    return sorted(str(_card(word) or word) for word in words)


def parse_suits(text: str, suits: str, ranks: int | None) -> list[str]:
    """The letters of the ranks that a text has in each of `suits`. Raises NotationError."""
    groups = _split_suits(text, suits)
    allowed = RANKS[:ranks]
    for suit, group in zip(suits, groups, strict=True):
        wrong = group.strip(allowed)[:1]
        if wrong:
            problem = (
                f"{wrong} is not in a deck of {ranks} ranks"
                if wrong in RANKS
                else (f"unknown rank {wrong!r}")
            )
            problem += f", expected some of {allowed}"
        elif len(set(group)) < len(group):
            twice = next(rank for rank in group if group.count(rank) > 1)
            problem = f"{twice} appears twice"
        else:
            continue
        raise NotationError(f"{quoted(text)}, {SUIT_NAMES[SUITS.index(suit)]}: {problem}")
    return groups


def _split_suits(text: str, suits: str) -> list[str]:
    """The text of each suit, empty for an empty suit."""
    plain = "".join(clean(text).split()).replace("10", "T")
    if not _SUITS.isdisjoint(plain):
        start, *named = re.split(f"([{SUITS}])", plain)
        names, groups = named[::2], [group.strip(".") for group in named[1::2]]
        if start or len(set(names)) < len(names) or not set(names) <= set(suits):
            raise NotationError(
                f"{quoted(text)}: expected each of the suits {', '.join(suits)} at most once, "
                "followed by its ranks"
            )
        if any("." in group for group in groups):
            raise NotationError(
                f"{quoted(text)}: some suits have names and some do not, "
                "expected names for all of them or for none"
            )
        found = dict(zip(names, groups, strict=True))
        groups = [found.get(suit, "") for suit in suits]
    else:
        groups = plain.split(".")
        if len(groups) != len(suits):
            raise NotationError(
                f"{quoted(text)} has {counted(len(groups), 'suit')}, "
                f"expected {len(suits)} with dots between them ({'.'.join(suits)})"
            )
    return ["" if group == "-" else group for group in groups]
