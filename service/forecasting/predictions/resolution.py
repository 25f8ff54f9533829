"""The outcome of a question, determined from the bars after it.

The prices of a bar are from before its end, so the bar that ends at 24:00:00 counts for a deadline of 23:59:59. A
touch counts only in bars that open at or after the question, because an earlier bar includes earlier prices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from service.forecasting.predictions.path_outcomes import SameBar, first_reached, of_path
from service.market.assets import open_at, open_hours
from service.market.bars import Bars
from service.market.instants import HOUR, iso
from service.questions.question import EARLIER, ORDERS, TOUCHES, WHOLE_PATH, Question, happened

Outcome = Literal["yes", "no", "void"]

LATE_S = 6 * HOUR  # the time after the deadline during which late bars are accepted
TOLERATED_GAP_H = 1.0  # open hours without a bar that do not make a question void


@dataclass(frozen=True)
class Resolution:
    """The outcome of a question, and the bar or the gap that is the evidence for it."""

    outcome: Outcome
    evidence: str


def resolve(question: Question, asked_at: int, bars: Mapping[str, Bars], now: int) -> Resolution | None:
    """The outcome that the bars show at the unix second `now`; None while the question is open.

    A touch resolves as soon as it is seen, and so does the order of two levels. After the deadline, an incomplete
    question stays open for up to six hours, so that late bars can arrive. Then it is void if bars are missing for more
    than an hour of open market: at any time until the deadline where the whole path counts, as for a touch, for other
    questions just before it. If the market closed before the deadline, its last price counts.

    Parameters
    ----------
    asked_at : int
        Unix second of the question.
    bars : mapping of asset to Bars
        The bars of the question's assets from some days before `asked_at` on, because the price from which `relative`
        is measured may be as old as a long weekend.
    """
    if question.legs:
        return _joint(question, [resolve(part, asked_at, bars, now) for part in question.parts])
    deadline = int(question.deadline.timestamp())
    seen = {asset: rows.until(min(deadline + 1, now)) for asset, rows in bars.items()}
    if question.comparator in TOUCHES:
        touched = _touched(question, seen[question.asset].since(asked_at))
        if touched is not None:
            return touched
    if question.comparator in ORDERS:
        decided = _decided(question, asked_at, seen[question.asset])
        if decided is not None:
            return decided
    if now <= deadline:
        return None
    is_late = now > deadline + LATE_S
    try:
        return _settle(question, asked_at, seen, deadline, TOLERATED_GAP_H if is_late else 0.0)
    except _Gap as gap:
        return Resolution("void", str(gap)) if is_late else None


def _joint(question: Question, legs: Sequence[Resolution | None]) -> Resolution | None:
    """The outcome of a joint question from those of its legs: decided by one of them, or else by both."""
    decisive = "no" if question.comparator == "both" else "yes"
    decided = [leg for leg in legs if leg is not None]
    for leg in decided:
        if leg.outcome == decisive:
            return _resolution(question, decisive == "yes", leg.evidence)
    if len(decided) < len(legs):
        return None
    evidence = "; ".join(leg.evidence for leg in decided)
    if any(leg.outcome == "void" for leg in decided):
        return Resolution("void", evidence)
    return _resolution(question, decisive == "no", evidence)


class _Gap(Exception):
    """Bars on which the outcome depends are missing; the message says which."""


def _settle(question: Question, asked_at: int, bars: Mapping[str, Bars], deadline: int, tolerated: float) -> Resolution:
    """The outcome after the deadline; raises _Gap when more than `tolerated` open hours are missing."""
    asset, series = question.asset, bars[question.asset]
    if question.comparator == "relative":
        return _outperformed(question, asked_at, bars, deadline, tolerated)
    if question.comparator in EARLIER:
        return _compared(question, asked_at, series, deadline, tolerated)
    if question.comparator in WHOLE_PATH:
        _check_whole(asset, series, asked_at, deadline, tolerated)
        return _of_path(question, asked_at, series)
    if question.comparator in TOUCHES:
        _check_whole(asset, series, asked_at, deadline, tolerated)
        return _resolution(question, False, _never_reached(question, series.since(asked_at)))
    _check_last(asset, series, asked_at, deadline, tolerated)
    if not len(series) or series.as_of <= asked_at:
        final, evidence = question.spot, f"{asset} did not trade and stayed at {question.spot:.10g}"
    else:
        final, evidence = float(series.close[-1]), _close_of(asset, series)
    return _resolution(question, happened(question, final=final, high=final, low=final), evidence)


def _decided(question: Question, asked_at: int, bars: Bars) -> Resolution | None:
    """The resolution of the order of two levels once one is reached by bars without a gap; None before that."""
    since = bars.since(asked_at)
    place = first_reached(question, since)
    try:
        if place is None:
            return None
        _check_whole(question.asset, since, asked_at, int(since.time[place]), tolerated=0.0)
    except _Gap:
        return None
    return _of_path(question, asked_at, bars)


def _of_path(question: Question, asked_at: int, bars: Bars) -> Resolution:
    try:
        return _resolution(question, *of_path(question, asked_at, bars))
    except SameBar as same:
        return Resolution("void", str(same))


def _touched(question: Question, bars: Bars) -> Resolution | None:
    """The resolution of a touch question whose level was reached; None before that."""
    if happened(question, final=question.spot, high=question.spot, low=question.spot):
        return _resolution(question, True, f"{question.asset} was at {question.spot:.10g} when it was asked")
    place = first_reached(question, bars)
    if place is None:
        return None
    side = "high" if question.comparator == "touch_above" else "low"
    price, opened = getattr(bars, side)[place], iso(int(bars.time[place]))
    return _resolution(question, True, f"{question.asset} {side} {price:.10g} in the bar of {opened}")


def _never_reached(question: Question, bars: Bars) -> str:
    if not len(bars):
        return f"{question.asset} did not trade until the deadline"
    if question.comparator == "touch_above":
        return f"{question.asset} never rose above {bars.high.max():.10g}"
    return f"{question.asset} never fell below {bars.low.min():.10g}"


def _outperformed(
    question: Question, asked_at: int, bars: Mapping[str, Bars], deadline: int, tolerated: float
) -> Resolution:
    """Compare both returns, from the last close at or before the question to the last close before the deadline."""
    returns, evidence = [], []
    for asset in question.assets:
        before, after = bars[asset].until(asked_at), bars[asset]
        if not len(before):
            raise _Gap(f"{asset} has no bar before {iso(asked_at)}")
        _check_last(asset, before, int(before.time[0]), asked_at, tolerated)
        _check_last(asset, after, asked_at, deadline, tolerated)
        returns.append(float(after.close[-1] / before.close[-1] - 1))
        evidence.append(f"{_close_of(asset, after)}, {100 * returns[-1]:+.2f}%")
    return _resolution(question, returns[0] > returns[1], "; ".join(evidence))


def _compared(question: Question, asked_at: int, bars: Bars, deadline: int, tolerated: float) -> Resolution:
    """Compare the last close before the deadline with that before the earlier instant."""
    closes, evidence = [], []
    for instant in (int(question.starts_at.timestamp()), deadline):
        shown = bars.until(instant + 1)
        _check_last(question.asset, shown, asked_at, instant, tolerated)
        traded = len(shown) > 0 and shown.as_of > asked_at
        closes.append(float(shown.close[-1]) if traded else question.spot)
        stayed = f"{question.asset} did not trade and stayed at {question.spot:.10g}"
        evidence.append(_close_of(question.asset, shown) if traded else stayed)
    is_above = question.comparator == "above_earlier"
    event = closes[1] > closes[0] if is_above else closes[1] < closes[0]
    return _resolution(question, event, "; ".join(evidence))


def _check_last(asset: str, bars: Bars, since: int, until: int, tolerated: float) -> None:
    """Raise _Gap when a whole bar and more than `tolerated` open hours are missing just before `until`."""
    last = max(since, bars.as_of) if len(bars) else since
    missing = open_hours(asset, last, until)
    if missing > tolerated and missing >= bars.step / HOUR:
        raise _Gap(f"{asset} has no bar for {missing:.1f} open hours from {iso(last)}")


def _check_whole(asset: str, bars: Bars, since: int, until: int, tolerated: float) -> None:
    """Raise _Gap when more than `tolerated` open hours of bars are missing between two unix seconds."""
    grid = np.arange(-(-since // bars.step) * bars.step, until + 2 - bars.step, bars.step)
    missing = grid[open_at(asset, grid) & ~np.isin(grid, bars.time)]
    hours = len(missing) * bars.step / HOUR
    if hours > tolerated:
        raise _Gap(f"{asset} has no bar for {hours:.1f} open hours from {iso(int(missing[0]))}")


def _close_of(asset: str, bars: Bars) -> str:
    return f"{asset} close {bars.close[-1]:.10g} of the bar of {iso(int(bars.time[-1]))}"


def _resolution(question: Question, event: bool, evidence: str) -> Resolution:
    return Resolution("yes" if event != question.negated else "no", evidence)
