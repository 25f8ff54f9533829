"""The weight of each voter and the calibration of the pool; computed by a job from resolved votes.

Weights are stacked (Yao et al. 2018): those under which the pool would have had the best log score so far, shrunken to
equal ones by a prior and by the number of independent questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, get_args

import numpy as np

from service.forecasting.voters.logistic import fit_map
from service.forecasting.voters.resolved import Class, Resolved, ResolvedColumns, class_of, columns_of, joined
from service.questions.question import Comparator
from service.scores.dependence import LEVELS, weeks_of
from service.scores.intervals import LEAST_N, clustered_mean
from service.scores.proper import Array, Instants

CLIP = 0.001  # of probabilities before they become log-odds: the limits of every published probability
PRIOR_STRETCH = (1.0, 0.15)  # mean and standard deviation of the factor
# Standard deviation of what a voter's vote counts more or less than the mean. Chosen for a pool of log-odds on two
# simulated worlds: on 13,402 markets such weights were better than equal ones by 0.00013 [0.00004, 0.00022] and 0.00023
# [0.00007, 0.00040] Brier; over real bars, August 2024 to April 2025, there was no clear difference.
PRIOR_APART = 0.2


@dataclass(frozen=True)
class VoterWeight:
    """The standing of one engine of one voter in a class of questions.

    `n` votes have resolved. `weight` is its stacked weight beside an average one of 1, before it is bounded.
    """

    voter: str
    engine: str
    n: int
    weight: float = 1.0


@dataclass(frozen=True)
class PoolCalibration:
    """The pool of a class: p = sigmoid(stretch x), where x are the log-odds of the weighted mean of the votes.

    It is learnt from `n` questions, worth `n_eff` independent ones. `effective_voters` is the number of independent
    voters that the pool's are worth, None until it is measured.
    """

    n: int = 0
    n_eff: float = 0.0
    stretch: float = 1.0
    effective_voters: float | None = None


@dataclass(frozen=True)
class ClassRecord:
    """One class of questions: the pool's calibration and each voter's weight."""

    calibration: PoolCalibration = field(default_factory=PoolCalibration)
    standings: tuple[VoterWeight, ...] = ()


@dataclass(frozen=True)
class TrackRecord:
    """The record at the unix second `as_of`; the default is an empty one."""

    as_of: int = 0
    direction: ClassRecord = field(default_factory=ClassRecord)
    event: ClassRecord = field(default_factory=ClassRecord)
    topic: ClassRecord = field(default_factory=ClassRecord)

    def of(self, comparator: Comparator) -> ClassRecord:
        """The class that a question belongs to."""
        return getattr(self, class_of(comparator))

    def to_plain(self) -> dict[str, Any]:
        """A dict that JSON carries without loss."""
        return asdict(self)

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> TrackRecord:
        """The record that `to_plain` was called on."""
        classes = {name: _class_from(plain[name]) for name in get_args(Class) if name in plain}
        return TrackRecord(plain["as_of"], **classes)


def _class_from(plain: Mapping[str, Any]) -> ClassRecord:
    standings = tuple(VoterWeight(**standing) for standing in plain["standings"])
    return ClassRecord(PoolCalibration(**plain["calibration"]), standings)


def build(resolved: Sequence[Resolved], as_of: int) -> TrackRecord:
    """The record of everything that resolved by the unix second `as_of`."""
    return build_from([columns_of(resolved)], as_of)


def build_from(parts: Sequence[ResolvedColumns], as_of: int) -> TrackRecord:
    """The record of all parts together; the same bits, whether the parts were stored or are made of the votes again."""
    questions = joined(parts)
    return TrackRecord(as_of, *(_build_class(questions.of(name)) for name in get_args(Class)))


def _build_class(questions: ResolvedColumns) -> ClassRecord:
    if not len(questions.happened):
        return ClassRecord()
    return measure(
        questions.engines,
        p=questions.p,
        happened=questions.happened,
        weeks=weeks_of(questions.resolved_at),
    )


def measure(engines: Sequence[tuple[str, str]], *, p: Array, happened: Array, weeks: Instants) -> ClassRecord:
    """The record of one class, from at least one question, in order of asking.

    Parameters
    ----------
    engines : sequence of (voter, engine)
        One for each column.
    p : ndarray of shape (questions, engines)
        P(YES); NaN where an engine did not vote.
    happened, weeks : ndarray of shape (questions,)
        1 or 0; the calendar week of resolution.
    """
    residual = clustered_mean(happened - np.nanmean(p, axis=1), weeks, LEVELS)
    n, n_eff = residual.n, residual.n_eff
    stretch, weights = stack(p, happened, n_eff / n)
    calibration = PoolCalibration(n=n, n_eff=n_eff)
    if n_eff >= LEAST_N:
        calibration = PoolCalibration(n, n_eff, stretch, effective_voters(p, happened))
    counts = np.isfinite(p).sum(axis=0).tolist()
    standings = zip(engines, counts, weights.tolist(), strict=True)
    return ClassRecord(calibration, tuple(VoterWeight(*engine, count, weight) for engine, count, weight in standings))


def log_odds(p: Array) -> Array:
    """Of probabilities, which are clipped to [.001, .999]."""
    clipped = np.clip(p, CLIP, 1 - CLIP)
    return np.log(clipped / (1 - clipped))


def pooled_log_odds(p: Array, weights: Array) -> Array:
    """The log-odds of the weighted mean of the votes, shape (questions,): of a linear opinion pool (Stone 1961).

    `p` and `weights` have the voters along the last axis, NaN where one did not vote.
    """
    counted = np.where(np.isfinite(p), weights, 0.0)
    return log_odds(np.nansum(counted * p, axis=-1) / counted.sum(axis=-1))


def stack(p: Array, happened: Array, worth: float) -> tuple[float, Array]:
    """The calibration of the pool and the weights of the voters, shape (voters,); each question counts `worth` times.

    The votes `p` have shape (questions, voters), NaN where one did not vote; m is their mean. The model of P(YES) is
    sigmoid(b log-odds(m) + sum of c_i (p_i - m) / (m (1 - m))). With k voters that is, to the first order in the
    weights, the pool calibrated by b (Platt 1999) in which voter i has the weight 1 + k c_i / b. The result is the
    maximum a posteriori, with the log score as likelihood and the priors PRIOR_STRETCH of b and PRIOR_APART of each c.

    The model has no constant term: YES means a rise in one question and a fall in another, so its value would depend on
    how questions are worded.
    """
    mean = np.clip(np.nanmean(p, axis=1), CLIP, 1 - CLIP)
    apart = (p - mean[:, None]) / (mean * (1 - mean))[:, None]
    design = np.column_stack([log_odds(mean), np.nan_to_num(apart)])
    voters, (center, deviation) = p.shape[1], PRIOR_STRETCH
    deviations = np.array([deviation, *[PRIOR_APART] * voters])
    means = np.array([center, *[0.0] * voters])
    each = np.full(len(mean), worth)
    stretch, *parts = fit_map(design, np.zeros_like(mean), happened, each, deviations, means).tolist()
    return stretch, 1 + np.isfinite(p).sum(axis=1).mean() * np.array(parts) / stretch


def effective_voters(p: Array, happened: Array) -> float | None:
    """The number of independent voters that those of the last question are worth, from 1 to their number.

    The participation ratio (trace C)^2 / trace C^2 of the covariance C of their residuals, outcome minus P(YES): k for
    k equal and uncorrelated ones, 1 for identical ones. All voters miss the same outcome, so it is near 1 even for
    voters whose errors are otherwise independent. None with fewer than 30 questions on which all of them voted.

    Parameters
    ----------
    p : ndarray of shape (questions, voters)
        P(YES) in order of asking, NaN where one did not vote.
    happened : ndarray of shape (questions,)
        1 or 0.
    """
    voting = p[:, np.isfinite(p[-1])]
    complete = np.isfinite(voting).all(axis=1)
    if complete.sum() < LEAST_N:
        return None
    covariance = np.atleast_2d(np.cov((happened[:, None] - voting)[complete].T))
    squares = float((covariance**2).sum())
    return float(np.trace(covariance)) ** 2 / squares if squares > 0 else None
