"""The accuracy of apex and each of its layers, from calls whose day is over, and its published status and calls.

Calls a few hours apart share most of their day, so intervals are clustered by week of resolution.
Backfilled and live calls are two books that are never pooled; only the weights are learnt from both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from service.documents import Document, DocumentHeader, World, rounded
from service.forecasting.apex.call import EVERY_S, Call, LayerVote, Thresholds
from service.forecasting.apex.layers import ENGINE, LAYERS, in_sample
from service.forecasting.predictions.resolution import Outcome, resolve
from service.forecasting.voters.price_forecasts import HORIZON_H, up_in_a_day
from service.forecasting.voters.track_record import Resolved, ResolvedVote, TrackRecord, build
from service.forecasting.voters.votes import Direction, direction_of
from service.market.bars import Bars
from service.market.instants import DAY, iso
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


@dataclass(frozen=True)
class FusedVote:
    """The fused layers: P(higher), and the same in percent; bull and bear add up to 100."""

    direction: Direction
    p_up: float
    bull_probability: float
    bear_probability: float


@dataclass(frozen=True)
class SpecialMode:
    """Whether all conditions hold, each of them, and what the call had to reach."""

    active: bool
    conditions: dict[str, bool]
    thresholds: Thresholds


@dataclass(frozen=True)
class LayerReading:
    """One layer of a call: P(higher), null where it is `silent`, with the reason; its reading.

    `in_sample`: its constants were fitted on prices of the call's time, so it has no weight and is not scored.
    """

    name: str
    p_up: float | None
    direction: Direction | None
    weight: float
    reading: str
    silent: str | None
    in_sample: bool


@dataclass(frozen=True)
class Layer(LayerReading):
    """One layer of the latest call, with its accuracy, live first."""

    accuracy: tuple[Accuracy, ...]


@dataclass(frozen=True)
class ApexDocument(Document):
    """The vote of apex on the price of `asset` `horizon_hours` after `called_at`, and its accuracy, live first.

    `agreement` is the share of the layers' weight on the side of the vote, `confidence` that times twice the distance
    of `p_up` from even; both are in 0-1. The next call is due at `next_at`.
    """

    asset: str
    horizon_hours: int
    called_at: str
    next_at: str
    spot: float
    vote: FusedVote
    agreement: float
    confidence: float
    special_mode: SpecialMode
    layers: tuple[Layer, ...]
    record: tuple[Accuracy, ...]
    backfilled: bool


def apex_document(call: Call, thresholds: Thresholds, scores: ApexScores, header: DocumentHeader) -> ApexDocument:
    """The document of the latest call, whose special mode had these thresholds."""
    bull = bull_of(call.p_up)
    limits = replace(thresholds, distance=round(thresholds.distance, 4), agreement=round(thresholds.agreement, 4))
    return ApexDocument(
        schema="apex/1",
        **vars(header),
        asset=call.asset,
        horizon_hours=HORIZON_H,
        called_at=iso(call.at),
        next_at=iso(call.at + EVERY_S),
        spot=call.spot,
        vote=FusedVote(direction_of(bull), round(call.p_up, 4), bull, round(100 - bull, 1)),
        agreement=round(call.agreement, 4),
        confidence=round(call.confidence, 4),
        special_mode=SpecialMode(call.special, dict(call.conditions), limits),
        layers=tuple(
            Layer(**vars(reading_of(layer, call.at)), accuracy=scores.layers[layer.name]) for layer in call.layers
        ),
        record=scores.vote,
        backfilled=call.backfilled,
    )


def bull_of(p_up: float) -> float:
    """P(higher) in percent, to one decimal."""
    return round(100 * round(p_up, 4), 1)


def reading_of(layer: LayerVote, at: int) -> LayerReading:
    """A layer of the call at the unix second `at` as it is published."""
    return LayerReading(
        name=layer.name,
        p_up=rounded(layer.p, 4),
        direction=None if layer.p is None else direction_of(bull_of(layer.p)),
        weight=round(layer.weight, 3),
        reading=layer.reading,
        silent=layer.silent,
        in_sample=in_sample(layer.name, at),
    )


@dataclass(frozen=True)
class ListedCall:
    """A call on the price of `asset` at `resolves_at`, one day after `called_at`, as it was made.

    `p_up` is P(higher than `spot`). `outcome` is yes where the price was higher, null until the day is over, void
    where bars are missing. `backfilled` calls were made by the first start for a past instant.
    """

    asset: str
    called_at: str
    resolves_at: str
    spot: float
    p_up: float
    direction: Direction
    agreement: float
    confidence: float
    special_mode: bool
    backfilled: bool
    outcome: Outcome | None
    layers: tuple[LayerReading, ...]


@dataclass(frozen=True)
class ApexCallsDocument:
    """A page of calls, newest first; `next` is the cursor of the next page, null on the last."""

    schema: str
    world: World
    count: int
    next: str | None
    calls: tuple[ListedCall, ...]


def calls_document(
    calls: Sequence[Call], hourly: Bars, now: int, *, world: World, next: str | None
) -> ApexCallsDocument:
    """The page of these calls as they stand at the unix second `now`.

    `hourly` are the bars of their asset from some days before the first call on.
    """
    rows = tuple(
        ListedCall(
            asset=call.asset,
            called_at=iso(call.at),
            resolves_at=iso(call.at + DAY),
            spot=call.spot,
            p_up=round(call.p_up, 4),
            direction=direction_of(bull_of(call.p_up)),
            agreement=round(call.agreement, 4),
            confidence=round(call.confidence, 4),
            special_mode=call.special,
            backfilled=call.backfilled,
            outcome=outcome_of(call, hourly, now),
            layers=tuple(reading_of(layer, call.at) for layer in call.layers),
        )
        for call in calls
    )
    return ApexCallsDocument("apex-calls/1", world, len(rows), next, rows)
