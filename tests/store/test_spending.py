"""What language models cost, by day."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from service.store.quotas import StoredSpending


def test_a_day_adds_up_and_the_next_begins_at_nothing(database):
    spending = StoredSpending(database)
    assert spending.add("2026-11-21", 1000, 0.5) == (1000, 0.5)
    assert spending.add("2026-11-21", -400, -0.25) == (600, 0.25)
    assert spending.add("2026-11-22", 10, 0.0) == (10, 0.0)


def test_another_process_sees_the_same_total(database):
    """As two instances over one database do, also after a restart."""
    StoredSpending(database).add("2026-11-21", 1000, 0.5)
    assert StoredSpending(database).add("2026-11-21", 0, 0.0) == (1000, 0.5)


def test_concurrent_additions_are_all_counted(database):
    """Each caller sees a different total."""
    spending = StoredSpending(database)
    with ThreadPoolExecutor(8) as executor:
        totals = list(executor.map(lambda _: spending.add("2026-11-21", 1, 0.0)[0], range(40)))
    assert sorted(totals) == list(range(1, 41))
