"""Settling markets by prices, and what the settled ones teach the pool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from service.forecasting.predictions import PredictionMarket, Settled, Settlement
from service.forecasting.predictions.entries import is_scored
from service.forecasting.record import Resolved, ResolvedVote
from service.forecasting.resolution import LATE_S, TOUCHES, resolve
from service.market.bars import Bars
from service.market.instants import HOUR

# A vote on the same question by somebody who is not in the pool.
OUTSIDE_THE_POOL = ("apex",)


def settle(market: PredictionMarket, bars: Mapping[str, Bars], now: int) -> Settlement | None:
    """What the bars say became of a market at the unix second `now`; None while that is open."""
    found = resolve(market.question, market.created_at, bars, now)
    return found and Settlement(found.outcome, now, found.evidence, "bars")


def settle_past(market: PredictionMarket, hourly: Mapping[str, Bars], now: int) -> Settlement | None:
    """The settlement of a past market at the hour at which it would have been made, as far as that is by `now`.

    A market is looked at on every whole hour after the one at which it was opened.
    """
    asked = {asset: hourly[asset] for asset in (market.question.asset, market.question.other_asset) if asset}
    for hour in _hours_of_settling(market, asked):
        if hour > now:
            return None
        if settlement := settle(market, asked, hour):
            return settlement
    return None


def _hours_of_settling(market: PredictionMarket, hourly: Mapping[str, Bars]) -> Iterable[int]:
    """When a touch is seen; when the deadline has passed; when late bars are no longer waited for."""
    question, over = market.question, (market.deadline // HOUR + 1) * HOUR
    if question.comparator in TOUCHES:
        yield (market.created_at // HOUR + 1) * HOUR
        bars = hourly[question.asset].since(market.created_at).until(over)
        reached = bars.high >= question.level if question.comparator == "touch_above" else bars.low <= question.level
        if reached.any():
            yield int(bars.time[int(np.argmax(reached))]) + HOUR
    yield from (over, over + LATE_S)


def resolved(settled: Iterable[Settled]) -> list[Resolved]:
    """The settled markets as the track record counts them; void ones and those without an event teach nothing."""
    return [_resolved(one) for one in settled if one.commitment and is_scored(one)]


def _resolved(one: Settled) -> Resolved:
    votes = (vote for vote in one.commitment.votes if vote.voter not in OUTSIDE_THE_POOL)
    return Resolved(
        comparator=one.market.question.comparator,
        asked_at=one.commitment.voted_at,
        horizon_hours=(one.market.deadline - one.commitment.voted_at) / HOUR,
        happened=one.settlement.outcome == "yes",
        votes=tuple(ResolvedVote(vote.voter, vote.engine, vote.p, vote.weight) for vote in votes),
    )
