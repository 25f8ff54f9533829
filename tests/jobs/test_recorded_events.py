"""What the jobs record in the ledger, as the events that integrators get."""

from __future__ import annotations

from collections import Counter

import pytest
from sqlalchemy import update

from service.market.instants import HOUR, unix
from service.notifications.events import Event
from service.store import ledger, notifications
from service.store.tables import hourly_vote
from tests.running_service import START, RunningService


def events_after(house: RunningService, seq: int) -> list[Event]:
    """All public events after a row."""
    database, found_events = house.runtime.database, []
    while True:
        with database.reading() as db:
            page = notifications.events_after(db, seq, "simulated", None)
        found_events += page.events
        if page.last == seq:
            return found_events
        seq = page.last


@pytest.mark.slow
def test_four_hours_record_calls_markets_and_changes(house: RunningService):
    """Apex calls every four hours; the direction of an asset differs from the one that is set before."""
    assert {event.type for event in events_after(house, 0)} <= {"market.opened", "apex.called"}
    house.move(HOUR)  # the voters are fitted now, so the consensus lane has its first votes
    with house.runtime.database.writing() as db:
        before = ledger.last_seq(db)
        db.execute(update(hourly_vote).values(p_up=0.01))
    house.move(3 * HOUR)
    recorded = events_after(house, before)
    counts = Counter(event.type for event in recorded)
    assert counts["apex.called"] == 1
    assert counts["consensus.changed"] >= 1
    changes = [event for event in recorded if event.type == "consensus.changed"]
    assert {(change.data.previous, change.data.at.timestamp()) for change in changes} == {
        ("BEARISH", START // HOUR * HOUR + 4 * HOUR)
    }
    assert all(change.data.direction != "BEARISH" for change in changes)
    assert len({change.assets for change in changes}) == len(changes)
    assert [event.id for event in recorded] == sorted(event.id for event in recorded)
    with house.runtime.database.reading() as db:
        rows = ledger.live_entries(db, before, ["apex"], 10)
    assert [unix(row.recorded_at) // HOUR for row in rows] == [(START + 4 * HOUR) // HOUR]
