"""What is kept in memory is what the database lists."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from service.forecasting.predictions.scores.columns import columns_of
from service.jobs.committing import keep_opened, keep_settlement
from service.store import ledger, predictions
from service.store.listings import ListedMarkets
from tests.store.test_predictions import DEADLINE, YES, answer, bare, keep, stored

NUMBERS = ("resolved_at", "voted_at", "happened", "is_challenge", "template", "quoted", "p", "is_sided")


def lists_alike(database, memory: ListedMarkets) -> bool:
    with database.reading() as db:
        listed = columns_of(predictions.listed_predictions(db))
        columns = memory.load(db).columns()
    assert all(np.array_equal(getattr(columns, name), getattr(listed, name), equal_nan=True) for name in NUMBERS)
    return [without_reasoning(market) for market in columns.market] == listed.market.tolist()


def without_reasoning(market):
    if market.commitment is None:
        return market
    votes = tuple(
        replace(vote, ballot=replace(vote.ballot, forecast=replace(vote.ballot.forecast, reasoning="")))
        for vote in market.votes
    )
    return replace(market, commitment=replace(market.commitment, votes=votes))


def test_what_is_settled_is_read_once_more_and_kept(database):
    """Settled before, settled meanwhile, new and settled at once, still open; answers are not listed."""
    memory = ListedMarkets()
    keep(database, stored("old", settlement=YES), stored("open"), bare("late"), stored("dare", number=1), answer("no"))
    assert lists_alike(database, memory)
    for id in ("open", "dare"):
        with database.writing() as db:
            keep_settlement(db, id, YES, DEADLINE + 2)
        assert lists_alike(database, memory)
    keep(database, stored("new"))
    with database.writing() as db:
        keep_opened(db, [stored("past", settlement=YES)], DEADLINE + 3)
    assert lists_alike(database, memory)
    assert lists_alike(database, memory)


def test_nothing_is_read_again_that_was_settled(database):
    """A change of a settled market, which nothing makes, would not be seen: its rows are not read."""
    memory = ListedMarkets()
    keep(database, stored("one", settlement=YES))
    assert lists_alike(database, memory)
    with database.writing() as db:
        db.exec_driver_sql("UPDATE prediction SET rule = 'another'")
    assert not lists_alike(database, memory)


def test_rows_of_one_kind_are_found_between_two_others(database):
    """The first is excluded, the last is not."""
    with database.writing() as db:
        keep_settled(db, "one", "two", "three")
        first, *_, last = [entry.seq for entry in ledger.entries(db, 1, 100, kind="resolution")]
        assert ledger.subjects(db, "resolution", 0, last) == ["one", "two", "three"]
        assert ledger.subjects(db, "resolution", first, last - 1) == ["two"]


def keep_settled(db, *ids: str) -> None:
    for id in ids:
        predictions.add_predictions(db, [stored(id)])
        keep_settlement(db, id, YES, DEADLINE + 2)
