"""Looking a column up in many keys, on both databases."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from sqlalchemy.dialects import sqlite

from service.store import predictions
from service.store.database import Database, is_among
from service.store.tables import prediction
from tests.forecasting.markets import waiting

IDS = ("plain", 'quo"ted', "brace{,}", "back\\slash", "ünïcode")


@pytest.fixture
def stored(database: Database) -> Database:
    with database.writing() as db:
        predictions.add_predictions(db, [waiting(id) for id in IDS])
    return database


@pytest.mark.parametrize("keys", [IDS[:1], IDS[1:], IDS, ("absent",), ()])
def test_only_rows_of_the_keys_are_found(stored: Database, keys: tuple[str, ...]):
    """A key may hold whatever an array or JSON gives a meaning to."""
    with stored.reading() as db:
        ids = db.scalars(select(prediction.c.id).where(is_among(prediction.c.id, keys))).all()
    assert set(ids) == set(keys) & set(IDS)


def test_ten_thousand_keys_are_one_parameter(stored: Database):
    keys = [*map(str, range(10_000)), "plain"]
    with stored.reading() as db:
        assert db.scalars(select(prediction.c.id).where(is_among(prediction.c.id, keys))).all() == ["plain"]


def test_two_lookups_of_one_query_are_apart(stored: Database):
    both = is_among(prediction.c.id, IDS[:2]) & is_among(prediction.c.id, IDS[1:3])
    with stored.reading() as db:
        assert db.scalars(select(prediction.c.id).where(both)).all() == [IDS[1]]


def test_the_condition_of_sqlite_can_use_an_index():
    """It uses none for a condition that is compared with 1."""
    query = select(prediction.c.id).where(is_among(prediction.c.id, IDS))
    assert "= 1" not in str(query.compile(dialect=sqlite.dialect()))
