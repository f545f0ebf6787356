"""One-line text forms made of fields, `turn=2 pile=8H,6D hands=KQ.A.-.9/…`: written and read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

from engine.cards import Card, Hand, in_order
from engine.errors import GameError
from engine.notation import clean, format_hand, parse_card, parse_hand
from engine.text import QUOTED, number_in, quoted

NONE = "-"
_T = TypeVar("_T")


def write(**fields: object) -> str:
    """The line with these fields."""
    return " ".join(f"{name}={value}" for name, value in fields.items())


def read(text: str, names: Sequence[str]) -> dict[str, str]:
    """The values of the fields of a line, which must be `names` in any order. Raises GameError."""
    fields: dict[str, str] = {}
    for word in clean(text).split():
        name, _, value = word.partition("=")
        name = name.lower()
        if name not in names or name in fields or not value:
            raise GameError(
                f"{quoted(word)} is wrong in a state, expected {'=…, '.join(names)}=…, each once"
            )
        fields[name] = value
    if missing := [name for name in names if name not in fields]:
        raise GameError(f"{', '.join(missing)} missing in a state, expected {'=…, '.join(names)}=…")
    return fields


def number(name: str, text: str, legal: range) -> int:
    """The number written `text` in the field `name`. Raises GameError."""
    found = number_in(text, legal)
    if found is None:
        raise GameError(
            f"{name}={text[:QUOTED]} is wrong, expected a number from {legal[0]} to {legal[-1]}"
        )
    return found


def word(name: str, text: str, legal: Sequence[str]) -> str:
    """The word written `text` in the field `name`. Raises GameError."""
    if text.lower() not in legal:
        raise GameError(
            f"{name}={text[:QUOTED].lower()} is wrong, expected one of: {', '.join(legal)}"
        )
    return text.lower()


def items(text: str, separator: str) -> list[str]:
    """The items of a list; `-` is the empty one."""
    return [] if text == NONE else text.split(separator)


def join(parts: Iterable[object], separator: str) -> str:
    """The text of a list; `-` if it is empty."""
    return separator.join(map(str, parts)) or NONE


def format_hands(hands: Iterable[Collection[Card]]) -> str:
    """Hands with `/` between them, an empty one as `-`."""
    return "/".join(format_hand(frozenset(hand)) if hand else NONE for hand in hands)


def seen_hands(hands: Sequence[_T], player: int) -> tuple[_T | None, ...]:
    """The hands with None for those that `player` does not see; a spectator, 0, sees them all."""
    return tuple(
        hand if player in (0, owner) else None for owner, hand in enumerate(hands, start=1)
    )


def format_seen_hands(
    player: int, hands: Sequence[Collection[Card] | None], sizes: Iterable[int]
) -> dict[str, object]:
    """The fields that say what `player` sees of hands: his own one, or `?`, and all sizes."""
    if not player:
        return {"hands": format_hands(hand or () for hand in hands)}
    own = hands[player - 1]
    text = "?" if own is None else format_hands([own])
    return {"player": player, "hand": text, "sizes": join(sizes, "/")}


def parse_hands(name: str, text: str, count: int, ranks: int) -> tuple[Hand, ...]:
    """`count` hands, from a deck of the top `ranks` ranks. Raises GameError."""
    parts = text.split("/")
    if len(parts) != count:
        raise GameError(f"{name} has {len(parts)} hands, expected {count} with / between them")
    return tuple(frozenset() if p == NONE else parse_hand(p, ranks) for p in parts)


def check_deck(groups: Iterable[Iterable[Card]], deck: Hand) -> None:
    """Raise GameError unless the groups together are the deck, every card once."""
    seen: set[Card] = set()
    for card in (card for group in groups for card in group):
        if card in seen or card not in deck:
            raise GameError(f"{card} is {'there twice' if card in seen else 'not in this deck'}")
        seen.add(card)
    if missing := in_order(deck - seen):
        raise GameError(f"{join(missing, ', ')} missing, expected every card of the deck once")


def parse_cards(text: str, separator: str = ",") -> tuple[Card, ...]:
    """Cards in order. Raises GameError."""
    return tuple(parse_card(part) for part in items(text, separator))
