"""The four lanes on an exchange: fills, stops, accounts and logics."""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import islice

import pytest

from service.market.assets import is_open
from service.market.bars import Bar
from service.market.instants import HOUR
from service.trading.accounts import TERMS, trade
from service.trading.lanes import LANES
from service.trading.lanes.cex import CexLane, CexState
from service.trading.lanes.lane import moments
from service.trading.lanes.logics import LEAST_CHANGE, Intent
from service.trading.rules import moving_average_cross, parabolic_sar
from tests.trading.lanes.runs import CEX, STEP, shown, still


@pytest.mark.slow
@pytest.mark.parametrize("world", ["simulated", "month_run", "half_year_run"])
@pytest.mark.parametrize("name", CEX)
def test_equity_is_capital_plus_all_results(request, world, name):
    run, gains = request.getfixturevalue(world), 0.0
    for state in run.states[name]:
        gains += sum(event.pnl_usd or 0.0 for event in state.events)
        open_gains = sum(
            (held.quantity - held.owed) * state.marks[asset] - held.quantity * held.entry_price - held.fee_usd
            for asset, held in state.holdings.items()
        )
        assert state.equity == pytest.approx(TERMS.capital + gains + open_gains, rel=1e-9)


@pytest.mark.parametrize("rule", [moving_average_cross, parabolic_sar])
def test_a_lane_of_one_asset_equals_a_strategys_account(simulated, rule):
    """Two implementations of the same account: a loop over bars, and the running products of accounts.py."""
    parameters = {"fast": 12, "slow": 48} if rule is moving_average_cross else {"acceleration": 0.02, "maximum": 0.2}
    hours, marks = simulated.hours["sol"], simulated.marks["sol"]
    targets = rule(hours, **parameters)
    goal = dict(zip(hours.time.tolist(), targets.tolist(), strict=True))
    lane = CexLane("one", "One", "rule", "cex", ("sol",), lambda reading, *_: Intent(goal[reading.time]))
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
                side = 1 if event.note in ("opens long", "adds to long", "closes short") else -1
                assert event.price == pytest.approx(bar.open * (1 + side * TERMS.slippage), rel=1e-12)
                assert moment.time % HOUR == 0, "an hour has just closed"
            before = event.price / (1 + TERMS.slippage)
            assert event.cost_usd == pytest.approx(quantity * before * (TERMS.fee + TERMS.slippage), rel=1e-3)


def test_each_logic_trades_on_its_own(simulated, half_year_run):
    for run in (simulated, half_year_run):
        trades = {name: run.states[name][-1].trades for name in CEX}
        assert all(trades.values())
        assert len({run.states[name][-1].equity for name in LANES}) == len(LANES)
        assert {state.status for name in CEX for state in run.states[name]} == {"waiting", "in_market"}


def test_metals_do_nothing_while_they_are_closed(half_year_run, simulated):
    for run in (half_year_run, simulated):
        trades = [event for name in CEX for event in run.events(name) if event.subject in ("gold", "silver")]
        assert trades, "metals are traded"
        assert all(is_open(event.subject, event.time) for event in trades)


def breakout_in(asset, reading, stop_width=6.0):
    """The breakout lane just after it went long at 100 with a stop at 94, and the next instant."""
    lane = LANES["breakout"]
    hour = reading._replace(close=100.0, high=100.0, ceiling=99.0, floor=90.0, true_range=stop_width / 3)
    state = lane.begin(HOUR - STEP)
    state = lane.step(state, still(HOUR - STEP, **{asset: 100.0}, hours={asset: hour}))
    assert state.orders[asset].side == 1
    return lane, lane.step(state, still(HOUR, **{asset: 100.0}))


@pytest.mark.parametrize(("opening", "price"), [(99, 94), (90, 90)])
def test_a_stop_is_filled_at_its_price_or_at_an_open_beyond_it(reading, opening, price):
    lane, state = breakout_in("sol", reading)
    assert state.holdings["sol"].stop == 94
    state = lane.step(state, shown(HOUR + STEP, {"sol": Bar(HOUR + STEP, opening, 101, 89, 97, 1)}))
    (event,) = state.events
    assert (event.price, event.note) == (price * (1 - TERMS.slippage), "is stopped out of long")
    assert (state.trades, state.wins, state.status) == (1, 0, "waiting")


def test_a_stop_never_moves_away(reading):
    lane, state = breakout_in("sol", reading)
    stops = []
    for number, high in enumerate((104, 102, 110), start=1):
        hour = reading._replace(time=number * HOUR, close=100.0, high=float(high), true_range=2.0)
        time = (number + 1) * HOUR - STEP
        state = lane.step(state, still(time, sol=105.0, hours={"sol": hour}))
        stops.append(state.holdings["sol"].stop)
    assert stops == [98, 98, 104]


def test_an_asset_without_a_bar_keeps_its_mark_and_its_orders(reading):
    lane, before = breakout_in("sol", reading)
    state = lane.step(before, still(HOUR + STEP, btc=50_000.0))
    assert (state.equity, state.marks) == (before.equity, {"sol": 100.0})
    state = replace(state, orders={"xrp": Intent(-1, stop=1.0)})
    assert "xrp" in lane.step(state, still(HOUR + 2 * STEP, btc=50_000.0)).orders


def filled(lane: CexLane, state: CexState, intent: Intent, time: int = HOUR, ether: float = 2000.0) -> CexState:
    """The state after an order of ether was filled at a price."""
    return lane.step(replace(state, orders={"eth": intent}), still(time, eth=ether))


@pytest.mark.parametrize(("weight", "part"), [(1.0, 1 / 3), (0.5, 1 / 6)])
def test_an_asset_gets_its_share_times_the_weight(weight, part):
    lane = CexLane("three", "Three", "rule", "cex", ("btc", "eth", "sol"), lambda *_: Intent(0))
    holding = filled(lane, lane.begin(HOUR), Intent(-1, weight)).holdings["eth"]
    assert -holding.quantity * holding.entry_price == pytest.approx(10_000 * part / (1 + TERMS.fee))
    assert (holding.side, holding.entry_price) == (-1, 2000 * (1 - TERMS.slippage))


def test_an_account_below_its_floor_closes_for_good(reading):
    lane, state = breakout_in("sol", reading)
    ruin = replace(state, cash=state.cash - 9_000)
    ruin = lane.step(ruin, still(HOUR + STEP, sol=100.0))
    assert ruin.halted
    out = lane.step(ruin, still(HOUR + 2 * STEP, sol=100.0))
    assert (out.holdings, out.orders, out.trades) == ({}, {}, 1)
    hour = reading._replace(time=HOUR, close=100.0, ceiling=99.0, true_range=2.0)
    assert lane.step(out, still(2 * HOUR - STEP, sol=100.0, hours={"sol": hour})).orders == {}


def test_an_account_below_zero_opens_nothing():
    """A short that a gap made dearer than the account is closed; what another asset had ordered is dropped."""
    lane = LANES["consensus"]
    state = replace(lane.begin(HOUR), orders={"btc": Intent(-1)})
    state = lane.step(state, still(HOUR, btc=50_000.0))
    state = replace(state, orders={"btc": Intent(0), "eth": Intent(1)})
    after = lane.step(state, still(HOUR + STEP, btc=250_000.0, eth=2000.0))
    assert after.equity < 0
    assert (after.holdings, after.orders, after.halted) == ({}, {}, True)


def test_the_consensus_lane_trades_without_votes(hours, marks):
    """Before the voters are fitted it trades on the volatility of the last week."""
    lane = LANES["consensus"]
    start = int(marks["btc"].time[0])
    state = lane.begin(start)
    for moment in islice(moments(hours, marks, start, votes={}, pools={}), 5000):
        state = lane.step(state, moment)
    assert set(state.holdings) == {"btc", "eth"}


def test_the_consensus_lane_follows_the_forecasts(simulated):
    """Between two hours its weight is the last forecast's, within the least change: .3, .5 or .7 of bitcoin."""
    weights = set()
    for state, moment in zip(simulated.states["consensus"][3000:], simulated.moments[3000:], strict=False):
        vote = moment.votes.get("btc")
        if vote is None or moment.time % HOUR == 0 or moment.as_of % HOUR == 0:
            continue
        weight = state.holdings["btc"].weight
        assert abs(weight - vote.p_up) < LEAST_CHANGE
        weights.add(round(weight, 1))
    assert {0.3, 0.5, 0.7} <= weights


@pytest.mark.parametrize("first", [HOUR, HOUR + 3 * STEP])
def test_a_short_pays_interest_for_each_hour_begun(first):
    """Sold within an hour: one hour is owed at once, another at the start of each hour, a gap of bars included."""
    terms = replace(TERMS, borrow=0.876)
    lane = CexLane("short", "Short", "rule", "cex", ("eth",), lambda *_: Intent(-1), terms=terms)
    state = replace(lane.begin(first), orders={"eth": Intent(-1)})
    hours = []
    for time in (first, 2 * HOUR - STEP, 2 * HOUR, 2 * HOUR + STEP, 5 * HOUR):
        state = lane.step(state, still(time, eth=2000.0))
        holding = state.holdings["eth"]
        hours.append(round(holding.owed / -holding.quantity / 1e-4))
        assert state.equity == pytest.approx(state.cash + (holding.quantity - holding.owed) * 2000)
    assert hours == [1, 1, 2, 2, 5]
    half = filled(lane, state, Intent(-1, 0.5), 6 * HOUR)
    holding = half.holdings["eth"]
    assert holding.owed / holding.quantity == pytest.approx(-6e-4)
    before = half.cash + (holding.quantity - holding.owed) * 2000
    after = filled(lane, half, Intent(0), 7 * HOUR)
    assert after.holdings == {}
    assert after.borrow_usd > half.borrow_usd > 0
    costs = after.events[0].cost_usd
    assert before - after.cash == pytest.approx(costs, rel=1e-3), "the hour that begins at the exit is not charged"
    results = [event.pnl_usd for event in (*half.events, *after.events)]
    assert after.equity - TERMS.capital == pytest.approx(sum(results))


def test_a_state_without_interest_loads_and_pays_from_now_on():
    """A state as an earlier version stored it; its open short begins to pay with the next bar."""
    lane = LANES["reversion"]
    body = asdict(filled(lane, lane.begin(HOUR), Intent(-1)))
    del body["borrow_usd"], body["holdings"]["eth"]["owed"]
    restored = lane.load(body)
    assert (restored.borrow_usd, restored.holdings["eth"].owed) == (0, 0)
    assert lane.step(restored, still(2 * HOUR, eth=2000.0)).holdings["eth"].owed > 0


def held_eth(weight: float) -> tuple[CexLane, CexState]:
    """The consensus lane with a long position in ether at 2,000 USD, which pays no interest."""
    lane = LANES["consensus"]
    state = filled(lane, lane.begin(HOUR), Intent(1, weight))
    assert state.holdings["eth"].owed == 0
    return lane, state


def test_a_position_is_reduced_by_the_difference():
    """Half of the ether is sold: cash by hand, half of the entry fee counted, one trade, the rest at its old price."""
    lane, before = held_eth(0.8)
    after = filled(lane, before, Intent(1, 0.4), HOUR + STEP)
    old, new = before.holdings["eth"], after.holdings["eth"]
    goal = before.equity / (1 + TERMS.fee) * 0.4 / 2 / 2000
    amount = old.quantity - goal
    proceeds = amount * 2000 * (1 - TERMS.slippage)
    assert new.quantity == pytest.approx(goal)
    assert (new.entry_price, new.weight, new.opened_at) == (old.entry_price, 0.4, old.opened_at)
    assert after.cash == pytest.approx(before.cash + proceeds * (1 - TERMS.fee))
    (event,) = after.events
    cost = amount * old.entry_price + old.fee_usd * amount / old.quantity
    assert event.pnl_usd == pytest.approx(proceeds * (1 - TERMS.fee) - cost)
    assert (event.note, after.trades, after.wins) == ("reduces long", 1, 0)


def test_a_position_is_enlarged_by_the_difference():
    """Ether is bought for what is missing: quantity, mean price and fees by hand, no trade is closed."""
    lane, before = held_eth(0.4)
    after = filled(lane, before, Intent(1, 0.8), HOUR + STEP, 2100.0)
    old, new = before.holdings["eth"], after.holdings["eth"]
    missing = before.equity / (1 + TERMS.fee) * 0.8 / 2 - old.quantity * 2100
    cost = 2100 * (1 + TERMS.slippage)
    assert new.quantity == pytest.approx(old.quantity + missing / cost)
    assert new.entry_price * new.quantity == pytest.approx(old.quantity * old.entry_price + missing)
    assert new.fee_usd == pytest.approx(old.fee_usd + missing * TERMS.fee)
    assert (after.events[0].note, after.trades, new.weight) == ("adds to long", 0, 0.8)
