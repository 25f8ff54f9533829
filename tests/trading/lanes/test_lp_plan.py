"""When a liquidity lane harvests, switches pools and moves its range."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from service.market.instants import DAY, HOUR
from service.trading.accounts import TERMS
from service.trading.lanes import LANES
from service.trading.lanes.lp_state import attribution
from service.trading.pools import ASSUMED_POOLS, HARVEST_GAS, gas_usd
from tests.trading.lanes.runs import DEX, STEP, flat, providing, shown


@pytest.mark.parametrize("name", DEX)
def test_a_harvest_exceeds_25_usd_and_20_times_its_gas(real, name):
    harvests = [event for event in real.events(name) if event.kind == "harvest"]
    assert harvests
    assert len(harvests) == real.states[name][-1].harvests
    for event in harvests:
        assert event.value_usd > 25
        assert event.value_usd > 19.5 * event.cost_usd, "decided at the close before"


def test_switches_change_the_pool_at_most_once_a_day(real_by_the_hour):
    events = [event for event in real_by_the_hour.events("lp_chaser") if event.kind == "switch"]
    assert len(events) == real_by_the_hour.states["lp_chaser"][-1].switches > 3
    assert all(later.time - earlier.time >= DAY for earlier, later in pairwise(events))
    assert all(earlier.subject != later.subject for earlier, later in pairwise(events))
    assert not any(event.kind == "switch" for event in real_by_the_hour.events("lp_wide"))


def test_out_of_range_it_earns_nothing_and_recentres(reading):
    lane, state = providing(reading=reading)
    plans, earned = [], state.fees_usd
    for number in range(1, 30 * 12):
        time = HOUR + number * STEP
        state = lane.step(state, shown(time, {"eth": flat(time, 4500.0)}, pools=ASSUMED_POOLS))
        plans += [(time + STEP, state.plan)] if state.plan else []
        assert plans or state.fees_usd == earned
    assert [plan.kind for _, plan in plans] == ["recentre"]
    assert plans[0][0] == 2 * HOUR + DAY
    assert (state.trades, state.switches, state.position.span.low) == (1, 0, 2250)
    assert attribution(state).in_range_pct < 30


def test_without_a_price_of_ether_nothing_is_done(reading):
    lane = LANES["lp_chaser"]
    hour = reading._replace(time=0)
    bars = {"btc": flat(HOUR - STEP, 50_000.0)}
    state = lane.step(lane.begin(0), shown(HOUR - STEP, bars, hours={"btc": hour}, pools=ASSUMED_POOLS))
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
        state = lane.step(state, shown(time, {"eth": flat(time, 2000.0)}, hours=read, pools=pools))
        switches += [hour] if state.status == "switching" else []
        state = lane.step(state, shown(time + STEP, {"eth": flat(time + STEP, 2000.0)}, pools=pools))
    return state, switches


@pytest.fixture(scope="module")
def calm(reading):
    """A quiet market, in which an assumed pool has a positive expected yield."""
    return reading._replace(volatility=0.3, busy=1.0)


POOR = replace(ASSUMED_POOLS["eth-l1"], volume_usd=60e6)


RICH = replace(ASSUMED_POOLS["eth-l2"], volume_usd=50e6)


def test_the_chaser_pays_for_a_move_to_a_better_pool(calm):
    state, switches = chase(calm, lambda hour: {POOR.key: POOR} | ({RICH.key: RICH} if hour > 1 else {}), 40)
    assert switches == [25]
    assert (state.switches, state.trades, state.position.pool.key) == (1, 1, "eth-l2")
    entry, leaving = 451_862 + 107_180, 228_718
    harvests = state.harvests * gas_usd(HARVEST_GAS, RICH, 2000)
    gas = gas_usd(entry + leaving, POOR, 2000) + gas_usd(entry, RICH, 2000) + harvests
    assert state.gas_usd == pytest.approx(gas)
    halves = 3 * 10_000 / 2 * (0.0005 + TERMS.slippage)
    assert state.swap_usd == pytest.approx(halves, rel=0.01), "one half in, one out, one in"


def test_the_chaser_rests_for_a_day_after_every_switch(calm):
    """From hour 30 on the previous pool is better."""
    richer = replace(POOR, volume_usd=400e6)

    def pools_at(hour):
        return {POOR.key: richer if hour >= 30 else POOR} | ({RICH.key: RICH} if hour > 1 else {})

    state, switches = chase(calm, pools_at, 60)
    assert switches == [25, 49]
    assert (state.switches, state.position.pool.key) == (2, "eth-l1")


def test_the_chaser_stays_when_a_move_does_not_pay(calm):
    little = replace(POOR, key="little", volume_usd=62e6)
    state, switches = chase(calm, lambda hour: {POOR.key: POOR} | ({"little": little} if hour > 1 else {}), 60)
    assert (switches, state.position.pool.key) == ([], POOR.key)
