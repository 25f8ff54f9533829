"""The two lanes in liquidity pools: deposits, fees and the execution of plans."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.market.instants import HOUR
from service.trading.accounts import TERMS
from service.trading.lanes.lp_state import Plan
from service.trading.pools import ASSUMED_POOLS, gas_usd
from tests.trading.lanes.runs import DEX, STEP, flat, providing, shown, through_json


def test_the_lanes_in_pools_wait_provide_harvest_and_switch(real_by_the_hour):
    seen = {name: {state.status for state in real_by_the_hour.states[name]} for name in DEX}
    assert seen["lp_wide"] == {"waiting", "in_lp", "harvesting"}
    assert seen["lp_chaser"] == {"waiting", "in_lp", "harvesting", "switching"}


def test_a_deposit_costs_gas_and_a_swap_of_half(reading):
    _, state = providing(reading=reading)
    pool = state.position.pool
    assert pool.key == "eth-l1", "the deepest"
    gas = gas_usd(451_862 + 107_180, pool, 2000)
    assert state.gas_usd == pytest.approx(gas)
    assert state.swap_usd == pytest.approx(state.position.deposited_usd / 2 * (pool.fee + TERMS.slippage))
    assert state.position.deposited_usd == pytest.approx(10_000 - gas - state.swap_usd)


@pytest.mark.parametrize("times", [1, 3])
def test_fees_of_a_bar_follow_the_turnover_of_the_asset(reading, times):
    """Five minutes of usual turnover earn 1/288 of a day's fees; three times the turnover earns three times that."""
    lane, state = providing(reading=reading)
    hour, before, time = reading._replace(time=0, turnover=12 * 2000.0), state.fees_usd, HOUR + STEP
    bar = flat(time, 2000.0)._replace(volume=float(times))
    state = lane.step(state, shown(time, {"eth": bar}, hours={"eth": hour}, pools=ASSUMED_POOLS))
    pool, position = state.position.pool, state.position
    others = pool.concentration * pool.tvl_usd / (2 * 2000**0.5)
    share = position.liquidity / (position.liquidity + others)
    assert state.fees_usd - before == pytest.approx(times * 180e6 / 288 * 0.0005 * share)


def test_a_pool_no_longer_listed_is_kept(reading):
    lane, state = providing(reading=reading)
    time, fees = HOUR + STEP, state.fees_usd
    state = lane.step(state, shown(time, {"eth": flat(time, 2000.0)}, pools={}))
    assert state.fees_usd > fees
    assert through_json(lane, state).position.pool == ASSUMED_POOLS["eth-l1"]


def test_new_pool_data_counts_from_its_bar_on(reading):
    lane, state = providing(reading=reading)
    time = HOUR + STEP
    busier = {"eth-l1": replace(ASSUMED_POOLS["eth-l1"], volume_usd=360e6)}
    slow = lane.step(state, shown(time, {"eth": flat(time, 2000.0)}, pools=ASSUMED_POOLS))
    fast = lane.step(state, shown(time, {"eth": flat(time, 2000.0)}, pools=busier))
    assert fast.fees_usd - state.fees_usd == pytest.approx(2 * (slow.fees_usd - state.fees_usd))


def test_a_move_waits_for_a_price_of_the_asset_it_moves_to(reading):
    lane, state = providing(reading=reading, name="lp_chaser")
    moving = replace(state, plan=Plan("switch", "btc-l1"))
    time = HOUR + STEP
    moving = lane.step(moving, shown(time, {"eth": flat(time, 2000.0)}, pools=ASSUMED_POOLS))
    assert (moving.status, moving.position.pool.asset, moving.switches) == ("switching", "eth", 0)
    both = {"eth": flat(time + STEP, 2000.0), "btc": flat(time + STEP, 90_000.0)}
    moving = lane.step(moving, shown(time + STEP, both, pools=ASSUMED_POOLS))
    assert (moving.status, moving.position.pool.asset, moving.switches) == ("in_lp", "btc", 1)


def test_no_move_to_a_pool_no_longer_listed(reading):
    lane, state = providing(reading=reading, name="lp_chaser")
    time, home = HOUR + STEP, state.position.pool
    moving = replace(state, plan=Plan("switch", "btc-l1"))
    stayed = lane.step(moving, shown(time, {"eth": flat(time, 2000.0)}, pools={home.key: home}))
    assert (stayed.status, stayed.position.pool, stayed.switches) == ("in_lp", home, 0)
