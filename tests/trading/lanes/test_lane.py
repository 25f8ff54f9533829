"""The way of a lane through bars, and which hours a moment shows as new."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from service.market.bars import join, resample
from service.market.instants import DAY, HOUR
from service.trading.lanes import LANES, LaneBar, moments
from service.trading.lanes.lane import changed
from tests.trading.lanes.runs import STEP, flat, shown


@pytest.mark.parametrize("name", list(LANES))
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
    assert first.bars + second.bars == [
        LaneBar(moment.as_of, state.equity, state.status)
        for moment, state in zip(simulated.moments, states, strict=False)
    ]
    assert first.events + second.events == [asdict(event) for state in states for event in state.events]


@pytest.fixture
def reading(simulated):
    """A reading of the hour that begins at 0."""
    return next(iter(simulated.moments[-1].readings.values()))._replace(time=0)


@pytest.mark.parametrize(
    ("time", "since", "is_fresh"),
    [
        (HOUR - STEP, HOUR - STEP, True),
        (HOUR - STEP, HOUR - 1, True),
        (HOUR - STEP, HOUR, False),
        (HOUR, HOUR, False),
        (HOUR, HOUR - STEP, True),
        (2 * HOUR - STEP, HOUR, False),
    ],
)
def test_a_reading_is_fresh_in_the_first_bar_after_its_hour(reading, time, since, is_fresh):
    """`since` is the end of the lane's last bar; the last case is the end of the next hour, whose bars are missing."""
    moment = shown(time, {"btc": flat(time, 100.0)}, hours={"btc": reading})
    assert moment.fresh(since) == ({"btc": reading} if is_fresh else {})


def test_a_closed_market_has_no_fresh_reading(reading):
    assert shown(HOUR - STEP, {"btc": flat(0, 1.0)}, hours={"gold": reading}).fresh(0) == {}


def test_a_changed_state_is_a_copy(simulated):
    state = simulated.states["trend"][0]
    after = changed(state, cash=1.0)
    assert (after.cash, after.as_of, type(after)) == (1.0, state.as_of, type(state))
    assert state.cash != 1.0


def test_an_hour_with_a_gap_is_decided_at_the_next_bar(hours, marks):
    """Ether's last bars of an hour are missing; the hour is complete once the next one has a bar."""
    hole = int(marks["eth"].time[0]) + 20 * DAY
    whole = marks["eth"]
    torn = marks | {"eth": join([whole.until(hole - 600), whole.since(hole + 600)])}
    by_the_hour = {asset: resample(bars, HOUR) for asset, bars in torn.items()}
    shown = {moment.as_of: moment for moment in moments(by_the_hour, torn, hole - HOUR, votes={}, pools={})}
    assert "eth" not in shown[hole].fresh(hole - STEP)
    assert "btc" in shown[hole].fresh(hole - STEP)
    past = {asset: bars.until(hole) for asset, bars in torn.items()}
    live = {asset: resample(bars, HOUR) for asset, bars in past.items()}
    (moment,) = moments(live, past, hole - STEP, votes={}, pools={})
    assert moment.fresh(hole - STEP) == shown[hole].fresh(hole - STEP)


def test_an_hour_is_decided_only_once(reading):
    """Gold reopens on Sunday at the end of an hour; its last hour is Friday's, which was already decided."""
    friday, sunday = 22 * HOUR, 72 * HOUR
    late = shown(sunday, {"gold": flat(sunday, 2000.0)}, hours={"gold": reading._replace(time=friday)})
    assert late.ends_hour(sunday - STEP)
    assert late.fresh(sunday - STEP) == {}
    assert list(late.fresh(friday)) == ["gold"]
