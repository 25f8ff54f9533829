"""The skill of each voter so far and the calibration of the pool; computed by a job from resolved votes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, get_args

import numpy as np

from service.forecasting.voters.distribution import probability_of
from service.forecasting.voters.logistic import fit_map
from service.forecasting.voters.resolved import Class, Resolved, ResolvedColumns, class_of, columns_of, joined
from service.forecasting.voters.scoring import LEAST_N, Array, Instants, brier, clustered_mean, weeks_of
from service.questions.question import Comparator

CLIP = 0.001  # of probabilities before they become log-odds: the limits of every published probability
PRIOR_STRETCH = (1.0, 0.15)  # mean and standard deviation of the factor


@dataclass(frozen=True)
class VoterSkill:
    """The skill of one engine of one voter in a class of questions.

    `n` votes have resolved. `brier` is their mean score and `difference` the mean of that score less the mean over all
    voters of the same question: negative is better than average. `n_eff` is the number of independent votes that the
    differences are worth, by the design effect of weeks.
    """

    voter: str
    engine: str
    n: int
    n_eff: float
    brier: float
    difference: float


@dataclass(frozen=True)
class PoolCalibration:
    """The pool of a class: p = sigmoid(stretch x), from `n` questions worth `n_eff` independent ones.

    `effective_voters` is the number of independent voters that the pool's are worth, None until it is measured.
    """

    n: int = 0
    n_eff: float = 0.0
    stretch: float = 1.0
    effective_voters: float | None = None


@dataclass(frozen=True)
class ClassRecord:
    """One class of questions: the pool's calibration and each voter's skill."""

    calibration: PoolCalibration = field(default_factory=PoolCalibration)
    standings: tuple[VoterSkill, ...] = ()


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
    standings = tuple(VoterSkill(**standing) for standing in plain["standings"])
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
        weights=questions.weights,
        happened=questions.happened,
        weeks=weeks_of(questions.resolved_at),
    )


def measure(
    engines: Sequence[tuple[str, str]],
    *,
    p: Array,
    weights: Array,
    happened: Array,
    weeks: Instants,
) -> ClassRecord:
    """The record of one class, from at least one question, in order of asking.

    Parameters
    ----------
    engines : sequence of (voter, engine)
        One for each column.
    p, weights : ndarray of shape (questions, engines)
        P(YES) and weights; NaN where an engine did not vote.
    happened, weeks : ndarray of shape (questions,)
        1 or 0; the calendar week of resolution.
    """
    scores = brier(p, happened[:, None])
    differences = scores - np.nanmean(scores, axis=1, keepdims=True)
    standings = []
    for column, (voter, engine) in enumerate(engines):
        voted = np.isfinite(p[:, column])
        if voted.any():
            difference = clustered_mean(differences[voted, column], weeks[voted])
            loss = float(scores[voted, column].mean())
            standings.append(VoterSkill(voter, engine, difference.n, difference.n_eff, loss, difference.mean))
    return ClassRecord(_calibrate(p, weights, happened, weeks), tuple(standings))


def _calibrate(p: Array, weights: Array, happened: Array, weeks: Instants) -> PoolCalibration:
    x = pooled_log_odds(p, weights)
    residual = clustered_mean(happened - probability_of(x), weeks)
    n, n_eff = residual.n, residual.n_eff
    if n_eff < LEAST_N:
        return PoolCalibration(n=n, n_eff=n_eff)
    stretch = fit_stretch(x, happened, n_eff / n)
    return PoolCalibration(n, n_eff, stretch, effective_voters(p, happened))


def pooled_log_odds(p: Array, weights: Array) -> Array:
    """Weighted mean of the log-odds of the votes, shape (questions,): a logarithmic opinion pool (Genest, Zidek 1986).

    `p` and `weights` have the voters along the last axis, NaN where one did not vote; probabilities are clipped to
    [.001, .999].
    """
    clipped = np.clip(p, CLIP, 1 - CLIP)
    odds = np.log(clipped / (1 - clipped))
    return np.nansum(weights * odds, axis=-1) / np.nansum(np.where(np.isfinite(p), weights, np.nan), axis=-1)


def fit_stretch(x: Array, happened: Array, worth: float) -> float:
    """The maximum a posteriori b of p = sigmoid(b x), each question counted `worth` times (Platt 1999).

    There is no constant: YES is a rise in one question and a fall in the next, so it would be about the wording. The
    prior of b is PRIOR_STRETCH.
    """
    mean, deviation = (np.array([value]) for value in PRIOR_STRETCH)
    (stretch,) = fit_map(x[:, None], np.zeros_like(x), happened, np.full_like(x, worth), deviation, mean).tolist()
    return stretch


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
