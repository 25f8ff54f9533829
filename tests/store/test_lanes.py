"""The lanes as stored: no bar twice, events in their order, windows with both ends."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import IntegrityError

from service.market.instants import DAY, HOUR
from service.store import lanes
from service.store.pages import lane_states
from service.trading.lanes.lane import LaneBar, LaneVote

BARS = [LaneBar(300, 10_000.0, "waiting"), LaneBar(600, 10_001.5, "in_market"), LaneBar(900, 9_999.0, "in_market")]
NEUTRAL, UP, DOWN = (LaneVote(0.6, p_up) for p_up in (0.5, 0.6, 0.4))


def event(time: int, note: str) -> dict:
    return {"time": time, "note": note}


def test_a_state_is_stored_with_the_bars_that_led_to_it(db):
    lanes.advance_lane(db, "trend", {"cash": 1.0}, BARS[:2], [])
    lanes.advance_lane(db, "trend", {"cash": 2.0}, BARS[2:], [])
    lanes.advance_lane(db, "reversion", {"cash": 3.0}, BARS[:1], [])
    assert lanes.lane_bars(db, "trend", 0, 1000, 10) == BARS
    assert lane_states.every(db) == {"reversion": {"cash": 3.0}, "trend": {"cash": 2.0}}


def test_without_a_bar_nothing_is_stored(db):
    lanes.advance_lane(db, "trend", {"cash": 1.0}, [], [event(300, "lost")])
    assert (lane_states.find(db, "trend"), lanes.lane_events(db, "trend", 0, 1000, 10)) == (None, [])


def test_a_bar_is_stored_once(db):
    """The transaction of a second writer fails as a whole: its state and its later bars are not stored."""
    lanes.advance_lane(db, "trend", {"cash": 1.0}, BARS[:2], [])
    with pytest.raises(IntegrityError), db.begin_nested():
        lanes.advance_lane(db, "trend", {"cash": 2.0}, BARS[1:], [])
    assert lanes.lane_bars(db, "trend", 0, 1000, 10) == BARS[:2]
    assert lane_states.find(db, "trend") == {"cash": 1.0}


def test_old_bars_are_thinned_to_full_hours(db):
    """So three years of a lane are not a million rows; newer bars stay as they are.

    A lane that stood still for half a year has older bars too; what is thinned once is not looked at again.
    """
    old, new = (range(begins + 600, begins + 60 * DAY, 600) for begins in (0, 240 * DAY))
    bars, before = [LaneBar(at, 10_000.0 + at, "waiting") for at in (*old, *new)], 270 * DAY + 1
    parts = {"trend": bars, "reversion": bars[:100]}
    count = sum(bar.as_of % HOUR != 0 and bar.as_of < before for part in parts.values() for bar in part)
    for lane, part in parts.items():
        lanes.advance_lane(db, lane, {"cash": 1.0}, part, [])
    assert [lanes.thin_lane_bars(db, before) for _ in range(2)] == [count, 0]
    rows = lanes.lane_bars(db, "trend", 0, 300 * DAY, 20_000)
    assert rows == [bar for bar in bars if bar.as_of % HOUR == 0 or bar.as_of >= before]


def test_windows_contain_both_ends_and_at_most_the_limit(db):
    """Events of one instant keep their order."""
    notes = [event(300, "closes"), event(300, "opens"), event(600, "closes"), event(900, "opens")]
    lanes.advance_lane(db, "trend", {}, BARS, notes)
    assert lanes.lane_bars(db, "trend", 300, 600, 10) == lanes.lane_bars(db, "trend", 0, 1000, 2) == BARS[:2]
    assert lanes.lane_events(db, "trend", 600, 900, 10) == notes[2:]
    assert lanes.lane_events(db, "trend", 0, 1000, 10) == notes
    assert lanes.lane_events(db, "trend", 0, 1000, 1) == notes[:1]


def test_the_highest_equity_is_that_before_an_instant(db):
    """A lane without an earlier bar has none."""
    lanes.advance_lane(db, "trend", {}, BARS, [])
    lanes.advance_lane(db, "reversion", {}, BARS[2:], [])
    assert lanes.equity_peaks(db, ["trend", "reversion"], 600) == {"trend": 10_000.0}
    assert lanes.equity_peaks(db, ["trend", "reversion"], 1000) == {"trend": 10_001.5, "reversion": 9_999.0}
    assert lanes.equity_peaks(db, ["reversion"], 1000) == {"reversion": 9_999.0}


def test_the_newest_events_continue_after_a_key(db):
    """Three events of one instant are on two pages."""
    events = [event(300, "a"), event(600, "b"), event(600, "c"), event(600, "d"), event(900, "e")]
    lanes.advance_lane(db, "trend", {}, BARS, events)
    lanes.advance_lane(db, "reversion", {}, BARS, events[:1])
    first = lanes.newest_events(db, "trend", 0, 600, 2)
    rest = lanes.newest_events(db, "trend", 0, 600, 9, first[-1][0])
    assert [body["note"] for _, body in (*first, *rest)] == ["d", "c", "b", "a"]


def test_votes_are_read_from_an_hour_on(db):
    """Before an hour they are the last of each asset; a second run of the same hour adds only what is missing."""
    lanes.add_hourly_votes(db, HOUR, {"btc": NEUTRAL})
    lanes.add_hourly_votes(db, HOUR, {"btc": UP, "eth": DOWN})
    lanes.add_hourly_votes(db, 2 * HOUR, {"btc": UP})
    lanes.add_hourly_votes(db, 3 * HOUR, {})
    votes = {HOUR: {"btc": NEUTRAL, "eth": DOWN}, 2 * HOUR: {"btc": UP}}
    assert lanes.hourly_votes_since(db, 0) == lanes.hourly_votes_since(db, HOUR) == votes
    assert (lanes.hourly_votes_since(db, 2 * HOUR + 1), lanes.hourly_votes_before(db, HOUR)) == ({}, {})
    assert lanes.hourly_votes_before(db, 2 * HOUR) == votes[HOUR]
    assert lanes.hourly_votes_before(db, 3 * HOUR) == {"btc": UP, "eth": DOWN}
