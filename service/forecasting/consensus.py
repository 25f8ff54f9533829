"""Nine votes as one: a weighted mean in log-odds, corrected by what the pool's record shows.

Formulas and figures: design page `oracle`, section 4. No fixed extremising: it made professionals worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy as np

from service.forecasting.brains import VOL
from service.forecasting.law import probability_of
from service.forecasting.record import Calibration, ClassRecord, Standing, pooled_log_odds
from service.forecasting.votes import Ballot, Pooled

LEAST_RESOLVED = 10  # resolved votes before a voter's skill counts
SHRINKING = 30  # independent questions that count as much as the prior belief of no skill
STEEPNESS = 0.03  # of Brier, by which a weight falls by e
LIGHTEST, HEAVIEST = 0.5, 2.0
# A language model so far from the other voters, and from the base rate, is not trusted with a whole vote.
FAR_MADS, FAR_P = 4.0, 0.20
OUTLYING = 1 / 3


def pool(ballots: Sequence[Ballot], record: ClassRecord) -> Pooled:
    """The consensus of at least one ballot."""
    engines = [(ballot.voter, ballot.engine) for ballot in ballots]
    outliers = outlying(ballots)
    weights = weigh(engines, record) * _trust(ballots, outliers)
    p = np.array([ballot.p for ballot in ballots])
    return Pooled(
        p=float(combine(p, weights, record.calibration)),
        weights=tuple(weights.tolist()),
        effective_voters=effective_voters(len(ballots), record.calibration.correlation),
        outliers=outliers,
        without=leave_one_out(ballots, record),
    )


def leave_one_out(ballots: Sequence[Ballot], record: ClassRecord) -> tuple[float, ...]:
    """P(YES) that the others pool to without each ballot, in their order; even odds where nobody is left.

    The others are weighed among themselves: their weights and outliers are those of a pool that never heard the one.
    """
    if len(ballots) == 1:
        return (0.5,)
    rest = ~np.eye(len(ballots), dtype=bool)
    raw = _raw([(ballot.voter, ballot.engine) for ballot in ballots], record)
    weights = _held(np.where(rest, raw, np.nan))
    odds = _log_odds(ballots)
    for place in range(len(ballots)):
        others = [*ballots[:place], *ballots[place + 1 :]]
        weights[place] *= _trust(ballots, _outlying(others, odds[:place] + odds[place + 1 :]))
    p = np.where(rest, [ballot.p for ballot in ballots], np.nan)
    return tuple(combine(p, weights, record.calibration).tolist())


def _trust(ballots: Sequence[Ballot], outliers: Sequence[str]) -> np.ndarray:
    return np.array([OUTLYING if ballot.voter in outliers else 1.0 for ballot in ballots])


def outlying(ballots: Sequence[Ballot]) -> tuple[str, ...]:
    """The voters whose language model stands too far off to be trusted with a whole vote.

    More than four median absolute deviations from the other votes' median, in log-odds, and more than 20 points from
    `vol`, the base rate: either alone is an opinion. Where `vol` did not vote nobody is.
    """
    return _outlying(ballots, _log_odds(ballots))


def _outlying(ballots: Sequence[Ballot], odds: list[float]) -> tuple[str, ...]:
    """The same, from the log-odds of the ballots."""
    base = next((ballot.p for ballot in ballots if ballot.voter == VOL.name), None)
    if base is None:
        return ()
    far = [place for place, one in enumerate(ballots) if one.prompt is not None and abs(one.p - base) > FAR_P]
    return tuple(ballots[place].voter for place in far if _stands_off(odds, place))


def _log_odds(ballots: Sequence[Ballot]) -> list[float]:
    """Each ballot's own."""
    return pooled_log_odds(np.array([[ballot.p] for ballot in ballots]), np.ones(1)).tolist()


def _stands_off(odds: list[float], place: int) -> bool:
    others = odds[:place] + odds[place + 1 :]
    middle = median(others)
    spread = median(abs(one - middle) for one in others)
    return abs(odds[place] - middle) > FAR_MADS * spread


def combine(p: np.ndarray, weights: np.ndarray, calibration: Calibration) -> np.ndarray:
    """P(YES) of the pool; the voters are the last axis of `p`, NaN where one did not vote."""
    odds = calibration.shift + calibration.stretch * pooled_log_odds(p, weights)
    return probability_of(odds)


def weigh(engines: Sequence[tuple[str, str]], record: ClassRecord) -> np.ndarray:
    """The weights of those who voted, by (voter, engine), shape (voters,).

    exp(-s / 0.03) over its mean, within [1/2, 2], where s = n d / (n + 30) is the mean difference d of an
    engine's Brier score from the others', shrunken by its n independent questions. An engine with fewer than
    ten resolved votes has s = 0, so a new one begins in the middle.
    """
    return _held(_raw(engines, record))


def _raw(engines: Sequence[tuple[str, str]], record: ClassRecord) -> np.ndarray:
    standings = {(standing.voter, standing.engine): standing for standing in record.standings}
    return np.exp([-_shrunken(standings.get(engine)) / STEEPNESS for engine in engines])


def _held(raw: np.ndarray) -> np.ndarray:
    """Raw weights over their mean, within bounds; NaN where one did not vote."""
    return np.clip(raw / np.nanmean(raw, axis=-1, keepdims=True), LIGHTEST, HEAVIEST)


def _shrunken(standing: Standing | None) -> float:
    if standing is None or standing.n < LEAST_RESOLVED:
        return 0.0
    return standing.n_eff * standing.difference / (standing.n_eff + SHRINKING)


def effective_voters(voters: int, correlation: float) -> float:
    """How many independent voters so many correlated ones are worth: n / (1 + (n - 1) r) (Kish 1965).

    With the errors of nine language models, r = .89, nine are worth 1.1.
    """
    return voters / (1 + (voters - 1) * correlation)
