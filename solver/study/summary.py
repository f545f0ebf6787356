"""What many deals come to: the share that the dealer wins, distances, own trumps."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from engine.arena.interval import share_interval
from solver.study.batch import TIMES, Record

LISTED = 5
"""How many deals of an extreme are named."""
OUTCOMES = ("win", "draw", "loss")


@dataclass
class Summary:
    """Counts of records, one after the other.

    `weighted`: all deals differ, and each counts as often as it comes up at the table
    (`Deal.weight`). Otherwise they are a random sample and each counts once.
    """

    weighted: bool
    records: int = 0
    by_trumps: defaultdict[int, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Number of the dealer's own trumps -> outcomes."""
    distances: Counter[int] = field(default_factory=Counter)
    """Of won and lost deals."""
    longest: int | None = None
    longest_deals: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    """How long it took to solve a deal, where it is known."""

    def add(self, record: Record) -> None:
        """Count a record."""
        deal, distance = record["deal"], record["distance"]
        amount = record["weight"] if self.weighted else 1
        self.records += 1
        self.by_trumps[record["trumps_held"]][record["outcome"]] += amount
        if TIMES in record:
            self.seconds[deal] = record[TIMES]
        if distance is None:
            return
        self.distances[distance] += amount
        if self.longest is None or distance > self.longest:
            self.longest, self.longest_deals = distance, []
        if distance == self.longest and deal not in self.longest_deals:
            self.longest_deals.append(deal)

    @property
    def outcomes(self) -> Counter[str]:
        """Outcomes for the dealer."""
        return sum(self.by_trumps.values(), Counter())

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
        return {
            "records": self.records,
            **_counts(self.outcomes, self.weighted),
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
    total = won + drawn + lost
    share: dict[str, Any] = {"numerator": won, "denominator": total, "decimal": won / total}
    if not exact:
        share["interval_95"] = share_interval(won, total)
    return {"won": won, "drawn": drawn, "lost": lost, "share_won": share}
