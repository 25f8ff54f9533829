"""A lane processes no bar twice and does not look ahead, and a restart does not change it."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.market.bars import resample
from service.market.instants import DAY, HOUR
from service.trading.lanes import LANES, AlreadySeen, LaneName, moments
from service.trading.pools import ASSUMED_POOLS
from tests.trading.lanes.runs import STEP, Run, text, through_json


@pytest.mark.slow
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(list(LANES)), cuts=st.lists(st.integers(0, 1999), max_size=12), first=st.integers(0, 6500))
def test_a_lane_loaded_at_any_bar_continues_unchanged(simulated, name, cuts, first):
    lane, states = LANES[name], simulated.states[name]
    state = through_json(lane, states[first])
    for number, moment in enumerate(simulated.moments[first + 1 : first + 2001]):
        state = lane.step(state, moment)
        state = through_json(lane, state) if number in cuts else state
        assert state == states[first + 1 + number]
    assert text(state) == text(states[min(first + 2000, len(states) - 1)])


@pytest.mark.slow
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=st.integers(6000, 8600))
def test_a_live_tick_equals_the_backfill(simulated, first):
    """Bar by bar, with hours resampled from past bars only, against the states of the whole run."""
    states = {name: simulated.states[name][first] for name in LANES}
    for number in range(first + 1, min(first + 15, len(simulated.moments))):
        now = simulated.moments[number].as_of
        past = {asset: bars.until(now) for asset, bars in simulated.marks.items()}
        hours = {asset: resample(bars, HOUR) for asset, bars in past.items()}
        after = states["trend"].as_of
        (moment,) = moments(hours, past, after, votes=simulated.votes, pools=ASSUMED_POOLS)
        states = {name: LANES[name].step(through_json(LANES[name], state), moment) for name, state in states.items()}
        assert {name: text(state) for name, state in states.items()} == {
            name: text(simulated.states[name][number]) for name in LANES
        }


def test_catching_up_after_an_outage_is_the_same_path(simulated):
    middle = simulated.moments[5000].as_of
    later = {asset: bars.since(middle - STEP + 1) for asset, bars in simulated.marks.items()}
    missed = moments(simulated.hours, later, middle, votes=simulated.votes, pools=ASSUMED_POOLS)
    states = {name: simulated.states[name][5000] for name in LANES}
    for moment in missed:
        states = {name: LANES[name].step(state, moment) for name, state in states.items()}
    assert {name: text(state) for name, state in states.items()} == {
        name: text(states_of_lane[-1]) for name, states_of_lane in simulated.states.items()
    }


@pytest.mark.parametrize("name", list(LANES))
def test_no_bar_is_applied_twice_and_none_out_of_order(simulated, name):
    lane, state = LANES[name], simulated.states[name][500]
    for seen in (500, 499, 0):
        with pytest.raises(AlreadySeen, match=name):
            lane.step(state, simulated.moments[seen])
    assert state == simulated.states[name][500]


@pytest.mark.slow
def test_later_bars_change_no_earlier_state(simulated):
    """A run over the first twenty days ends in the states that the whole run has then."""
    cut = simulated.start + 20 * DAY
    past = {asset: bars.until(cut) for asset, bars in simulated.marks.items()}
    half = Run({asset: resample(bars, HOUR) for asset, bars in past.items()}, past)
    for name in LANES:
        assert half.states[name][-1] == simulated.states[name][len(half.moments) - 1]


def test_a_state_is_small_and_has_no_nan(simulated):
    assert max(len(text(states[-1])) for states in simulated.states.values()) < 2500


def test_the_type_of_lane_names_lists_all_lanes():
    assert get_args(LaneName) == tuple(LANES)


@pytest.mark.parametrize("name", LANES)
def test_profits_and_losses_add_up_to_the_closed_positions(real, name):
    results = [event.pnl_usd for state in real.states[name] for event in state.events if event.pnl_usd is not None]
    last = real.states[name][-1]
    assert last.trades == len(results)
    assert last.won_usd == pytest.approx(sum(max(0, pnl) for pnl in results))
    assert last.lost_usd == pytest.approx(sum(max(0, -pnl) for pnl in results))
