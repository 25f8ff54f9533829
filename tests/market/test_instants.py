"""Instants as unix seconds and as text."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from service.market.instants import WorldClock, iso, iso_all, unix


def test_an_instant_is_written_in_utc_with_z():
    assert iso(1_798_761_599) == "2026-12-31T23:59:59Z"


@given(st.integers(0, 2**35))
def test_an_instant_survives_its_text(time: int):
    assert unix(iso(time)) == time


@given(st.lists(st.integers(0, 2**35), max_size=5))
def test_many_instants_are_written_like_one(times: list[int]):
    assert iso_all(np.array(times, dtype=np.int64)) == [iso(time) for time in times]


def test_an_offset_is_converted_to_utc():
    assert unix("2027-01-01T01:59:59+02:00") == 1_798_761_599


REPLAY = WorldClock("replay", world_origin=1_700_000_000, wall_origin=1_900_000_000, speed=60, ends=1_700_006_000)


def test_a_simulated_world_uses_wall_time():
    assert WorldClock("simulated").at(1_900_000_000.9) == 1_900_000_000
    assert not WorldClock("simulated").has_ended(1_900_000_000)


def test_a_replay_begins_at_its_origin_and_runs_at_its_speed():
    assert REPLAY.at(1_900_000_000) == 1_700_000_000
    assert REPLAY.at(1_900_000_010) == 1_700_000_600


def test_a_slow_replay_counts_whole_seconds_that_have_passed():
    clock = WorldClock("replay", world_origin=100, wall_origin=0, speed=0.25)
    assert [clock.at(wall) for wall in (0, 3, 4, 7.9, 8)] == [100, 100, 101, 101, 102]


def test_a_replay_stops_at_the_end_of_its_data():
    assert REPLAY.at(1_900_000_100) == REPLAY.at(1_999_999_999) == 1_700_006_000
    assert REPLAY.has_ended(1_700_006_000)
    assert not REPLAY.has_ended(1_700_005_999)


@given(st.floats(0, 4e9), st.floats(0, 1e6), st.floats(0.001, 86400))
def test_world_time_never_runs_backwards(wall, later, speed):
    clock = WorldClock("replay", world_origin=1_700_000_000, wall_origin=0, speed=speed)
    assert clock.at(wall) <= clock.at(wall + later)
