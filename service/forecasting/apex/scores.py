"""The accuracy of apex and each of its layers, from calls whose day is over.

Calls a few hours apart share most of their day, so intervals are clustered by week of resolution.
Backfilled and live calls are two books that are never pooled; only the weights are learnt from both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.forecasting.apex.call import Call
from service.forecasting.apex.layers import ENGINE, LAYERS, fitted_on, in_sample
from service.forecasting.predictions.resolution import Outcome, resolve
from service.forecasting.predictions.scores.right_share import RightShare, right_share
from service.forecasting.voters.next_day import up_in_a_day
from service.forecasting.voters.resolved import Resolved, ResolvedVote
from service.forecasting.voters.scoring import (
    LEAST_N,
    base_rate_known,
    brier,
    clustered_mean,
    published,
    skill_terms,
    weeks_of,
)
from service.forecasting.voters.track_record import TrackRecord, build
from service.market.bars import Bars
from service.market.instants import DAY

CoinVerdict = Literal[
    "not enough resolved markets", "no clear difference from a coin", "better than a coin", "worse than a coin"
]
Array = NDArray[np.float64]

DIGITS = 5


class ResolvedCall(NamedTuple):
    """A call, and whether the price was higher a day later."""

    call: Call
    happened: bool


@dataclass(frozen=True)
class Accuracy:
    """The accuracy of P(higher) on `n` calls, null without calls.

    `in_sample` votes are left out: the layer's constants were fitted on prices of their time.
    `accuracy` is 1 - Brier / 0.25: 0 is a coin flip, 1 certainty that came true, negative worse than a coin. `skill`
    is the same against the share of rises among the calls of the book that had resolved when each was made.
    `hit_rate_pct` is the share of calls with a side (p other than 0.5) whose side was right, worth `n_eff` independent
    ones. On the same calls the likelier side so far reaches `likelier_side_pct`, and "not higher" every time
    `always_no_pct`. Every interval is a 95% one clustered by week of resolution; with one week nothing is known.
    """

    backfilled: bool
    n: int
    in_sample: int
    n_eff: float
    accuracy: float | None
    accuracy_low: float | None
    accuracy_high: float | None
    skill: float | None
    skill_low: float | None
    skill_high: float | None
    brier: float | None
    hit_rate_pct: float | None
    hit_rate_low_pct: float | None
    hit_rate_high_pct: float | None
    likelier_side_pct: float | None
    always_no_pct: float | None
    verdict: CoinVerdict


@dataclass(frozen=True)
class ApexScores:
    """Two books each, live first: of every layer by name, and of the fused vote."""

    layers: dict[str, tuple[Accuracy, ...]]
    fused: tuple[Accuracy, ...]


def resolved_calls(calls: Sequence[Call], hourly: Mapping[str, Bars], now: int) -> tuple[ResolvedCall, ...]:
    """The calls whose day is over at the unix second `now`; one that missing bars make void is left out.

    `hourly` holds the bars of their assets from some days before the first call on. They resolve like every other
    question "higher than now".
    """
    outcomes = ((call, outcome_of(call, hourly[call.asset], now)) for call in calls)
    return tuple(ResolvedCall(call, outcome == "yes") for call, outcome in outcomes if outcome in ("yes", "no"))


def outcome_of(call: Call, bars: Bars, now: int) -> Outcome | None:
    """Whether the price was higher a day after the call; None while the day is not over at the unix second `now`."""
    question = up_in_a_day(call.asset, call.spot, call.at)
    resolution = resolve(question, call.at, {call.asset: bars}, now)
    return resolution and resolution.outcome


def record_of(resolved: Sequence[ResolvedCall], as_of: int) -> TrackRecord:
    """The record that weighs the next call, from calls that had resolved by the unix second `as_of`.

    All of it is in `direction`.
    """
    return build([_question(call, happened) for call, happened in resolved], as_of)


def _question(call: Call, happened: bool) -> Resolved:
    votes = (
        ResolvedVote(layer.name, ENGINE, layer.p)
        for layer in call.layers
        if layer.p is not None and not in_sample(layer.name, call.at)
    )
    return Resolved("up", call.at, call.at + DAY, happened, tuple(votes))


def score(resolved: Sequence[ResolvedCall]) -> ApexScores:
    """The accuracy of every layer and of the fused vote on resolved calls, in order of time."""
    books = {
        backfilled: _columns([row for row in resolved if row.call.backfilled == backfilled])
        for backfilled in (False, True)
    }

    def measured(name: str, place: int) -> tuple[Accuracy, ...]:
        return tuple(_measure(name, backfilled, *columns[[0, 1, place]]) for backfilled, columns in books.items())

    return ApexScores(
        layers={name: measured(name, 3 + place) for place, name in enumerate(LAYERS)},
        fused=measured("", 2),
    )


def _columns(book: Sequence[ResolvedCall]) -> Array:
    """Rows of instants, outcome, fused P and each layer's P (NaN where silent), shape (3 + layers, calls)."""
    rows = []
    for call, happened in book:
        p_of = {layer.name: layer.p for layer in call.layers}
        rows.append([call.at, float(happened), call.p_up, *map(p_of.get, LAYERS)])
    return np.array(rows, dtype=float).reshape(-1, 3 + len(LAYERS)).T


def _measure(name: str, backfilled: bool, at: Array, happened: Array, p: Array) -> Accuracy:
    """The accuracy of `p` (calls,) of the layer `name`, NaN where it was silent; no layer is fused."""
    made_at = at.astype(np.int64)
    rate, weeks = base_rate_known(happened, made_at, made_at + DAY), weeks_of(made_at + DAY)
    learnt = fitted_on(name, made_at)
    voted = np.isfinite(p) & ~learnt
    fitted = int((np.isfinite(p) & learnt).sum())
    happened, p, rate, weeks = happened[voted], p[voted], rate[voted], weeks[voted]
    right = right_share(p, rate, happened, weeks)
    loss, coin = clustered_mean(brier(p, happened), weeks), np.full(len(p), 0.5)
    return Accuracy(
        backfilled=backfilled,
        n=len(p),
        in_sample=fitted,
        n_eff=right.n_eff,
        **clustered_mean(skill_terms(p, coin, happened), weeks).fields("accuracy", DIGITS),
        **clustered_mean(skill_terms(p, rate, happened), weeks).fields("skill", DIGITS),
        brier=published(loss.mean, DIGITS),
        hit_rate_pct=right.pct,
        hit_rate_low_pct=right.low_pct,
        hit_rate_high_pct=right.high_pct,
        likelier_side_pct=right.likelier_side_pct,
        always_no_pct=right.always_no_pct,
        verdict=_verdict(right),
    )


def _verdict(right: RightShare) -> CoinVerdict:
    if right.n_eff < LEAST_N:
        return "not enough resolved markets"
    if right.low_pct is None or right.high_pct is None or right.low_pct <= 50 <= right.high_pct:
        return "no clear difference from a coin"
    return "better than a coin" if right.low_pct > 50 else "worse than a coin"
