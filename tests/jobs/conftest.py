from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import structlog
from sqlalchemy import inspect

from service.store.database import Database


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
