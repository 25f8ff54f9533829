"""The table of lived markets: differences of Brier scores by group, with the pool's best voter and the diversity."""

from __future__ import annotations

import numpy as np
import pytest

from service.market.instants import DAY
from tests.measure.market_scores import DIVERSITY, MARKET, MEAN, SO_FAR, Columns, of_best_so_far, score
from tests.measure.walk_forward import PLAIN, POOL, VOTERS

HAPPENED = np.array([1.0, 0.0, 1.0, 0.0])
NAMES = [voter.name for voter in VOTERS]


def columns_of_days(days: int) -> Columns:
    """A market a day; every voter says 0.6 and 0.4 but `vol`, which says 0.9 and 0.1; the pool says 0.7 and 0.3."""
    happened = np.resize(HAPPENED, days)

    def sided(p: float) -> np.ndarray:
        return np.where(happened == 1, p, 1 - p)

    nine = {name: sided(0.9 if name == "vol" else 0.6) for name in NAMES}
    p = {POOL: sided(0.7), MEAN: np.mean(list(nine.values()), axis=0), **nine, MARKET: sided(0.5), PLAIN: sided(0.5)}
    groups = {"levels": np.arange(days) < days // 2, "all": np.ones(days, dtype=bool)}
    opened_at = np.arange(days) * DAY
    return Columns(p, happened, opened_at, opened_at + DAY, groups)


@pytest.fixture(scope="module")
def scores():
    return {(row.group, row.name): row for row in score(columns_of_days(4))}


def test_differences_are_from_plain_volatility(scores):
    """Squares of 0.3 and 0.1 less that of 0.5."""
    assert scores["all", PLAIN].by_week.mean == pytest.approx(0.25)
    assert scores["all", POOL].by_week.mean == pytest.approx(0.09 - 0.25)
    assert scores["all", "vol"].by_block.mean == pytest.approx(0.01 - 0.25)
    assert scores["all", MARKET].by_week.mean == pytest.approx(0)
    assert (scores["all", POOL].n, scores["levels", POOL].n) == (4, 2)


def test_the_pool_is_compared_with_its_best_voter(scores):
    assert scores["all", "pool - vol (its best)"].by_week.mean == pytest.approx(0.09 - 0.01)


def test_the_best_so_far_is_known_when_a_market_opens():
    """By hand for each market, in any order: the second voter abstains now and then, the third always."""
    generator = np.random.default_rng(3)
    opened_at = generator.integers(0, 1000, 200)
    resolved_at = opened_at + generator.integers(1, 300, 200)
    losses = generator.uniform(0, 1, (200, 3)) * np.where(opened_at < 500, 1, 2)[:, None] ** [0, 1, 0]
    losses[::3, 1] = losses[:, 2] = np.nan
    followed = of_best_so_far(losses, opened_at, resolved_at)
    chosen = set()
    for market, opened in enumerate(opened_at):
        past = losses[resolved_at <= opened]
        best = np.argmin(np.nanmean(past[:, :2], axis=0)) if len(past) >= 30 else 2
        chosen.add(int(best))
        assert followed[market] == pytest.approx(losses[market, best], nan_ok=True)
    assert chosen == {0, 1, 2}


def test_the_pool_is_compared_with_the_best_so_far(scores):
    """Of four markets there is none; of sixty, `vol` from the 31st on, in each group by itself."""
    assert np.isnan(scores["all", SO_FAR].by_week.mean)
    sixty = columns_of_days(60)
    rows = {(row.group, row.name): row for row in score(sixty)}
    assert rows["all", SO_FAR].n == 30
    assert rows["all", SO_FAR].by_week.mean == pytest.approx(0.09 - 0.01)
    assert rows["levels", SO_FAR].n == 0, "thirty of a group must have resolved before"


def test_diversity_is_the_gain_of_the_mean(scores):
    """Eight squares of 0.4 and one of 0.1, less the square of their mean distance."""
    expected = (8 * 0.16 + 0.01) / 9 - ((8 * 0.4 + 0.1) / 9) ** 2
    assert scores["all", DIVERSITY].by_week.mean == pytest.approx(expected)
