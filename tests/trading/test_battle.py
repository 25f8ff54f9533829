"""The Bot Battle document and its CSV rows."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace

import pytest

from service.errors import InvalidRequest
from service.market.instants import HOUR, iso
from service.trading.battle import COLUMNS, Battle, RateLimit, describe, rows
from service.trading.battle_lanes import BattleLane
from service.trading.lanes import LANES, begin, moments, step
from service.trading.pools import ASSUMED_POOLS
from tests.trading.markets import NEW_YEAR

SPECIFIED = [
    "venue",
    "name",
    "label",
    "logic",
    "mode",
    "active",
    "status",
    "initial_capital",
    "capital",
    "pnl_pct",
    "pnl_usd",
    "trades",
    "win_rate_pct",
    "apr_avg_pct",
    "harvest_count",
    "switch_count",
    "current_pool",
    "positions_count",
    "last_tick",
    "api_path",
    "bot_id",
]


@pytest.fixture(scope="module")
def states(hours):
    """The lanes after sixty days of hourly bars, with a vote at every hour."""
    votes = {int(time) + HOUR: {"btc": 0.6 if time % (7 * 86400) else 0.4} for time in hours["btc"].time}
    states = {name: begin(lane, NEW_YEAR) for name, lane in LANES.items()}
    for moment in moments(hours, hours, NEW_YEAR, votes=votes, pools=ASSUMED_POOLS):
        states = {name: step(LANES[name], state, moment) for name, state in states.items()}
    return states


def document(states) -> Battle:
    as_of = max(state.as_of for state in states.values())
    return describe(
        states,
        step=300,
        made_at=as_of + 7,
        world="simulated",
        sources={"bars": "simulated (seed 7)", "pools": "assumed"},
        rate_limit=RateLimit(limit=120, window_s=60, scope="address"),
    )


@pytest.fixture(scope="module")
def battle(states):
    return document(states)


def test_a_lane_has_the_21_fields_of_the_specification_in_its_order():
    assert [field.name for field in fields(BattleLane)] == SPECIFIED
    assert (*SPECIFIED, "world") == COLUMNS


def test_the_document_has_the_fields_of_the_contract_and_no_nan(battle):
    body = json.loads(json.dumps(asdict(battle), allow_nan=False))
    assert list(body) == [
        "schema",
        "timestamp",
        "as_of",
        "stale_after",
        "world",
        "sources",
        "summary",
        "lanes",
        "venues",
        "rate_limit",
    ]
    assert body["schema"] == "bot-battle/1"
    assert body["rate_limit"] == {"limit": 120, "window_s": 60, "scope": "address"}


def test_it_says_when_it_was_made_what_it_saw_and_when_it_is_out_of_date(battle, states):
    seen = states["trend"].as_of
    assert (battle.as_of, battle.timestamp, battle.stale_after) == (iso(seen), iso(seen + 7), iso(seen + 900))


def test_there_are_four_lanes_on_an_exchange_and_two_in_pools(battle):
    assert [lane.venue for lane in battle.lanes] == ["cex"] * 4 + ["dex"] * 2
    assert len({lane.name for lane in battle.lanes} | {lane.logic for lane in battle.lanes}) == 12


def test_nothing_that_can_be_known_is_null(battle):
    """On an exchange there is no pool to be null about; a win rate takes a closed position."""
    liquidity = {"apr_avg_pct", "harvest_count", "switch_count", "current_pool", "positions_count"}
    for lane in battle.lanes:
        unknown = {name for name, value in asdict(lane).items() if value is None}
        assert unknown - {"win_rate_pct"} == (liquidity if lane.venue == "cex" else set())
        assert (lane.win_rate_pct is None) == (lane.trades == 0)


def test_the_numbers_of_a_lane_are_those_of_its_state(battle, states):
    for lane in battle.lanes:
        state = states[lane.name]
        assert (lane.capital, lane.trades, lane.status) == (round(state.equity, 2), state.trades, state.status)
        assert lane.pnl_usd == pytest.approx(lane.capital - lane.initial_capital, abs=0.011)
        assert lane.pnl_pct == pytest.approx(100 * lane.pnl_usd / lane.initial_capital, abs=1e-3)
        assert lane.last_tick == battle.as_of
        assert lane.active
        assert lane.api_path == f"/api/v1/bot-battle/history?lane={lane.name}"
        assert lane.bot_id == f"{lane.name}-1"


def test_a_lane_in_a_pool_says_who_describes_the_pool(battle):
    assert {lane.mode for lane in battle.lanes if lane.venue == "cex"} == {"paper"}
    assert {lane.mode for lane in battle.lanes if lane.venue == "dex"} == {"paper-assumed"}


def test_summary_and_venues_add_up(battle):
    totals = [battle.summary, battle.venues.cex, battle.venues.dex]
    for total, lanes in zip(totals, [battle.lanes, battle.lanes[:4], battle.lanes[4:]], strict=True):
        assert (total.lanes, total.active) == (len(lanes), len(lanes))
        assert total.capital == pytest.approx(sum(lane.capital for lane in lanes), abs=0.05)
        assert total.trades == sum(lane.trades for lane in lanes)
        assert total.pnl_pct == pytest.approx(100 * total.pnl_usd / total.initial_capital, abs=1e-3)
    ranked = sorted(battle.lanes, key=lambda lane: lane.pnl_pct)
    assert (battle.summary.worst_lane, battle.summary.best_lane) == (ranked[0].name, ranked[-1].name)


def test_the_truth_about_liquidity_adds_up_to_its_result(battle):
    for lane, told in zip(battle.lanes[4:], battle.venues.dex.liquidity, strict=True):
        result = told.market_usd + told.divergence_usd + told.fees_usd - told.gas_usd - told.swap_usd
        assert lane.pnl_usd == pytest.approx(result, abs=0.04)
        assert (told.lane, told.pool) == (lane.name, lane.current_pool)
        assert 0 <= told.in_range_pct <= 100
        assert told.range_low < told.range_high
        assert told.price > 0


def test_open_positions_on_the_exchange_are_told(battle, states):
    held = {(name, asset) for name, state in states.items() if LANES[name].venue == "cex" for asset in state.holdings}
    assert {(position.lane, position.asset) for position in battle.venues.cex.positions} == held
    assert held
    for position in battle.venues.cex.positions:
        sign = 1 if position.side == "long" else -1
        gross = sign * position.quantity * (position.mark_price - position.entry_price)
        assert position.pnl_usd < gross
        assert (position.stop_price is not None) == (position.lane == "breakout")


def test_a_lane_that_has_seen_no_bar_says_so():
    battle = document({name: begin(lane, NEW_YEAR) for name, lane in LANES.items()})
    for lane in battle.lanes:
        assert (lane.last_tick, lane.active, lane.status, lane.capital) == (None, False, "waiting", 10_000)
        assert (lane.current_pool, lane.apr_avg_pct, lane.mode) == (None, None, "paper")
        assert lane.positions_count == (0 if lane.venue == "dex" else None)
    json.dumps(asdict(battle), allow_nan=False)


def test_a_lane_that_was_closed_out_is_not_active(states):
    battle = document(states | {"trend": replace(states["trend"], halted=True)})
    assert [lane.name for lane in battle.lanes if not lane.active] == ["trend"]
    assert (battle.summary.active, battle.venues.cex.active, battle.venues.dex.active) == (5, 3, 2)


def test_csv_rows_are_the_lanes_with_the_world_behind(battle):
    everything = rows(battle)
    assert [dict(zip(COLUMNS, row, strict=True)) for row in everything] == [
        {**asdict(lane), "world": "simulated"} for lane in battle.lanes
    ]
    assert rows(battle, "cex") + rows(battle, "dex") == everything == rows(battle, "all")


def test_another_venue_is_refused_by_name(battle):
    with pytest.raises(InvalidRequest) as refused:
        rows(battle, "otc")
    assert refused.value.errors[0].field == "venue"
