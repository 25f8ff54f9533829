"""Scores that are kept equal scores that are computed again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from service.jobs import memory
from service.jobs.committing import keep_settlement
from service.jobs.memory import ScoreMemory
from service.store import predictions
from service.store.database import Database
from tests.forecasting.markets import HEADER
from tests.store.test_predictions import DEADLINE, POSITION, YES, bare, keep, stored

LATER = replace(HEADER, timestamp="2026-04-01T16:00:00Z", as_of="2026-04-01T15:55:00Z")


@pytest.fixture
def computed(monkeypatch) -> list[int]:
    """The number of markets at each computation, as it happens."""
    counts: list[int] = []
    compute = memory.compute

    def counting(listed, *rest):
        counts.append(len(listed))
        return compute(listed, *rest)

    monkeypatch.setattr(memory, "compute", counting)
    return counts


def read(database: Database, memory: ScoreMemory, header=HEADER):
    with database.reading() as db:
        return memory.read(db, header, header)


def settle(database: Database, id: str) -> None:
    with database.writing() as db:
        keep_settlement(db, id, YES, DEADLINE + 2)


def test_scores_are_computed_again_after_a_change_alone(database, computed):
    """A settlement, a new market and votes are changes; that an hour has passed is none."""
    memory = ScoreMemory()
    keep(database, stored("one", settlement=YES), stored("two"))
    read(database, memory)
    read(database, memory)
    assert computed == [2]
    settle(database, "two")
    read(database, memory)
    keep(database, bare("three"))
    read(database, memory)
    read(database, memory)
    assert computed == [2, 2, 3]
    with database.writing() as db:
        predictions.add_commitment(db, "three", stored("three").commitment, POSITION)
    read(database, memory)
    assert computed == [2, 2, 3, 3]


def test_kept_scores_equal_those_computed_anew(database):
    """After every change and without one, under the header of the present slot."""
    memory = ScoreMemory()
    for id in ("one", "two", "three"):
        keep(database, stored(id))
        for header in (HEADER, LATER):
            assert_alike(read(database, memory, header), read(database, ScoreMemory(), header))
        settle(database, id)
        for header in (LATER, HEADER):
            assert_alike(read(database, memory, header), read(database, ScoreMemory(), header))


def assert_alike(scores, anew) -> None:
    for name in ("streaks", "shadow", "versus", "own"):
        assert getattr(scores, name) == getattr(anew, name)
    assert scores.history.times == anew.history.times
    places = range(len(anew.history.times))
    assert [scores.history.question_at(place) for place in places] == [
        anew.history.question_at(place) for place in places
    ]
    assert np.array_equal(scores.counted.pool, anew.counted.pool)
