"""A store in a new file, a second one over the same file, and what they hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.store import Alert, Store

ANN, BEN = 11, 22
GROUP = -100
QUESTION = "Will Bitcoin be above 60,000 USD?"


class Clock:
    """A clock that a test sets."""

    def __init__(self, now: datetime = datetime(2026, 11, 21, 8, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def move(self, **time: float) -> None:
        self.now += timedelta(**time)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "var" / "bot.sqlite"


@pytest.fixture
def store(file: Path, clock: Clock) -> Iterator[Store]:
    with closing(Store(file, clock)) as store:
        yield store


@pytest.fixture
def again(file: Path, clock: Clock) -> Iterator[Store]:
    """The same file, opened by another process or after a restart."""
    with closing(Store(file, clock)) as store:
        yield store


def alert(user: int = ANN, event: str = "flip", key: str = "noon", text: str = "", until: float = 4e9) -> Alert:
    """An alert whose text is its key."""
    return Alert(user, event, key, user, silent=False, text=text or key, until=until)
