"""95% intervals of shares and of mean scores, which never leave the possible values."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import fmean

NORMAL_95 = 1.959964
"""Half of a 95% interval of the normal distribution, in standard deviations."""


def share_interval(won: float, total: float) -> tuple[float, float]:
    """Wilson's interval of a share of which a random sample is known."""
    share, spread = won / total, NORMAL_95**2 / total
    middle = (share + spread / 2) / (1 + spread)
    margin = sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    return middle - margin, middle + margin


def mean_interval(values: Sequence[float], least: float, most: float) -> tuple[float, float]:
    """The interval of the mean of values between `least` and `most`, of which some are known.

    Wilson's interval, for the share of the way from `least` to `most`, with an effective sample
    size (Korn and Graubard 1998): values that vary less than shares of 0 and 1 with the same mean
    are worth more of these. One value of the greatest variance is added, as a few may be the same
    by chance.
    """
    width, count = most - least, len(values)
    shares = [(value - least) / width for value in values]
    share = fmean(shares)
    greatest = share * (1 - share)
    size = float(count)
    if greatest > 0:
        variance = (sum((one - share) ** 2 for one in shares) + greatest) / count
        size = max(size, count * greatest / variance)
    low, high = share_interval(share * size, size)
    return least + width * max(low, 0.0), least + width * min(high, 1.0)
