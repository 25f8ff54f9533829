"""The rows of the lanes in the Bot Battle."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from service.trading.lanes import LANES
from tests.trading.battles import battle_of
from tests.trading.markets import NEW_YEAR


def test_no_available_value_is_null(battle):
    """Except for pool fields on an exchange, and rates without a closed position or a loss."""
    liquidity = {"apr_avg_pct", "net_apr_pct", "harvest_count", "switch_count", "current_pool", "positions_count"}
    for lane in battle.lanes:
        unknown = {name for name, value in asdict(lane).items() if value is None}
        assert unknown - {"win_rate_pct", "profit_factor"} == (liquidity if lane.venue == "cex" else set())
        assert (lane.win_rate_pct is None) == (lane.trades == 0)


def test_the_numbers_of_a_lane_match_its_state(battle, states):
    for lane in battle.lanes:
        state = states[lane.name]
        assert (lane.capital, lane.trades, lane.status) == (round(state.equity, 2), state.trades, state.status)
        assert lane.pnl_usd == pytest.approx(lane.capital - lane.initial_capital, abs=0.011)
        assert lane.pnl_pct == pytest.approx(100 * lane.pnl_usd / lane.initial_capital, abs=1e-3)
        assert lane.last_tick == battle.as_of
        assert lane.active
        assert lane.api_path == f"/api/v1/bot-battle/history?lane={lane.name}"
        assert lane.bot_id == LANES[lane.name].bot_id


def test_a_lane_stands_beside_holding_its_assets(states):
    battle = battle_of(states, dict.fromkeys(states, 10_000.0) | {"trend": 12_345.0})
    assert {lane.name: lane.benchmark_pnl_pct for lane in battle.lanes if lane.benchmark_pnl_pct} == {"trend": 23.45}
    assert battle.venues.cex.benchmark_pnl_pct == pytest.approx(23.45 / 4)


def test_a_profit_factor_is_profits_over_losses(battle, states):
    for lane in battle.lanes:
        won, lost = states[lane.name].won_usd, states[lane.name].lost_usd
        assert lane.profit_factor == (pytest.approx(won / lost, abs=1e-4) if lost else None)


def test_the_net_yield_is_the_gross_one_less_its_costs(battle):
    """The same equity while in a pool stands below both, so they relate like the amounts."""
    for row in battle.venues.dex.liquidity:
        (lane,) = [lane for lane in battle.lanes if lane.name == row.lane]
        net = row.fees_usd + row.divergence_usd - row.gas_usd - row.swap_usd
        assert lane.net_apr_pct / lane.apr_avg_pct == pytest.approx(net / row.fees_usd, abs=1e-3)
        assert lane.net_apr_pct < lane.apr_avg_pct


def test_the_mode_names_the_source_of_the_pools_data(battle):
    assert {lane.mode for lane in battle.lanes if lane.venue == "cex"} == {"paper"}
    assert {lane.mode for lane in battle.lanes if lane.venue == "dex"} == {"paper-assumed"}


def test_a_lane_without_a_bar_is_inactive():
    battle = battle_of({name: lane.begin(NEW_YEAR) for name, lane in LANES.items()})
    for lane in battle.lanes:
        assert (lane.last_tick, lane.active, lane.status, lane.capital) == (None, False, "waiting", 10_000)
        assert (lane.current_pool, lane.apr_avg_pct, lane.mode) == (None, None, "paper")
        assert lane.positions_count == (0 if lane.venue == "dex" else None)
    json.dumps(asdict(battle), allow_nan=False)
