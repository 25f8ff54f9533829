from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import structlog
from sqlalchemy import Table

import app
from service.jobs import prices
from service.market.instants import DAY, HOUR
from service.store.database import Database
from tests.jobs import mortal
from tests.jobs.live import DAYS, SEED, LiveFeed, Outside, serving_outside
from tests.jobs.plant import Plant
from tests.running_service import START, RunningService, copied, running_service
from tests.sources.conftest import coinbase, kraken  # noqa: F401 - fixtures
from tests.store import conftest as store

db = store.db  # the fixture


@pytest.fixture(autouse=True)
def log_events() -> Iterator[list[dict]]:
    """What was logged."""
    with structlog.testing.capture_logs() as events:
        yield events


@pytest.fixture
def journal(database: Database) -> Iterator[Table]:
    """The table that jobs in these tests write to."""
    with database.writing() as db:
        mortal.journal.create(db)
    yield mortal.journal
    with database.writing() as db:
        mortal.journal.drop(db)


@pytest.fixture(scope="session")
def later(seeded: Path, made_once) -> Path:
    """The same 48 hours later. One of the seven jumps is an hour long: what it tells is told in time."""

    def fill(folder: Path) -> None:
        shutil.copytree(seeded, folder)
        with running_service(folder) as service:
            for hours in (4, 2, 1, 6, 11, 12, 12):
                service.move(hours * HOUR)

    return made_once("later", fill)


@pytest.fixture
def house(seeded: Path, tmp_path: Path) -> Iterator[RunningService]:
    """A service after its first start, for one test."""
    with running_service(copied(seeded, tmp_path)) as service:
        yield service


@pytest.fixture
def plant(database: Database, journal: Table) -> Plant:
    return Plant(database, journal)


@pytest.fixture
def old_house(later: Path, tmp_path: Path) -> Iterator[RunningService]:
    """A service 48 hours after its first start, for one test."""
    with running_service(copied(later, tmp_path / "later"), wall=START + 48 * HOUR) as service:
        yield service


@pytest.fixture(scope="session")
def outside_world() -> Iterator[Outside]:
    """The servers of the outside markets and of the news source."""
    with serving_outside() as outside:
        yield outside


@contextmanager
def live_prices() -> Iterator[None]:
    """Prices that need no exchange, and all of their past at the first tick."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "open_feed", lambda _, wall: LiveFeed(SEED, wall - wall % DAY - DAYS * DAY))
        patch.setattr(prices, "LIVE_SPAN_S", 2 * DAYS * DAY)
        yield


@pytest.fixture
def live_world() -> Iterator[None]:
    """`live_prices` for one test."""
    with live_prices():
        yield


@pytest.fixture(scope="session")
def live_data(outside_world: Outside, made_once) -> Path:
    """The data of a live service after its first start, when every source answered."""

    def fill(folder: Path) -> None:
        with live_prices(), running_service(folder, **outside_world.options) as service:
            service.work()
            service.move(60)  # the list is published every minute; the second one has the imported markets

    return made_once("live", fill)


@pytest.fixture
def world(outside_world: Outside) -> Outside:
    outside_world.reset()
    return outside_world


@pytest.fixture
def live(live_world, live_data: Path, world: Outside, tmp_path: Path) -> Iterator[RunningService]:
    with running_service(copied(live_data, tmp_path), wall=START + 60, **world.options) as service:
        yield service
