from __future__ import annotations

import pytest

from service.errors import WrongWorld
from service.market.clock import WorldClock
from service.store import world

REPLAY = {
    "fingerprint": "abc",
    "step": 3600,
    "history_from": 1_000_000,
    "clock": WorldClock("replay", world_origin=5_000_000, wall_origin=2_000_000_000, speed=60.0, ends=9_000_000),
}


def settle(database, wall: float = 2_000_000_000, **changes) -> world.Settled:
    with database.writing() as db:
        return world.settle(db, wall=wall, **(REPLAY | changes))


def test_the_first_start_settles_what_the_feed_says(database):
    settled = settle(database)
    assert settled == world.Settled(REPLAY["clock"], 3600, 1_000_000)


def test_a_later_start_goes_on_with_the_clock_and_the_history_of_the_first(database):
    first = settle(database)
    later = WorldClock("replay", world_origin=5_000_000, wall_origin=2_000_500_000, speed=60.0, ends=9_000_000)
    assert settle(database, wall=2_000_500_000, clock=later, history_from=1_700_000) == first


def test_another_speed_goes_on_from_the_present_world_instant(database):
    settle(database)
    faster = WorldClock("replay", world_origin=5_000_000, wall_origin=2_000_000_100, speed=600.0, ends=9_000_000)
    clock = settle(database, wall=2_000_000_100.7, clock=faster).clock
    assert clock.at(2_000_000_100) == 5_000_000 + 100 * 60
    assert clock.at(2_000_000_110) == 5_000_000 + 100 * 60 + 10 * 600
    assert clock.ends == 9_000_000
    assert settle(database, wall=2_000_000_200, clock=faster).clock == clock


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"fingerprint": "xyz"}, "'xyz'"),
        ({"step": 300}, "300 s"),
        ({"clock": WorldClock("simulated")}, "the simulated world"),
    ],
)
def test_another_world_is_refused_with_what_is_stored_what_was_asked_and_what_to_do(database, changes, named):
    settle(database)
    with pytest.raises(WrongWorld) as caught:
        settle(database, **changes)
    assert "the replay world 'abc' in bars of 3600 s" in caught.value.detail
    assert named in caught.value.detail
    assert "use another DATA_DIR or DATABASE_URL" in caught.value.detail
