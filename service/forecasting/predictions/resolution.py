"""The outcome of a question, determined from the bars after it.

The prices of a bar are from before its end, so the bar that ends at 24:00:00 counts for a deadline of 23:59:59. A
touch counts only in bars that open at or after the question, because an earlier bar includes earlier prices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from service.market.assets import open_at, open_hours
from service.market.bars import Bars
from service.market.instants import HOUR, iso
from service.questions.kinds.path import RecordedPath
from service.questions.question import Question

Outcome = Literal["yes", "no", "void"]

LATE_S = 6 * HOUR  # the time after the deadline during which late bars are accepted
TOLERATED_GAP_H = 1.0  # open hours without a bar that do not make a question void


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
    past = {asset: rows.until(min(deadline + 1, now)) for asset, rows in bars.items()}
    path = RecordedPath(question.asset, question.spot, asked_at, deadline, past[question.asset])
    resolution = _decided(question, path) if question.kind.may_end_early else None
    if resolution or now <= deadline:
        return resolution
    is_late = now > deadline + LATE_S
    tolerance = TOLERATED_GAP_H if is_late else 0.0
    try:
        if question.other_asset is None:
            _check(question, path, tolerance)
        else:
            path = _from_last_prices(question, path, past, tolerance)
    except _Gap as gap:
        return Resolution("void", str(gap)) if is_late else None
    return _shown_by(question, path)


def _joint(question: Question, legs: Sequence[Resolution | None]) -> Resolution | None:
    """The outcome of a joint question from those of its legs: decided by one of them, or else by both."""
    decisive = "no" if question.comparator == "both" else "yes"
    outcomes = [leg for leg in legs if leg is not None]
    for leg in outcomes:
        if leg.outcome == decisive:
            return _resolution(question, decisive == "yes", leg.evidence)
    if len(outcomes) < len(legs):
        return None
    evidence = "; ".join(leg.evidence for leg in outcomes)
    if any(leg.outcome == "void" for leg in outcomes):
        return Resolution("void", evidence)
    return _resolution(question, decisive == "no", evidence)


class _Gap(Exception):
    """Bars on which the outcome depends are missing; the message says which."""


def _decided(question: Question, path: RecordedPath) -> Resolution | None:
    """The resolution once the event is decided, by bars without a gap where their order counts; None before that."""
    place = question.kind.decided_at(question, path)
    if place == path.steps and not question.kind.event(question, path):
        return None
    if question.kind.compares_steps:
        try:
            _check_whole(path.asset, path.since, path.now, int(path.since.time[place]), tolerance=0.0)
        except _Gap:
            return None
    return _shown_by(question, path)


def _from_last_prices(
    question: Question, path: RecordedPath, bars: Mapping[str, Bars], tolerance: float
) -> RecordedPath:
    """The paths of both assets from their last closes at or before the question; raises _Gap without them."""
    paths = []
    for asset in question.assets:
        before = bars[asset].until(path.now)
        if not len(before):
            raise _Gap(f"{asset} has no bar before {iso(path.now)}")
        _check_last(asset, before, int(before.time[0]), path.now, tolerance)
        paths.append(replace(path, asset=asset, spot=float(before.close[-1]), bars=bars[asset]))
        _check(question, paths[-1], tolerance)
    first, second = paths
    return replace(first, other=second)


def _check(question: Question, path: RecordedPath, tolerance: float) -> None:
    """Raise _Gap when more than `tolerated` open hours of bars are missing on which the outcome depends."""
    instants = question.kind.instants(question, path)
    if instants is None:
        _check_whole(path.asset, path.bars, path.now, path.until, tolerance)
        return
    for instant in instants:
        _check_last(path.asset, path.bars.until(instant + 1), path.now, instant, tolerance)


def _check_last(asset: str, bars: Bars, since: int, until: int, tolerance: float) -> None:
    """Raise _Gap when a whole bar and more than `tolerated` open hours are missing just before `until`."""
    last = max(since, bars.as_of) if len(bars) else since
    missing = open_hours(asset, last, until, is_regular=True)
    if missing > tolerance and missing >= bars.step / HOUR:
        raise _Gap(f"{asset} has no bar for {missing:.1f} open hours from {iso(last)}")


def _check_whole(asset: str, bars: Bars, since: int, until: int, tolerance: float) -> None:
    """Raise _Gap when more than `tolerated` open hours of bars are missing between two unix seconds."""
    grid = np.arange(-(-since // bars.step) * bars.step, until + 2 - bars.step, bars.step)
    missing = grid[open_at(asset, grid, is_regular=True) & ~np.isin(grid, bars.time)]
    hours = len(missing) * bars.step / HOUR
    if hours > tolerance:
        raise _Gap(f"{asset} has no bar for {hours:.1f} open hours from {iso(int(missing[0]))}")


def _shown_by(question: Question, path: RecordedPath) -> Resolution:
    """The outcome that a path shows; void where it does not tell."""
    event, evidence = question.kind.event(question, path), question.kind.evidence(question, path)
    return Resolution("void", evidence) if event == 0.5 else _resolution(question, bool(event), evidence)


def _resolution(question: Question, event: bool, evidence: str) -> Resolution:
    return Resolution("yes" if event != question.negated else "no", evidence)
