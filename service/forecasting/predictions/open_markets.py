"""Open markets: the opinions of now on them, and their settlement by prices.

A question measures moves from the price of its opening, and voters from the present price. So the question of now has
the present price, and a move from the opening becomes a level.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from service.forecasting.predictions import APEX, Prediction, Settlement
from service.forecasting.predictions.resolution import LATE_S, resolve
from service.forecasting.voters.track_record import Resolved, ResolvedVote, band_of
from service.market.bars import Bars
from service.market.instants import HOUR
from service.questions.kinds.path import RecordedPath
from service.questions.question import Question


def of_now(question: Question, now: int, spot: float) -> Question | None:
    """The same event asked at the unix second `now`, at the price `spot`; None for kinds that count what has passed."""
    if question.kind.counts_past:
        return None
    hours = (question.deadline.timestamp() - now) / HOUR
    present = replace(question.kind.asked_again(question), spot=spot, horizon_hours=hours)
    return replace(present, polarity=present.kind.polarity(present))


def lead_of(question: Question, spots: Mapping[str, float], starts: Mapping[str, float]) -> float:
    """The log return of the asset less that of the other one, from the prices `starts` to `spots`; 0 with one asset."""
    if question.other_asset is None:
        return 0.0
    gain, other_gain = (math.log(spots[asset] / starts[asset]) for asset in question.assets)
    return gain - other_gain


def is_due(prediction: Prediction, now: int) -> bool:
    """Whether prices may settle a prediction at the unix second `now`.

    A market or a challenge is due after its deadline; one that may be decided earlier is due from its creation on. An
    answer is due at its deadline, whatever the question.
    """
    if prediction.resolver != "bars" or now <= prediction.created_at:
        return False
    if prediction.category == "answer":
        return now >= prediction.deadline
    return now > prediction.deadline or prediction.question.kind.may_end_early


def settle(prediction: Prediction, bars: Mapping[str, Bars], now: int) -> Settlement | None:
    """The settlement that the bars show at the unix second `now`; None while the prediction is open."""
    resolution = resolve(prediction.question, prediction.created_at, bars, now)
    return resolution and Settlement(resolution.outcome, now, resolution.evidence, "bars")


def settle_past(market: Prediction, hourly: Mapping[str, Bars], now: int) -> Settlement | None:
    """The settlement of a past market at the hour at which the service would have settled it; None if after `now`.

    The service checks a market at every full hour after it was opened.
    """
    question = market.question
    first, over = (market.created_at // HOUR + 1) * HOUR, (market.deadline // HOUR + 1) * HOUR
    if first > now:
        return None
    bars = {asset: hourly[asset] for asset in question.assets}
    hours: list[int] = []
    if question.kind.may_end_early:  # at the first hour, and after a touch
        hours.append(first)
        path_bars = bars[question.asset].until(over)
        path = RecordedPath(question.asset, question.spot, market.created_at, market.deadline, path_bars)
        if (place := question.kind.decided_at(question, path)) < path.steps:
            hours.append(int(path.since.time[place]) + HOUR)
    hours += [over, over + LATE_S]  # after the deadline, and after the last late bar is accepted
    for hour in hours:
        if hour > now:
            return None
        if settlement := settle(market, bars, hour):
            return settlement
    return None


def resolved(predictions: Iterable[Prediction]) -> list[Resolved]:
    """The settled predictions in the form of the track record; void ones and other coins are left out.

    A question without a criterion (`open`) counts only if it was asked of the oracle, which treats it as `up`.
    """
    return [
        Resolved(
            band=band_of(prediction.question),
            asked_at=prediction.voted_at,
            resolved_at=prediction.settlement.resolved_at,
            happened=prediction.outcome == "yes",
            votes=tuple(
                ResolvedVote(vote.voter, vote.engine, vote.p) for vote in prediction.votes if vote.voter != APEX
            ),
        )
        for prediction in predictions
        if prediction.commitment
        and prediction.settlement
        and not prediction.question.coins
        and (prediction.is_scored or (prediction.category == "answer" and prediction.outcome != "void"))
    ]
