"""The scores of the lab are those of the service."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from notebooks.lab import scores
from service.forecasting.predictions.scores.forecast_scores import calibrate
from service.scores import intervals
from service.scores.intervals import LEVELS, clustered_mean
from service.scores.proper import brier

VOTERS = ("momentum", "vol", "mine")


@pytest.fixture(params=[(400, 60), (40, 5), (60, 1)], ids=["many weeks", "few weeks", "one week"])
def evidence(request) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """P(YES) of three voters, outcomes, and weeks of resolution; the last voter abstains now and then."""
    n, weeks = request.param
    generator = np.random.default_rng(n)
    p = generator.uniform(0.02, 0.98, (n, len(VOTERS)))
    p[::7, -1] = np.nan
    return p, (generator.uniform(size=n) < p[:, 0]).astype(float), np.sort(generator.integers(weeks, size=n))


def test_an_interval_is_that_of_the_service(evidence):
    p, outcomes, weeks = evidence
    values = brier(p[:, 0], outcomes)
    mean, reference = scores.weekly_mean(values, weeks, LEVELS), clustered_mean(values, weeks, LEVELS)
    assert (mean.n, mean.mean) == (reference.n, reference.mean)
    assert mean.n_eff == pytest.approx(reference.n_eff)
    assert (mean.low, mean.high) == pytest.approx(reference.interval(), nan_ok=True)


def test_weeks_are_those_of_the_service():
    instants = pd.Series(pd.date_range("2026-01-01", periods=500, freq="7h", tz="UTC"))
    seconds = np.array([int(instant.timestamp()) for instant in instants])
    assert scores.weeks_of(instants).tolist() == intervals.weeks_of(seconds).tolist()


def test_a_calibration_is_that_of_the_service(evidence):
    p, outcomes, weeks = evidence
    bins, report = scores.calibration(p[:, 0], outcomes, weeks), calibrate(p[:, 0], outcomes, weeks)
    assert report is not None
    shares = [[*bin_.values()] for bin_ in bins]
    assert [pytest.approx([*vars(bin_).values()], abs=1e-4) for bin_ in report.bins] == shares


def test_a_better_voter_earns_more_than_the_others(evidence):
    """The first voter knows the probabilities; the others are noise, and one of them abstains now and then."""
    p, outcomes, weeks = evidence
    assert scores.earned_weight(p[:, 0], p[:, 1:], outcomes, weeks) > 1


def test_forecasts_that_say_nothing_are_unrelated_to_outcomes():
    generator = np.random.default_rng(2)
    p, outcomes, weeks = generator.uniform(size=900), generator.integers(2, size=900), np.arange(900) // 15
    noise = scores.correlation(p, outcomes.astype(float), weeks)
    relation = scores.correlation(0.3 * p + 0.7 * outcomes, outcomes.astype(float), weeks)
    constant = scores.correlation(np.full(900, 0.5), outcomes.astype(float), weeks)
    assert noise.low < 0 < noise.high
    assert relation.low > 0.5
    assert constant.mean == 0
