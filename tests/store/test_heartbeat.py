from __future__ import annotations

from service.store import heartbeat


def test_the_last_beat_is_read_back(database):
    with database.reading() as db:
        assert heartbeat.last(db) is None
    with database.writing() as db:
        heartbeat.beat(db, 10)
        heartbeat.beat(db, 12)
    with database.reading() as db:
        assert heartbeat.last(db) == 12
