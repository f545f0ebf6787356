"""What many deals come to: the share that the dealer wins, distances, own trumps."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from engine.arena.interval import share_interval
from solver.study.batch import ERROR, TIMES, Record

LISTED = 5
"""How many deals of an extreme are named."""
OUTCOMES = ("win", "draw", "loss")
UNDECIDED = "undecided"


@dataclass
class Summary:
    """Counts of records, one after the other.

    `weighted`: all deals differ, and each counts as often as it comes up at the table
    (`Deal.weight`). Otherwise they are a random sample and each counts once.
    """

    weighted: bool
    records: int = 0
    errors: int = 0
    """Records of lines that were bad; they count for nothing else."""
    outcomes: Counter[str] = field(default_factory=Counter)
    """Outcomes for the dealer; of positions, for the player to move."""
    estimated: Counter[int | None] = field(default_factory=Counter)
    """What undecided ones may add to the wins, by their estimates: own trumps -> amount, …"""
    estimates: int = 0
    """… and how many of them have one."""
    reproducible: bool = True
    """Whether no record came from a search that was limited in time."""
    by_trumps: defaultdict[int, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Number of the dealer's own trumps -> outcomes; without positions."""
    distances: Counter[int] = field(default_factory=Counter)
    """Of won and lost deals."""
    longest: int | None = None
    longest_deals: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    """How long it took to solve a deal, where it is known."""

    def add(self, record: Record) -> None:
        """Count a record."""
        self.records += 1
        if record.get(ERROR) is not None:
            self.errors += 1
            return
        outcome, distance = record["outcome"], record["distance"]
        amount = record["weight"] if self.weighted else 1
        self.outcomes[outcome] += amount
        if record["trumps_held"] is not None:
            self.by_trumps[record["trumps_held"]][outcome] += amount
        deal = record["deal"] or record["position"]
        if record.get(TIMES) is not None:
            self.seconds[deal] = record[TIMES]
        self.reproducible = self.reproducible and record.get("reproducible") is not False
        if outcome == UNDECIDED and record["estimate_win"] is not None:
            self.estimated[record["trumps_held"]] += amount * record["estimate_win"]
            self.estimates += amount
        if distance is None:
            return
        self.distances[distance] += amount
        if self.longest is None or distance > self.longest:
            self.longest, self.longest_deals = distance, []
        if distance == self.longest and deal not in self.longest_deals:
            self.longest_deals.append(deal)

    @property
    def estimated_share(self) -> float | None:
        """The share won, if undecided ones are as estimated; None if not all of them are."""
        undecided = self.outcomes[UNDECIDED]
        if not undecided or self.estimates < undecided:
            return None
        return float((self.outcomes["win"] + self.estimated.total()) / self.outcomes.total())

    @property
    def median(self) -> int | None:
        """The median distance; the lower one of two."""
        left = self.distances.total()
        for distance in sorted(self.distances):
            left -= 2 * self.distances[distance]
            if left <= 0:
                return distance
        return None

    @property
    def slowest(self) -> list[tuple[str, float]]:
        """The deals that took longest to solve, and the seconds."""
        return heapq.nsmallest(LISTED, self.seconds.items(), key=lambda pair: (-pair[1], pair[0]))

    def to_dict(self) -> dict[str, Any]:
        """The summary as `challenge batch --summary` writes it."""
        estimate = self.estimated_share
        return {
            "records": self.records,
            "errors": self.errors,
            **_counts(self.outcomes, self.weighted),
            **({} if estimate is None else {"estimated_share_won": round(estimate, 6)}),
            "distance": {
                "median": self.median,
                "longest": self.longest,
                "longest_deals": self.longest_deals[:LISTED],
            },
            "by_trumps": [
                {"trumps_held": trumps, **_counts(self.by_trumps[trumps], self.weighted)}
                for trumps in sorted(self.by_trumps)
            ],
            "slowest": [{"deal": deal, "seconds": seconds} for deal, seconds in self.slowest],
        }


def _counts(outcomes: Counter[str], exact: bool) -> dict[str, Any]:
    won, drawn, lost = (outcomes[outcome] for outcome in OUTCOMES)
    undecided, total = outcomes[UNDECIDED], outcomes.total()
    share: dict[str, Any] = {"numerator": won, "denominator": total}
    if not undecided:
        share["decimal"] = won / total if total else None
    else:  # it lies between these
        share |= {"at_least": won / total, "at_most": (won + undecided) / total}
    if not exact and total:
        low, high = bounds(outcomes)
        share["interval_95"] = (low, high)
    return {
        "won": won,
        "drawn": drawn,
        "lost": lost,
        UNDECIDED: undecided,
        "share_won": share,
    }


def bounds(outcomes: Counter[str]) -> tuple[float, float]:
    """Where the share won of random deals lies with 95 %, whatever undecided ones are."""
    won, total = outcomes["win"], outcomes.total()
    return share_interval(won, total)[0], share_interval(won + outcomes[UNDECIDED], total)[1]
