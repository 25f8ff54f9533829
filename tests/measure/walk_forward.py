"""What the voters would have said, month after month, had they stood here: refitted, then scored on what came.

At the start of each month everything is fitted to labels known by then, and the track record holds the scored
questions that had resolved. Instants, horizons and levels differ from those of training.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from service.forecasting.voters import consensus, distribution, forest, linear
from service.forecasting.voters.brains import FOREST, VOL
from service.forecasting.voters.fits import Fits
from service.forecasting.voters.input_history import survey
from service.forecasting.voters.panel import voters
from service.forecasting.voters.past import QuestionSample, ask_past
from service.forecasting.voters.resolved import Class
from service.forecasting.voters.seen import see
from service.forecasting.voters.track_record import ClassRecord, measure
from service.forecasting.voters.training import fit_history
from service.market.bars import Bars
from service.market.months import month_starts
from service.scores.dependence import DIFFERENCES, weeks_of
from service.scores.intervals import clustered_mean
from service.scores.proper import base_rate_known, brier

Array = NDArray[np.float64]
Group = Literal["direction", "levels"]

EVERY_H = 19
HORIZONS_H = (6, 12, 24, 48, 96, 168)
LEVELS = (-1.9, -1.4, -0.9, -0.4, 0.0, 0.4, 0.9, 1.4, 1.9)

VOTERS = voters()
ENGINES = tuple((voter.name, voter.engine) for voter in VOTERS)
POOL = "pool"
MEAN_VOTER = "mean voter"
BASE_RATE = "base rate"
PLAIN = "plain vol"  # the frozen baseline: one EWMA of volatility, a normal distribution and a flat clock


@dataclass(frozen=True)
class Interval:
    """A mean with its 95% interval."""

    mean: float
    low: float
    high: float

    @staticmethod
    def of(values: Array, clusters: NDArray[np.int64]) -> Interval:
        """Of the finite ones among `values` (n,), clustered by `clusters` (n,)."""
        is_finite = np.isfinite(values)
        mean = clustered_mean(values[is_finite], clusters[is_finite], DIFFERENCES)
        return Interval(mean.mean, *mean.interval())


@dataclass(frozen=True)
class Score:
    """How one voter, or the pool, did on one group of questions; lower is better everywhere.

    `against_base`, `against_plain` and `against_mean` are mean differences of Brier scores from those of the base rate
    (how often that level had been exceeded so far), of plain volatility and of the mean of the nine, on the same
    questions.
    """

    group: Group
    name: str
    questions: int
    brier: float
    against_base: Interval
    against_plain: Interval
    against_mean: Interval


@dataclass(frozen=True)
class Scored:
    """Questions with what each voter said and weighed, shape (n, voters), and what the pool said, shape (n,)."""

    sample: QuestionSample
    p: Array
    weights: Array
    pool: Array


def walk_forward(hourly: Mapping[str, Bars], since: int) -> list[Score]:
    """Scores of the nine voters, their mean and the pool over the calendar months that begin at or after `since`.

    `since` is a unix second; months run to the last whole horizon that the bars hold. A voter that could not be fitted
    in any of them has no score; without a month there is none at all.
    """
    months = [month for month in forecast_months(hourly, since) if len(month.sample)]
    if not months:
        return []
    scored = join(months)
    classes = _classes(scored.sample)
    groups: dict[Group, NDArray[np.bool_]] = {"direction": classes["direction"], "levels": classes["event"]}
    return [score for group, chosen in groups.items() for score in _score(group, scored, chosen)]


def forecast_months(hourly: Mapping[str, Bars], since: int) -> list[Scored]:
    """The questions of each month as they would have been answered then."""
    history = survey(hourly)
    end = history.time_of(len(history) - 1)
    starts = month_starts(since, end)
    months: list[Scored] = []
    for start, stop in pairwise([*starts, end]):
        fits = fit_history(history, start)
        sample = ask_past(history, start, end, every_h=EVERY_H, horizons_h=HORIZONS_H, levels=LEVELS)
        sample = sample.where(sample.asked_at < stop)
        months.append(_pooled(months, start, sample, forecast_all(fits, sample)))
    return months


def forecast_all(fits: Fits, sample: QuestionSample) -> Array:
    """P(close above the level) of each of the nine for each question, shape (n, 9); NaN where one abstains.

    The same arithmetic as in a request, many questions at a time.
    """
    odds = {}
    for voter in VOTERS:
        seen, base = see(sample, voter.name, fits.densities)
        odds[voter.name] = base + _residual(fits, voter.name, sample, seen)
    return np.column_stack([distribution.probability_of(odds[voter.name]) for voter in VOTERS])


def _residual(fits: Fits, voter: str, sample: QuestionSample, seen: QuestionSample) -> Array | float:
    """What a voter adds to the log-odds of its view; NaN where it abstains."""
    if voter == VOL.name:
        return 0.0
    if fit := fits.linear.get(voter):
        return linear.residual(fit, seen.metal, seen.z, seen.hours, linear.scores(fit, seen.values(fit.inputs)))
    if voter != FOREST.name or fits.forest is None:
        return np.nan
    near, base = see(sample, voter, fits.densities, forest.FURTHEST_LEARNT)
    values = near.values(fits.forest.inputs)
    residual = forest.residual(fits.forest, near.z, near.hours, values, base)
    return np.where(np.isfinite(values).all(axis=1), residual, np.nan)


def _pooled(past: Sequence[Scored], start: int, sample: QuestionSample, p: Array) -> Scored:
    """The questions with the pool's answers, weighed and corrected by what had resolved by `start`."""
    pool, weights = np.empty(len(sample)), np.empty_like(p)
    for name, chosen in _classes(sample).items():
        record = record_at(past, start, name)
        weights[chosen] = consensus.weigh(ENGINES, record)
        pool[chosen] = consensus.combine(p[chosen], weights[chosen], record.calibration)
    return Scored(sample, p, weights, pool)


def _classes(sample: QuestionSample) -> dict[Class, NDArray[np.bool_]]:
    return {"direction": sample.z == 0, "event": sample.z != 0}


def record_at(past: Sequence[Scored], start: int, name: Class) -> ClassRecord:
    """The record of one class at the unix second `start`: of what had resolved by then."""
    if not past:
        return ClassRecord()
    seen = join(past)
    chosen = _classes(seen.sample)[name] & (seen.sample.deadline <= start)
    sample = seen.sample.where(chosen)
    if not len(sample):
        return ClassRecord()
    return measure(
        ENGINES,
        p=seen.p[chosen],
        happened=sample.happened,
        weeks=weeks_of(sample.deadline),
    )


def join(months: Sequence[Scored]) -> Scored:
    """Several months as one."""
    samples = [month.sample for month in months]
    columns = ("asset", "asked_at", "deadline", "hours", "unit", "z", "happened")
    return Scored(
        sample=QuestionSample(
            assets=samples[0].assets,
            every_h=samples[0].every_h,
            levels=samples[0].levels,
            **{name: np.concatenate([getattr(sample, name) for sample in samples]) for name in columns},
            inputs={},
        ),
        **{name: np.concatenate([getattr(month, name) for month in months]) for name in ("p", "weights", "pool")},
    )


def _score(group: Group, scored: Scored, chosen: NDArray[np.bool_]) -> list[Score]:
    sample = scored.sample.where(chosen)
    each = brier(scored.p[chosen], sample.happened[:, None])
    mean = np.nanmean(each, axis=1)
    columns = {voter.name: each[:, place] for place, voter in enumerate(VOTERS)}
    base = brier(_base_rate(sample), sample.happened)
    plain = brier(distribution.probability_of(distribution.normal_log_odds_of(sample.z)), sample.happened)
    columns |= {PLAIN: plain, MEAN_VOTER: mean, POOL: brier(scored.pool[chosen], sample.happened), BASE_RATE: base}
    weeks = weeks_of(sample.deadline)
    return [
        Score(
            group=group,
            name=name,
            questions=int(np.isfinite(values).sum()),
            brier=float(np.nanmean(values)),
            against_base=Interval.of(values - base, weeks),
            against_plain=Interval.of(values - plain, weeks),
            against_mean=Interval.of(values - mean, weeks),
        )
        for name, values in columns.items()
        if np.isfinite(values).any()
    ]


def _base_rate(sample: QuestionSample) -> Array:
    """How often each question's level had been exceeded among the scored ones that were known when it was asked."""
    p = np.empty(len(sample))
    for z in np.unique(sample.z):
        rows = np.flatnonzero(sample.z == z)
        rows = rows[np.argsort(sample.deadline[rows], kind="stable")]
        p[rows] = base_rate_known(sample.happened[rows], sample.asked_at[rows], sample.deadline[rows])
    return p
