"""The last root is signed by authorities outside: again until it is, and never at the cost of the root."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from service.config import Settings
from service.jobs import committing
from service.jobs.job import JobContext
from service.ledger.roots import Root
from service.ledger.verifier import verify
from service.market.instants import DAY, HOUR, WorldClock, iso
from service.store import ledger
from service.store.database import Database
from tests.authorities import Authority, authority
from tests.jobs.contexts import context_of
from tests.ledger import books


@pytest.fixture(scope="module")
def tsa(tmp_path_factory) -> Iterator[Authority]:
    with authority(tmp_path_factory.mktemp("authority") / "tsa") as server:
        yield server


@pytest.fixture
def now() -> int:
    return int(time.time())


@pytest.fixture
def context(sqlite_database: Database, tsa: Authority) -> JobContext:
    """A job context whose operator names an authority."""
    settings = Settings(ledger_tsa_urls=(tsa.url,), ledger_tsa_certificates=tsa.certificates)
    return replace(context_of(sqlite_database), settings=settings)


def seal(context: JobContext, at: int) -> Root:
    """A row and a root over it, signed at a unix second."""
    with context.database.writing() as db:
        ledger.append(db, books.rows(1), at - HOUR)
        root = ledger.seal(db, iso(at)[:10], books.SEED, at)
    assert root
    return root


def stamp(context: JobContext, at: int) -> list[str]:
    """The days of the roots that are timestamped after a slot of the job."""
    effects = committing.stamp(context, at)
    with context.database.writing() as db:
        effects(db)
        return [timestamp.day for timestamp in ledger.timestamps(db)]


def test_the_last_root_is_timestamped_once(context, tsa: Authority, now: int):
    assert stamp(context, now) == []
    root = seal(context, now)
    assert stamp(context, now) == stamp(context, now) == [root.day]
    assert len(list(tsa.folder.glob("reply"))) == 1
    with context.database.reading() as db:
        result = verify(ledger.export(db), certificates=context.settings.authorities)
    assert (result.fault, result.timestamps, result.stamped_seq) == (None, 1, 1)


def test_a_failure_is_logged_and_tried_again(context, tsa: Authority, now: int, log_events):
    """The root stands meanwhile; the job itself does not fail."""
    root = seal(context, now)
    tsa.failures[:] = [503]
    assert stamp(context, now) == []
    assert [event["event"] for event in log_events] == ["source_failed"]
    assert stamp(context, now + 600) == [root.day]


def test_one_authority_does_not_wait_for_another(context, tsa: Authority, now: int):
    urls = ("http://127.0.0.1:1/away", tsa.url)
    context = replace(context, settings=context.settings.model_copy(update={"ledger_tsa_urls": urls}))
    root = seal(context, now)
    assert stamp(context, now) == [root.day]


def test_a_root_that_would_be_stale_is_not_stamped(context, now: int):
    seal(context, now - DAY - HOUR)
    assert stamp(context, now) == []


@pytest.mark.parametrize(("world", "urls", "is_wanted"), [("live", 1, True), ("live", 0, False), ("replay", 1, False)])
def test_roots_of_a_replay_are_never_stamped(context, world: str, urls: int, is_wanted: bool):
    settings = context.settings.model_copy(update={"ledger_tsa_urls": context.settings.ledger_tsa_urls[:urls]})
    context = replace(context, settings=settings, clock=WorldClock(world))
    with context.database.reading() as db:
        assert committing.names_authorities(db, context) is is_wanted
