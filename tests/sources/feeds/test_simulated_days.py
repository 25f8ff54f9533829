"""The daily skeleton of the simulated market and what is expected of it."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from service.market.assets import ASSETS
from service.market.instants import DAY
from service.sources.feeds import simulated_days
from service.sources.feeds.simulated_days import EPOCH, days, expected_days

SEED = 42
FIRST = (int(datetime(2026, 2, 1, tzinfo=UTC).timestamp()) - EPOCH) // DAY


@pytest.mark.parametrize("asset", ASSETS)
def test_in_twenty_years_every_price_stays_near_its_start(asset):
    assert np.abs(days(SEED, asset, 0, 7300).closes).max() < np.log(40)


@pytest.fixture
def other_future(monkeypatch):
    """The moves of the day FIRST and of all later ones are others, and so are the volatilities of later cells."""

    def changed(seed, scale, asset, common, counters):
        return np.where(
            (scale == "day") & (counters >= FIRST), 2.5, really_own_move(seed, scale, asset, common, counters)
        )

    really_own_move = simulated_days.own_move
    simulated_days._block.cache_clear()
    monkeypatch.setattr(simulated_days, "own_move", changed)
    yield
    simulated_days._block.cache_clear()


def test_expected_days_do_not_look_ahead(request):
    """With other moves from the first day on, nothing changes."""
    expected = expected_days(SEED, "eth", FIRST, FIRST + 30)
    moved = days(SEED, "eth", FIRST, FIRST + 30).closes
    request.getfixturevalue("other_future")
    assert not np.array_equal(days(SEED, "eth", FIRST, FIRST + 30).closes, moved)
    assert np.array_equal(expected_days(SEED, "eth", FIRST, FIRST + 30), expected)


def test_later_cells_of_volatility_are_not_known():
    """Days far ahead have the variance of an average day, whatever their own will be."""
    _, variances = expected_days(SEED, "eth", FIRST, FIRST + 400)
    weekdays = (np.arange(FIRST, FIRST + 400) + 2) % 7 < 5
    far = variances[weekdays][200:]
    assert len(set(np.round(far, 12))) == 1
    assert len(set(np.round(variances[weekdays][:10], 12))) > 2
