"""How good apex and each of its layers were, from calls whose day is over.

Calls a few hours apart share most of their day, so an interval is that of the independent ones they are worth.
What was backfilled and what was said live are two books that are never pooled; only the weights learn from both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from service.forecasting.apex.call import Call
from service.forecasting.apex.layers import ENGINE, LAYERS
from service.forecasting.next_day import HORIZON_H
from service.forecasting.questions.question import Question
from service.forecasting.record import LEAST_INDEPENDENT, Record, Resolved, ResolvedVote, build
from service.forecasting.resolution import resolve
from service.forecasting.scoring import brier, effective_count, wilson_interval
from service.market.bars import Bars
from service.market.instants import DAY, HOUR, utc

Verdict = Literal[
    "not enough resolved markets", "no clear difference from a coin", "better than a coin", "worse than a coin"
]
Array = NDArray[np.float64]

EVEN_BRIER = 0.25


@dataclass(frozen=True)
class ResolvedCall:
    """A call, and whether the price was higher a day later."""

    call: Call
    happened: bool


@dataclass(frozen=True)
class Accuracy:
    """How good P(higher) was on `n` calls, worth `n_eff` independent ones; null where there is nothing to tell.

    `accuracy` is 1 - Brier / 0.25: 0 is the toss of a coin, 1 certainty that came true, negative worse than the coin.
    `hit_rate_pct` is the share of those with a side (p other than 0.5) that had the right one, with a 95 % interval.
    """

    backfilled: bool
    n: int
    n_eff: float
    accuracy: float | None
    brier: float | None
    hit_rate_pct: float | None
    hit_rate_low_pct: float | None
    hit_rate_high_pct: float | None
    verdict: Verdict


@dataclass(frozen=True)
class Scores:
    """Two books each, live first: of every layer by name, and of the fused vote."""

    layers: dict[str, tuple[Accuracy, ...]]
    fused: tuple[Accuracy, ...]


def resolved_calls(calls: Sequence[Call], hourly: Mapping[str, Bars], now: int) -> tuple[ResolvedCall, ...]:
    """The calls whose day is over at the unix second `now`; one that a hole in the bars makes void is left out.

    `hourly` holds the bars of their assets from some days before the first call on. They are resolved like every
    other question "higher than now".
    """
    found = ((call, _outcome(call, hourly[call.asset], now)) for call in calls)
    return tuple(ResolvedCall(call, outcome == "yes") for call, outcome in found if outcome in ("yes", "no"))


def _outcome(call: Call, bars: Bars, now: int) -> str | None:
    question = Question(
        text=f"Will {call.asset} be higher in {HORIZON_H} hours?",
        asset=call.asset,
        comparator="up",
        deadline=utc(call.at + DAY),
        horizon_hours=float(HORIZON_H),
        spot=call.spot,
        polarity="bull",
    )
    resolution = resolve(question, call.at, {call.asset: bars}, now)
    return resolution and resolution.outcome


def record_of(resolved: Sequence[ResolvedCall], as_of: int) -> Record:
    """The record that the next call is weighed by, from calls that had resolved by the unix second `as_of`.

    All of it is in `direction`.
    """
    return build([_counted(one) for one in resolved], as_of)


def _counted(one: ResolvedCall) -> Resolved:
    layers = (layer for layer in one.call.layers if layer.p is not None)
    votes = tuple(ResolvedVote(layer.name, ENGINE, layer.p, layer.weight) for layer in layers)
    return Resolved("up", one.call.at, float(HORIZON_H), one.happened, votes)


def score(resolved: Sequence[ResolvedCall]) -> Scores:
    """How good every layer and the fused vote were on resolved calls, in order of time."""
    books = {backfilled: [one for one in resolved if one.call.backfilled == backfilled] for backfilled in (False, True)}
    said = {backfilled: _columns(book) for backfilled, book in books.items()}

    def measured(place: int) -> tuple[Accuracy, ...]:
        return tuple(_measure(backfilled, *columns[[0, 1, place]]) for backfilled, columns in said.items())

    return Scores(
        layers={name: measured(3 + place) for place, name in enumerate(LAYERS)},
        fused=measured(2),
    )


def _columns(book: Sequence[ResolvedCall]) -> Array:
    """Rows of hours, outcome, fused P and each layer's P (NaN where silent), shape (3 + layers, calls)."""
    rows = []
    for one in book:
        said = {layer.name: layer.p for layer in one.call.layers}
        layers = (np.nan if said.get(name) is None else said[name] for name in LAYERS)
        rows.append([one.call.at / HOUR, float(one.happened), one.call.p_up, *layers])
    return np.array(rows, dtype=float).reshape(-1, 3 + len(LAYERS)).T


def _measure(backfilled: bool, asked: Array, happened: Array, p: Array) -> Accuracy:
    """The accuracy of `p` (calls,), NaN where nothing was said."""
    spoken = np.isfinite(p)
    asked, happened, p = asked[spoken], happened[spoken], p[spoken]
    n, n_eff = len(p), effective_count(asked, HORIZON_H)
    if n == 0:
        return Accuracy(backfilled, 0, 0.0, None, None, None, None, None, "not enough resolved markets")
    loss = float(brier(p, happened).mean())
    sided = p != 0.5
    rate, low, high = _hits((p > 0.5)[sided] == happened[sided], n_eff / n)
    return Accuracy(backfilled, n, n_eff, 1 - loss / EVEN_BRIER, loss, rate, low, high, _verdict(n_eff, low, high))


def _hits(right: NDArray[np.bool_], worth: float) -> tuple[float | None, float | None, float | None]:
    """The share of right sides in percent and its 95 % interval, each counted `worth` times (Wilson 1927)."""
    if not len(right):
        return None, None, None
    low, high = wilson_interval(right.sum() * worth, len(right) * worth)
    return 100 * float(right.mean()), 100 * low, 100 * high


def _verdict(n_eff: float, low: float | None, high: float | None) -> Verdict:
    if n_eff < LEAST_INDEPENDENT:
        return "not enough resolved markets"
    if low is None or low <= 50 <= high:
        return "no clear difference from a coin"
    return "better than a coin" if low > 50 else "worse than a coin"
