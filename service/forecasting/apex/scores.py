"""The accuracy of apex and each of its layers, from calls whose day is over.

Calls a few hours apart share most of their day, so intervals use the number of independent calls they are worth.
Backfilled and live calls are two books that are never pooled; only the weights are learnt from both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.forecasting.apex.call import Call
from service.forecasting.apex.layers import ENGINE, LAYERS
from service.forecasting.predictions.resolution import resolve
from service.forecasting.voters.next_day import HORIZON_H, up_in_a_day
from service.forecasting.voters.scoring import brier, effective_count, wilson_interval
from service.forecasting.voters.track_record import LEAST_INDEPENDENT, Resolved, ResolvedVote, TrackRecord, build
from service.market.bars import Bars
from service.market.instants import HOUR

CoinVerdict = Literal[
    "not enough resolved markets", "no clear difference from a coin", "better than a coin", "worse than a coin"
]
Array = NDArray[np.float64]

EVEN_BRIER = 0.25


class ResolvedCall(NamedTuple):
    """A call, and whether the price was higher a day later."""

    call: Call
    happened: bool


@dataclass(frozen=True)
class Accuracy:
    """The accuracy of P(higher) on `n` calls, worth `n_eff` independent ones; null without calls.

    `accuracy` is 1 - Brier / 0.25: 0 is a coin flip, 1 certainty that came true, negative worse than a coin.
    `hit_rate_pct` is the share of calls with a side (p other than 0.5) whose side was right, with a 95% interval.
    """

    backfilled: bool
    n: int
    n_eff: float
    accuracy: float | None
    brier: float | None
    hit_rate_pct: float | None
    hit_rate_low_pct: float | None
    hit_rate_high_pct: float | None
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
    outcomes = ((call, _outcome(call, hourly[call.asset], now)) for call in calls)
    return tuple(ResolvedCall(call, outcome == "yes") for call, outcome in outcomes if outcome in ("yes", "no"))


def _outcome(call: Call, bars: Bars, now: int) -> str | None:
    question = up_in_a_day(call.asset, call.spot, call.at)
    resolution = resolve(question, call.at, {call.asset: bars}, now)
    return resolution and resolution.outcome


def record_of(resolved: Sequence[ResolvedCall], as_of: int) -> TrackRecord:
    """The record that weighs the next call, from calls that had resolved by the unix second `as_of`.

    All of it is in `direction`.
    """
    return build([_question(call, happened) for call, happened in resolved], as_of)


def _question(call: Call, happened: bool) -> Resolved:
    votes = (ResolvedVote(layer.name, ENGINE, layer.p, layer.weight) for layer in call.layers if layer.p is not None)
    return Resolved("up", call.at, float(HORIZON_H), happened, tuple(votes))


def score(resolved: Sequence[ResolvedCall]) -> ApexScores:
    """The accuracy of every layer and of the fused vote on resolved calls, in order of time."""
    books = {
        backfilled: _columns([row for row in resolved if row.call.backfilled == backfilled])
        for backfilled in (False, True)
    }

    def measured(place: int) -> tuple[Accuracy, ...]:
        return tuple(_measure(backfilled, *columns[[0, 1, place]]) for backfilled, columns in books.items())

    return ApexScores(
        layers={name: measured(3 + place) for place, name in enumerate(LAYERS)},
        fused=measured(2),
    )


def _columns(book: Sequence[ResolvedCall]) -> Array:
    """Rows of hours, outcome, fused P and each layer's P (NaN where silent), shape (3 + layers, calls)."""
    rows = []
    for call, happened in book:
        p_of = {layer.name: layer.p for layer in call.layers}
        rows.append([call.at / HOUR, float(happened), call.p_up, *map(p_of.get, LAYERS)])
    return np.array(rows, dtype=float).reshape(-1, 3 + len(LAYERS)).T


def _measure(backfilled: bool, hours: Array, happened: Array, p: Array) -> Accuracy:
    """The accuracy of `p` (calls,), NaN where a layer was silent."""
    voted = np.isfinite(p)
    hours, happened, p = hours[voted], happened[voted], p[voted]
    n, n_eff = len(p), effective_count(hours, HORIZON_H)
    if n == 0:
        return Accuracy(backfilled, 0, 0.0, None, None, None, None, None, "not enough resolved markets")
    loss = float(brier(p, happened).mean())
    sided = p != 0.5
    rate, low, high = _hits((p > 0.5)[sided] == happened[sided], n_eff / n)
    return Accuracy(backfilled, n, n_eff, 1 - loss / EVEN_BRIER, loss, rate, low, high, _verdict(n_eff, low, high))


def _hits(right: NDArray[np.bool_], worth: float) -> tuple[float | None, float | None, float | None]:
    """The share of right sides in percent and its 95% interval, each counted `worth` times (Wilson 1927)."""
    if not len(right):
        return None, None, None
    low, high = wilson_interval(right.sum() * worth, len(right) * worth)
    return 100 * float(right.mean()), 100 * low, 100 * high


def _verdict(n_eff: float, low: float | None, high: float | None) -> CoinVerdict:
    if n_eff < LEAST_INDEPENDENT:
        return "not enough resolved markets"
    if low is None or high is None or low <= 50 <= high:
        return "no clear difference from a coin"
    return "better than a coin" if low > 50 else "worse than a coin"
