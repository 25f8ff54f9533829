from __future__ import annotations

from sqlalchemy import select

from service.store import world
from service.store.tables import heartbeat as table


def test_only_the_last_beat_is_stored(database):
    with database.writing() as db:
        world.beat(db, 10)
        world.beat(db, 12)
    with database.reading() as db:
        assert db.scalars(select(table.c.at)).all() == [12]
