"""Bars kept in memory are those of the database, whatever is stored meanwhile."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from service.market.bars import Bars, equal
from service.market.instants import DAY, HOUR
from service.store import bars
from service.store.bars import HourlyBars
from service.store.database import Database
from tests.store.test_bars import START, walk

WHOLE = walk(START + HOUR * np.arange(20 * 24), HOUR)
END = int(WHOLE.time[-1]) + HOUR
ASSETS = (f"asset{number}" for number in count())  # one for each example
DAYS = some.integers(0, 20)
SPANS = some.tuples(DAYS, DAYS)
CHANGES = some.tuples(DAYS, some.integers(1, 60), some.floats(0.5, 2))


@pytest.fixture(scope="module")
def shared(migrated_sqlite: Path, tmp_path_factory) -> Iterator[Database]:
    """A database for all examples."""
    file = shutil.copy(migrated_sqlite, tmp_path_factory.mktemp("hourly"))
    with closing(Database(f"sqlite:///{file}")) as database:
        yield database


def store(database: Database, part: Bars, asset: str = "btc") -> None:
    with database.writing() as db:
        bars.renew_bars(db, asset, part)


def other(part: Bars, factor: float) -> Bars:
    """The same bars with other prices."""
    return replace(part, close=part.close * factor, high=part.high * 2)


def loads_alike(database: Database, memory: HourlyBars, asset: str = "btc", since: int = START, until: int = END):
    with database.reading() as db:
        (loaded,) = memory.load(db, {asset: since}, until).values()
        return equal(loaded, bars.load_bars(db, asset, since, until, HOUR))


@given(steps=some.lists(some.tuples(CHANGES, SPANS), max_size=10))
def test_memory_and_database_never_differ(shared, steps):
    """Bars are added at the end, into gaps and in place of earlier ones; any span is asked for in between."""
    memory, asset = HourlyBars(), next(ASSETS)
    for (day, hours, factor), (since, until) in steps:
        store(shared, other(WHOLE[day * 24 : day * 24 + hours], factor), asset)
        assert loads_alike(shared, memory, asset, START + since * DAY, START + until * DAY)
        assert loads_alike(shared, memory, asset)


def test_a_gap_of_the_past_is_seen_when_it_is_filled(database):
    """Also where the gap is older than what is read every time."""
    memory = HourlyBars()
    store(database, WHOLE[:24])
    store(database, WHOLE[48:])
    assert loads_alike(database, memory)
    store(database, WHOLE[24:48])
    assert loads_alike(database, memory)


@pytest.mark.parametrize("place", range(-76, -68))
def test_a_bar_is_seen_where_memory_ends(database, place):
    """It is built anew about three days before the newest one."""
    memory = HourlyBars()
    store(database, WHOLE)
    assert loads_alike(database, memory)
    store(database, other(WHOLE[place : place + 1], 1.01))
    assert loads_alike(database, memory)


def test_bars_that_were_stored_already_are_no_revision(database):
    """A source may answer with them every minute; only a new one is a change."""
    with database.writing() as db:
        bars.add_bars(db, "btc", WHOLE[24:])
        bars.add_bars(db, "btc", WHOLE[24:])
        assert bars.bars_revision(db, "btc") == 0
        bars.add_bars(db, "btc", WHOLE)
        assert bars.bars_revision(db, "btc") == 1
