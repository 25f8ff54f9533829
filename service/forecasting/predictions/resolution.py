"""The outcome of a question, determined from the bars after it.

The prices of a bar are from before its end, so the bar that ends at 24:00:00 counts for a deadline of 23:59:59. A
touch counts only in bars that open at or after the question, because an earlier bar includes earlier prices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from service.forecasting.voters.path_events import longest_run
from service.market.assets import YEAR_HOURS, calendar_of, open_at, open_hours, trading_days
from service.market.bars import Bars
from service.market.instants import HOUR, iso, utc
from service.questions.question import (
    DAY_COUNTS,
    EARLIER,
    MOVING_AVERAGES,
    ORDERS,
    TOUCHES,
    WHOLE_PATH,
    Question,
    closes_known,
    happened,
)

Outcome = Literal["yes", "no", "void"]
Decision = tuple[bool, str]  # whether the event took place, and the evidence

NO_TRADE = "did not trade until the deadline"
LATE_S = 6 * HOUR  # the time after the deadline during which late bars are accepted
TOLERATED_GAP_H = 1.0  # open hours without a bar that do not make a question void


class SameBar(Exception):
    """Both levels were reached in one bar, which does not tell which was first; the message names the bar."""


def first_reached(question: Question, bars: Bars) -> int | None:
    """The index of the first bar that decides a question decided early: a touch, or the order of two levels."""
    return min((place for place in _reached(question, bars) if place is not None), default=None)


def _reached(question: Question, bars: Bars) -> tuple[int | None, int | None]:
    """The indices of the first bars at or above the level above, and at or below the level below."""
    lower, upper = question.bounds if question.comparator in ORDERS else (question.threshold, question.threshold)
    rises = None if question.comparator == "touch_below" else _index(bars.high >= upper)
    falls = None if question.comparator == "touch_above" else _index(bars.low <= lower)
    return rises, falls


def _index(flags: np.ndarray) -> int | None:
    places = np.flatnonzero(flags)
    return int(places[0]) if len(places) else None


def order(question: Question, bars: Bars) -> Decision | None:
    """Which of two levels was reached first; None before either was. Raises SameBar where that cannot be told."""
    rises, falls = _reached(question, bars)
    if rises is None and falls is None:
        return None
    place = first_reached(question, bars)
    opened = iso(int(bars.time[place]))
    if rises == falls:
        raise SameBar(f"{question.asset} reached both levels in the bar of {opened}")
    is_rise = place == rises
    side, price = ("high", bars.high[place]) if is_rise else ("low", bars.low[place])
    evidence = f"{question.asset} {side} {price:.10g} in the bar of {opened}, before the other level"
    return is_rise == (question.comparator == "upper_first"), evidence


def of_path(question: Question, asked_at: int, bars: Bars) -> Decision:
    """The outcome after the deadline, from whole `bars`, the last of which is complete at the deadline."""
    since = bars.since(asked_at)
    if question.comparator not in ORDERS:
        return OUTCOMES[question.comparator](question, asked_at, bars)
    reached = len(since) and f"reached neither level, from {since.low.min():.10g} to {since.high.max():.10g}"
    return order(question, since) or (False, f"{question.asset} {reached or NO_TRADE}")


def _range(question: Question, asked_at: int, bars: Bars) -> Decision:
    since, spot = bars.since(asked_at), question.spot
    high, low = max([spot, *since.high.tolist()]), min([spot, *since.low.tolist()])
    width = f"{100 * (high - low) / spot:.2f}%"
    evidence = f"{question.asset} from {low:.10g} to {high:.10g}, {width} of {spot:.10g}"
    return happened(question, final=spot, high=high, low=low), evidence


def _hourly_closes(bars: Bars) -> np.ndarray:
    return bars.close[(bars.time + bars.step) % HOUR == 0]


def _average(question: Question, asked_at: int, bars: Bars) -> Decision:
    closes = _hourly_closes(bars.since(asked_at))
    mean = float(closes.mean()) if len(closes) else question.spot
    evidence = f"{question.asset} mean {mean:.10g} of {len(closes)} hourly closes"
    return happened(question, final=mean, high=mean, low=mean), evidence


def _volatility(question: Question, asked_at: int, bars: Bars) -> Decision:
    moves = np.diff(np.log(_hourly_closes(bars.since(asked_at))))
    yearly = YEAR_HOURS[calendar_of(question.asset)]
    volatility = float(np.sqrt(np.square(moves).mean() * yearly)) if len(moves) else 0.0
    evidence = f"{question.asset} volatility {100 * volatility:.2f}% a year from {len(moves)} hourly returns"
    return volatility > question.size, evidence


def _moving_average(question: Question, asked_at: int, bars: Bars) -> Decision:
    ends = trading_days(question.asset, asked_at, int(question.deadline.timestamp()))[-question.least_days :]
    closes = [_last_close(question, asked_at, bars.until(end))[0] for end in ends]
    stored = closes_known(question, asked_at)
    mean = (stored * (question.level or 0.0) + sum(closes)) / question.least_days
    final, _ = _last_close(question, asked_at, bars)
    evidence = f"{question.asset} close {final:.10g}, mean {mean:.10g} of the last {question.least_days} daily closes"
    return (final > mean) if question.comparator == "above_moving_average" else (final < mean), evidence


def _days(question: Question, asked_at: int, bars: Bars) -> Decision:
    since = question.counted_since(asked_at)
    ends = trading_days(question.asset, since, int(question.deadline.timestamp()))
    closes = np.array([_last_close(question, asked_at, bars.until(end))[0] for end in (since, *ends)])
    days = _counting(question, closes)
    longest = int(longest_run(days))
    most = longest if question.in_a_row else int(days.sum())
    dates = ", ".join(f"{utc(end - 1):%Y-%m-%d}" for end, counts in zip(ends, days, strict=True) if counts)
    counted = f"{question.asset}: {days.sum()} of {len(ends)} days, at most {longest} in a row"
    return most >= question.least_days, f"{counted}: {dates}" if dates else counted


def _last_close(question: Question, asked_at: int, bars: Bars) -> tuple[float, str]:
    """The last close of the bars, or the price of the question where they end before it, and the evidence."""
    if len(bars) and bars.as_of > asked_at:
        return float(bars.close[-1]), _close_of(question.asset, bars)
    return question.spot, f"{question.asset} did not trade and stayed at {question.spot:.10g}"


def _counting(question: Question, closes: np.ndarray) -> np.ndarray:
    """Which days count, shape (days,); the first of the `closes` (days + 1,) is that before them."""
    is_level = question.comparator in ("days_above", "days_below")
    above = closes[1:] - question.threshold if is_level else np.diff(closes)
    return above > 0 if question.comparator in ("days_above", "days_up") else above < 0


OUTCOMES: dict[str, Callable[[Question, int, Bars], Decision]] = {
    "range": _range,
    "average_above": _average,
    "average_below": _average,
    "volatility": _volatility,
    **dict.fromkeys(MOVING_AVERAGES, _moving_average),
    **dict.fromkeys(DAY_COUNTS, _days),
}


@dataclass(frozen=True)
class Resolution:
    """The outcome of a question, and the bar or the gap that is the evidence for it."""

    outcome: Outcome
    evidence: str


def resolve(question: Question, asked_at: int, bars: Mapping[str, Bars], now: int) -> Resolution | None:
    """The outcome that the bars show at the unix second `now`; None while the question of `asked_at` is open.

    A touch resolves as soon as it is seen, and so does the order of two levels. After the deadline, an incomplete
    question stays open for up to six hours, so that late bars can arrive. Then it is void if bars are missing for more
    than an hour of open market: at any time until the deadline where the whole path counts, as for a touch, for other
    questions just before it. If the market closed before the deadline, its last price counts. The `bars` of each asset
    begin some days before `asked_at`: the price from which `relative` is measured may be as old as a long weekend.
    """
    if question.legs:
        return _joint(question, [resolve(part, asked_at, bars, now) for part in question.parts])
    deadline = int(question.deadline.timestamp())
    seen = {asset: rows.until(min(deadline + 1, now)) for asset, rows in bars.items()}
    early = None
    if question.comparator in TOUCHES:
        early = _touched(question, seen[question.asset].since(asked_at))
    if question.comparator in ORDERS:
        early = _decided(question, asked_at, seen[question.asset])
    if early or now <= deadline:
        return early
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
    if question.comparator in (*WHOLE_PATH, *TOUCHES):
        _check_whole(asset, series, asked_at, deadline, tolerated)
        if question.comparator in WHOLE_PATH:
            return _of_path(question, asked_at, series)
        return _resolution(question, False, _never_reached(question, series.since(asked_at)))
    _check_last(asset, series, asked_at, deadline, tolerated)
    final, evidence = _last_close(question, asked_at, series)
    return _resolution(question, happened(question, final=final, high=final, low=final), evidence)


def _decided(question: Question, asked_at: int, bars: Bars) -> Resolution | None:
    """The resolution of the order of two levels once one is reached by bars without a gap; None before that."""
    since = bars.since(asked_at)
    place = first_reached(question, since)
    if place is None:
        return None
    try:
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
        return f"{question.asset} {NO_TRADE}"
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
        close, stated = _last_close(question, asked_at, shown)
        closes.append(close)
        evidence.append(stated)
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
