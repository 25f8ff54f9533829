"""The distribution of a return: its sizes, mixtures, and the paths that are simulated from it."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from service.forecasting.densities import paths as module
from service.forecasting.densities.density import (
    HORIZONS_H,
    LEVELS,
    ModelFit,
    at_hours,
    density,
    horizon_sigma,
    mean_square,
    mixture_sizes,
    normal,
    outperforms,
    signed,
    student,
    tail_odds,
)
from service.forecasting.densities.fitting import simulate
from service.forecasting.densities.paths import PATHS, Paths, paths
from service.forecasting.densities.season import Season
from service.market.assets import trading_days
from service.market.instants import DAY, HOUR

PHI = NormalDist().cdf
MINUTES = 60
NORMAL_SIZES = np.array([NormalDist().inv_cdf((1 + level) / 2) for level in LEVELS])
SIZES = (tuple(NORMAL_SIZES.tolist()),) * len(HORIZONS_H)
MODEL = ModelFit(("garch",), tuple((0.0, 1.0 / hours) for hours in HORIZONS_H), SIZES, SIZES, SIZES)
NORMAL = normal(0.05)
SHARES = np.array([0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99])
MONDAY = 1_768_780_800  # 2026-01-19T00:00:00Z


@given(level=st.floats(0.01, 0.3), drift=st.floats(-0.1, 0.1), p=st.floats(0.0005, 0.9995))
def test_a_density_is_coherent(level, drift, p):
    """It is above a level as often as its mirror image is below the mirrored one; a touch is likelier than a close.

    Leaning gives the wanted probability of a rise, and quantiles are the inverse of the tail.
    """
    motion, mirror = replace(NORMAL, drift=drift), replace(NORMAL, drift=-drift)
    assert motion.above(level) + mirror.above(-level) == pytest.approx(1, abs=1e-12)
    assert 1 >= motion.touch(level) >= motion.above(level)
    assert motion.touch(-level) >= 1 - motion.above(-level)
    assert NORMAL.leaning(p).above(0.0) == pytest.approx(p, abs=1e-9)
    (quantile,) = NORMAL.quantiles(np.array([p])).tolist()
    assert 1 - NORMAL.above(quantile) == pytest.approx(p, abs=1e-9)


def test_a_normal_density_by_hand():
    """Sigma 5%: P(above +5%) = .1587, P(touch +5%) = .3173."""
    assert NORMAL.above(0.05) == pytest.approx(1 - PHI(1), abs=0.001)
    assert NORMAL.touch(0.05) == pytest.approx(2 * (1 - PHI(1)), abs=0.001)
    assert NORMAL.between(-0.05, 0.1) == pytest.approx(PHI(2) - PHI(-1), abs=0.001)
    assert (NORMAL.above(0.0), NORMAL.touch(0.0)) == (0.5, 1.0)
    closure = normal(0.0)
    assert (closure.above(0.01), closure.above(-0.01), closure.above(0.0)) == (0.0, 1.0, 0.5), "a closed market"


@pytest.mark.parametrize("freedom", [3.0, 5.0, 16.0])
@pytest.mark.parametrize("distance", [0.01, 0.05, 0.1])
def test_student_tails_are_those_of_scipy(freedom, distance):
    scale = 0.05 * np.sqrt((freedom - 2) / freedom)
    assert student(0.05, freedom).above(distance) == pytest.approx(stats.t(freedom, 0, scale).sf(distance), abs=0.004)


@pytest.mark.parametrize("times", [0.5, 1.0, 2.0])
def test_an_unknown_volatility_is_known_to_a_quarter(times):
    """Log-normal with mean square 1: P(above x) = Phi(-ln(x) / .25 - .25), at one sigma .40."""
    expected = PHI(-np.log(times) / 0.25 - 0.25)
    assert NORMAL.more_volatile(times * NORMAL.sigma) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("lean", [-0.03, 0.0, 0.04])
@pytest.mark.parametrize("level", [0.01, 0.05, 0.12])
def test_a_touch_with_drift_is_that_of_a_brownian_motion(lean, level):
    """Against the formula of the first passage of a motion with drift (Borodin and Salminen 2002)."""
    motion = replace(NORMAL, drift=lean)
    m, d = lean / 0.05, level / 0.05
    expected = PHI(m - d) + np.exp(2 * m * d) * PHI(-m - d)
    assert motion.touch(level) == pytest.approx(expected, abs=0.002)
    assert replace(NORMAL, drift=-lean).touch(-level) == pytest.approx(motion.touch(level), abs=1e-9)


@given(st.lists(st.floats(0.01, 0.2), min_size=1, max_size=9), st.lists(st.floats(3, 30), min_size=9, max_size=9))
def test_quantiles_of_a_mixture_have_their_probability(sigmas, freedoms):
    """To 1e-9, from which follows that levels and quantiles add up; it lies between its parts."""
    parts = [student(sigma, freedom) for sigma, freedom in zip(sigmas, freedoms, strict=False)]
    sizes = mixture_sizes(np.array([[sigma] for sigma in sigmas]), [part.close for part in parts], abs(2 * SHARES - 1))
    quantiles = signed(SHARES, sizes[0])
    for level, quantile in zip(SHARES, quantiles.tolist(), strict=True):
        assert 1 - np.mean([part.above(quantile) for part in parts]) == pytest.approx(level, abs=1e-9)
    components = [part.quantiles(SHARES) for part in parts]
    assert (np.min(components, axis=0) - 1e-12 <= quantiles).all()
    assert (quantiles <= np.max(components, axis=0) + 1e-12).all()


def test_sigma_follows_level_term_and_clock():
    """Level ln 4e-5, term .4 at an hour: sqrt(4e-5 e^.4 * 2 seasonal hours). Beyond 30 days it returns to the level.

    During an upgrade new fits meet contexts of the version before, whose lack of a term must not fail an answer.
    """
    result = density(MODEL, np.log(4e-5), {"garch": 0.4}, hours=1.0, seasonal_hours=2.0)
    assert result.sigma == pytest.approx((4e-5 * np.exp(0.4) * 2) ** 0.5)
    without, baseline = (density(MODEL, -9.0, terms, 1.0, 2.0) for terms in ({}, {"garch": 0.0}))
    assert without.sigma == baseline.sigma != density(MODEL, -9.0, {"garch": 0.4}, 1.0, 2.0).sigma
    for hours, ratio in ((720, 0.1), (1440, 0.05), (7200, 0.01)):
        result = density(MODEL, 0.0, {"garch": 72.0}, hours=hours, seasonal_hours=1.0)
        assert np.log(result.sigma**2) == pytest.approx(ratio)


def test_plain_volatility_fades_from_the_present_to_the_usual():
    """exp(-720 / 720) of a month's variance is the present one."""
    share = np.exp(-1)
    assert horizon_sigma(4e-5, 1e-5, 720.0) == pytest.approx(np.sqrt((share * 4e-5 + (1 - share) * 1e-5) * 720))
    assert horizon_sigma(4e-5, 1e-5, 0.0) == 0


@pytest.mark.parametrize(("correlation", "lead", "p"), [(0.5, 0.0, 0.5), (0.5, 0.05, PHI(1)), (-1.0, 0.05, PHI(0.5))])
def test_outperforming_by_hand(correlation, lead, p):
    """Two sigmas of 5%: their difference has 5% with a correlation of one half, and 10% with -1."""
    assert outperforms(NORMAL, NORMAL, correlation, lead) == pytest.approx(p)
    assert outperforms(NORMAL, NORMAL, correlation, -lead) == pytest.approx(1 - p)
    assert outperforms(NORMAL, NORMAL, 1.0, lead) == (1.0 if lead else 0.5), "returns that cannot differ"


@pytest.mark.parametrize(
    ("hours", "shares"),
    [(720, (0, 1)), (np.sqrt(24 * 720), (0.5, 0.5))],  # the last step, and the middle of the logarithms
)
def test_a_row_is_interpolated_in_the_logarithm_of_its_hours(hours, shares):
    rows = np.array([[1.0, 4.0], [3.0, 10.0]])
    np.testing.assert_allclose(at_hours(rows, (24, 720), hours), shares @ rows)


def walks(seed: int) -> np.ndarray:
    """The close, the high and the low of 20,000 hours of normal steps a minute apart."""
    steps = np.random.default_rng(seed).normal(size=(20_000, MINUTES)) / np.sqrt(MINUTES)
    walk = np.cumsum(steps, axis=1)
    return np.column_stack([walk[:, -1], np.maximum(walk.max(axis=1), 0), np.minimum(walk.min(axis=1), 0)])


def test_normal_sizes_have_normal_tails():
    """P(|z| > 1) = .3173, P(|z| > 2) = .0455. Without the last tail a mean square of exponential sizes is 1.92."""
    assert tail_odds(NORMAL_SIZES, np.array([1.0, 2.0])) == pytest.approx([0.3173, 0.0455], abs=0.001)
    tails = tail_odds(NORMAL_SIZES, np.array([3.5, 5.0, 20.0]))
    assert (np.diff(tails) < 0).all(), "they go on falling beyond the last quantile"
    assert 0 < tails[-1] < 1e-6
    assert mean_square(NORMAL_SIZES) == pytest.approx(1, abs=0.01)
    assert mean_square(-np.log1p(-LEVELS)) == pytest.approx(2, abs=0.03)


def test_simulated_normal_shocks_follow_the_reflection_principle():
    """Without clusters sums are normal, with them tails are fat; the running maximum is like |close| (André 1887)."""
    close, maximum, variance = simulate(walks(5), (24, 720), 0.0, 0.0)[-1]
    middle = slice(10, 48)
    assert close[middle] == pytest.approx(NORMAL_SIZES[middle], abs=0.05)
    assert maximum[middle] == pytest.approx(close[middle], abs=0.05)
    assert variance[middle] == pytest.approx(1, abs=0.06), "of a constant variance"
    shocks = walks(6)
    base, clusters = (simulate(shocks, (24,), alpha, 0.98 - alpha)[0, 0] for alpha in (0.0, 0.12))
    assert clusters[-1] > 1.1 * base[-1]


def test_simulated_touches_count_the_highs_within_hours():
    """Minutes lower the maximum of a walk by .58 / sqrt(1440) = .015 (Chernoff 1965), 24 closes would by .12."""
    _, maximum, _ = simulate(walks(7), (24,), 0.0, 0.0)[0]
    middle = slice(10, 48)
    assert np.mean(maximum[middle] - NORMAL_SIZES[middle]) == pytest.approx(-0.015, abs=0.03)


def test_no_drift_is_simulated():
    """A year of rising prices says nothing about the direction of the next."""
    with_drift, without = (simulate(walks(8) + drift, (24,), 0.08, 0.9) for drift in (0.3, 0.0))
    assert with_drift[:, 1] == pytest.approx(without[:, 1], abs=1e-4)


@pytest.fixture(scope="module")
def week() -> Paths:
    return paths("btc", MONDAY + 1234, MONDAY + 7 * DAY - 1, None)


def test_the_same_question_has_the_same_paths(week):
    """Seeded: two calls, and two processes, simulate the same. Each has its mirror image, extremes included."""
    for _ in range(2):
        assert np.array_equal(paths("btc", MONDAY + 1234, MONDAY + 7 * DAY - 1, None).closes, week.closes)
        module._process.cache_clear()
    half = PATHS // 2
    assert np.array_equal(week.closes[:, :half], -week.closes[:, half:])
    assert np.allclose(week.highest[:, :half], -week.lowest[:, half:])
    assert np.allclose(week.lowest[:, :half], -week.highest[:, half:])
    assert (week.highest >= week.closes - 1e-6).all(), "extremes enclose the closes and never recede"
    assert (week.lowest <= week.closes + 1e-6).all()
    assert (np.diff(week.highest, axis=0) >= 0).all()
    assert (np.diff(week.lowest, axis=0) <= 0).all()


def test_variance_grows_with_the_open_hours(week):
    """Halfway through the week, half of the variance, within Monte Carlo error of a heavy tail.

    Reflection principle: in continuous time P(max > z) = 2 P(close > z); steps alone would miss many touches.
    """
    places = np.searchsorted(week.times, [MONDAY + 3.5 * DAY, MONDAY + 7 * DAY - 1])
    half, total = np.square(week.closes[places]).mean(axis=1)
    assert total == pytest.approx(1.0, abs=0.15)
    assert half / total == pytest.approx(0.5, abs=0.06)
    for z in (0.5, 1.0, 1.5):
        closes, touches = (week.closes[-1] > z).mean(), (week.highest[-1] > z).mean()
        assert touches == pytest.approx(2 * closes, rel=0.06)


def test_a_season_moves_the_variance_into_its_hours():
    """All of the clock's week in its Wednesday: nothing moves before it; nor do metals over a weekend."""
    weights = np.zeros(168)
    weights[48:72] = 7.0
    wednesday = paths("btc", MONDAY, MONDAY + 7 * DAY - 1, Season(tuple(weights)))
    assert MONDAY + 2 * DAY < wednesday.times[0] <= MONDAY + 2 * DAY + 3 * HOUR
    assert wednesday.times[-1] == MONDAY + 3 * DAY
    friday, sunday = MONDAY + 4 * DAY, MONDAY + 6 * DAY
    weekend = paths("gold", friday, sunday, None)
    assert weekend.times[-1] == friday + 22 * HOUR  # 17:00 in New York
    ends = np.array([friday + DAY, sunday])
    assert np.array_equal(*weekend.at(ends))
    assert not weekend.at(np.array([friday + 60])).any()


@pytest.mark.parametrize("days", [1, 3, 30, 60])
def test_the_close_of_every_day_is_a_step(days):
    ends = trading_days("btc", MONDAY + 1234, MONDAY + days * DAY - 1)
    times = paths("btc", MONDAY + 1234, MONDAY + days * DAY - 1, None).times
    assert len(ends) == days
    assert set(ends[:-1]) <= set(times.tolist())


@pytest.mark.parametrize("hours", [0.2, 1, 36, 37, 97, 98, 720, 24 * 731])
def test_no_horizon_has_more_steps_than_shocks(hours):
    until = MONDAY + 1800 + int(hours * HOUR)
    walk = paths("btc", MONDAY + 1800, until, None)
    assert 1 <= len(walk.times) <= module.STEPS
    assert (walk.times[-1], walk.hours.sum()) == (until, pytest.approx(hours, rel=1e-6))
