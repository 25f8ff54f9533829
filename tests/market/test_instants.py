"""Instants as unix seconds and as text, months, and the headers of documents that are computed from bars."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.market import months
from service.market.headers import header, month_header
from service.market.instants import DAY, HOUR, WorldClock, iso, iso_all, unix
from service.market.months import month_starts


def test_an_instant_is_written_in_utc_with_z():
    assert iso(1_798_761_599) == "2026-12-31T23:59:59Z"
    assert unix("2027-01-01T01:59:59+02:00") == 1_798_761_599


AS_OF = 1_800_000_000
REPLAY = WorldClock("replay", world_origin=1_700_000_000, wall_origin=1_900_000_000, speed=60, ends=1_700_006_000)


@given(st.lists(st.integers(0, 2**35), max_size=5))
def test_instants_survive_their_text(times: list[int]):
    """Many are written like one."""
    texts = iso_all(np.array(times, dtype=np.int64))
    assert (texts, [unix(text) for text in texts]) == ([iso(time) for time in times], times)


def test_a_simulated_world_uses_wall_time():
    """A replay begins at its origin, runs at its speed in whole seconds and stops at the end of its data."""
    assert WorldClock("simulated").at(1_900_000_000.9) == 1_900_000_000
    assert not WorldClock("simulated").has_ended(1_900_000_000)
    seconds = {0: 0, 10: 600, 100: 6000, 99_999_999: 6000}
    assert {second: REPLAY.at(1_900_000_000 + second) - 1_700_000_000 for second in seconds} == seconds
    assert [REPLAY.has_ended(1_700_005_999), REPLAY.has_ended(1_700_006_000)] == [False, True]
    clock = WorldClock("replay", world_origin=100, wall_origin=0, speed=0.25)
    assert [clock.at(wall) for wall in (0, 3, 4, 7.9, 8)] == [100, 100, 101, 101, 102]


def at(*date: int) -> int:
    """The unix second at which a day or month begins."""
    return int(datetime(*(*date, 1)[:3], tzinfo=UTC).timestamp())


def test_months_begin_on_their_first_day_in_utc():
    """At midnight, where the one before ends."""
    assert month_starts(at(2024, 11, 2), at(2025, 2, 15)) == [at(2024, 12), at(2025, 1), at(2025, 2)]
    assert month_starts(at(2025, 3), at(2025, 3, 2)) == [at(2025, 3)]
    assert [months.begins("2024-02"), months.ends("2024-02")] == [at(2024, 2), at(2024, 3)]
    assert months.ends("2024-12") == at(2025, 1)
    assert (months.month_of(at(2025, 1)), months.month_before("2025-01")) == ("2025-01", "2024-12")


def test_months_with_a_whole_day_are_examined_when_over():
    since, until = months.begins("2025-01") + 10 * DAY, months.begins("2025-03")
    assert months.closed_months(since, until) == ["2025-01", "2025-02"]
    assert months.closed_months(since, until - 1) == ["2025-01"]
    assert months.closed_months(months.begins("2025-02") - 5, until) == ["2025-02"]
    assert months.closed_months(since, since) == []


@pytest.mark.parametrize(("step", "every_s", "stale_s"), [(300, 0, 900), (HOUR, 0, 3 * HOUR), (300, HOUR, HOUR + 900)])
def test_it_is_stale_after_one_interval_and_three_bars(step: int, every_s: int, stale_s: int):
    result = header(AS_OF + 7, AS_OF, step=step, world="replay", sources={"btc": "a file"}, every_s=every_s)
    assert (result.timestamp, result.as_of, result.stale_after) == (iso(AS_OF + 7), iso(AS_OF), iso(AS_OF + stale_s))
    assert (result.world, result.sources) == ("replay", {"btc": "a file"})


@pytest.mark.parametrize(
    ("month", "as_of", "stale_after"), [("2023-12", "2024-01", "2024-02"), ("2024-01", "2024-02", "2024-03")]
)
def test_a_month_is_stale_once_the_next_month_has_closed(month: str, as_of: str, stale_after: str):
    """Whenever it was computed; the second case is the leap February of 2024."""
    result = month_header(AS_OF, month, world="live", sources={"btc": "a file"})
    instants = (iso(AS_OF), f"{as_of}-01T00:00:00Z", f"{stale_after}-01T00:00:00Z")
    assert (result.timestamp, result.as_of, result.stale_after) == instants
    assert (result.world, result.sources) == ("live", {"btc": "a file"})
