"""The inputs of the voters are stored once under their hash and read in pages."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from hashlib import sha256

import pytest
from sqlalchemy.dialects import sqlite

from service.forecasting.predictions import Prediction
from service.forecasting.predictions.commitments import VoteInputs
from service.store import knowledge
from service.store.database import Database
from service.store.pages import PageKey
from tests.forecasting.markets import MONDAY, waiting


def voted(inputs: str | None = "{}", at: int = MONDAY, asset: str = "btc") -> Prediction:
    """A market with votes that were cast from these inputs."""
    market = waiting(f"{asset}-{at}", opened=at, asset=asset)
    features = sha256((inputs or "").encode()).hexdigest()
    assert market.commitment
    return replace(market, commitment=replace(market.commitment, features=features, inputs=inputs))


def row(inputs: str = "{}", at: int = MONDAY, asset: str = "btc") -> VoteInputs:
    return VoteInputs(sha256(inputs.encode()).hexdigest(), at, asset, inputs)


def keep(database, *markets: Prediction) -> None:
    with database.writing() as db:
        knowledge.add_vote_inputs(db, markets)


def page(database, asset=None, since=0, until=2**40, limit=99, after=None) -> list[VoteInputs]:
    with database.reading() as db:
        return knowledge.vote_inputs_page(db, asset, since, until, limit, after)


def test_inputs_that_votes_share_are_stored_once(database):
    """With the instant of the first vote, whichever is stored first within a batch."""
    keep(database, voted(at=MONDAY + 300), voted(), voted('{"fits":null}'))
    keep(database, voted(at=MONDAY + 600), voted())
    assert page(database) == sorted([row(), row('{"fits":null}')])


def test_votes_without_inputs_store_nothing(database):
    """Those that were read from the store, and predictions without votes."""
    keep(database, voted(None), replace(voted(), commitment=None))
    assert page(database) == []


def test_inputs_are_found_by_their_hash(database):
    keep(database, voted('{"a":1}'), voted('{"a":2}'))
    with database.reading() as db:
        assert knowledge.find_vote_inputs(db, row('{"a":2}').hash) == row('{"a":2}')
        assert knowledge.find_vote_inputs(db, "0" * 64) is None


def test_pages_join_to_the_whole(database):
    """In order of the votes; at one instant in order of the hash."""
    markets = [voted(f'{{"n":{n}}}', MONDAY + n // 4, ("btc", "eth")[n % 2]) for n in range(12)]
    keep(database, *markets)
    whole = page(database)
    assert whole == sorted(whole, key=lambda each: (each.voted_at, each.hash))
    seen: list[VoteInputs] = []
    after = None
    while part := page(database, limit=5, after=after):
        seen, after = seen + part, PageKey(part[-1].voted_at, part[-1].hash)
    assert (seen, len(seen)) == (whole, 12)
    assert page(database, asset="eth") == [each for each in whole if each.asset == "eth"]
    assert page(database, since=MONDAY + 1, until=MONDAY + 1) == whole[4:8]


@pytest.mark.parametrize("asset", [None, "eth"])
@pytest.mark.parametrize("after", [None, PageKey(MONDAY, "0" * 64)])
def test_a_page_follows_an_index(sqlite_url: str, asset: str | None, after: PageKey | None):
    """So the last page costs what the first one costs."""
    query = knowledge.vote_inputs_query(asset, MONDAY, MONDAY + 9, after).limit(9)
    sql = str(query.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))
    with closing(Database(sqlite_url)) as database, database.reading() as db:
        plan = " ".join(str(row) for row in db.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}"))
    assert f"USING INDEX ix_vote_input_{'asset_' if asset else ''}voted_at_hash" in plan
    assert "TEMP B-TREE" not in plan
