"""Pages of events from the rows of the ledger, as one caller may see them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.forecasting.predictions import Settlement
from service.jobs.committing import keep_settlement
from service.store import notifications, predictions
from tests.forecasting.markets import MONDAY, waiting
from tests.receiver import trade


def test_a_page_ends_with_the_last_row_it_looked_at(database):
    """Rows that are no events are passed over."""
    seqs = [*trade(database, 2), *trade(database, 1, backfilled=True)]
    with database.reading() as db:
        page = notifications.events_after(db, seqs[0], "simulated", None)
        assert ([event.id for event in page.events], page.last) == ([seqs[1]], seqs[2])
        assert notifications.events_after(db, 99, "simulated", None) == notifications.EventPage((), 99)


def test_a_full_page_goes_on_behind_its_last_row(database, monkeypatch):
    monkeypatch.setattr(notifications, "EVENTS_AT_ONCE", 2)
    seqs = trade(database, 3)
    with database.reading() as db:
        page = notifications.events_after(db, 0, "simulated", None)
        assert ([event.id for event in page.events], page.last) == (seqs[:2], seqs[1])
        assert [event.id for event in notifications.events_after(db, page.last, "simulated", None).events] == seqs[2:]


@pytest.mark.parametrize(
    ("caller", "seen"),
    [(None, False), ("key:1a", True), ("key:1a:alice", True), ("key:1a:bob", False), ("key:1", False)],
)
def test_an_answer_is_seen_by_its_caller_alone(database, caller: str | None, seen: bool):
    """And by the delegating key of its caller."""
    answer = replace(waiting("a", opened=MONDAY), category="answer", author="key:1a:alice", odds=None)
    with database.writing() as db:
        predictions.add_predictions(db, [answer])
        keep_settlement(db, "a", Settlement("no", MONDAY + 90_000, "a bar", "bars"), MONDAY + 90_000)
        page = notifications.events_after(db, 0, "simulated", caller)
    assert [event.type for event in page.events] == ["answer.resolved"] * seen
