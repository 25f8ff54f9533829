"""The consensus: the mean of the votes by their weights, a linear opinion pool (Stone 1961).

One weight a voter serves every question with a horizon of the same length, and nothing is done to a single answer
afterwards. So whatever adds up for each voter adds up for the pool: an event and its opposite, exclusive events,
levels and quantiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy as np

from service.forecasting.voters.ballots import Ballot, Pooled
from service.forecasting.voters.embedded import VOL
from service.forecasting.voters.track_record import BandRecord

CLIP = 0.001  # of probabilities before they become log-odds
# A language model this far from the other voters and from the base rate is an outlier, with a third of its weight.
FAR_MADS, FAR_P = 4.0, 0.20
OUTLIER_WEIGHT = 1 / 3


def pool(ballots: Sequence[Ballot], record: BandRecord) -> Pooled:
    """The consensus of at least one ballot."""
    outliers = outlying(ballots)
    weights = np.array([record.weight_of(ballot.voter, ballot.engine) for ballot in ballots])
    weights *= [OUTLIER_WEIGHT if ballot.voter in outliers else 1.0 for ballot in ballots]
    p = np.array([ballot.p for ballot in ballots])
    ups = np.array([np.nan if ballot.forecast.p_up is None else ballot.forecast.p_up for ballot in ballots])
    has_view = np.isfinite(ups)
    return Pooled(
        p=mean(p, weights),
        p_up=mean(ups[has_view], weights[has_view]) if has_view.any() else None,
        weights=tuple(weights.tolist()),
        outliers=outliers,
        without=leave_one_out(p, weights),
    )


def mean(p: np.ndarray, weights: np.ndarray) -> float:
    """The weighted mean of at least one probability."""
    return float(p @ weights / weights.sum())


def leave_one_out(p: np.ndarray, weights: np.ndarray) -> tuple[float, ...]:
    """P(YES) of the pool without each vote, in their order, with the weights of the others; 0.5 where none is left."""
    rest = weights.sum() - weights
    without = (p @ weights - p * weights) / np.where(rest > 0, rest, 1.0)
    return tuple(np.where(rest > 0, np.clip(without, 0.0, 1.0), 0.5).tolist())


def outlying(ballots: Sequence[Ballot]) -> tuple[str, ...]:
    """The voters whose language model is an outlier.

    Both must hold: more than four median absolute deviations from the median of the other votes, in log-odds, and more
    than 20 percentage points from `vol`, the base rate. There is none where `vol` did not vote.
    """
    base = next((ballot.p for ballot in ballots if ballot.voter == VOL.name), None)
    if base is None:
        return ()
    p = np.clip([ballot.p for ballot in ballots], CLIP, 1 - CLIP)
    odds = np.log(p / (1 - p)).tolist()
    places = [
        place for place, ballot in enumerate(ballots) if ballot.forecast.is_of_model and abs(ballot.p - base) > FAR_P
    ]
    return tuple(ballots[place].voter for place in places if _is_outlier(odds, place))


def _is_outlier(odds: list[float], place: int) -> bool:
    others = odds[:place] + odds[place + 1 :]
    middle = median(others)
    spread = median(abs(other - middle) for other in others)
    return abs(odds[place] - middle) > FAR_MADS * spread
