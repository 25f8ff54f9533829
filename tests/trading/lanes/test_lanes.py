"""A lane processes no bar twice, does not look ahead and survives a restart; what its logic wants at an hour's end."""

from __future__ import annotations

import json
from dataclasses import asdict
from math import nan

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.market.bars import empty, join
from service.market.instants import DAY, HOUR
from service.trading.lanes import LANES, logics
from service.trading.lanes.lane import AlreadySeen, HourReading, LaneBar, LaneVote, moments, readings, rolling_mean
from service.trading.lanes.logics import OUT, Intent, break_out, fade_deviation, follow_forecast, follow_trend
from service.trading.pools import ASSUMED_POOLS
from tests.trading.lanes.runs import STEP, still, text, through_json
from tests.trading.markets import by_the_hour, span_of

READING = HourReading(100 * HOUR, *[1.0] * (len(HourReading._fields) - 1))


def assert_same(ours, theirs) -> None:
    """The states of all lanes are written alike."""
    assert {name: text(state) for name, state in ours.items()} == {name: text(state) for name, state in theirs.items()}


@pytest.mark.slow
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=st.integers(6000, 8600))
def test_a_live_tick_equals_the_backfill(simulated, first):
    """Bar by bar, with hours resampled from past bars only, against the states of the whole run."""
    states = {name: simulated.states[name][first] for name in LANES}
    for number in range(first + 1, min(first + 15, len(simulated.moments))):
        past = span_of(simulated.marks, until=simulated.moments[number].as_of)
        after = states["trend"].as_of
        (moment,) = moments(by_the_hour(past), past, after, votes=simulated.votes, pools=ASSUMED_POOLS)
        states = {name: LANES[name].step(through_json(LANES[name], state), moment) for name, state in states.items()}
        assert_same(states, {name: simulated.states[name][number] for name in LANES})


def test_catching_up_after_an_outage_is_the_same_path(simulated):
    middle = simulated.moments[5000].as_of
    later = span_of(simulated.marks, since=middle - STEP + 1)
    backlog = moments(simulated.hours, later, middle, votes=simulated.votes, pools=ASSUMED_POOLS)
    states = {name: simulated.states[name][5000] for name in LANES}
    for moment in backlog:
        states = {name: LANES[name].step(state, moment) for name, state in states.items()}
    assert_same(states, {name: states_of_lane[-1] for name, states_of_lane in simulated.states.items()})


each_lane = pytest.mark.parametrize("name", LANES)


@each_lane
def test_no_bar_is_applied_twice_and_none_out_of_order(simulated, name):
    lane, state = LANES[name], simulated.states[name][500]
    for place in (500, 499, 0):
        with pytest.raises(AlreadySeen, match=name):
            lane.step(state, simulated.moments[place])
    assert state == simulated.states[name][500]
    assert len(text(simulated.states[name][-1])) < 2500, "a state is small"


@each_lane
def test_profits_and_losses_add_up_to_the_closed_positions(month_run, name):
    results = [event.pnl_usd for state in month_run.states[name] for event in state.events if event.pnl_usd is not None]
    last = month_run.states[name][-1]
    assert last.trades == len(results)
    assert last.won_usd == pytest.approx(sum(max(0, pnl) for pnl in results))
    assert last.lost_usd == pytest.approx(sum(max(0, -pnl) for pnl in results))


@each_lane
def test_a_walk_records_every_bar_and_event(simulated, name):
    """With one restart, after which it continues from the stored state."""
    first = LANES[name].walk(None, simulated.start)
    for moment in simulated.moments[:2000]:
        first.step(moment)
    second = LANES[name].walk(json.loads(json.dumps(asdict(first.state))), 0)
    for moment in simulated.moments[2000:4000]:
        second.step(moment)
    states = simulated.states[name][:4000]
    assert second.state == states[-1]
    pairs = zip(simulated.moments[:4000], states, strict=True)
    bars = [LaneBar(moment.as_of, state.equity, state.status) for moment, state in pairs]
    assert first.bars + second.bars == bars
    assert first.events + second.events == [asdict(event) for state in states for event in state.events]


@pytest.mark.parametrize(
    ("time", "since", "is_fresh"),
    [
        *((HOUR - STEP, HOUR - STEP, True), (HOUR - STEP, HOUR - 1, True), (HOUR - STEP, HOUR, False)),
        *((HOUR, HOUR, False), (HOUR, HOUR - STEP, True), (2 * HOUR - STEP, HOUR, False)),
    ],
)
def test_a_reading_is_fresh_in_the_first_bar_after_its_hour(reading, time, since, is_fresh):
    """`since` is the end of the lane's last bar; the last case is the end of the next hour, whose bars are missing."""
    assert still(time, btc=100.0, hours={"btc": reading}).fresh(since) == ({"btc": reading} if is_fresh else {})
    assert still(time, btc=100.0, hours={"gold": reading}).fresh(since) == {}


def test_an_hour_with_a_gap_is_decided_at_the_next_bar(hours, marks):
    """Ether's last bars of an hour are missing; the hour is complete once the next one has a bar."""
    hole = int(marks["eth"].time[0]) + 20 * DAY
    history = marks["eth"]
    gapped = marks | {"eth": join([history.until(hole - 600), history.since(hole + 600)])}
    instants = moments(by_the_hour(gapped), gapped, hole - HOUR, votes={}, pools={})
    by_end = {moment.as_of: moment for moment in instants}
    assert "eth" not in by_end[hole].fresh(hole - STEP)
    assert "btc" in by_end[hole].fresh(hole - STEP)
    past = span_of(gapped, until=hole)
    (moment,) = moments(by_the_hour(past), past, hole - STEP, votes={}, pools={})
    assert moment.fresh(hole - STEP) == by_end[hole].fresh(hole - STEP)


def test_before_the_first_short_bar_each_hour_is_a_moment(hours, marks):
    """The live world has short bars of two days; a lane that began with them was compared with 120 days of holding."""
    start = int(marks["btc"].time[0]) // HOUR * HOUR + HOUR
    turn = start + 3 * DAY
    instants = [moment.as_of for moment in moments(hours, span_of(marks, since=turn), start, votes={}, pools={})]
    early = list(range(start + HOUR, turn + 1, HOUR))
    assert instants[: len(early)] == early
    assert instants[len(early)] == turn + STEP


def test_an_hour_is_decided_only_once(reading):
    """Gold reopens on Sunday at the end of an hour; its last hour is Friday's, which was already decided."""
    friday, sunday = 22 * HOUR, 72 * HOUR
    moment = still(sunday, gold=2000.0, hours={"gold": reading._replace(time=friday)})
    assert moment.ends_hour(sunday - STEP)
    assert moment.fresh(sunday - STEP) == {}
    assert list(moment.fresh(friday)) == ["gold"]


def test_readings_are_unknown_until_there_are_enough_hours(hours):
    assert readings(empty(HOUR)) == []
    rows = readings(hours["btc"][:400])
    firsts = {"turnover": 0, "deviation": 47, "ceiling": 48, "volatility": 168}
    for name, first in firsts.items():
        assert [np.isfinite(getattr(row, name)) for row in rows] == [False] * first + [True] * (400 - first), name
    assert rolling_mean(np.array([1.0, 3.0, 5.0, 7.0]), 2).tolist() == [1, 2, 4, 6]
    assert rows[48].ceiling == hours["btc"].high[:48].max()


def test_volatility_counts_the_time_of_weekends(hours):
    """Every bar moves by 1%; a metal has fewer bars and so a lower volatility."""
    for asset in ("btc", "gold"):
        bars = hours[asset]
        closes = bars.close[0] * np.exp(0.01 * (np.arange(len(bars)) % 2))
        row = readings(type(bars)(bars.time, closes, closes, closes, closes, bars.volume, HOUR))[-1]
        years = (bars.time[-1] - bars.time[-169]) / (365 * 24 * HOUR)
        assert row.volatility == pytest.approx(0.01 * (168 / years) ** 0.5, rel=1e-9)
    assert row.volatility < 0.01 * 8760**0.5 * 0.9


def view(side: int = 0, vote: LaneVote | None = None, opened_at: int = 0, stop=None, **fields) -> tuple:
    holding = logics.Holding(side, 100.0, 0.0, opened_at, stop) if side else None
    return READING._replace(**fields), holding, vote


def test_a_trend_lasts_until_the_averages_cross():
    assert follow_trend(*view(trend=1.2, volatility=0.4)) == Intent(1)
    assert follow_trend(*view(trend=-1.2, volatility=0.4)) == Intent(-1)
    assert follow_trend(*view(trend=0.8)) == OUT
    assert follow_trend(*view(1, trend=0.1)).side == 1
    assert follow_trend(*view(1, trend=-0.1)) == OUT
    assert follow_trend(*view(1, trend=-1.1)).side == -1
    assert follow_trend(*view(trend=2.0, volatility=0.8)).weight == 0.5, "higher volatility reduces it"
    assert follow_trend(*view(trend=2.0, volatility=0.1)).weight == 1


def test_an_extreme_is_faded_once_the_price_returns():
    """It is left at the mean or after two days."""
    for before, now, intent in ((-2.5, -1.9, Intent(1)), (2.5, 1.9, Intent(-1)), (-2.5, -2.4, OUT), (-1.9, -1.5, OUT)):
        assert fade_deviation(*view(deviation_before=before, deviation=now)) == intent
    for side, now, entry, intent in ((1, -0.5, 90, Intent(1)), (1, 0.1, 90, OUT), (-1, 0.5, 53, OUT)):
        assert fade_deviation(*view(side, deviation=now, opened_at=entry * HOUR)) == intent
    assert fade_deviation(*view(-1, deviation=0.5, opened_at=54 * HOUR)) == Intent(-1)


def test_a_breakout_has_a_stop_three_true_ranges_away():
    assert break_out(*view(close=110, ceiling=109, true_range=2)) == Intent(1, stop=104)
    assert break_out(*view(close=90, ceiling=109, floor=91, true_range=2)) == Intent(-1, stop=96)
    assert break_out(*view(close=100, ceiling=109, floor=91, true_range=2)) == OUT
    assert break_out(*view(1, stop=104, high=120, true_range=2)).stop == 114, "it trails the price"
    assert break_out(*view(1, stop=104, high=105, true_range=2)).stop == 104
    assert break_out(*view(-1, stop=96, low=80, true_range=2)).stop == 86
    assert break_out(*view(-1, stop=96, low=95, true_range=2)).stop == 96


@pytest.mark.parametrize(
    ("state", "intent"),
    [
        (view(vote=LaneVote(0.8, 0.5)), Intent(1, 0.5)),
        (view(vote=LaneVote(0.2, 0.5)), Intent(1, 1.0)),
        (view(vote=LaneVote(0.8, 0.6)), Intent(1, pytest.approx(0.6))),
        (view(vote=LaneVote(0.8, 0.4)), Intent(1, pytest.approx(0.4))),
        (view(volatility=0.8), Intent(1, 0.5)),
        (view(1, volatility=nan), Intent(1)),
        (view(1, vote=LaneVote(0.4, 0.455)), Intent(1)),
        (view(1, vote=LaneVote(0.8, 0.5)), Intent(1, 0.5)),
    ],
)
def test_a_forecast_of_more_volatility_wants_less(state, intent):
    """The weight is .4 over the volatility a year, times twice P(up), at most 1.

    Without a forecast that of last week counts. A position of weight 1 is kept at .91 and reduced to .9 and below.
    """
    assert follow_forecast(*state) == intent


@pytest.mark.parametrize("logic", [follow_trend, fade_deviation, break_out, follow_forecast])
def test_unknown_readings_open_nothing(logic):
    assert logic(*view(**dict.fromkeys(HourReading._fields[1:], nan))) == OUT
