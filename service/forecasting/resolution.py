"""What became of a question, by the bars that followed it.

A bar's prices lie before its end, so the bar that ends at 24:00:00 still counts for a deadline of 23:59:59.
A touch counts only in bars that open at or after the question: what a bar held before is not its future.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from service.forecasting.questions.question import Question
from service.market.assets import open_at, open_hours
from service.market.bars import Bars
from service.market.instants import HOUR, iso

Outcome = Literal["yes", "no", "void"]

TOUCHES = ("touch_above", "touch_below")
LATE_S = 6 * HOUR  # how long bars may come after the deadline before what is missing counts as a hole
HOLE_H = 1.0  # open hours without a bar that are borne


@dataclass(frozen=True)
class Resolution:
    """What became of a question, and the bar or the hole that shows it."""

    outcome: Outcome
    evidence: str


def happened(question: Question, *, final: float, high: float, low: float) -> bool:
    """Whether the event of the question took place, negation aside.

    `final` is the last price at or before the deadline, `high` and `low` the extremes until then, in USD.
    Not for `relative`, which needs two assets.
    """
    match question.comparator:
        case "close_above":
            return final > question.level
        case "close_below":
            return final < question.level
        case "touch_above":
            return high >= question.level
        case "touch_below":
            return low <= question.level
        case "between":
            return question.level <= final <= question.upper_level
        case "down":
            return final < question.spot
    return final > question.spot


def resolve(question: Question, asked_at: int, bars: Mapping[str, Bars], now: int) -> Resolution | None:
    """The outcome of a question as the bars show it at the unix second `now`; None while it is open.

    `bars` are those of the question's assets from some days before `asked_at` on: the price from which `relative`
    is measured may be as old as a long weekend. A touch resolves as soon as it is seen. After the deadline it
    waits up to six hours for bars that come late. Then an hour of open market without a bar is borne, and more of
    it is a hole that makes the question void: for a touch anywhere until the deadline, else just before it. A
    market that closed before the deadline gives its last price.
    """
    deadline = int(question.deadline.timestamp())
    known = {asset: rows.until(min(deadline + 1, now)) for asset, rows in bars.items()}
    if question.comparator in TOUCHES:
        touched = _touched(question, known[question.asset].since(asked_at))
        if touched is not None:
            return touched
    if now <= deadline:
        return None
    is_late = now > deadline + LATE_S
    try:
        return _settle(question, asked_at, known, deadline, HOLE_H if is_late else 0.0)
    except _Hole as hole:
        return Resolution("void", str(hole)) if is_late else None


class _Hole(Exception):
    """Bars are missing that the outcome depends on; says which."""


def _settle(question: Question, asked_at: int, known: Mapping[str, Bars], deadline: int, borne: float) -> Resolution:
    """The outcome after the deadline; raises _Hole when more than `borne` open hours are missing."""
    asset, bars = question.asset, known[question.asset]
    if question.comparator == "relative":
        return _outperformed(question, asked_at, known, deadline, borne)
    if question.comparator in TOUCHES:
        _check_whole(asset, bars, asked_at, deadline, borne)
        return _outcome(question, False, _never_reached(question, bars.since(asked_at)))
    _check_last(asset, bars, asked_at, deadline, borne)
    if not len(bars) or bars.as_of <= asked_at:
        final, evidence = question.spot, f"{asset} did not trade and stayed at {question.spot:.10g}"
    else:
        final, evidence = float(bars.close[-1]), _close_of(asset, bars)
    return _outcome(question, happened(question, final=final, high=final, low=final), evidence)


def _touched(question: Question, seen: Bars) -> Resolution | None:
    """The first bar that reached the level of a touch question, else None."""
    if happened(question, final=question.spot, high=question.spot, low=question.spot):
        return _outcome(question, True, f"{question.asset} was at {question.spot:.10g} when it was asked")
    side = "high" if question.comparator == "touch_above" else "low"
    prices = getattr(seen, side)
    reached = np.flatnonzero(prices >= question.level if side == "high" else prices <= question.level)
    if not len(reached):
        return None
    bar = int(reached[0])
    evidence = f"{question.asset} {side} {prices[bar]:.10g} in the bar of {iso(int(seen.time[bar]))}"
    return _outcome(question, True, evidence)


def _never_reached(question: Question, seen: Bars) -> str:
    if not len(seen):
        return f"{question.asset} did not trade until the deadline"
    if question.comparator == "touch_above":
        return f"{question.asset} never rose above {seen.high.max():.10g}"
    return f"{question.asset} never fell below {seen.low.min():.10g}"


def _outperformed(
    question: Question, asked_at: int, known: Mapping[str, Bars], deadline: int, borne: float
) -> Resolution:
    """Both returns from the last close at or before the question to the last one before the deadline."""
    returns, evidence = [], []
    for asset in (question.asset, question.other_asset):
        before, after = known[asset].until(asked_at), known[asset]
        if not len(before):
            raise _Hole(f"{asset} has no bar before {iso(asked_at)}")
        _check_last(asset, before, int(before.time[0]), asked_at, borne)
        _check_last(asset, after, asked_at, deadline, borne)
        returns.append(float(after.close[-1] / before.close[-1] - 1))
        evidence.append(f"{_close_of(asset, after)}, {100 * returns[-1]:+.2f} %")
    return _outcome(question, returns[0] > returns[1], "; ".join(evidence))


def _check_last(asset: str, bars: Bars, since: int, until: int, borne: float) -> None:
    """Raise _Hole when a whole bar and more than `borne` open hours are missing just before `until`."""
    last = max(since, bars.as_of) if len(bars) else since
    missing = open_hours(asset, last, until)
    if missing > borne and missing >= bars.step / HOUR:
        raise _Hole(f"{asset} has no bar for {missing:.1f} open hours from {iso(last)}")


def _check_whole(asset: str, bars: Bars, since: int, until: int, borne: float) -> None:
    """Raise _Hole when more than `borne` open hours of bars are missing between two unix seconds."""
    grid = np.arange(-(-since // bars.step) * bars.step, until + 2 - bars.step, bars.step)
    missing = grid[open_at(asset, grid) & ~np.isin(grid, bars.time)]
    hours = len(missing) * bars.step / HOUR
    if hours > borne:
        raise _Hole(f"{asset} has no bar for {hours:.1f} open hours from {iso(int(missing[0]))}")


def _close_of(asset: str, seen: Bars) -> str:
    return f"{asset} close {seen.close[-1]:.10g} of the bar of {iso(int(seen.time[-1]))}"


def _outcome(question: Question, event: bool, evidence: str) -> Resolution:
    return Resolution("yes" if event != question.negated else "no", evidence)
