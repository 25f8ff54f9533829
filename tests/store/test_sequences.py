"""Sequences that are computed from the beginning every time are stored once and read in pages."""

from __future__ import annotations

from contextlib import closing
from itertools import product

import pytest
from sqlalchemy import event

from service.store import pages
from service.store.database import Database
from service.store.pages import PageKey

Row = tuple[int, str]


def keep(database: Database, *rows: Row) -> None:
    with database.writing() as db:
        pages.keep_sequence(db, "streaks", [at for at, _ in rows], lambda place: {"note": rows[place][1]})


def newest(database: Database, since: int = 0, until: int = 99, limit: int = 99, after: PageKey | None = None):
    with database.reading() as db:
        return pages.newest_rows(db, "streaks", since, until, limit, after)


def notes(database: Database, **selection) -> list[str]:
    return [row.body["note"] for row in newest(database, **selection)]


def test_rows_are_added_at_the_end(database):
    keep(database, (1, "a"), (2, "b"))
    keep(database, (1, "a"), (2, "b"), (2, "c"))
    assert notes(database) == ["c", "b", "a"]


@pytest.mark.parametrize("changed", [[(1, "a"), (1, "x"), (2, "b")], [(1, "a")], [], [(1, "a"), (3, "b")]])
def test_rows_after_a_change_are_replaced(database, changed: list[Row]):
    """A gap that is filled late adds a row between others, removes the last one or moves it."""
    keep(database, (1, "a"), (2, "b"))
    keep(database, *changed)
    assert notes(database) == [note for _, note in reversed(changed)]


def test_sequences_do_not_touch_each_other(database):
    keep(database, (1, "a"))
    with database.writing() as db:
        pages.keep_sequence(db, "fund_trades", [5], lambda _: "a trade")
        pages.keep_sequence(db, "fund_trades", [], lambda _: "nothing")
    assert notes(database) == ["a"]


@pytest.mark.parametrize("times", [[], [3], [1, 1, 2, 4, 4, 4, 4, 6]])
def test_pages_join_to_the_rows_of_the_window(database, times: list[int]):
    """Of every window, also where a page ends within an instant."""
    keep(database, *((at, str(place)) for place, at in enumerate(times)))
    for since, until in product(range(8), repeat=2):
        seen, after = [], None
        while page := newest(database, since, until, 3, after):
            assert len(page) <= 3
            seen, after = [*seen, *(row.body["note"] for row in page)], page[-1].key
        expected = [str(place) for place, at in enumerate(times) if since <= at <= until]
        assert seen == expected[::-1]


@pytest.mark.parametrize("past", [10, 300])
def test_an_hour_costs_the_same_after_any_past(sqlite_url: str, past: int):
    """One row is compared and one is added; of no other row the body is made."""
    rows = [(place, f"note {place}") for place in range(past + 1)]
    statements, places = [], []

    def body_of(place: int) -> dict:
        places.append(place)
        return {"note": rows[place][1]}

    with closing(Database(sqlite_url)) as database:
        keep(database, *rows[:-1])
        event.listen(database.engine, "before_cursor_execute", lambda *seen: statements.append(seen[2].split()[0]))
        with database.writing() as db:
            pages.keep_sequence(db, "streaks", [at for at, _ in rows], body_of)
    assert statements == ["BEGIN", "SELECT", "SELECT", "INSERT"]
    assert places == [past - 1, past]
