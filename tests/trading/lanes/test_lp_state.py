"""The states of a liquidity lane and the sources of its result."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from service.trading.accounts import TERMS
from service.trading.lanes import LANES, Idle, InPool
from service.trading.lanes.lp_state import attribution
from tests.trading.lanes.runs import DEX, providing, through_json


@pytest.mark.parametrize("world", ["simulated", "real", "real_by_the_hour"])
@pytest.mark.parametrize("name", DEX)
@pytest.mark.slow
def test_the_attribution_adds_up_to_the_result_at_every_bar(request, world, name):
    for state in request.getfixturevalue(world).states[name]:
        books = attribution(state)
        result = books.market_usd + books.divergence_usd + books.fees_usd - books.gas_usd - books.swap_usd
        assert state.equity - TERMS.capital == pytest.approx(result, abs=1e-6)
        assert books.divergence_usd <= 1e-6, "a pool is never better than holding, before fees"
        assert 0 <= books.uncollected_usd <= books.fees_usd + 1e-9


@pytest.mark.parametrize("name", DEX)
def test_yields_on_real_bars_are_plausible(real, real_by_the_hour, name):
    """Rougher assumptions about pools gave fee yields of 171% to 638%."""
    for run in (real, real_by_the_hour):
        books = attribution(run.states[name][-1])
        assert 10 < books.fee_apr_pct < 80
        assert 90 < books.in_range_pct <= 100
        assert -20 < books.vs_hodl_pct < 50


def test_an_idle_lane_is_stored_with_a_null_position():
    state = LANES["lp_wide"].begin(0)
    assert isinstance(state, Idle)
    assert asdict(state)["position"] is None
    assert through_json(LANES["lp_wide"], state) == state


def test_a_lane_in_a_pool_is_loaded_as_such(reading):
    lane, state = providing(reading=reading)
    assert isinstance(state, InPool)
    loaded = through_json(lane, state)
    assert isinstance(loaded, InPool)
    assert loaded == state
