"""A lane never sees a bar twice, never looks ahead, and a restart changes nothing in it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.market.bars import join, resample
from service.market.instants import DAY, HOUR
from service.trading.lanes import LANES, AlreadySeen, moments, step
from service.trading.pools import ASSUMED_POOLS
from tests.trading.lanes.runs import STEP, Run, flat, shown, text, through_json


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(list(LANES)), cuts=st.lists(st.integers(0, 1999), max_size=12), first=st.integers(0, 6500))
def test_saved_and_loaded_at_any_bar_a_lane_goes_on_byte_for_byte(simulated, name, cuts, first):
    lane, states = LANES[name], simulated.states[name]
    state = through_json(lane, states[first])
    for number, moment in enumerate(simulated.moments[first + 1 : first + 2001]):
        state = step(lane, state, moment)
        state = through_json(lane, state) if number in cuts else state
        assert state == states[first + 1 + number]
    assert text(state) == text(states[min(first + 2000, len(states) - 1)])


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=st.integers(6000, 8600))
def test_a_live_tick_that_knows_only_the_past_does_what_the_backfill_did(simulated, first):
    """Bar by bar, hours made of the bars there were, against the states of the run over everything."""
    states = {name: simulated.states[name][first] for name in LANES}
    for number in range(first + 1, min(first + 15, len(simulated.moments))):
        now = simulated.moments[number].as_of
        known = {asset: bars.until(now) for asset, bars in simulated.marks.items()}
        hours = {asset: resample(bars, HOUR) for asset, bars in known.items()}
        after = states["trend"].as_of
        (moment,) = moments(hours, known, after, votes=simulated.votes, pools=ASSUMED_POOLS)
        states = {name: step(LANES[name], through_json(LANES[name], state), moment) for name, state in states.items()}
        assert {name: text(state) for name, state in states.items()} == {
            name: text(simulated.states[name][number]) for name in LANES
        }


def test_catching_up_after_an_outage_is_the_same_path(simulated):
    middle = simulated.moments[5000].as_of
    later = {asset: bars.since(middle - STEP + 1) for asset, bars in simulated.marks.items()}
    missed = moments(simulated.hours, later, middle, votes=simulated.votes, pools=ASSUMED_POOLS)
    states = {name: simulated.states[name][5000] for name in LANES}
    for moment in missed:
        states = {name: step(LANES[name], state, moment) for name, state in states.items()}
    assert {name: text(state) for name, state in states.items()} == {
        name: text(found[-1]) for name, found in simulated.states.items()
    }


def test_a_hole_at_the_end_of_an_hour_is_decided_upon_at_the_next_bar_of_the_asset(hours, marks):
    """Ether's last bars of an hour are missing: its hour is known to be over once the next one has a bar."""
    hole = int(marks["eth"].time[0]) + 20 * DAY
    whole = marks["eth"]
    torn = marks | {"eth": join([whole.until(hole - 600), whole.since(hole + 600)])}
    by_the_hour = {asset: resample(bars, HOUR) for asset, bars in torn.items()}
    shown = {moment.as_of: moment for moment in moments(by_the_hour, torn, hole - HOUR, votes={}, pools={})}
    assert "eth" not in shown[hole].fresh(hole - STEP)
    assert "btc" in shown[hole].fresh(hole - STEP)
    known = {asset: bars.until(hole) for asset, bars in torn.items()}
    live = {asset: resample(bars, HOUR) for asset, bars in known.items()}
    (moment,) = moments(live, known, hole - STEP, votes={}, pools={})
    assert moment.fresh(hole - STEP) == shown[hole].fresh(hole - STEP)


def test_an_hour_is_decided_upon_once_though_its_asset_trades_again_before_the_next_is_over(reading):
    """Gold opens again just as an hour ends late: its last hour is Friday's, and that was decided on."""
    friday, sunday = 22 * HOUR, 72 * HOUR
    late = shown(sunday, {"gold": flat(sunday, 2000.0)}, hours={"gold": reading._replace(time=friday)})
    assert late.ends_hour(sunday - STEP)
    assert late.fresh(sunday - STEP) == {}
    assert list(late.fresh(friday)) == ["gold"]


@pytest.mark.parametrize("name", list(LANES))
def test_no_bar_is_applied_twice_and_none_out_of_order(simulated, name):
    lane, state = LANES[name], simulated.states[name][500]
    for seen in (500, 499, 0):
        with pytest.raises(AlreadySeen, match=name):
            step(lane, state, simulated.moments[seen])
    assert state == simulated.states[name][500]


def test_what_comes_later_changes_nothing_before(simulated):
    """The look-ahead test: lanes on the first twenty days alone are where they were on all of them."""
    cut = simulated.start + 20 * DAY
    known = {asset: bars.until(cut) for asset, bars in simulated.marks.items()}
    half = Run({asset: resample(bars, HOUR) for asset, bars in known.items()}, known)
    for name in LANES:
        assert half.states[name][-1] == simulated.states[name][len(half.moments) - 1]


def test_a_state_is_small_and_has_no_nan(simulated):
    assert max(len(text(found[-1])) for found in simulated.states.values()) < 2500
