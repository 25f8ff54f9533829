"""Intervals of dependent values, against numbers computed by hand, other libraries and planted data."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t, ttest_1samp

from service.market.instants import DAY, utc
from service.scores.intervals import (
    CALLS,
    DIFFERENCES,
    LEVELS,
    SIDES,
    SKILL,
    ClusteredMean,
    Dependence,
    RightShare,
    clustered_mean,
    design_effect,
    needed_to_see,
    published,
    right_share,
    sides_right,
    sign_flip_p,
    t_quantile,
    weeks_of,
    wilson_interval,
)
from tests.scores.planted import weekly_values

INDEPENDENT = Dependence(0.0)


def test_wilson_and_student_by_hand():
    """8 of 10 with z = 1.96: center (.8 + .19207) / 1.38415 = .71674, half .22655. Without trials anything goes.

    Quantiles of the printed table of Student's t, with 3, 9 and 39 degrees of freedom.
    """
    assert wilson_interval(8, 10) == pytest.approx((0.49016, 0.94331), abs=1e-4)
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert [round(t_quantile(freedom), 3) for freedom in (3, 9, 39)] == [3.182, 2.262, 2.023]


def test_single_values_have_the_t_interval():
    """One value a week, and no prior that they depend on each other: scipy's interval."""
    values = np.random.default_rng(0).normal(size=10)
    theirs = ttest_1samp(values, 0.0).confidence_interval()
    assert clustered_mean(values, np.arange(10), INDEPENDENT).interval() == pytest.approx((theirs.low, theirs.high))


def test_a_design_effect_by_hand():
    """Eight weeks of two equal values, half 0 and half 1: mean .5, deviation sqrt(16 x .25 / 15) = .5164.

    Each week's deviations add up to 1 or -1: variance of the mean 8/7 x 8 / 16^2 = .035714, of independent values
    .26667 / 16 = .016667: 15/7, worth seven degrees of freedom beside 20 that expect 1: (20 + 15) / 27 = 1.296296.
    The interval has the variance .25 / (n_eff - 1) and min(27, n_eff - 1) degrees, that of the share Wilson's with 27.
    Two weeks 0, 0 and 1, 1: variance of the mean 1/4, of independent values 1/12, worth one degree: (20 + 3) / 21.
    """
    mean = clustered_mean(np.array([0.0, 0.0, 1.0, 1.0] * 4), np.repeat(np.arange(8), 2), INDEPENDENT)
    assert (mean.mean, mean.n, mean.clusters, mean.freedom) == (0.5, 16, 8, 27)
    assert mean.deviation == pytest.approx(math.sqrt(4 / 15))
    assert mean.n_eff == pytest.approx(16 / (35 / 27))
    rest = 16 / (35 / 27) - 1
    half = t.ppf(0.975, rest) * 0.5 / math.sqrt(rest)
    assert mean.interval() == pytest.approx((0.5 - half, 0.5 + half))
    assert mean.share_interval() == pytest.approx(wilson_interval(mean.n_eff / 2, mean.n_eff, t.ppf(0.975, 27)))
    values, weeks = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, 1])
    assert clustered_mean(values, weeks, INDEPENDENT).design_effect == pytest.approx(23 / 21)


def test_few_weeks_are_worth_what_is_usual():
    """Nine weeks that happen to be alike are neither nine values nor all of them: near the prior of 3.

    But 500 weeks of five equal values are 500 values, whatever was expected of them.
    """
    alike = np.tile([0.0, 1.0], 9 * 117 // 2 + 1)[: 9 * 117]
    mean = clustered_mean(alike, np.repeat(np.arange(9), 117), Dependence(2 / 116))
    assert mean.design_effect == pytest.approx(3 * 20 / 28, rel=0.01)
    assert clustered_mean(alike[:117], np.zeros(117, dtype=int), Dependence(2 / 116)).design_effect == pytest.approx(3)
    assert clustered_mean(np.ones(117), np.zeros(117, dtype=int), Dependence(2 / 116)).n_eff == pytest.approx(39)
    values = np.repeat(np.random.default_rng(3).normal(size=500), 5)
    assert clustered_mean(values, np.repeat(np.arange(500), 5), INDEPENDENT).n_eff == pytest.approx(500, rel=0.05)


def test_a_mean_of_next_to_nothing_has_no_interval():
    """One value, or more that are worth less than 1.5; a share is then nearly anything. No values have no mean."""
    for values in (np.array([1.0]), np.array([0.0, 1.0, 1.0])):
        mean = clustered_mean(values, np.zeros(len(values), dtype=int), Dependence(0.9))
        assert np.isnan(mean.interval()).all()
        assert mean.share_interval()[1] - mean.share_interval()[0] > 0.7
    mean = clustered_mean(np.zeros(0), np.zeros(0, dtype=np.int64), LEVELS)
    assert (mean.n, mean.n_eff, mean.clusters, np.isnan((mean.mean, *mean.share_interval())).all()) == (0, 0, 0, True)


def test_an_interval_of_a_score_stays_among_possible_scores():
    """Student's t alone would reach from below 0 to above 1."""
    loss = ClusteredMean(0.25, 0.26, 10, 2, 5.0)
    assert loss.interval()[0] < 0 < 1 < loss.interval()[1]
    assert loss.fields("brier", 4, within=(0, 1)) == {"brier": 0.25, "brier_low": 0.0, "brier_high": 1.0}
    assert loss.fields("gap", 4)["gap_low"] < 0
    mean = clustered_mean(np.array([0.5]), np.array([1]), LEVELS)
    assert mean.fields("brier", 4, within=(0, 1)) == {"brier": 0.5, "brier_low": None, "brier_high": None}


@pytest.mark.parametrize(
    ("prior", "a_week", "correlations", "memory"),
    [
        (LEVELS, 117, (0.010, 0.017, 0.024), 0.6),
        (SIDES, 117, (0.007, 0.010, 0.013), 0.5),
        (SKILL, 117, (0.009, 0.017, 0.024), 0.0),
        (DIFFERENCES, 117, (0.0, 0.004, 0.01), 0.0),
        (CALLS, 42, (0.03, 0.05, 0.07), 0.0),
    ],
)
@pytest.mark.parametrize("weeks", [2, 9, 26])
def test_intervals_cover_what_they_promise(prior, a_week, correlations, memory, weeks):
    """Of 95% intervals 92 to 98% hold the truth, over weeks that depend on each other as little and as much as lived.

    The three correlations of values of one week are those measured of the scores of each kind; one of every three
    samples has each. Of shares as of means: two values are above 0 with a correlation of 2 asin(r) / pi.
    """
    dice, hits = np.random.default_rng(weeks), []
    clusters = np.repeat(np.arange(weeks), a_week)
    for place in range(900):
        values = weekly_values(dice, weeks, a_week, correlations[place % 3], memory)
        low, high = clustered_mean(values, clusters, prior).interval()
        latent = math.sin(math.pi / 2 * correlations[place % 3])
        is_yes = weekly_values(dice, weeks, a_week, latent, memory) > 0
        low_share, high_share = clustered_mean(is_yes.astype(float), clusters, prior).share_interval()
        hits.append((low < 0 < high, low_share < 0.5 < high_share))
    assert np.mean(hits, axis=0) == pytest.approx([0.95, 0.95], abs=0.03)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12)), min_size=1, max_size=60))
def test_clusters_never_add_information(rows):
    values, clusters = np.array([value for value, _ in rows]), np.array([cluster for _, cluster in rows])
    mean = clustered_mean(values, clusters, LEVELS)
    assert 1 <= mean.n_eff <= mean.n or mean.n_eff == pytest.approx(mean.n)


def test_sign_flips_of_weeks_equal_all_that_there_are():
    """Six weeks, all 64 signs tried one by one."""
    values = np.random.default_rng(3).normal(0.4, 1.0, 30)
    weeks = np.repeat(np.arange(6), 5)
    sums = values.reshape(6, 5).sum(axis=1)
    flips = [abs(np.dot(signs, sums)) >= abs(sums.sum()) - 1e-12 for signs in itertools.product((-1, 1), repeat=6)]
    p = sign_flip_p(values, weeks, np.random.default_rng(0), flips=50_000)
    assert p == pytest.approx(np.mean(flips), abs=0.01)


def test_no_difference_is_significant_once_in_twenty():
    """One week never is, and without values there is nothing to say."""
    dice = np.random.default_rng(8)
    p_values = [sign_flip_p(dice.normal(size=60), np.repeat(np.arange(20), 3), dice, flips=199) for _ in range(400)]
    assert 0.02 < np.mean(np.array(p_values) <= 0.05) < 0.09
    assert sign_flip_p(np.ones(500), np.zeros(500, dtype=np.int64), np.random.default_rng(0)) == 1.0
    assert math.isnan(sign_flip_p(np.zeros(0), np.zeros(0, dtype=np.int64), np.random.default_rng(0)))


def test_dependent_questions_need_more_and_never_fewer_than_thirty():
    """(2.801581 x .1205 / .05)^2 = 45.59 independent ones; 3.5 times that is 159.6. A gap of .2 needs 2.8."""
    pairs = ((0.05, 1.0), (0.05, 3.5), (0.2, 1.0))
    assert [needed_to_see(gap, 0.1205, effect) for gap, effect in pairs] == [46, 160, 30]


def test_nan_is_published_as_null():
    assert (published(0.123456, 3), published(float("nan"), 3), published(np.float64(2.0), 1)) == (0.123, None, 2.0)


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
    ("correlation", "variance_ratio", "effect"),
    [
        *((2 / 116, None, 3.0), (2 / 116, 3.0, 3.0), (2 / 116, 0.0, 3 * 20 / 28)),
        *((2 / 116, 9.0, 3 * (20 + 8 * 3) / 28), (2 / 116, 1e9, 1053.0), (0.0, 0.1, 1.0)),
    ],
)
def test_a_prior_is_worth_twenty_weeks(correlation, variance_ratio, effect):
    """Nine weeks of 117 values that are expected to have an effect of 3; it is never below 1 or above 1,053 values."""
    assert design_effect(Dependence(correlation), np.full(9, 117.0), variance_ratio) == pytest.approx(effect)


def test_a_week_begins_on_monday_at_midnight_utc():
    """24 November 2025 is a Monday; the calendar of the standard library is the referee."""
    times = np.arange(1_763_000_000, 1_763_000_000 + 60 * DAY, DAY // 2)
    theirs = [utc(int(time)).isocalendar()[:2] for time in times]
    changes = [week != following for week, following in itertools.pairwise(theirs)]
    assert (np.diff(weeks_of(times)) == changes).all()


def test_a_share_by_hand():
    """YES .7, .2, .6 and .5 of yes, no, no, yes: two of three sides; the likelier side is right in one and a half.

    A probability that rounds to even has no side, and an even rate is half right.
    """
    columns = [[0.7, 0.2, 0.6, 0.5], [0.5, 0.6, 0.4, 0.9], [1.0, 0.0, 0.0, 1.0]]
    share = right_share(*map(np.array, columns), np.arange(4), LEVELS)
    assert (share.n, share.accuracy_pct, share.likelier_side_pct, share.always_no_pct) == (3, 66.6667, 50.0, 66.6667)
    share = right_share(np.array([0.50004]), np.array([0.5]), np.array([1.0]), np.arange(1), LEVELS)
    assert share == RightShare(0, 0.0, None, None, None, None, None)
    assert sides_right(np.array([0.5, 0.6, 0.4]), np.array([1.0, 1.0, 1.0])).tolist() == [0.5, 1.0, 0.0]


def test_its_interval_is_clustered_by_week():
    """Twelve weeks of five questions that come out alike within each."""
    outcomes = np.repeat([1.0, 1.0, 0.0] * 4, 5)
    weeks = np.repeat(np.arange(12), 5)
    share = right_share(np.full(60, 0.7), np.full(60, 0.5), outcomes, weeks, LEVELS)
    mean = clustered_mean(outcomes, weeks, LEVELS)
    low, high = mean.share_interval()
    assert (share.n, share.n_eff) == (60, round(mean.n_eff, 1)) < (60, 60)
    assert (share.accuracy_low_pct, share.accuracy_high_pct) == (round(100 * low, 4), round(100 * high, 4))
