"""The Bot Battle: its document, its CSV rows, what holding would have made, and curves thinned without averages."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.market.assets import ASSETS
from service.market.instants import DAY, HOUR, iso
from service.trading.accounts import TERMS, AccountTerms
from service.trading.arena import run
from service.trading.battle import BattleLane, benchmarks, held_assets, held_equity, table
from service.trading.battle_history import MOST_POINTS, HistoryEvent, history, spacing, thinned
from service.trading.lanes import LANES
from service.trading.lanes.lane import LaneEvent
from tests.trading.markets import NEW_YEAR, bars_of, battle_of

FIELDS = """venue name label logic mode active status initial_capital capital pnl_pct pnl_usd trades win_rate_pct
apr_avg_pct harvest_count switch_count current_pool positions_count last_tick api_path bot_id net_apr_pct profit_factor
benchmark_pnl_pct"""
FREE = AccountTerms(fee=0, slippage=0)
STEP = 300
BAR_LENGTHS = st.sampled_from([60, 300, 720, 900, 1200, HOUR])


def test_lane_fields_follow_the_specification():
    assert [field.name for field in fields(BattleLane)] == FIELDS.split()


def test_the_document_has_the_fields_of_the_contract_and_no_nan(battle, states):
    """Four lanes on an exchange and two in pools."""
    assert [lane.venue for lane in battle.lanes] == ["cex"] * 4 + ["dex"] * 2
    assert len({lane.name for lane in battle.lanes} | {lane.logic for lane in battle.lanes}) == 12
    body = json.loads(json.dumps(asdict(battle), allow_nan=False))
    names = "schema timestamp as_of stale_after world sources summary lanes venues rate_limit started_at live_since"
    assert list(body) == names.split()
    assert body["schema"] == "bot-battle/1"
    assert body["rate_limit"] == {"limit": 120, "window_s": 60, "scope": "address"}
    as_of = states["trend"].as_of
    assert (battle.started_at, battle.live_since) == (iso(NEW_YEAR), iso(as_of - DAY))
    assert (battle.as_of, battle.timestamp, battle.stale_after) == (iso(as_of), iso(as_of + 7), iso(as_of + 900))


def test_summary_and_venues_add_up(battle):
    totals = [battle.summary, battle.venues.cex, battle.venues.dex]
    for total, lanes in zip(totals, [battle.lanes, battle.lanes[:4], battle.lanes[4:]], strict=True):
        assert (total.lanes, total.active) == (len(lanes), len(lanes))
        assert total.capital == pytest.approx(sum(lane.capital for lane in lanes), abs=0.05)
        assert total.trades == sum(lane.trades for lane in lanes)
        assert total.pnl_pct == pytest.approx(100 * total.pnl_usd / total.initial_capital, abs=1e-3)
        assert total.benchmark_pnl_pct == 10
    ranking = sorted(battle.lanes, key=lambda lane: lane.pnl_pct)
    assert (battle.summary.worst_lane, battle.summary.best_lane) == (ranking[0].name, ranking[-1].name)


def test_csv_rows_end_with_the_world(battle):
    everything = table(battle)
    rows = [dict(zip(everything.columns, row, strict=True)) for row in everything.rows]
    assert rows == [{**asdict(lane), "world": "simulated"} for lane in battle.lanes]
    assert [*table(battle, "cex").rows, *table(battle, "dex").rows] == everything.rows == table(battle, "all").rows


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
        assert (lane.last_tick, lane.active, lane.bot_id) == (battle.as_of, True, LANES[lane.name].bot_id)
        assert lane.api_path == f"/api/v1/bot-battle/history?lane={lane.name}"
        factor = state.won_usd / state.lost_usd if state.lost_usd else None
        assert lane.profit_factor == (factor and pytest.approx(factor, abs=1e-4))
        assert lane.mode == ("paper" if lane.venue == "cex" else "paper-assumed"), "the source of the pool's data"


def test_a_lane_stands_beside_holding_its_assets(states):
    """One that was closed out is not active."""
    benchmarks = dict.fromkeys(states, 10_000.0) | {"trend": 12_345.0}
    battle = battle_of(states | {"trend": replace(states["trend"], halted=True)}, benchmarks)
    assert {lane.name: lane.benchmark_pnl_pct for lane in battle.lanes if lane.benchmark_pnl_pct} == {"trend": 23.45}
    assert battle.venues.cex.benchmark_pnl_pct == pytest.approx(23.45 / 4)
    assert [lane.name for lane in battle.lanes if not lane.active] == ["trend"]
    assert (battle.summary.active, battle.venues.cex.active, battle.venues.dex.active) == (5, 3, 2)


def test_the_sources_of_a_result_add_up_to_it(battle):
    """Gross and net yield stand over the same equity while in a pool, so they relate like the amounts."""
    for lane, row in zip(battle.lanes[4:], battle.venues.dex.liquidity, strict=True):
        net = row.fees_usd + row.divergence_usd - row.gas_usd - row.swap_usd
        assert lane.pnl_usd == pytest.approx(row.market_usd + net, abs=0.04)
        assert lane.net_apr_pct / lane.apr_avg_pct == pytest.approx(net / row.fees_usd, abs=1e-3)
        assert lane.net_apr_pct < lane.apr_avg_pct
        assert (row.lane, row.pool) == (lane.name, lane.current_pool)
        assert 0 <= row.in_range_pct <= 100
        assert row.range_low < row.range_high
        assert row.price > 0


def test_a_lane_without_a_bar_is_inactive():
    battle = battle_of({name: lane.begin(NEW_YEAR) for name, lane in LANES.items()})
    for lane in battle.lanes:
        assert (lane.last_tick, lane.active, lane.status, lane.capital) == (None, False, "waiting", 10_000)
        assert (lane.current_pool, lane.apr_avg_pct, lane.mode) == (None, None, "paper")
        assert lane.positions_count == (0 if lane.venue == "dex" else None)
    json.dumps(asdict(battle), allow_nan=False)
    lane = {"lp_wide": LANES["lp_wide"].begin(NEW_YEAR)}
    assert benchmarks(lane, {}, {}) == {"lp_wide": TERMS.capital}, "before it enters a pool it holds cash"


def test_open_positions_on_the_exchange_are_listed(battle, states):
    positions = battle.venues.cex.positions
    expected = {(name, asset) for name in states if LANES[name].venue == "cex" for asset in states[name].holdings}
    assert {(position.lane, position.asset) for position in positions} == expected != set()
    for position in positions:
        sign = 1 if position.side == "long" else -1
        assert position.pnl_usd < sign * position.quantity * (position.mark_price - position.entry_price)
        assert (position.stop_price is not None) == (position.lane == "breakout")


@pytest.mark.parametrize(
    ("assets", "since", "equity"),
    [
        *((("btc", "eth"), HOUR, 10_000), (("btc", "gold"), HOUR, 12_500), ((), 0, 10_000)),
        *((("btc",), HOUR, 15_000), (("btc",), 0, 30_000)),
    ],
)
def test_equal_shares_are_bought_at_the_first_open(assets, since, equity):
    """From the second hour on, 20 to 30 and 10 to 5: half of each, 10,000 x (1.5 + 0.5) / 2. No bar: it stays cash."""
    hours = {"btc": bars_of([10, 20, 25], [10, 25, 30]), "eth": bars_of([10, 10, 8], [10, 8, 5])}
    assert held_equity(assets, hours, {}, since, FREE) == pytest.approx(equity)
    marks = {asset: bars_of([1], [2 * bars.close[-1]], times=[3 * HOUR], step=300) for asset, bars in hours.items()}
    later = 2 * equity if set(assets) <= hours.keys() and assets else None
    assert later is None or held_equity(assets, hours, marks, since, FREE) == pytest.approx(later)


def test_it_pays_what_the_ghost_that_holds_pays(hours):
    """The ghost decides at the first close and buys at the second open."""
    ghosts = run(hours, {}, NEW_YEAR).accounts["buy_and_hold"]
    for asset in ("btc", "gold"):
        second = int(hours[asset].time[1])
        assert held_equity((asset,), hours, {}, second) == pytest.approx(ghosts[asset].equity, rel=1e-12)


def test_every_lane_has_a_benchmark_of_its_assets(states, hours):
    expected = benchmarks(states, hours, hours)
    assert expected.keys() == LANES.keys()
    assert held_assets("trend", states["trend"]) == ("btc", "eth", "gold", "silver")
    assert expected["lp_wide"] == held_equity((states["lp_wide"].position.pool.asset,), hours, hours, NEW_YEAR)
    assert set(held_assets("lp_chaser", states["lp_chaser"])) == {"btc", "eth", "sol", "bnb", "xrp"} < ASSETS.keys()
    newcomer = replace(states["trend"], started_at=NEW_YEAR + 30 * DAY)
    assert benchmarks({"trend": newcomer}, hours, hours)["trend"] != expected["trend"]


def curve(bars: int, step: int = STEP) -> list[tuple[int, float, str]]:
    """This many bars from new year on, each a cent higher than the previous one."""
    return [(NEW_YEAR + step * count, 10_000 + count / 100, "in_market") for count in range(1, bars + 1)]


def history_of(bars, events=(), step: int = STEP, peaks: dict[str, float] | None = None):
    window = {"since": NEW_YEAR, "until": NEW_YEAR + 40 * DAY}
    return history({"trend": bars}, {"trend": list(events)}, peaks or {}, **window, step=step, world="replay")


@pytest.mark.parametrize(
    ("span", "step", "cell"),
    [
        *((0, 300, 300), (500 * 300, 300, 300), (500 * 300 + 1, 300, 900), (7 * DAY, 300, 1800)),
        *((31 * DAY, 300, 2 * HOUR), (365 * DAY, 300, DAY), (365 * DAY, HOUR, DAY), (1501 * DAY, HOUR, 4 * DAY)),
        (7 * DAY, 1200, HOUR),
    ],
)
def test_points_have_the_smallest_round_spacing(span: int, step: int, cell: int):
    assert spacing(span, step) == cell


@given(st.integers(0, 3000 * DAY), BAR_LENGTHS)
def test_spacing_is_whole_bars_and_gives_about_500_points(span: int, step: int):
    cell = spacing(span, step)
    assert cell % step == 0
    assert span / cell <= MOST_POINTS


@given(st.lists(st.integers(1, 5000), unique=True).map(sorted), st.integers(1, 40))
def test_a_thinned_curve_has_the_last_bar_of_each_cell(places: list[int], bars_a_cell: int):
    bars = [(STEP * place, float(place), "in_lp") for place in places]
    cell = STEP * bars_a_cell
    points = thinned(bars, cell)
    assert [bar for bar in bars if bar in points] == points
    assert points[-1:] == bars[-1:]
    assert [at - NEW_YEAR for at, *_ in thinned(curve(2 * 288), DAY)] == [DAY, 2 * DAY], "whole days end at midnight"
    for bar in bars:
        in_its_cell = [other for other in bars if -(-other[0] // cell) == -(-bar[0] // cell)]
        assert (bar in points) == (bar == in_its_cell[-1])


def test_all_lanes_share_one_grid():
    long, short = curve(2016), curve(2016)[-10:]
    bars, events = {"trend": long, "lp_wide": short}, {"trend": [], "lp_wide": []}
    document = history(bars, events, {}, since=NEW_YEAR, until=NEW_YEAR + 7 * DAY, step=STEP, world="live")
    first, second = ([point.time for point in lane.points] for lane in document.lanes)
    assert document.step_s == 1800
    assert set(second) <= set(first)
    assert document.as_of == first[-1] == second[-1]


def test_all_events_are_listed_however_thin_the_curve():
    words, numbers = ("btc", "closes long"), (50_000.123456789, 99.999, 0.0149, -1.005)
    events = [LaneEvent("trade", NEW_YEAR + STEP * count, *words, *numbers) for count in range(2000)]
    lane = history_of(curve(8928), [asdict(event) for event in events]).lanes[0]
    assert len(lane.points) < MOST_POINTS + 2
    assert len(lane.events) == 2000
    assert lane.events[0] == HistoryEvent(iso(NEW_YEAR), "trade", *words, 50_000.12345679, 100.0, 0.01, -1.0)


def test_a_short_curve_has_every_bar_and_an_empty_one_no_as_of():
    document = history_of([])
    assert (document.as_of, document.lanes[0].points, document.lanes[0].events) == (None, (), ())
    assert (document.step_s, document.lanes[0].label, document.lanes[0].initial_capital) == (300, "Trend follower", 1e4)
    short = history_of(curve(MOST_POINTS + 1))
    assert (short.bar_s, short.step_s) == (STEP, STEP)
    assert [point.time for point in short.lanes[0].points] == [iso(bar[0]) for bar in curve(MOST_POINTS + 1)]


@pytest.mark.parametrize(
    ("peaks", "drawdowns"),
    [({}, [2.0, 0.0, 10.0]), ({"trend": 20_000.0}, [51.0, 45.0, 50.5])],
    ids=["from the start", "later window"],
)
def test_a_drawdown_is_since_the_start(peaks, drawdowns):
    """The first maximum is the capital, and a maximum before the window counts."""
    bars = [(NEW_YEAR + STEP * (1 + count), usd, "in_lp") for count, usd in enumerate((9_800.0, 11_000.0, 9_900.0))]
    assert [point.drawdown_pct for point in history_of(bars, peaks=peaks).lanes[0].points] == drawdowns


def test_a_drawdown_counts_bars_that_are_not_points():
    """A maximum between two points of a thinned curve is a maximum all the same."""
    bars = curve(8928)
    bars[1] = (bars[1][0], 20_000.0, "in_market")
    points = history_of(bars).lanes[0].points
    assert 20_000.0 not in [point.equity_usd for point in points]
    assert points[-1].drawdown_pct == pytest.approx(100 * (1 - points[-1].equity_usd / 20_000.0), abs=1e-3)
