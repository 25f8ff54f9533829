"""The accuracy of apex and each of its layers, from calls whose day is over.

Calls a few hours apart share most of their day, so intervals are clustered by week of resolution.
Backfilled and live calls are two books that are never pooled; only the weights are learnt from both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from service.forecasting.apex.call import Call
from service.forecasting.apex.layers import ENGINE, LAYERS, fitted_on, in_sample
from service.forecasting.predictions.resolution import Outcome, resolve
from service.forecasting.voters.price_forecasts import up_in_a_day
from service.forecasting.voters.track_record import Resolved, ResolvedVote, TrackRecord, build
from service.market.bars import Bars
from service.market.instants import DAY
from service.scores.intervals import CALLS, LEAST_N, RightShare, clustered_mean, published, right_share, weeks_of
from service.scores.proper import Array, Instants, base_rate_known, brier, skill_terms

CoinVerdict = Literal[
    "not enough resolved markets", "no clear difference from a coin", "better than a coin", "worse than a coin"
]
DIGITS = 5


class ResolvedCall(NamedTuple):
    """A call, and whether the price was higher a day later."""

    call: Call
    was_higher: bool


@dataclass(frozen=True)
class Accuracy:
    """The accuracy of P(higher) on `n` calls, null without calls.

    `in_sample` votes are left out: the layer's constants were fitted on prices of their time.
    `skill_coin` is 1 - Brier / 0.25: 0 is a coin flip, 1 certainty that came true, negative worse than a coin. `skill`
    is the same against the share of rises among the calls of the book that had resolved when each was made.
    `accuracy_pct` is the share of calls with a side (p other than 0.5) whose side was right, worth `n_eff` independent
    ones. On the same calls the likelier side so far reaches `likelier_side_pct`, and "not higher" every time
    `always_no_pct`. Every interval is a 95% one clustered by week of resolution.
    """

    backfilled: bool
    n: int
    in_sample: int
    n_eff: float
    skill_coin: float | None
    skill_coin_low: float | None
    skill_coin_high: float | None
    skill: float | None
    skill_low: float | None
    skill_high: float | None
    brier: float | None
    accuracy_pct: float | None
    accuracy_low_pct: float | None
    accuracy_high_pct: float | None
    likelier_side_pct: float | None
    always_no_pct: float | None
    verdict: CoinVerdict


@dataclass(frozen=True)
class ApexScores:
    """Two books each, live first: of every layer by name, and of the fused vote."""

    layers: dict[str, tuple[Accuracy, ...]]
    vote: tuple[Accuracy, ...]


def resolved_calls(calls: Sequence[Call], hourly: Mapping[str, Bars], now: int) -> tuple[ResolvedCall, ...]:
    """The calls whose day is over at the unix second `now`; one that missing bars make void is left out.

    `hourly` holds the bars of their assets from some days before the first call on. They resolve like every other
    question "higher than now".
    """
    decided = (resolved_call(call, outcome_of(call, hourly[call.asset], now)) for call in calls)
    return tuple(filter(None, decided))


def resolved_call(call: Call, outcome: Outcome | None) -> ResolvedCall | None:
    """The call with its outcome; None if it is void or its day is not over."""
    return ResolvedCall(call, outcome == "yes") if outcome in ("yes", "no") else None


def outcome_of(call: Call, bars: Bars, now: int) -> Outcome | None:
    """Whether the price was higher a day after the call; None while the day is not over at the unix second `now`."""
    question = up_in_a_day(call.asset, call.spot, call.at)
    resolution = resolve(question, call.at, {call.asset: bars}, now)
    return resolution and resolution.outcome


def record_of(calls: Sequence[ResolvedCall], as_of: int) -> TrackRecord:
    """The record that weighs the next call, from calls that had resolved by the unix second `as_of`.

    All of it is in the band of a day. Left out are votes of layers whose constants were fitted on prices of their time,
    and those of layers that no longer exist.
    """
    return build([_question(call, was_higher) for call, was_higher in calls], as_of)


def _question(call: Call, was_higher: bool) -> Resolved:
    votes = tuple(
        ResolvedVote(layer.name, ENGINE, layer.p)
        for layer in call.layers
        if layer.p is not None and layer.name in LAYERS and not in_sample(layer.name, call.at)
    )
    return Resolved("day", call.at, call.at + DAY, was_higher, votes)


def score(calls: Sequence[ResolvedCall]) -> ApexScores:
    """The accuracy of every layer and of the fused vote on resolved calls, in order of time."""
    books = [_Book.of(backfilled, calls) for backfilled in (False, True)]
    layers = {
        name: tuple(_measure(book, book.p_of_layers[:, place], name) for book in books)
        for place, name in enumerate(LAYERS)
    }
    return ApexScores(layers, vote=tuple(_measure(book, book.p_up) for book in books))


class _Book(NamedTuple):
    """The backfilled or the live calls as arrays of shape (n,): their instants, and outcomes as 1 or 0.

    `rate` is the share of rises known at each, `weeks` that in which its day ended, `p_up` the fused P(higher).
    `p_of_layers` (n, layers) is P of each layer, NaN where it was silent.
    """

    backfilled: bool
    at: Instants
    rises: Array
    rate: Array
    weeks: Instants
    p_up: Array
    p_of_layers: Array

    @staticmethod
    def of(backfilled: bool, rows: Sequence[ResolvedCall]) -> _Book:
        rows = [row for row in rows if row.call.backfilled == backfilled]
        at = np.array([call.at for call, _ in rows], dtype=np.int64)
        rises = np.array([was_higher for _, was_higher in rows], dtype=float)
        p_of_layers = np.array([call.p_of_layers for call, _ in rows], dtype=float).reshape(-1, len(LAYERS))
        p_up = np.array([call.p_up for call, _ in rows], dtype=float)
        return _Book(backfilled, at, rises, base_rate_known(rises, at, at + DAY), weeks_of(at + DAY), p_up, p_of_layers)


def _measure(book: _Book, p: Array, layer: str = "") -> Accuracy:
    """The accuracy of `p` (calls,), NaN where silent; votes on prices that the `layer` was fitted on are left out."""
    has_vote, is_fitted = np.isfinite(p), fitted_on(layer, book.at)
    is_counted, in_sample = has_vote & ~is_fitted, int((has_vote & is_fitted).sum())
    rises, p, rate, weeks = book.rises[is_counted], p[is_counted], book.rate[is_counted], book.weeks[is_counted]
    right = right_share(p, rate, rises, weeks, CALLS)
    loss, coin = clustered_mean(brier(p, rises), weeks, CALLS), np.full(len(p), 0.5)
    return Accuracy(
        backfilled=book.backfilled,
        n=len(p),
        in_sample=in_sample,
        n_eff=right.n_eff,
        **clustered_mean(skill_terms(p, coin, rises), weeks, CALLS).fields("skill_coin", DIGITS),
        **clustered_mean(skill_terms(p, rate, rises), weeks, CALLS).fields("skill", DIGITS),
        brier=published(loss.mean, DIGITS),
        **right.percentages(),
        verdict=_verdict(right),
    )


def _verdict(right: RightShare) -> CoinVerdict:
    if right.n_eff < LEAST_N:
        return "not enough resolved markets"
    low, high = right.accuracy_low_pct, right.accuracy_high_pct
    if low is None or high is None or low <= 50 <= high:
        return "no clear difference from a coin"
    return "better than a coin" if low > 50 else "worse than a coin"
