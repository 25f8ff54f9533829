"""The proof that a strategy sees no future: on the bars until an instant it decides what it decides on all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Targets = NDArray[np.int8]

PREFIXES = 24  # of the bars, each of which ends at another hour of the day where bars are of hours
REACH = 3  # bars within which a decision knows only the next ones


class StrategyRefused(ValueError):
    """The strategy cannot be scored, and why."""


def targets_of(name: str, strategy: Callable[[pd.DataFrame], Any], bars: pd.DataFrame) -> Targets:
    """The targets of a strategy at each of its bars; StrategyRefused for what is none."""
    targets = np.asarray(strategy(bars.copy()))
    if targets.shape != (len(bars),):
        raise StrategyRefused(f"{name} gave targets of shape {targets.shape} for {len(bars)} bars.")
    if not np.isin(targets, (-1, 0, 1)).all():
        raise StrategyRefused(f"{name} gave a target that is none of -1 (short), 0 (flat) and 1 (long).")
    return targets.astype(np.int8)


def refuse_strategy_foresight(
    name: str, strategy: Callable[[pd.DataFrame], Any], asset: str, bars: pd.DataFrame, reference: Targets
) -> None:
    """Raise StrategyRefused where a decision on a prefix of the bars differs from `reference`, that on all of them.

    24 prefixes are tried, which end at different times of the day. It names what the decisions know: the next bars, the
    rest of the day, or the whole sample. What a strategy reads elsewhere than in its bars cannot be tested.
    """
    changes: list[tuple[int, int]] = []  # the end of a prefix and the first decision that differs on it
    for end in prefix_ends(len(bars)):
        try:
            targets = targets_of(name, strategy, bars.iloc[:end])
        except (LookupError, ValueError, TypeError) as error:
            raise StrategyRefused(
                f"{name} needs the future: on the bars of {asset} until {_minute(bars, end)} it fails with "
                f"{type(error).__name__}: {error}"
            ) from error
        places = np.flatnonzero(targets != reference[:end])
        if len(places):
            changes.append((end, int(places[0])))
    if not changes:
        return
    end, first = changes[0]
    if not np.array_equal(targets_of(name, strategy, bars.iloc[:end]), targets_of(name, strategy, bars.iloc[:end])):
        raise StrategyRefused(f"{name} decides differently on equal bars: give its random numbers a seed.")
    raise StrategyRefused(
        f"{name} sees the future: it knows {_kind(changes, bars)}. On the bars of {asset} until {_minute(bars, end)} "
        f"its decision of {_minute(bars, first + 1)} is another than on all of them."
    )


def prefix_ends(count: int) -> list[int]:
    """The numbers of bars in the prefixes of `count` bars: spread evenly, and each moved by one bar more."""
    if count < 2:
        return []
    ends = np.linspace(0, count, PREFIXES + 2)[1:-1].astype(int)
    return sorted({min(max(int(place) + at % PREFIXES, 1), count - 1) for at, place in enumerate(ends)})


def _kind(changes: list[tuple[int, int]], bars: pd.DataFrame) -> str:
    """What the decisions know that was not known, from how far before the end of a prefix the first one differs."""
    if all(end - first <= REACH for end, first in changes):
        return "bars that were not complete (the next bar)"
    days = pd.DatetimeIndex(bars.index).normalize()
    if all(days[end - 1] == days[first] for end, first in changes):
        return "the rest of the day (such as its close)"
    return "the whole sample (such as a scale, a mean or a fit over all months)"


def _minute(bars: pd.DataFrame, end: int) -> str:
    return f"{bars.index[end - 1]:%Y-%m-%d %H:%M}"
