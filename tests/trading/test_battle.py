"""The Bot Battle document and its CSV rows."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace

import pytest

from service.errors import InvalidRequest
from service.market.instants import iso
from service.trading.battle import COLUMNS, rows
from service.trading.battle_lanes import BattleLane
from tests.trading.battles import battle_of

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


def test_lane_fields_follow_the_specification():
    names = [field.name for field in fields(BattleLane)]
    assert names == [*SPECIFIED, "net_apr_pct", "profit_factor", "benchmark_pnl_pct"]
    assert (*names, "world") == COLUMNS


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


def test_header_has_timestamp_as_of_and_stale_after(battle, states):
    seen = states["trend"].as_of
    assert (battle.as_of, battle.timestamp, battle.stale_after) == (iso(seen), iso(seen + 7), iso(seen + 900))


def test_there_are_four_lanes_on_an_exchange_and_two_in_pools(battle):
    assert [lane.venue for lane in battle.lanes] == ["cex"] * 4 + ["dex"] * 2
    assert len({lane.name for lane in battle.lanes} | {lane.logic for lane in battle.lanes}) == 12


def test_summary_and_venues_add_up(battle):
    totals = [battle.summary, battle.venues.cex, battle.venues.dex]
    for total, lanes in zip(totals, [battle.lanes, battle.lanes[:4], battle.lanes[4:]], strict=True):
        assert (total.lanes, total.active) == (len(lanes), len(lanes))
        assert total.capital == pytest.approx(sum(lane.capital for lane in lanes), abs=0.05)
        assert total.trades == sum(lane.trades for lane in lanes)
        assert total.pnl_pct == pytest.approx(100 * total.pnl_usd / total.initial_capital, abs=1e-3)
        assert total.benchmark_pnl_pct == 10
    ranked = sorted(battle.lanes, key=lambda lane: lane.pnl_pct)
    assert (battle.summary.worst_lane, battle.summary.best_lane) == (ranked[0].name, ranked[-1].name)


def test_a_lane_that_was_closed_out_is_not_active(states):
    battle = battle_of(states | {"trend": replace(states["trend"], halted=True)})
    assert [lane.name for lane in battle.lanes if not lane.active] == ["trend"]
    assert (battle.summary.active, battle.venues.cex.active, battle.venues.dex.active) == (5, 3, 2)


def test_csv_rows_end_with_the_world(battle):
    everything = rows(battle)
    assert [dict(zip(COLUMNS, row, strict=True)) for row in everything] == [
        {**asdict(lane), "world": "simulated"} for lane in battle.lanes
    ]
    assert rows(battle, "cex") + rows(battle, "dex") == everything == rows(battle, "all")


def test_an_unknown_venue_is_refused(battle):
    with pytest.raises(InvalidRequest) as refused:
        rows(battle, "otc")
    assert refused.value.errors[0].field == "venue"
