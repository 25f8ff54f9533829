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
from service.forecasting.apex.layers import ENGINE, LAYERS, in_sample
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
    outcomes = ((call, outcome_of(call, hourly[call.asset], now)) for call in calls)
    return tuple(ResolvedCall(call, outcome == "yes") for call, outcome in outcomes if outcome in ("yes", "no"))


def outcome_of(call: Call, bars: Bars, now: int) -> Outcome | None:
    """Whether the price was higher a day after the call; None while the day is not over at the unix second `now`."""
    resolution = resolve(up_in_a_day(call.asset, call.spot, call.at), call.at, {call.asset: bars}, now)
    return resolution and resolution.outcome


def record_of(calls: Sequence[ResolvedCall], as_of: int) -> TrackRecord:
    """The record that weighs the next call, from calls that had resolved by the unix second `as_of`.

    All of it is in the band of a day. Left out are votes of layers whose constants were fitted on prices of their time,
    and those of layers that no longer exist.
    """
    questions: list[Resolved] = []
    for call, was_higher in calls:
        votes = tuple(
            ResolvedVote(layer.name, ENGINE, layer.p)
            for layer in call.layers
            if layer.p is not None and layer.name in LAYERS and not in_sample(layer.name, call.at)
        )
        questions.append(Resolved("day", call.at, call.at + DAY, was_higher, votes))
    return build(questions, as_of)


_VOTE = "vote"  # the fused P(higher), beside those of the layers


def score(calls: Sequence[ResolvedCall]) -> ApexScores:
    """The accuracy of every layer and of the fused vote on resolved calls, in order of time."""
    live, past = (_book(backfilled, calls) for backfilled in (False, True))
    scores = {name: (live[name], past[name]) for name in live}
    return ApexScores(vote=scores.pop(_VOTE), layers=scores)


def _book(backfilled: bool, calls: Sequence[ResolvedCall]) -> dict[str, Accuracy]:
    """The accuracy of every layer and of the vote on the backfilled or on the live calls."""
    rows = [row for row in calls if row.call.backfilled == backfilled]
    at = np.array([call.at for call, _ in rows], dtype=np.int64)
    rises, weeks = np.array([was_higher for _, was_higher in rows], dtype=float), weeks_of(at + DAY)
    rate = base_rate_known(rises, at, at + DAY)
    votes = ({layer.name: layer.p for layer in call.layers} | {_VOTE: call.p_up} for call, _ in rows)
    names = (*LAYERS, _VOTE)
    p = np.array([[p.get(name) for name in names] for p in votes], dtype=float).reshape(-1, len(names))
    accuracies: dict[str, Accuracy] = {}
    for name, p_of_name in zip(names, p.T, strict=True):  # NaN where the layer was silent
        has_vote = np.isfinite(p_of_name)
        is_fitted = np.array([in_sample(name, call.at) for call, _ in rows], dtype=bool)
        fitted_count, mask = int((has_vote & is_fitted).sum()), has_vote & ~is_fitted
        accuracies[name] = _measure(backfilled, fitted_count, p_of_name[mask], rate[mask], rises[mask], weeks[mask])
    return accuracies


def _measure(backfilled: bool, fitted_count: int, p: Array, rate: Array, rises: Array, weeks: Instants) -> Accuracy:
    """The accuracy of `p` (n,); `rate` is the share of rises known at each call, `weeks` when its day ended.

    `fitted_count` votes, on prices that the layer was fitted on, are left out.
    """
    right = right_share(p, rate, rises, weeks, CALLS)
    loss, coin = clustered_mean(brier(p, rises), weeks, CALLS), np.full(len(p), 0.5)
    return Accuracy(
        backfilled=backfilled,
        n=len(p),
        in_sample=fitted_count,
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
