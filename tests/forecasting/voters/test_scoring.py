"""Scores and intervals, each against a number computed by hand or by another library."""

from __future__ import annotations

import doctest
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test, ttest_1samp
from sklearn.metrics import brier_score_loss, log_loss

from service.forecasting.voters import scoring
from service.forecasting.voters.scoring import (
    _places,
    base_rate_known,
    brier,
    clustered_mean,
    log_score,
    needed_to_see,
    published,
    reliability,
    sign_flip_p,
    skill_terms,
    t_quantile,
    weeks_of,
    wilson_interval,
)
from service.market.instants import DAY, utc

FORECASTS = st.lists(st.tuples(st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9]), st.booleans()), min_size=1, max_size=40)


def test_every_example_in_the_documentation_is_true():
    tried = doctest.testmod(scoring)
    assert tried.attempted == 8
    assert tried.failed == 0


def test_brier_is_the_squared_error():
    """.8 on a yes and .3 on a no: (.04 + .09) / 2 = .065."""
    assert brier(np.array([0.8, 0.3]), np.array([1, 0])).mean() == pytest.approx(0.065)


def test_log_score_cuts_probabilities_at_one_percent():
    """ln 1/.8 = .223144 for .8 on a yes; a certain no that was a yes costs ln 100 = 4.605170."""
    assert log_score(np.array([0.8, 0.0]), np.array([1, 1])) == pytest.approx([0.223144, 4.605170], abs=1e-6)


@settings(max_examples=25)
@given(FORECASTS)
def test_both_scores_equal_those_of_scikit_learn(forecasts):
    p, happened = np.array([p for p, _ in forecasts]), np.array([float(yes) for _, yes in forecasts])
    assert brier(p, happened).mean() == pytest.approx(brier_score_loss(happened, p, labels=[0, 1]))
    assert log_score(p, happened).mean() == pytest.approx(log_loss(happened, p, labels=[0, 1]))


def test_skill_is_the_removed_share_of_the_reference_error():
    """Brier .04 and .01 against .25 and .09: 1 - .05 / .34 = .852941.

    The terms are it plus (.147059 x .25 - .04) / .17 and (.147059 x .09 - .01) / .17.
    """
    terms = skill_terms(np.array([0.8, 0.1]), np.array([0.5, 0.3]), np.array([1.0, 0.0]))
    assert terms.mean() == pytest.approx(0.852941, abs=1e-6)
    assert terms == pytest.approx([0.852941 - 0.019031, 0.852941 + 0.019031], abs=1e-6)


def test_without_an_error_of_the_reference_there_is_no_skill():
    happened = np.array([1.0, 0.0])
    assert np.isnan(skill_terms(np.array([0.8, 0.2]), happened, happened)).all()


def test_the_spread_of_a_skill_is_that_of_the_ratio():
    """The jackknife over 40 single values, an independent estimate, agrees within two percent."""
    dice = np.random.default_rng(6)
    happened = (dice.random(40) < 0.4).astype(float)
    p, reference = np.clip(happened * 0.3 + dice.uniform(0.1, 0.6, 40), 0, 1), np.full(40, 0.4)
    left_out = [
        skill_terms(np.delete(p, place), np.delete(reference, place), np.delete(happened, place)).mean()
        for place in range(40)
    ]
    jackknife = math.sqrt(39 / 40 * np.square(left_out - np.mean(left_out)).sum())
    mean = clustered_mean(skill_terms(p, reference, happened), np.arange(40))
    assert mean.deviation / math.sqrt(mean.n_eff) == pytest.approx(jackknife, rel=0.02)


def test_the_base_rate_counts_what_had_resolved_when_asked():
    """Asked at 0, 10 and 25, resolved at 10, 20 and 30: none, the first yes, then a yes and a no had resolved."""
    base_rate = base_rate_known(np.array([1.0, 0.0, 1.0]), np.array([0, 10, 25]), np.array([10, 20, 30]))
    assert base_rate == pytest.approx([15 / 30, 16 / 31, 16 / 32])


def test_reliability_by_hand():
    """.2 no, .4 yes, .6 no, .8 yes: isotonic 0, .5, .5, 1, so recalibrated Brier .125.

    Brier (.04 + .36 + .36 + .04) / 4 = .2, uncertainty .25: miscalibration .075, discrimination .125.
    """
    parts = reliability(np.array([0.6, 0.2, 0.8, 0.4]), np.array([0, 0, 1, 1]))
    assert parts.observed == pytest.approx([0, 0.5, 0.5, 1])
    assert parts.brier == pytest.approx(0.2)
    assert parts.miscalibration == pytest.approx(0.075)
    assert parts.discrimination == pytest.approx(0.125)
    assert parts.uncertainty == pytest.approx(0.25)


@given(FORECASTS)
def test_reliability_adds_up_and_never_falls(forecasts):
    parts = reliability(np.array([p for p, _ in forecasts]), np.array([float(yes) for _, yes in forecasts]))
    assert parts.miscalibration - parts.discrimination + parts.uncertainty == pytest.approx(parts.brier)
    assert (np.diff(parts.observed) >= -1e-12).all()
    assert parts.miscalibration >= -1e-12
    assert parts.discrimination >= -1e-12


def test_equal_forecasts_are_observed_alike():
    assert reliability(np.full(4, 0.3), np.array([1, 0, 0, 0])).observed == pytest.approx([0.25] * 4)


def test_wilson_of_8_in_10():
    """By hand with z = 1.96: center (.8 + .19207) / 1.38415 = .71674, half .22655."""
    low, high = wilson_interval(8, 10)
    assert (low, high) == pytest.approx((0.49016, 0.94331), abs=1e-4)


def test_wilson_without_trials_is_the_whole_range():
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_a_design_effect_by_hand():
    """Eight weeks of two equal values, half 0 and half 1: mean .5, deviation sqrt(16 x .25 / 15) = .5164.

    Each week's deviations add up to 1 or -1: variance of the mean 8/7 x 8 / 16^2 = .035714, of independent values
    .26667 / 16 = .016667. Design effect 2.142857, n_eff 7.46667.
    """
    mean = clustered_mean(np.array([0.0, 0.0, 1.0, 1.0] * 4), np.repeat(np.arange(8), 2))
    assert (mean.mean, mean.n, mean.clusters) == (0.5, 16, 8)
    assert mean.deviation == pytest.approx(math.sqrt(4 / 15))
    assert mean.design_effect == pytest.approx(15 / 7)
    assert mean.n_eff == pytest.approx(112 / 15)


def test_a_clustered_interval_is_the_t_interval_of_weekly_means():
    """Equal values within ten weeks of five are ten values: the interval is that of scipy's t with 9 degrees."""
    weekly = np.random.default_rng(0).normal(size=10)
    theirs = ttest_1samp(weekly, 0.0).confidence_interval()
    mean = clustered_mean(np.repeat(weekly, 5), np.repeat(np.arange(10), 5))
    assert mean.interval() == pytest.approx((theirs.low, theirs.high))


def test_a_clustered_share_has_wilsons_interval():
    """Share .5 of n_eff 112/15, Wilson with t(7) = 2.364624 in place of 1.96."""
    mean = clustered_mean(np.array([0.0, 0.0, 1.0, 1.0] * 4), np.repeat(np.arange(8), 2))
    assert mean.share_interval() == pytest.approx(wilson_interval(56 / 15, 112 / 15, 2.364624), abs=1e-6)


def test_with_fewer_than_eight_weeks_each_counts_once():
    """Its variance is then itself too uncertain: 70 values of seven weeks count as seven, of eight weeks as 80."""
    values = np.tile([0.0, 1.0], 40)
    assert clustered_mean(values[:70], np.repeat(np.arange(7), 10)).n_eff == pytest.approx(7)
    assert clustered_mean(values, np.repeat(np.arange(8), 10)).n_eff == 80


def test_equal_values_are_worth_their_weeks():
    assert clustered_mean(np.ones(90), np.repeat(np.arange(9), 10)).n_eff == 9


def test_a_mean_of_one_week_has_no_interval():
    alone = clustered_mean(np.array([0.0, 1.0, 1.0]), np.zeros(3, dtype=np.int64))
    assert np.isnan(alone.interval()).all()
    assert alone.share_interval() == (0, 1)
    assert clustered_mean(np.array([1.0]), np.zeros(1, dtype=np.int64)).n_eff == 1


def test_an_interval_of_a_score_stays_among_possible_scores():
    """Two weeks that differ widely: Student's t alone would reach from below 0 to above 1."""
    loss = clustered_mean(np.array([0.0, 0.5] * 5), np.array([1, 2] * 5))
    assert loss.interval()[0] < 0 < 1 < loss.interval()[1]
    assert loss.fields("brier", 4, within=(0, 1)) == {"brier": 0.25, "brier_low": 0.0, "brier_high": 1.0}
    assert loss.fields("gap", 4)["gap_low"] < 0
    assert clustered_mean(np.array([0.5]), np.array([1])).fields("brier", 4, within=(0, 1))["brier_low"] is None


def test_no_values_have_no_mean():
    empty = clustered_mean(np.zeros(0), np.zeros(0, dtype=np.int64))
    assert (empty.n, empty.n_eff, empty.clusters) == (0, 0, 0)
    assert math.isnan(empty.mean)


@pytest.mark.parametrize("within", [0.05, 0.2])
def test_clustered_intervals_cover_what_they_promise(within):
    """Nine weeks of fifty values that correlate by `within`: 95% of 1,000 intervals hold the truth."""
    dice, weeks = np.random.default_rng(12), np.repeat(np.arange(9), 50)
    covered = []
    for _ in range(1000):
        common = np.repeat(dice.normal(0, math.sqrt(within), 9), 50)
        values = common + dice.normal(0, math.sqrt(1 - within), 450)
        low, high = clustered_mean(values, weeks).interval()
        low_share, high_share = clustered_mean((values > 0).astype(float), weeks).share_interval()
        covered.append((low < 0 < high, low_share < 0.5 < high_share))
    assert np.mean(covered, axis=0) == pytest.approx([0.95, 0.95], abs=0.02)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12)), min_size=1, max_size=60))
def test_clusters_never_add_information(rows):
    values, clusters = np.array([value for value, _ in rows]), np.array([cluster for _, cluster in rows])
    mean = clustered_mean(values, clusters)
    assert 1 <= mean.n_eff <= mean.n or mean.n_eff == pytest.approx(mean.n)


@given(st.lists(st.integers(2_900, 2_950), max_size=60))
def test_clusters_are_numbered_without_the_empty_weeks(weeks):
    """As `np.unique` numbers them, which sorts."""
    of_each, present = np.unique(np.array(weeks, dtype=np.int64), return_inverse=True)[1], len(set(weeks))
    places, count = _places(np.array(weeks, dtype=np.int64))
    assert (places.tolist(), count) == (of_each.tolist(), present)


def test_sign_flips_equal_the_count_over_every_possible_flip():
    """Six weeks, all 64 signs tried one by one, against the random flips."""
    values = np.random.default_rng(3).normal(0.4, 1.0, 30)
    weeks = np.repeat(np.arange(6), 5)
    sums = values.reshape(6, 5).sum(axis=1)
    every = [abs(np.dot(signs, sums)) >= abs(sums.sum()) - 1e-12 for signs in itertools.product((-1, 1), repeat=6)]
    p = sign_flip_p(values, weeks, np.random.default_rng(0), flips=50_000)
    assert p == pytest.approx(np.mean(every), abs=0.01)


def test_sign_flips_over_single_values_equal_those_of_scipy():
    values = np.random.default_rng(5).normal(0.2, 1.0, 40)
    theirs = permutation_test(
        (values,), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(1)
    )
    p = sign_flip_p(values, np.arange(40), np.random.default_rng(2), flips=20_000)
    assert p == pytest.approx(theirs.pvalue, abs=0.01)


def test_one_week_is_never_significant():
    assert sign_flip_p(np.ones(500), np.zeros(500, dtype=np.int64), np.random.default_rng(0)) == 1.0
    assert math.isnan(sign_flip_p(np.zeros(0), np.zeros(0, dtype=np.int64), np.random.default_rng(0)))


def test_no_difference_is_significant_once_in_twenty():
    dice = np.random.default_rng(8)
    p_values = [sign_flip_p(dice.normal(size=60), np.repeat(np.arange(20), 3), dice, flips=199) for _ in range(400)]
    assert 0.02 < np.mean(np.array(p_values) <= 0.05) < 0.09


def test_a_week_begins_on_monday_at_midnight_utc():
    """24 November 2025 is a Monday; the calendar of the standard library is the referee."""
    times = np.arange(1_763_000_000, 1_763_000_000 + 60 * DAY, DAY // 2)
    theirs = [utc(int(time)).isocalendar()[:2] for time in times]
    changes = [week != following for week, following in itertools.pairwise(theirs)]
    assert (np.diff(weeks_of(times)) == changes).all()


def test_the_needed_number_has_the_power_it_promises():
    """Of 4,000 made samples of that size about 80% show their gap at 5%."""
    n = needed_to_see(0.05, 0.2, 1.0)
    samples = np.random.default_rng(4).normal(0.05, 0.2, (4000, n))
    z = samples.mean(axis=1) / (0.2 / math.sqrt(n))
    assert np.mean(np.abs(z) > 1.96) == pytest.approx(0.8, abs=0.02)


def test_dependent_questions_need_more_and_never_fewer_than_thirty():
    """(2.801581 x .1205 / .05)^2 = 45.59 independent ones; 3.5 times that is 159.6. A gap of .2 needs 2.8."""
    assert needed_to_see(0.05, 0.1205, 1.0) == 46
    assert needed_to_see(0.05, 0.1205, 3.5) == 160
    assert needed_to_see(0.2, 0.1205, 1.0) == 30


def test_nan_is_published_as_null():
    assert (published(0.123456, 3), published(float("nan"), 3), published(np.float64(2.0), 1)) == (0.123, None, 2.0)


def test_few_clusters_widen_an_interval():
    """Quantiles of the printed table of Student's t, with 3, 9 and 39 degrees of freedom."""
    assert [round(t_quantile(clusters), 3) for clusters in (4, 10, 40)] == [3.182, 2.262, 2.023]
