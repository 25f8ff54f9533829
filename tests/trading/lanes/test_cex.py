"""The four lanes on an exchange: fills, stops, accounts and logics."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest

from service.market.assets import is_open
from service.market.bars import Bar
from service.market.instants import HOUR
from service.trading.accounts import TERMS, trade
from service.trading.lanes import LANES, moments
from service.trading.lanes.cex import CexLane
from service.trading.lanes.logics import Intent
from service.trading.rules.trend import moving_average_cross, parabolic_sar
from tests.trading.lanes.runs import CEX, STEP, flat, shown


@pytest.mark.slow
@pytest.mark.parametrize("world", ["simulated", "real", "real_by_the_hour"])
@pytest.mark.parametrize("name", CEX)
def test_equity_is_capital_plus_all_results(request, world, name):
    run, closed = request.getfixturevalue(world), 0.0
    for state in run.states[name]:
        closed += sum(event.pnl_usd or 0.0 for event in state.events)
        held = sum(
            holding.quantity * (state.marks[asset] - holding.entry_price) - holding.fee_usd
            for asset, holding in state.holdings.items()
        )
        assert state.equity == pytest.approx(TERMS.capital + closed + held, rel=1e-9)


@pytest.mark.parametrize("rule", [moving_average_cross, parabolic_sar])
def test_a_lane_of_one_asset_equals_a_strategys_account(simulated, rule):
    """Two implementations of the same account: a loop over bars, and the running products of accounts.py."""
    parameters = {"fast": 12, "slow": 48} if rule is moving_average_cross else {"acceleration": 0.02, "maximum": 0.2}
    hours, marks = simulated.hours["sol"], simulated.marks["sol"]
    targets = rule(hours, **parameters)
    wanted = dict(zip(hours.time.tolist(), targets.tolist(), strict=True))
    lane = CexLane("one", "One", "rule", "cex", ("sol",), lambda view: Intent(wanted[view.reading.time]))
    state, equity = lane.begin(simulated.start), []
    for moment in simulated.moments:
        state = lane.step(state, moment)
        equity.append(state.equity)
    history = trade(targets, hours)
    assert history.closed > 10
    assert state.trades == history.closed
    assert equity == pytest.approx(history.equity(marks.time, marks.close).tolist(), rel=1e-9)


@pytest.mark.parametrize("name", CEX)
def test_decisions_fill_at_the_next_open_with_costs(simulated, name):
    for state, moment in zip(simulated.states[name], simulated.moments, strict=True):
        for event in state.events:
            bar, quantity = moment.bars[event.subject], event.value_usd / event.price
            if not event.note.startswith("is stopped out"):
                side = 1 if event.note in ("opens long", "closes short") else -1
                assert event.price == pytest.approx(bar.open * (1 + side * TERMS.slippage), rel=1e-12)
                assert moment.time % HOUR == 0, "an hour has just closed"
            before = event.price / (1 + TERMS.slippage)
            assert event.cost_usd == pytest.approx(quantity * before * (TERMS.fee + TERMS.slippage), rel=1e-3)


def test_each_logic_trades_on_its_own(simulated, real_by_the_hour):
    for run in (simulated, real_by_the_hour):
        trades = {name: run.states[name][-1].trades for name in CEX}
        assert all(trades.values())
        assert len({run.states[name][-1].equity for name in LANES}) == len(LANES)
        assert {state.status for name in CEX for state in run.states[name]} == {"waiting", "in_market"}


def test_metals_do_nothing_while_they_are_closed(real_by_the_hour, simulated):
    for run in (real_by_the_hour, simulated):
        trades = [event for name in CEX for event in run.events(name) if event.subject in ("gold", "silver")]
        assert trades, "metals are traded"
        assert all(is_open(event.subject, event.time) for event in trades)


def breakout_in(asset, reading, stop_width=6.0):
    """The breakout lane just after it went long at 100 with a stop at 94, and the next instant."""
    lane = LANES["breakout"]
    hour = reading._replace(time=0, close=100.0, high=100.0, ceiling=99.0, floor=90.0, true_range=stop_width / 3)
    state = lane.begin(HOUR - STEP)
    state = lane.step(state, shown(HOUR - STEP, {asset: flat(HOUR - STEP, 100.0)}, hours={asset: hour}))
    assert state.orders[asset].side == 1
    return lane, lane.step(state, shown(HOUR, {asset: flat(HOUR, 100.0)}))


def test_a_stop_is_filled_at_its_price(reading):
    lane, state = breakout_in("sol", reading)
    assert state.holdings["sol"].stop == 94
    state = lane.step(state, shown(HOUR + STEP, {"sol": Bar(HOUR + STEP, 99, 101, 93, 97, 1)}))
    (event,) = state.events
    assert (event.price, event.note) == (94 * (1 - TERMS.slippage), "is stopped out of long")
    assert (state.trades, state.wins, state.status) == (1, 0, "waiting")


def test_a_stop_beyond_the_open_fills_at_the_open(reading):
    lane, state = breakout_in("sol", reading)
    state = lane.step(state, shown(HOUR + STEP, {"sol": Bar(HOUR + STEP, 90, 96, 89, 95, 1)}))
    assert state.events[0].price == 90 * (1 - TERMS.slippage)


def test_a_stop_never_moves_away(reading):
    lane, state = breakout_in("sol", reading)
    stops = []
    for number, high in enumerate((104, 102, 110), start=1):
        hour = reading._replace(time=number * HOUR, close=100.0, high=float(high), true_range=2.0)
        time = (number + 1) * HOUR - STEP
        state = lane.step(state, shown(time, {"sol": flat(time, 105.0)}, hours={"sol": hour}))
        stops.append(state.holdings["sol"].stop)
    assert stops == [98, 98, 104]


def test_an_asset_without_a_bar_keeps_its_mark_and_its_orders(reading):
    lane, state = breakout_in("sol", reading)
    equity = state.equity
    state = lane.step(state, shown(HOUR + STEP, {"btc": flat(HOUR + STEP, 50_000.0)}))
    assert (state.equity, state.marks) == (equity, {"sol": 100.0})
    waiting = replace(state, orders={"xrp": Intent(-1, stop=1.0)})
    waiting = lane.step(waiting, shown(HOUR + 2 * STEP, {"btc": flat(HOUR + 2 * STEP, 50_000.0)}))
    assert "xrp" in waiting.orders


@pytest.mark.parametrize(("weight", "part"), [(1.0, 1 / 3), (0.5, 1 / 6)])
def test_an_asset_gets_its_share_times_the_weight(weight, part):
    lane = CexLane("three", "Three", "rule", "cex", ("btc", "eth", "sol"), lambda view: Intent(0))
    state = replace(lane.begin(HOUR), orders={"eth": Intent(-1, weight)})
    state = lane.step(state, shown(HOUR, {"eth": flat(HOUR, 2000.0)}))
    holding = state.holdings["eth"]
    assert -holding.quantity * holding.entry_price == pytest.approx(10_000 * part / (1 + TERMS.fee))
    assert (holding.side, holding.entry_price) == (-1, 2000 * (1 - TERMS.slippage))


def test_an_account_below_its_floor_closes_for_good(reading):
    lane, state = breakout_in("sol", reading)
    ruined = replace(state, cash=state.cash - 9_000)
    ruined = lane.step(ruined, shown(HOUR + STEP, {"sol": flat(HOUR + STEP, 100.0)}))
    assert ruined.halted
    out = lane.step(ruined, shown(HOUR + 2 * STEP, {"sol": flat(HOUR + 2 * STEP, 100.0)}))
    assert (out.holdings, out.orders, out.trades) == ({}, {}, 1)
    hour = reading._replace(time=HOUR, close=100.0, ceiling=99.0, true_range=2.0)
    bars = {"sol": flat(2 * HOUR - STEP, 100.0)}
    assert lane.step(out, shown(2 * HOUR - STEP, bars, hours={"sol": hour})).orders == {}


def test_the_consensus_lane_waits_without_votes(hours, marks):
    lane = LANES["consensus"]
    start = int(marks["btc"].time[0])
    state = lane.begin(start)
    for moment in islice(moments(hours, marks, start, votes={}, pools={}), 2000):
        state = lane.step(state, moment)
    assert (state.status, state.equity, state.trades, state.as_of > start) == ("waiting", 10_000, 0, True)


def test_the_consensus_lane_follows_the_votes_of_the_hour(simulated):
    """Between two hours its position follows the last vote: bitcoin long at 0.6 and short at 0.4."""
    for state, moment in zip(simulated.states["consensus"][3000:], simulated.moments[3000:], strict=False):
        vote = moment.votes.get("btc")
        if vote is None or moment.time % HOUR == 0 or moment.as_of % HOUR == 0:
            continue
        side = state.holdings["btc"].side if "btc" in state.holdings else 0
        assert side == (vote > 0.55) - (vote < 0.45)
