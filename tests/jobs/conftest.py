from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import structlog
from sqlalchemy import inspect

from service.market.instants import HOUR
from service.store.database import Database
from tests.houses import Residents, copied, resident


@pytest.fixture(autouse=True)
def logged() -> Iterator[list[dict]]:
    """What was logged."""
    with structlog.testing.capture_logs() as events:
        yield events


@pytest.fixture(scope="session")
def mortal() -> ModuleType:
    """The program that is killed in the tests, as a module."""
    spec = importlib.util.spec_from_file_location("mortal", Path(__file__).with_name("mortal.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def applied(database: Database, mortal: ModuleType) -> Iterator:
    """The table that jobs in these tests write to."""
    with database.writing() as db:
        mortal.applied.create(db)
    yield mortal.applied
    with database.writing() as db:
        mortal.applied.drop(db)
        assert not inspect(db).has_table("applied")


@pytest.fixture(scope="session")
def furnished(tmp_path_factory) -> Path:
    """The data of a service after its first start in the simulated world."""
    folder = tmp_path_factory.mktemp("furnished")
    with resident(folder) as residents:
        residents.work()
    return folder


@pytest.fixture(scope="session")
def later(furnished: Path, tmp_path_factory) -> Path:
    """The same 48 hours later. One of the seven jumps is an hour long: what it tells is told in time."""
    folder = copied(furnished, tmp_path_factory.mktemp("later"))
    with resident(folder) as residents:
        for hours in (4, 2, 1, 6, 11, 12, 12):
            residents.move(hours * HOUR)
    return folder


@pytest.fixture
def house(furnished: Path, tmp_path: Path) -> Iterator[Residents]:
    """A service after its first start, for one test."""
    with resident(copied(furnished, tmp_path)) as residents:
        yield residents
