from __future__ import annotations

import pytest
from sqlalchemy import select

from service.errors import WrongWorld
from service.market.instants import WorldClock
from service.store import world
from service.store.tables import heartbeat as table

REPLAY = {
    "fingerprint": "abc",
    "step": 3600,
    "history_from": 1_000_000,
    "clock": WorldClock("replay", world_origin=5_000_000, wall_origin=2_000_000_000, speed=60.0, ends=9_000_000),
}


def claim(database, wall: float = 2_000_000_000, **changes) -> world.StoredWorld:
    with database.writing() as db:
        return world.claim_world(db, wall=wall, **(REPLAY | changes))


def test_the_first_start_stores_the_world_of_the_feed(database):
    assert claim(database) == world.StoredWorld(REPLAY["clock"], 3600, 1_000_000)


def test_a_later_start_keeps_the_first_clock_and_history(database):
    first = claim(database)
    later = WorldClock("replay", world_origin=5_000_000, wall_origin=2_000_500_000, speed=60.0, ends=9_000_000)
    assert claim(database, wall=2_000_500_000, clock=later, history_from=1_700_000) == first


def test_another_speed_continues_from_the_present_instant(database):
    claim(database)
    faster = WorldClock("replay", world_origin=5_000_000, wall_origin=2_000_000_100, speed=600.0, ends=9_000_000)
    clock = claim(database, wall=2_000_000_100.7, clock=faster).clock
    assert clock.at(2_000_000_100) == 5_000_000 + 100 * 60
    assert clock.at(2_000_000_110) == 5_000_000 + 100 * 60 + 10 * 600
    assert clock.ends == 9_000_000
    assert claim(database, wall=2_000_000_200, clock=faster).clock == clock


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"fingerprint": "xyz"}, "'xyz'"),
        ({"step": 300}, "300 s"),
        ({"clock": WorldClock("simulated")}, "the simulated world"),
    ],
)
def test_another_world_is_refused_with_advice(database, changes, words):
    claim(database)
    with pytest.raises(WrongWorld) as error:
        claim(database, **changes)
    assert "the replay world 'abc' in bars of 3600 s" in error.value.detail
    assert words in error.value.detail
    assert "use another DATA_DIR or DATABASE_URL" in error.value.detail


def test_only_the_last_beat_is_stored(database):
    with database.writing() as db:
        world.beat(db, 10)
        world.beat(db, 12)
    with database.reading() as db:
        assert db.scalars(select(table.c.at)).all() == [12]
