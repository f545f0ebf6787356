"""Plots of many solved deals, as SVG pictures. Needs matplotlib."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from textwrap import fill
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from engine.cards import RANKS
from solver.study.batch import Record
from solver.study.summary import Summary, bounds

BLUE, ORANGE = "#2a6fb0", "#d9722e"
INK, PAPER, EDGE, GRID = "#20242a", "#ffffff", "#9aa0a6", "#e6e8eb"
DARK = {INK: "#e3e6ea", PAPER: "#20242a", EDGE: "#6c737b", GRID: "#3a4048"}
"""What colours become on a dark page."""
GREY = "#b4b9c0"
COLOURS = {"win": BLUE, "draw": "black", "loss": ORANGE, "undecided": GREY}
NAMES = {
    "win": "dealer wins",
    "draw": "draw",
    "loss": "dealer loses",
    "undecided": "undecided",
}
ESTIMATED = LinearSegmentedColormap.from_list("", ["#e4c3ad", "#d5d5d3", "#b3c8dc"])
"""Undecided deals, from a loss to a win by their estimate."""
STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "challenge",  # the same records give the same picture
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": EDGE,
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), INK),
    **dict.fromkeys(("figure.facecolor", "axes.facecolor"), PAPER),
    "axes.axisbelow": True,
    "grid.color": GRID,
    "legend.frameon": False,
}
WIDTH, NARROW_WIDTH = 10, 4.2
"""Inches; the narrow one is for phones, where the same letters take more of the width."""
NAMED, NARROW_NAMED = 64, 16
"""Up to so many holdings on one axis are named one by one."""


def picture(draw: Callable[[Figure], None], width: float, height: float) -> str:
    """What `draw` puts on a figure of so many inches, as SVG."""
    with mpl.rc_context(STYLE | {"font.size": 11 if width == WIDTH else 9}):
        figure = Figure((width, height), layout="constrained")
        draw(figure)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None})
    return stream.getvalue()


def darkened(image: str) -> str:
    """An SVG picture for a dark page."""
    for colour, dark in DARK.items():
        image = image.replace(colour, dark)
    return image


def share_by_number(figure: Figure, summary: Summary) -> None:
    """The share won by the number of own trumps."""
    axes = figure.subplots()
    axes.grid(axis="y")
    total = summary.outcomes.total()
    for number, outcomes in sorted(summary.by_trumps.items()):
        share, low, high = _share(outcomes, summary.weighted, summary.estimated[number])
        won, undecided = (outcomes[name] / outcomes.total() for name in ("win", "undecided"))
        axes.bar(number, won, 0.75, color=BLUE)
        axes.bar(number, undecided, 0.75, bottom=won, color=GREY)
        axes.vlines(number, low, high, color=INK)
        if undecided:
            axes.plot(number, share, "D", color=INK)
        axes.annotate(
            f"{share:.1%}", (number, high), (0, 3), textcoords="offset points", ha="center"
        )
    numbers = sorted(summary.by_trumps)
    often = [summary.by_trumps[number].total() / total for number in numbers]
    form = "{}\n({:.0%})" if _narrow(figure) else "{}\n({:.1%})"
    labels = list(map(form.format, numbers, often))
    axes.set_xticks(numbers, labels)
    _label(figure, axes, "number of the dealer's own trumps (and how often it comes up)")
    _percent(axes)
    axes.set_ylim(0, 1.08)


def share_by_rank(figure: Figure, records: Sequence[Record], ranks: int, summary: Summary) -> None:
    """The share won with and without each rank in the own trump suit."""
    axes = figure.subplots()
    axes.grid(axis="y")
    for held, colour, marker, label in (
        (True, BLUE, "o", "held by the dealer"),
        (False, ORANGE, "s", "not held"),
    ):
        for place, rank in enumerate(RANKS[:ranks]):
            outcomes: Counter[str] = Counter()
            estimated = 0.0
            for record in records:
                if (rank in record["dealer_trump"]) == held:
                    amount = record["weight"] if summary.weighted else 1
                    outcomes[record["outcome"]] += amount
                    if record["outcome"] == "undecided":
                        estimated += amount * (record["estimate_win"] or 0)
            if outcomes:
                share, low, high = _share(outcomes, summary.weighted, estimated)
                axes.vlines(place, low, high, color=colour)
                axes.plot(place, share, marker, color=colour, markersize=9, label=label)
                axes.annotate(
                    f"{share:.1%}",
                    (place, share),
                    (0, 7) if _narrow(figure) else (9, -4),
                    textcoords="offset points",
                    ha="center" if _narrow(figure) else "left",
                    size="small" if _narrow(figure) else "medium",
                )
                label = ""
    axes.set_xticks(range(ranks), list(RANKS[:ranks]))
    axes.set_xlim(-0.5, ranks - 0.2)
    axes.set_xlabel("rank in the dealer's trump suit")
    _percent(axes)
    axes.margins(y=0.2)
    axes.legend(ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1))


def distances(figure: Figure, records: Sequence[Record], summary: Summary) -> None:
    """How many deals are won and lost in how many tricks."""
    axes = figure.subplots()
    axes.grid(axis="y")
    found = {outcome: Counter[int]() for outcome in ("win", "loss")}
    for record in records:
        if record["distance"] is not None:
            amount = record["weight"] if summary.weighted else 1
            found[record["outcome"]][record["distance"]] += amount
    total = summary.outcomes.total()
    tricks = sorted(summary.distances)
    won, lost = ([found[outcome][n] / total for n in tricks] for outcome in found)
    width = max(0.9, (summary.longest or 0) / 300)  # or it could not be seen
    axes.bar(tricks, won, width, color=BLUE, label=NAMES["win"])
    axes.bar(tricks, lost, width, bottom=won, color=ORANGE, label=NAMES["loss"])
    axes.axvline(summary.median or 0, color=INK, linestyle="--", linewidth=1)
    axes.annotate(
        f"median {summary.median}",
        (summary.median or 0, 1),
        (5, -12),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
    )
    _label(figure, axes, "tricks to the end, when the winner hurries and the loser delays")
    _percent(axes)
    axes.set_ylabel("share of deals")
    axes.set_ylim(0, 1.12 * max(map(sum, zip(won, lost, strict=True))))
    axes.legend(loc="upper right")


def heat_map(figure: Figure, records: Sequence[Record], ranks: int, summary: Summary) -> None:
    """Every deal: the dealer's trumps up, his second suit across."""
    groups = [
        ["".join(held) or "-" for held in combinations(RANKS[:ranks], size)][::-1]
        for size in range(ranks + 1)
    ]
    holdings = [holding for group in groups for holding in group]
    place = {holding: i for i, holding in enumerate(holdings)}
    norm = Normalize(0, summary.longest or 1)
    fading = {
        "win": LinearSegmentedColormap.from_list("", ["#08306b", BLUE, "#dce9f5"]),
        "loss": LinearSegmentedColormap.from_list("", ["#7f2704", ORANGE, "#fbe3d1"]),
    }
    image = np.ones((len(holdings), len(holdings), 4))
    for record in records:
        outcome, distance = record["outcome"], record["distance"]
        colour = to_rgba(COLOURS[outcome])
        if distance is not None:
            colour = fading[outcome](norm(distance))
        elif outcome == "undecided" and record["estimate_win"] is not None:
            colour = ESTIMATED(record["estimate_win"] + record["estimate_draw"] / 2)
        image[place[record["dealer_trump"]], place[record["dealer_second"]]] = colour
    axes = figure.subplots()
    axes.imshow(image, origin="lower", interpolation="none")
    edges = [-0.5, *(np.cumsum([len(group) for group in groups]) - 0.5)]
    axes.hlines(edges[1:-1], edges[0], edges[-1], color="black", linewidth=0.7)
    axes.vlines(edges[1:-1], edges[0], edges[-1], color="black", linewidth=0.7)
    places: Sequence[float] = range(len(holdings))
    names, unit = holdings, ""
    if len(holdings) > (NARROW_NAMED if _narrow(figure) else NAMED):
        places = [(low + high) / 2 for low, high in pairwise(edges)]
        names, unit = [str(size) for size in range(ranks + 1)], ": number of cards"
    size = max(6.5, 11 - len(names) / 16)
    axes.set_xticks(places, names, rotation=90 if names is holdings else 0, fontsize=size)
    axes.set_yticks(places, names, fontsize=size)
    axes.tick_params(length=0)
    axes.set_xlabel(f"second suit{unit}")
    axes.set_ylabel(f"own trumps{unit}")
    shown = [outcome for outcome in ("draw", "undecided") if summary.outcomes[outcome]]
    if summary.longest is None:
        shown += ["win", "loss"]
    else:
        for outcome in ("win", "loss"):
            label = f"tricks until the {NAMES[outcome]}"
            bar = ScalarMappable(norm, fading[outcome])
            figure.colorbar(bar, ax=axes, location="bottom", label=label, fraction=0.015, pad=0.015)
    axes.legend(
        handles=[
            Patch(facecolor=COLOURS[outcome], edgecolor=EDGE, label=NAMES[outcome])
            for outcome in shown
        ],
        loc="lower right",
        bbox_to_anchor=(1, 1),
        ncols=3,
    )


def _share(
    outcomes: Counter[str], exact: bool, estimated: float = 0.0
) -> tuple[float, float, float]:
    """The share won, and between which bounds it lies.

    `estimated`: what undecided ones may add to the wins; the bounds take them as lost and as won.
    """
    won, total = outcomes["win"], outcomes.total()
    most = (won + outcomes["undecided"]) / total
    return (won + estimated) / total, *((won / total, most) if exact else bounds(outcomes))


def _narrow(figure: Figure) -> bool:
    """Whether the picture is for phones."""
    return bool(figure.get_figwidth() < WIDTH)


def _label(figure: Figure, axes: Axes, text: str) -> None:
    """Name the horizontal axis, on two lines where there is no room."""
    axes.set_xlabel(fill(text, 45) if _narrow(figure) else text)


def _percent(axes: Axes) -> None:
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_ylabel("won by the dealer")
