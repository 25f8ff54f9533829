"""Running sums: the same as all scores at once, and intervals that count dependent forecasts once."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from service import canonical
from service.forecasting.price_record.scores import PriceScores
from service.forecasting.price_record.sums import ScoreSums, blocks_of, ratio_of
from service.forecasting.voters.scoring import FIRST_MONDAY
from service.market.instants import DAY, HOUR

WEEK = 7 * DAY


def scores_of(crps, vol_crps) -> PriceScores:
    n = len(crps)
    return PriceScores(
        np.asarray(crps, float), np.asarray(vol_crps, float), np.ones((n, 9)), np.ones((n, 4)), np.ones((n, 10))
    )


def summed(crps, vol_crps, blocks) -> ScoreSums:
    return ScoreSums().plus(scores_of(crps, vol_crps), np.asarray(blocks))


def drawn(n: int, blocks: int) -> tuple:
    dice = np.random.default_rng(7)
    return dice.uniform(0.1, 2, n), dice.uniform(0.1, 2, n), np.sort(dice.integers(100, 100 + blocks, n))


def test_sums_by_hand():
    sums = summed([1, 2, 4], [2, 2, 3], [5, 5, 6])
    assert (sums.n, sums.crps, sums.vol_crps, sums.products) == (3, 7, 7, (21, 18, 17))
    assert (sums.block, sums.block_sums, sums.blocks, sums.block_products) == (6, (4, 3), 1, (9, 12, 16))
    assert (sums.inside, sums.pit[0], sums.pinball[0]) == ((3, 3, 3, 3), 3, 3)


@given(st.lists(st.integers(1, 59), max_size=4, unique=True))
def test_the_same_in_any_parts(cuts):
    """Hour by hour, or everything at once as in a backfill."""
    columns = drawn(60, 6)
    whole = summed(*columns)
    parts = ScoreSums()
    for part in zip(*(np.split(column, sorted(cuts)) for column in columns), strict=True):
        parts = parts.plus(scores_of(*part[:2]), part[2])
    assert (parts.n, parts.block, parts.blocks) == (whole.n, whole.block, whole.blocks)
    for name in ("crps", "vol_crps", "products", "block_sums", "block_products"):
        assert getattr(parts, name) == pytest.approx(getattr(whole, name))


def test_the_interval_is_that_of_the_residuals_of_blocks():
    """Computed from the scores themselves: the residuals summed by block, Student's t with blocks - 1 degrees."""
    crps, vol_crps, blocks = drawn(300, 9)
    crps += 0.3 * (blocks % 2)  # so that a block's forecasts depend on each other
    result = ratio_of(summed(crps, vol_crps, blocks), "1h")
    ratio = crps.sum() / vol_crps.sum()
    residuals = crps - ratio * vol_crps
    by_block = np.array([residuals[blocks == block].sum() for block in np.unique(blocks)])
    error = sqrt(9 / 8 * np.sum(by_block**2)) / vol_crps.sum()
    assert (result.ratio, result.error) == pytest.approx((ratio, error))
    half = stats.t.ppf(0.975, 8) * error
    assert (result.low, result.high) == pytest.approx((ratio - half, ratio + half))
    design_effect = (9 / 8 * np.sum(by_block**2)) / (300 / 299 * np.sum(residuals**2))
    assert design_effect > 1
    assert result.n_eff == pytest.approx(300 / design_effect)


def test_overlapping_forecasts_count_once():
    """Eight weeks of hourly forecasts over 24 hours, each as good as the next: 56, and the interval says so."""
    dice = np.random.default_rng(5)
    crps, blocks = dice.uniform(0.5, 1.5, 8 * 168), np.repeat(range(8), 168)
    daily, hourly = (ratio_of(summed(crps, np.ones(len(crps)), blocks), horizon) for horizon in ("24h", "1h"))
    assert daily.n_eff == pytest.approx(56)
    assert hourly.n_eff > 500
    assert daily.error / hourly.error == pytest.approx(sqrt(hourly.n_eff / daily.n_eff))


def test_before_the_eighth_block_a_block_counts_as_one():
    """In the first there is no interval; five weeks are worth five, however many forecasts they hold."""
    first = ratio_of(summed([1.0] * 168, [1.1] * 168, [5] * 168), "24h")
    assert (first.n_eff, first.blocks, first.low, first.error) == (1, 1, None, None)
    assert first.ratio == pytest.approx(1 / 1.1)
    crps = np.repeat([1.0, 1.2, 0.8, 1.1, 0.9], 100)
    fifth = ratio_of(summed(crps, np.ones(500), np.repeat(range(5), 100)), "1h")
    assert (fifth.n_eff, fifth.is_measured) == (5, False)
    assert fifth.error == pytest.approx(np.std(crps, ddof=1) / sqrt(5))
    assert ratio_of(summed([1.0] * 5, [1.1] * 5, [5] * 5), "24h").n_eff == pytest.approx(5 / 24)


def test_a_month_counts_in_blocks_of_five_weeks():
    times = FIRST_MONDAY + WEEK * np.arange(10) + HOUR
    assert len(set(blocks_of("7d", times).tolist())) == 10
    assert np.bincount(blocks_of("30d", times)).tolist() == [5, 5]


def test_a_late_score_counts_in_the_latest_block():
    sums = summed([1], [1], [8]).plus(scores_of([2], [3]), np.array([7]))
    assert (sums.block, sums.block_sums, sums.blocks) == (8, (3, 4), 0)


def test_void_forecasts_are_only_counted():
    sums = ScoreSums().plus(scores_of([], []), np.array([], dtype=int), void=2)
    assert (sums.n, sums.void) == (0, 2)
    assert ratio_of(sums, "1h") is None


def test_sums_survive_as_json():
    sums = summed(*drawn(60, 6))
    assert ScoreSums.from_plain(canonical.read(canonical.write(sums.to_plain()))) == sums
