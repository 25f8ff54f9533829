"""The two lanes in liquidity pools: deposits, fees and the execution of plans."""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import pairwise

import pytest

from service.market.instants import DAY, HOUR
from service.trading.accounts import TERMS
from service.trading.lanes import LANES
from service.trading.lanes.lp_state import Plan, attribution
from service.trading.pools import ASSUMED_POOLS, HARVEST_GAS, Pool, gas_usd
from tests.trading.lanes.runs import DEX, STEP, flat, providing, shown, still, through_json

HOME = replace(ASSUMED_POOLS["eth-l1"], volume_usd=60e6)
BETTER = replace(ASSUMED_POOLS["eth-l2"], volume_usd=50e6)


def test_the_lanes_in_pools_wait_provide_harvest_and_switch(half_year_run):
    statuses = {name: {state.status for state in half_year_run.states[name]} for name in DEX}
    assert statuses["lp_wide"] == {"waiting", "in_lp", "harvesting"}
    assert statuses["lp_chaser"] == {"waiting", "in_lp", "harvesting", "switching"}


def test_a_deposit_costs_gas_and_a_swap_of_half(reading):
    _, state = providing(reading=reading)
    pool = state.position.pool
    assert pool.key == "eth-l1", "the deepest"
    gas = gas_usd(451_862 + 107_180, pool, 2000)
    assert state.gas_usd == pytest.approx(gas)
    assert state.swap_usd == pytest.approx(state.position.deposited_usd / 2 * (pool.fee + TERMS.slippage))
    assert state.position.deposited_usd == pytest.approx(10_000 - gas - state.swap_usd)


def next_state(lane, state, time=HOUR + STEP, price=2000.0, **shown_fields):
    """The state of a lane after one more bar of ether."""
    fields = {"pools": ASSUMED_POOLS} | shown_fields
    return lane.step(state, still(time, eth=price, **fields))


@pytest.mark.parametrize("times", [1, 3])
def test_fees_of_a_bar_follow_the_turnover_of_the_asset(reading, times):
    """Five minutes of usual turnover earn 1/288 of a day's fees; three times the turnover earns three times that."""
    lane, state = providing(reading=reading)
    hour, before, time = reading._replace(turnover=12 * 2000.0), state.fees_usd, HOUR + STEP
    bar = flat(time, 2000.0)._replace(volume=float(times))
    state = lane.step(state, shown(time, {"eth": bar}, hours={"eth": hour}, pools=ASSUMED_POOLS))
    pool, position = state.position.pool, state.position
    others = pool.concentration * pool.tvl_usd / (2 * 2000**0.5)
    share = position.liquidity / (position.liquidity + others)
    assert state.fees_usd - before == pytest.approx(times * 180e6 / 288 * 0.0005 * share)


def test_a_pool_no_longer_listed_is_kept(reading):
    lane, state = providing(reading=reading)
    after = next_state(lane, state, pools={})
    assert after.fees_usd > state.fees_usd
    assert through_json(lane, after).position.pool == ASSUMED_POOLS["eth-l1"]


def test_new_pool_data_counts_from_its_bar_on(reading):
    lane, state = providing(reading=reading)
    busier = {"eth-l1": replace(ASSUMED_POOLS["eth-l1"], volume_usd=360e6)}
    gains = [next_state(lane, state, pools=pools).fees_usd - state.fees_usd for pools in (ASSUMED_POOLS, busier)]
    assert gains[1] == pytest.approx(2 * gains[0])


def test_a_move_waits_for_a_price_of_the_asset_it_moves_to(reading):
    """There is none to a pool that is no longer listed."""
    lane, state = providing(reading=reading, name="lp_chaser")
    state, time, home = replace(state, plan=Plan("switch", "btc-l1")), HOUR + 2 * STEP, state.position.pool
    after = next_state(lane, state)
    assert (after.status, after.position.pool.asset, after.switches) == ("switching", "eth", 0)
    after = lane.step(after, still(time, eth=2000.0, btc=90_000.0, pools=ASSUMED_POOLS))
    assert (after.status, after.position.pool.asset, after.switches) == ("in_lp", "btc", 1)
    after = next_state(lane, state, pools={home.key: home})
    assert (after.status, after.position.pool, after.switches) == ("in_lp", home, 0)


@pytest.mark.parametrize("name", DEX)
def test_a_harvest_exceeds_25_usd_and_20_times_its_gas(month_run, name):
    harvests = [event for event in month_run.events(name) if event.kind == "harvest"]
    assert harvests
    assert len(harvests) == month_run.states[name][-1].harvests
    for event in harvests:
        assert event.value_usd > 25
        assert event.value_usd > 19.5 * event.cost_usd, "decided at the close before"


def test_switches_change_the_pool_at_most_once_a_day(half_year_run):
    events = [event for event in half_year_run.events("lp_chaser") if event.kind == "switch"]
    assert len(events) == half_year_run.states["lp_chaser"][-1].switches > 3
    assert all(later.time - earlier.time >= DAY for earlier, later in pairwise(events))
    assert all(earlier.subject != later.subject for earlier, later in pairwise(events))
    assert not any(event.kind == "switch" for event in half_year_run.events("lp_wide"))


def test_out_of_range_it_earns_nothing_and_recentres(reading):
    lane, state = providing(reading=reading)
    plans, fees = [], state.fees_usd
    for number in range(1, 30 * 12):
        time = HOUR + number * STEP
        state = lane.step(state, still(time, eth=4500.0, pools=ASSUMED_POOLS))
        plans += [(time + STEP, state.plan)] if state.plan else []
        assert plans or state.fees_usd == fees
    assert [plan.kind for _, plan in plans] == ["recentre"]
    assert plans[0][0] == 2 * HOUR + DAY
    assert (state.trades, state.switches, state.position.span.low) == (1, 0, 2250)
    assert attribution(state).in_range_pct < 30


def test_without_a_price_of_ether_nothing_is_done(reading):
    lane = LANES["lp_chaser"]
    state = lane.step(lane.begin(0), still(HOUR - STEP, btc=50_000.0, hours={"btc": reading}, pools=ASSUMED_POOLS))
    assert (state.plan, state.status, state.equity) == (None, "waiting", 10_000)


def chase(reading, pools_at, hours):
    """The chaser, in the first pool at hour 1, over as many hours of a price of 2000 and the pools at each.

    Returns the lane's last state and the hours at whose close it decided to switch.
    """
    lane, state = providing(reading=reading, name="lp_chaser", pools=pools_at(1))
    switches = []
    for hour in range(2, hours):
        pools, time = pools_at(hour), hour * HOUR - STEP
        read = {"eth": reading._replace(time=time + STEP - HOUR)}
        state = lane.step(state, still(time, eth=2000.0, hours=read, pools=pools))
        switches += [hour] if state.status == "switching" else []
        state = lane.step(state, still(time + STEP, eth=2000.0, pools=pools))
    return state, switches


@pytest.fixture(scope="module")
def lull(reading):
    """A quiet market, in which an assumed pool has a positive expected yield."""
    return reading._replace(volatility=0.3, busy=1.0)


def with_a_rival(rival: Pool):
    """HOME alone in the first hour, then beside another pool."""
    return lambda hour: {HOME.key: HOME} | ({rival.key: rival} if hour > 1 else {})


def test_the_chaser_pays_for_a_move_to_a_better_pool(lull):
    state, switches = chase(lull, with_a_rival(BETTER), 40)
    assert switches == [25]
    assert (state.switches, state.trades, state.position.pool.key) == (1, 1, "eth-l2")
    entry_gas, exit_gas = 451_862 + 107_180, 228_718
    harvests = state.harvests * gas_usd(HARVEST_GAS, BETTER, 2000)
    gas = gas_usd(entry_gas + exit_gas, HOME, 2000) + gas_usd(entry_gas, BETTER, 2000) + harvests
    assert state.gas_usd == pytest.approx(gas)
    halves = 3 * 10_000 / 2 * (0.0005 + TERMS.slippage)
    assert state.swap_usd == pytest.approx(halves, rel=0.01), "one half in, one out, one in"


def test_the_chaser_rests_for_a_day_after_every_switch(lull):
    """From hour 30 on the previous pool is better."""
    richer = {HOME.key: replace(HOME, volume_usd=400e6)}
    state, switches = chase(lull, lambda hour: with_a_rival(BETTER)(hour) | (richer if hour >= 30 else {}), 60)
    assert switches == [25, 49]
    assert (state.switches, state.position.pool.key) == (2, "eth-l1")


def test_the_chaser_stays_when_a_move_does_not_pay(lull):
    state, switches = chase(lull, with_a_rival(replace(HOME, key="little", volume_usd=62e6)), 60)
    assert (switches, state.position.pool.key) == ([], HOME.key)


@pytest.mark.parametrize("world", ["simulated", "month_run", "half_year_run"])
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
def test_yields_on_real_bars_are_plausible(month_run, half_year_run, name):
    """Rougher assumptions about pools gave fee yields of 171% to 638%."""
    for run in (month_run, half_year_run):
        books = attribution(run.states[name][-1])
        assert 10 < books.fee_apr_pct < 80
        assert 90 < books.in_range_pct <= 100
        assert -20 < books.vs_hodl_pct < 50


def test_a_state_is_loaded_as_what_it_was(reading):
    """An idle one is stored with a null position."""
    lane, state = providing(reading=reading)
    assert through_json(lane, state) == state
    idle = lane.begin(0)
    assert asdict(idle)["position"] is None
    assert through_json(lane, idle) == idle
