"""Settles predictions by prices, and prepares the settled ones for the track record of the pool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from service.forecasting.predictions import APEX, Commitment, Prediction, Settlement
from service.forecasting.predictions.path_outcomes import first_reached
from service.forecasting.predictions.resolution import LATE_S, resolve
from service.forecasting.voters.track_record import Resolved, ResolvedVote, band_of
from service.market.bars import Bars
from service.market.instants import HOUR
from service.questions.question import DECIDED_EARLY


def is_due(prediction: Prediction, now: int) -> bool:
    """Whether prices may settle a prediction at the unix second `now`.

    A market or a challenge is due after its deadline; one that may be decided earlier is due from its creation on. An
    answer is due at its deadline, whatever the question.
    """
    if prediction.resolver != "bars" or now <= prediction.created_at:
        return False
    if prediction.category == "answer":
        return now >= prediction.deadline
    return now > prediction.deadline or prediction.question.comparator in DECIDED_EARLY


def settle(prediction: Prediction, bars: Mapping[str, Bars], now: int) -> Settlement | None:
    """The settlement that the bars show at the unix second `now`; None while the prediction is open."""
    resolution = resolve(prediction.question, prediction.created_at, bars, now)
    return resolution and Settlement(resolution.outcome, now, resolution.evidence, "bars")


def settle_past(market: Prediction, hourly: Mapping[str, Bars], now: int) -> Settlement | None:
    """The settlement of a past market at the hour at which the service would have settled it; None if after `now`.

    The service checks a market at every full hour after it was opened.
    """
    bars = {asset: hourly[asset] for asset in market.question.assets}
    for hour in _hours_of_settling(market, bars):
        if hour > now:
            return None
        if settlement := settle(market, bars, hour):
            return settlement
    return None


def _hours_of_settling(market: Prediction, hourly: Mapping[str, Bars]) -> Iterator[int]:
    """The hours at which it can settle: after a touch, after the deadline, and after the last late bar is accepted."""
    question, over = market.question, (market.deadline // HOUR + 1) * HOUR
    if question.comparator in DECIDED_EARLY:
        yield (market.created_at // HOUR + 1) * HOUR
        bars = hourly[question.asset].since(market.created_at).until(over)
        index = first_reached(question, bars)
        if index is not None:
            yield int(bars.time[index]) + HOUR
    yield from (over, over + LATE_S)


def resolved(settled: Iterable[Prediction]) -> list[Resolved]:
    """The settled predictions in the form of the track record; void ones and coins outside the seven are left out.

    A question without a criterion (`open`) counts only if it was asked of the oracle, which treats it as `up`.
    """
    return [
        _resolved(prediction, prediction.commitment, prediction.settlement)
        for prediction in settled
        if prediction.commitment and prediction.settlement and _counts(prediction)
    ]


def _counts(prediction: Prediction) -> bool:
    return not prediction.question.coins and (prediction.is_scored or _is_decided_answer(prediction))


def _is_decided_answer(prediction: Prediction) -> bool:
    return prediction.category == "answer" and prediction.outcome in ("yes", "no")


def _resolved(prediction: Prediction, commitment: Commitment, settlement: Settlement) -> Resolved:
    votes = (vote for vote in commitment.votes if vote.voter != APEX)
    return Resolved(
        band=band_of(prediction.question),
        asked_at=commitment.voted_at,
        resolved_at=settlement.resolved_at,
        happened=prediction.outcome == "yes",
        votes=tuple(ResolvedVote(vote.voter, vote.engine, vote.p) for vote in votes),
    )
