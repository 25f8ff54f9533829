"""The consensus: a weighted mean of the votes, weighted and calibrated by the track record.

The voters mostly see the same prices and differ in what they make of them, so their forecasts are averaged like those
of alternative models. A mean of calibrated forecasts is not sure enough of itself (Ranjan and Gneiting 2010): how far
its log-odds are stretched is learnt from resolved questions, together with the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy as np

from service.forecasting.voters.ballots import Ballot, Pooled
from service.forecasting.voters.brains import VOL
from service.forecasting.voters.distribution import probability_of
from service.forecasting.voters.track_record import CLIP, ClassRecord, PoolCalibration, log_odds, pooled_log_odds

LIGHTEST, HEAVIEST = 0.5, 2.0
# A language model this far from the other voters and from the base rate is an outlier, with a third of its weight.
FAR_MADS, FAR_P = 4.0, 0.20
OUTLIER_WEIGHT = 1 / 3


def pool(ballots: Sequence[Ballot], record: ClassRecord) -> Pooled:
    """The consensus of at least one ballot."""
    engines = [(ballot.voter, ballot.engine) for ballot in ballots]
    outliers = outlying(ballots)
    weights = weigh(engines, record) * _trust(ballots, outliers)
    p = np.array([ballot.p for ballot in ballots])
    return Pooled(
        p=float(combine(p, weights, record.calibration)),
        weights=tuple(weights.tolist()),
        effective_voters=record.calibration.effective_voters,
        outliers=outliers,
        without=leave_one_out(ballots, record),
    )


def leave_one_out(ballots: Sequence[Ballot], record: ClassRecord) -> tuple[float, ...]:
    """P(YES) of the pool without each ballot, in their order; 0.5 where no ballot is left.

    Weights and outliers are computed anew from the remaining ballots.
    """
    if len(ballots) == 1:
        return (0.5,)
    rest = ~np.eye(len(ballots), dtype=bool)
    raw = _raw([(ballot.voter, ballot.engine) for ballot in ballots], record)
    weights = _bounded(np.where(rest, raw, np.nan))
    odds = _log_odds(ballots)
    for place in range(len(ballots)):
        others = [*ballots[:place], *ballots[place + 1 :]]
        weights[place] *= _trust(ballots, _outlying(others, odds[:place] + odds[place + 1 :]))
    p = np.where(rest, [ballot.p for ballot in ballots], np.nan)
    return tuple(combine(p, weights, record.calibration).tolist())


def _trust(ballots: Sequence[Ballot], outliers: Sequence[str]) -> np.ndarray:
    return np.array([OUTLIER_WEIGHT if ballot.voter in outliers else 1.0 for ballot in ballots])


def outlying(ballots: Sequence[Ballot]) -> tuple[str, ...]:
    """The voters whose language model is an outlier.

    Both must hold: more than four median absolute deviations from the median of the other votes, in log-odds, and more
    than 20 percentage points from `vol`, the base rate. There is none where `vol` did not vote.
    """
    return _outlying(ballots, _log_odds(ballots))


def _outlying(ballots: Sequence[Ballot], odds: list[float]) -> tuple[str, ...]:
    base = next((ballot.p for ballot in ballots if ballot.voter == VOL.name), None)
    if base is None:
        return ()
    far = [
        place for place, ballot in enumerate(ballots) if ballot.forecast.is_of_model and abs(ballot.p - base) > FAR_P
    ]
    return tuple(ballots[place].voter for place in far if _is_outlier(odds, place))


def _log_odds(ballots: Sequence[Ballot]) -> list[float]:
    return log_odds(np.array([ballot.p for ballot in ballots])).tolist()


def _is_outlier(odds: list[float], place: int) -> bool:
    others = odds[:place] + odds[place + 1 :]
    middle = median(others)
    spread = median(abs(other - middle) for other in others)
    return abs(odds[place] - middle) > FAR_MADS * spread


def combine(p: np.ndarray, weights: np.ndarray, calibration: PoolCalibration) -> np.ndarray:
    """P(YES) of the pool, within [0.001, 0.999].

    The voters are the last axis of `p` and `weights`, NaN where one did not vote.
    """
    odds = calibration.stretch * pooled_log_odds(p, weights)
    return np.clip(probability_of(odds), CLIP, 1 - CLIP)


def weigh(engines: Sequence[tuple[str, str]], record: ClassRecord) -> np.ndarray:
    """The weights of the voters that voted.

    The stacked weights of the record over their mean, within [1/2, 2]: each voter keeps a say, and none decides alone.

    Parameters
    ----------
    engines : sequence of (voter, engine)
        At least one.
    record : ClassRecord
        The track record; a new engine has an average weight.

    Returns
    -------
    ndarray of shape (voters,)
        In the order of `engines`, with mean near 1.
    """
    return _bounded(_raw(engines, record))


def _raw(engines: Sequence[tuple[str, str]], record: ClassRecord) -> np.ndarray:
    weights = {(standing.voter, standing.engine): standing.weight for standing in record.standings}
    return np.array([weights.get(engine, 1.0) for engine in engines])


def _bounded(raw: np.ndarray) -> np.ndarray:
    """Raw weights over their mean, within bounds; NaN where one did not vote."""
    return np.clip(raw / np.nanmean(raw, axis=-1, keepdims=True), LIGHTEST, HEAVIEST)
