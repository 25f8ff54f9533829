"""Design effects: the prior's, and what measurements make of it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.market.instants import DAY, utc
from service.scores.intervals import LEVELS, Dependence, clustered_mean, design_effect, weeks_of
from tests.scores.planted import weekly_values


@given(st.lists(st.integers(0, 6), min_size=1, max_size=8).filter(any), st.floats(0, 0.9), st.floats(0, 0.9))
def test_an_effect_is_the_variance_of_the_mean(sizes, correlation, memory):
    """Against the sum over the whole covariance matrix of the values, within clusters and over all."""
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    lags = np.abs(clusters[:, None] - clusters)
    covariances = correlation * (float(memory) ** lags)
    np.fill_diagonal(covariances, 1.0)
    within, total = Dependence(correlation, memory).effects(np.array(sizes, dtype=float))
    assert within == pytest.approx(covariances[lags == 0].sum() / len(clusters))
    assert total == pytest.approx(covariances.sum() / len(clusters))


@pytest.mark.parametrize(
    ("variance_ratio", "effect"),
    [(None, 3.0), (3.0, 3.0), (0.0, 3 * 20 / 28), (9.0, 3 * (20 + 8 * 3) / 28), (1e9, 1053.0)],
)
def test_a_prior_is_worth_twenty_weeks(variance_ratio, effect):
    """Nine weeks of 117 values that are expected to have an effect of 3; more than 1,053 values it cannot be."""
    assert design_effect(Dependence(2 / 116), np.full(9, 117.0), variance_ratio) == pytest.approx(effect)


def test_no_effect_is_below_one():
    assert design_effect(Dependence(0.0), np.full(9, 117.0), 0.1) == 1.0


@pytest.mark.parametrize("weeks", [2, 9, 40])
def test_what_the_prior_expects_is_what_is_measured(weeks):
    """Of values with just these correlations, the measured effect does not move the prior on average."""
    dice, clusters = np.random.default_rng(4), np.repeat(np.arange(weeks), 60)
    effects = [
        clustered_mean(
            weekly_values(dice, weeks, 60, LEVELS.correlation, LEVELS.memory), clusters, LEVELS
        ).design_effect
        for _ in range(600)
    ]
    assert np.mean(effects) == pytest.approx(LEVELS.effects(np.full(weeks, 60.0))[1], rel=0.03)


def test_a_week_begins_on_monday_at_midnight_utc():
    """24 November 2025 is a Monday; the calendar of the standard library is the referee."""
    times = np.arange(1_763_000_000, 1_763_000_000 + 60 * DAY, DAY // 2)
    theirs = [utc(int(time)).isocalendar()[:2] for time in times]
    changes = [week != following for week, following in itertools.pairwise(theirs)]
    assert (np.diff(weeks_of(times)) == changes).all()
