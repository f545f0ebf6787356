"""The page of `challenge report`: pictures, captions and the longest games, in one HTML file."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from string import Template

from matplotlib.figure import Figure

from cli import plots
from cli.picture import Picture
from engine.cards import SUIT_SYMBOLS, SUITS, deck_name, lowest_rank
from engine.deals import Deal, all_deals
from engine.errors import GameError
from engine.text import counted
from solver.complete.table import MissingTable
from solver.solution import Solution
from solver.solver import solve_many
from solver.study.batch import COLUMNS, Record, describe
from solver.study.summary import UNDECIDED, Summary, bounds

GAMES = 10
LEAST = 64
"""So many deals are the first ones of a deck by no chance."""
NARROW = "640px"
"""Up to this width the page is laid out for phones."""

PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>$title</title>
<style>
:root { color-scheme: light dark; --ink: #20242a; --soft: #4a5058; --ground: #f4f5f7;
  --paper: #ffffff; --line: #dfe2e6; --red: #c2281d; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e3e6ea; --soft: #aeb4bc; --ground: #15181c; --paper: #20242a; --line: #3a4048;
    --red: #ff7b6e; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); }
body { margin: 0; }
main { max-width: 1040px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 8px 0 4px; }
h2 { font-size: 20px; margin: 0 0 4px; }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; }
section { padding: 20px; margin-top: 20px; }
section p { margin: 0 0 12px; color: var(--soft); }
img { display: block; width: 100%; height: auto; }
.numbers { display: flex; flex-wrap: wrap; gap: 12px 40px; margin: 16px 0 0; }
.numbers dt { color: var(--soft); font-size: 14px; }
.numbers dd { margin: 0; font-size: 26px; }
.numbers small { font-size: 14px; color: var(--soft); display: block; }
summary { cursor: pointer; padding: 6px 0; border-top: 1px solid var(--line); }
summary b { display: inline-block; min-width: 11em; font-family: ui-monospace, monospace; }
pre { font: 13px/1.35 ui-monospace, "DejaVu Sans Mono", monospace; overflow-x: auto; }
pre.game { columns: 21em; column-gap: 2em; white-space: pre-wrap; }
.red { color: var(--red); }
@media (max-width: $narrow) {
  main { padding: 12px 8px 32px; }
  section { padding: 12px; }
  pre { font-size: min(13px, 3vw); }
  summary b { min-width: 0; margin-right: 0.7em; }
}
</style>
</head>
<body>
<main>
$body
</main>
</body>
</html>
""")


def write_page(records: list[Record]) -> str:
    """The page on the records of a batch. Raises GameError if they are not deals of one deck.

    Of a list, bad lines and positions are left out.
    """
    listed = "line_number" in records[0]
    left_out = len(records)
    records = [record for record in records if record["deal"] is not None]
    left_out -= len(records)
    ranks = find_deck(records)
    check_once(records, ranks)
    deals = all_deals(ranks)
    every = not listed and all(
        record["deal"] == str(deal) for record, deal in zip(records, deals, strict=False)
    )
    summary = Summary(weighted=every)
    for record in records:
        summary.add(record)
    title = f"Challenge: deals of {deck_name(ranks)}"
    which = _which(records, ranks, summary)
    if listed:
        which = f"{counted(len(records), 'deal')} of a list"
        which += f", without {counted(left_out, 'other line')}." if left_out else "."
    return PAGE.substitute(
        title=title, narrow=NARROW, body="\n".join(_body(title, which, records, ranks, summary))
    )


def find_deck(records: list[Record]) -> int:
    """The ranks of the deck that the deals are of. Raises GameError."""
    distinct = {(record["deal"], record["weight"]): record for record in records}
    deals = [(Deal.parse(text), record) for (text, _), record in distinct.items()]
    decks = {deal.ranks for deal, _ in deals}
    if len(decks) == 1 and all(describe(deal).items() <= record.items() for deal, record in deals):
        return decks.pop()
    raise GameError("the records are not deals of one deck with the weights that these have")


def check_once(records: Sequence[Record], ranks: int) -> None:
    """Raise GameError if records contradict each other, or are those of all deals, several times.

    Random deals may come up again. But the heaviest ones do so far more often than others.
    """
    known: dict[str, Record] = {}
    times: Counter[str] = Counter()
    for number, record in enumerate(records, 1):
        deal = record["deal"]
        before = known.setdefault(deal, record)
        times[deal] += 1
        searched = "undecided" in (record["outcome"], before["outcome"])  # one got further
        if not searched and any(record[column] != before[column] for column in COLUMNS):
            raise GameError(f"record {number} contradicts an earlier one of the same deal, {deal}")
    first = islice(all_deals(ranks), len(known))
    if (
        times.total() > len(known) >= LEAST
        and (times.total() <= 2 * len(known) or len(set(times.values())) == 1)
        and all(str(deal) in known for deal in first)
    ):
        raise GameError(
            f"there are {times.total():,} records of the first {len(known):,} deals of the deck, "
            "expected each deal once: several batches wrote to the file"
        )


def longest_deals(records: list[Record], ranks: int) -> list[Deal]:
    """The deals with the longest games, each game once.

    Two deals that have the same trumps, and between them every rank of the second suit once, are
    the same game with the plain suits exchanged.
    """
    found: dict[tuple[frozenset[int], frozenset[frozenset[int]]], Deal] = {}
    every = frozenset(range(lowest_rank(ranks), 15))
    decided = [record for record in records if record["distance"] is not None]
    for record in sorted(decided, key=lambda record: -record["distance"]):
        deal = Deal.parse(record["deal"])
        found.setdefault((deal.trump, frozenset((deal.second, every - deal.second))), deal)
        if len(found) == GAMES:
            break
    return list(found.values())


def _body(
    title: str, which: str, records: list[Record], ranks: int, summary: Summary
) -> Iterator[str]:
    yield f"<h1>{title}</h1>"
    yield f"<p>{which}</p>"
    yield from _numbers(summary)
    note = ""
    if summary.outcomes[UNDECIDED]:
        note = (
            " Lines reach from undecided deals being lost to their being won; "
            + ("points are" if summary.estimates else "there is no")
            + " an estimate, not a proof."
        )
    yield from _section(
        "Won by number of own trumps",
        "The share of deals that the dealer wins, by how many trumps he has kept." + note,
        partial(plots.share_by_number, summary=summary),
        (4.2, 3.2),
    )
    yield from _section(
        "Won by rank of own trumps",
        "The share of deals that the dealer wins with and without each of his trumps." + note,
        partial(plots.share_by_rank, records=records, ranks=ranks, summary=summary),
        (4, 3.2),
    )
    caption = (
        "A square for each deal: up, the trumps that the dealer has kept; to the right, the cards "
        "of his second suit; both from few to many."
    )
    if summary.longest is not None:
        caption += " Dark squares are quick games, pale ones long."
        yield from _section(
            "Distances",
            "How long games are when the winner hurries and the loser delays.",
            partial(plots.distances, records=records, summary=summary),
            (4, 3.2),
        )
    if summary.estimates:
        caption += " Of undecided deals, bluish ones are likely wins, reddish ones likely losses."
    if len({record["deal"] for record in records}) < 4**ranks:
        caption += " White ones are not among these deals."
    yield from _section(
        "All deals",
        caption,
        partial(plots.heat_map, records=records, ranks=ranks, summary=summary),
        (10.4, 4.8) if summary.longest is None else (11.8, 5.6),
    )
    yield from _games(longest_deals(records, ranks))


def _which(records: list[Record], ranks: int, summary: Summary) -> str:
    if not summary.weighted:
        return f"{counted(len(records), 'random deal')}, as they come up at the table."
    if len(records) < 4**ranks:
        return f"The first {len(records):,} of {4**ranks:,} deals: the batch is not finished."
    return (
        f"All {counted(len(records), 'deal')}, each counted as often as it comes up at the table."
    )


def _numbers(summary: Summary) -> Iterator[str]:
    won, drawn = summary.outcomes["win"], summary.outcomes["draw"]
    undecided, total = summary.outcomes[UNDECIDED], summary.outcomes.total()
    detail = f"{won:,} of {total:,}"
    if not summary.weighted:
        detail += " (95% interval {:.2%} to {:.2%})".format(*bounds(summary.outcomes))
    yield '<dl class="numbers">'
    yield _number("Dealer wins" + " at least" * bool(undecided), f"{won / total:.2%}", detail)
    yield _number("Draws", f"{drawn / total:.2%}", f"{drawn:,}")
    if undecided:
        yield _number("Undecided", f"{undecided / total:.2%}", f"{undecided:,}")
    if summary.estimated_share is not None:
        yield _number(
            "Dealer wins, estimated", f"{summary.estimated_share:.1%}", "an estimate, not a proof"
        )
    if summary.longest is not None:
        yield _number("Median game", counted(summary.median or 0, "trick"), "")
        longest = ", ".join(summary.longest_deals[:2])
        yield _number("Longest game", counted(summary.longest, "trick"), longest)
    yield "</dl>"


def _number(name: str, value: str, detail: str) -> str:
    return f"<div><dt>{name}</dt><dd>{value}<small>{detail}</small></dd></div>"


def _section(
    heading: str, caption: str, draw: Callable[[Figure], None], heights: tuple[float, float]
) -> Iterator[str]:
    """A picture for wide and for narrow windows, light and dark.

    They are images of their own, so that names in one cannot meet those of another.
    """
    yield f"<section><h2>{heading}</h2><p>{caption}</p>"
    wide = plots.picture(draw, plots.WIDTH, heights[0])
    narrow = plots.picture(draw, plots.NARROW_WIDTH, heights[1])
    dark = "(prefers-color-scheme: dark)"
    yield "<picture>"
    for media, image in (
        (f"(max-width: {NARROW}) and {dark}", plots.darkened(narrow)),
        (f"(max-width: {NARROW})", narrow),
        (dark, plots.darkened(wide)),
    ):
        yield f'<source media="{media}" srcset="{_uri(image)}">'
    yield f'<img alt="{heading}" src="{_uri(wide)}"></picture></section>'


def _uri(image: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(image.encode()).decode()}"


def _games(deals: list[Deal]) -> Iterator[str]:
    """The longest games, if they are known."""
    solutions = []
    with suppress(MissingTable):
        solutions = list(solve_many((deal.position() for deal in deals), line=True))
    if not any(solution.line and solution.distance for solution in solutions):
        yield "<p>The distances of these deals are not known here, so no games are shown.</p>"
        return
    yield "<section><h2>The longest games</h2>"
    yield (
        "<p>Both sides play best: the winner hurries, the loser delays. A turn is a card that "
        "beats and the next lead. Player 1 is the dealer, his trumps are spades.</p>"
    )
    for deal, solution in zip(deals, solutions, strict=True):
        verb = "wins" if solution.outcome == "win" else "loses"
        tricks = counted(solution.distance or 0, "trick")
        yield f"<details><summary><b>{deal}</b> the dealer {verb} in {tricks}</summary>"
        yield from _game(solution)
        yield "</details>"
    yield "</section>"


class Ink(Picture):
    """Draws in HTML."""

    def __init__(self) -> None:
        self.suits, self.gap = SUIT_SYMBOLS, "·"

    def style(
        self, text: str, suit: int | None = None, bold: bool = False, dim: bool = False
    ) -> str:
        red = suit is not None and SUITS[suit] in "HD"
        return f'<span class="red">{text}</span>' if red else text

    def width(self, text: str) -> int:
        return len(re.sub("<.*?>", "", text))


def _game(solution: Solution) -> Iterator[str]:
    ink = Ink()
    hands = "\n".join(ink.position(solution.position))
    game = "\n".join(ink.game(solution.position, solution.line or ()))
    yield f"<pre>{hands}</pre>"
    yield f'<pre class="game">{game}</pre>'
