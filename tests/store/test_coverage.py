"""Coverage in the database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from service.market.coverage import Coverage
from service.store import bars

UNUSED = Coverage(0, 5)


def test_a_change_comes_back_as_it_was_stored(database):
    """Where bars are wanted from is that of the last change."""
    with database.writing() as db:
        assert bars.find_coverage(db, "btc", 300) is None
        before, after = bars.change_coverage(db, "btc", 300, UNUSED, lambda first: first.answered((10, 20), 20, "a"))
        assert (before, bars.find_coverage(db, "btc", 300)) == (UNUSED, after)
        bars.change_coverage(db, "btc", 300, Coverage(7, 30), lambda stored: stored)
        assert bars.find_coverage(db, "btc", 300) == replace(after, wanted_from=7)


def test_changes_at_the_same_time_are_all_kept(database):
    """The tick and the history may store spans of one asset at once."""

    def answer(place: int) -> None:
        with database.writing() as db:
            bars.change_coverage(
                db, "eth", 300, UNUSED, lambda stored: stored.answered((20 * place, 20 * place + 10), 9, "a")
            )

    with ThreadPoolExecutor(4) as executor:
        list(executor.map(answer, range(12)))
    with database.reading() as db:
        assert len(bars.find_coverage(db, "eth", 300).windows) == 12


def test_histories_are_of_assets_that_were_asked_for(database):
    """An asset before its first fetch is not among them."""
    with database.writing() as db:
        for step in (300, 3600):
            bars.change_coverage(db, "btc", step, UNUSED, lambda first: first.answered((0, 3600), 3600, "a"))
        assert list(bars.histories(db, ("btc", "eth"), 300, 3600)) == ["btc"]
