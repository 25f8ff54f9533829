"""Nine votes as one: a weighted mean in log-odds, corrected by what the pool's record shows.

Formulas and figures: design page `oracle`, section 4. No fixed extremising: it made professionals worse.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from service.forecasting.law import probability_of
from service.forecasting.record import Calibration, ClassRecord, Standing, pooled_log_odds
from service.forecasting.votes import Ballot, Pooled

LEAST_RESOLVED = 10  # resolved votes before a voter's skill counts
SHRINKING = 30  # independent questions that count as much as the prior belief of no skill
STEEPNESS = 0.03  # of Brier, by which a weight falls by e
LIGHTEST, HEAVIEST = 0.5, 2.0


def pool(ballots: Sequence[Ballot], record: ClassRecord) -> Pooled:
    """The consensus of at least one ballot."""
    weights = weigh([(ballot.voter, ballot.engine) for ballot in ballots], record)
    p = np.array([ballot.p for ballot in ballots])
    return Pooled(
        p=float(combine(p, weights, record.calibration)),
        weights=tuple(weights.tolist()),
        effective_voters=effective_voters(len(ballots), record.calibration.correlation),
    )


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
    standings = {(standing.voter, standing.engine): standing for standing in record.standings}
    raw = np.exp([-_shrunken(standings.get(engine)) / STEEPNESS for engine in engines])
    return np.clip(raw / raw.mean(), LIGHTEST, HEAVIEST)


def _shrunken(standing: Standing | None) -> float:
    if standing is None or standing.n < LEAST_RESOLVED:
        return 0.0
    return standing.n_eff * standing.difference / (standing.n_eff + SHRINKING)


def effective_voters(voters: int, correlation: float) -> float:
    """How many independent voters so many correlated ones are worth: n / (1 + (n - 1) r) (Kish 1965).

    With the errors of nine language models, r = .89, nine are worth 1.1.
    """
    return voters / (1 + (voters - 1) * correlation)
