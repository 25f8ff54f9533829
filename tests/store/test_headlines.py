"""Each headline is stored once, as it was first read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.forecasting.news.headline import ScoredHeadline, headline
from service.store import knowledge
from service.store.pages import PageKey


def read(title: str = "Bitcoin rises", at: int = 1000, score: float = 0.1 + 0.2, **fields) -> ScoredHeadline:
    fields = {"url": "https://example.com/1", "simulated": False} | fields
    return ScoredHeadline(headline(title, "The Desk", at, **fields), score, ("btc", "gold"))


def keep(database, *scored: ScoredHeadline) -> None:
    with database.writing() as db:
        knowledge.add_headlines(db, scored)


def since(database, instant: int) -> list[ScoredHeadline]:
    with database.reading() as db:
        return knowledge.headlines_since(db, instant)


@pytest.mark.parametrize("fields", [{}, {"url": None}, {"simulated": True}, {"title": "Bitcoin fällt — ₿ \U0001f4c9"}])
def test_a_headline_comes_back_as_it_went_in(database, fields):
    keep(database, read(**fields))
    assert since(database, 0) == [read(**fields)]


def test_a_stored_headline_is_never_replaced(database):
    """The same headline in another batch, or twice in one, changes nothing."""
    keep(database, read())
    keep(database, read(at=2000, score=-1.0), read("Gold falls"), read("Gold falls", score=0.9))
    assert since(database, 0) == sorted([read(), read("Gold falls")], key=lambda each: each.headline.id)


def test_headlines_since_an_instant_come_oldest_first(database):
    keep(database, *(read(f"Story {at}", at) for at in (3000, 1000, 2000)))
    assert [each.headline.published_at for each in since(database, 2000)] == [2000, 3000]
    assert since(database, 3001) == []


def test_headlines_of_one_instant_come_by_id(database):
    keep(database, *(read(f"Story {n}") for n in range(9)))
    ids = [each.headline.id for each in since(database, 0)]
    assert ids == sorted(ids)


def test_an_empty_batch_is_allowed(database):
    keep(database)
    assert since(database, 0) == []


def test_the_instant_of_the_newest_is_read(database):
    with database.reading() as db:
        assert knowledge.last_headline_at(db) is None
    keep(database, read("Story 1", 3000), read("Story 2", 1000), read("Story 3", 2000))
    with database.reading() as db:
        assert knowledge.last_headline_at(db) == 3000


def test_pruning_deletes_everything_before_an_instant(database):
    keep(database, *(read(f"Story {at}", at) for at in (1000, 2000, 3000)))
    with database.writing() as db:
        knowledge.prune_headlines(db, 2000)
    assert [each.headline.published_at for each in since(database, 0)] == [2000, 3000]


def test_a_headline_that_was_deleted_may_come_again(database):
    keep(database, read())
    with database.writing() as db:
        knowledge.prune_headlines(db, 5000)
    keep(database, replace(read(), score=0.5))
    assert since(database, 0) == [replace(read(), score=0.5)]


def test_the_newest_headlines_continue_after_a_key(database):
    keep(database, *(read(f"Story {n}", 1000 + n // 3) for n in range(9)))
    with database.reading() as db:
        first = knowledge.newest_headlines(db, 1001, 1002, 4)
        last = first[-1].headline
        rest = knowledge.newest_headlines(db, 1001, 1002, 9, PageKey(last.published_at, last.id))
    assert [*first, *rest] == since(database, 1001)[::-1]
