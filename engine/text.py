"""Text between the program and people: numbers that they write, words of messages to them."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import Any

QUOTED = 60
"""Characters of a wrong input that a message repeats."""
LONGEST = 1000
"""Characters of a text in a record."""
LIKE = 0.65
"""How like a known word an unknown one must be to be taken for it, see `difflib`."""
_DIGITS = 20
"""Longer numbers are in no range here, and some are too long for Python to read."""


def number_in(value: Any, legal: range) -> int | None:
    """The whole number that `value` is or says, if it is in the range, else None."""
    if isinstance(value, str):
        text = value.strip()
        if not text.isdecimal() or len(text) > _DIGITS:
            return None
        value = int(text)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        number = index(value)  # for other values `in` would try every number of the range
    except TypeError:
        return None
    return number if number in legal else None


def quoted(value: Any) -> str:
    """A wrong input in a message: on one line, not too much of it, text in quotation marks."""
    try:
        text = str(value).strip()
    except ValueError:
        return "a number of thousands of digits"
    text = text if len(text) <= QUOTED else f"{text[:QUOTED]}…"
    return repr(text) if isinstance(value, str) else text


def one_line(text: str) -> str:
    """A text on one line, for a record: single spaces, control characters written out, an end."""
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in " ".join(text.split()))
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"


def meant(word: str, known: Iterable[str]) -> str:
    """To be put behind an unknown word: which known one it may have been, if one is like it."""
    from difflib import get_close_matches  # takes time to load

    like = get_close_matches(word[:QUOTED].strip().lower(), list(known), 1, LIKE)
    return f" (did you mean {like[0]}?)" if like else ""


def counted(count: int, noun: str) -> str:
    """`1 deal`, `2,000 deals`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
