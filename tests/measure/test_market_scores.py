"""The table of lived markets: differences of Brier scores by group, with the pool's best voter and the diversity."""

from __future__ import annotations

import numpy as np
import pytest

from service.market.instants import DAY
from tests.measure.market_scores import DIVERSITY, LINEAR, MARKET, Columns, of_best_so_far, score
from tests.measure.walk_forward import PLAIN, POOL, VOTERS

HAPPENED = np.array([1.0, 0.0, 1.0, 0.0])
NAMES = [voter.name for voter in VOTERS]


@pytest.fixture(scope="module")
def scores():
    """Two weeks; every voter says 0.6 and 0.4 but `vol`, which says 0.9 and 0.1; the pool says 0.7 and 0.3."""

    def sided(p: float) -> np.ndarray:
        return np.where(HAPPENED == 1, p, 1 - p)

    nine = {name: sided(0.9 if name == "vol" else 0.6) for name in NAMES}
    p = {POOL: sided(0.7), LINEAR: np.mean(list(nine.values()), axis=0), **nine, MARKET: sided(0.5), PLAIN: sided(0.5)}
    chosen = {"levels": np.array([True, True, False, False]), "all": np.ones(4, dtype=bool)}
    resolved_at = np.array([0, 1, 40, 41]) * DAY
    columns = Columns(p, HAPPENED, resolved_at - DAY, resolved_at, chosen)
    return {(row.group, row.name): row for row in score(columns)}


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
    """`a` is better on the first 40 markets, `b` on the others; a market opens in the hour after the last resolved."""
    losses = np.array([[0.1, 0.3]] * 40 + [[0.9, 0.0]] * 40)
    hours = np.arange(80)
    followed = of_best_so_far(losses, hours, hours + 1)
    sums = np.cumsum(losses, axis=0)
    assert np.isnan(followed[:30]).all(), "too few have resolved"
    for market in range(30, 80):
        assert followed[market] == losses[market, np.argmin(sums[market - 1])]
    assert set(followed[30:]) == {0.1, 0.9, 0.0}


def test_diversity_is_the_gain_of_the_linear_pool(scores):
    """Eight squares of 0.4 and one of 0.1, less the square of their mean distance."""
    expected = (8 * 0.16 + 0.01) / 9 - ((8 * 0.4 + 0.1) / 9) ** 2
    assert scores["all", DIVERSITY].by_week.mean == pytest.approx(expected)
