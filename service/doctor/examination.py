"""All checks of the settings: those that need nothing of each other run at the same time."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack, closing

from service.config import Settings
from service.doctor.checks import Check, Finding, begin
from service.doctor.seats import model_seats, seat_checks
from service.doctor.stores import address_of, broker_check, database_check, is_missing, redis_check
from service.doctor.world import Options, world_checks
from service.sources.llm.budget import Spending, SpendingInMemory
from service.store import migrations
from service.store.database import Database
from service.store.spending import StoredSpending


def examine(
    settings: Settings, now: Callable[[], float] = time.time, exchanges: Options | None = None
) -> list[Finding]:
    """What came of every part that the settings name; nothing is written but what language models cost.

    `now` is the wall clock, `exchanges` maps the name of an exchange to arguments for its ccxt constructor.
    SettingsError, before anything is asked, where the settings cannot be used.
    """
    wall = int(now())
    models, parts = model_seats(settings), _parts(settings, wall, exchanges)
    with ExitStack() as opened:
        database, *others = begin(parts)
        # What models cost is kept where the service keeps it, if that can be had.
        spending = _spending(settings, opened) if models and database().works else SpendingInMemory()
        seats = begin(seat_checks(settings, models, spending, wall))
        return [finding() for finding in (database, *others, *seats)]


def _parts(settings: Settings, wall: int, exchanges: Options | None) -> list[Check]:
    parts = [database_check(settings)]
    if settings.redis_url.get_secret_value():
        parts.append(redis_check(settings))
    if settings.broker_url.get_secret_value():
        parts.append(broker_check(settings))
    return [*parts, *world_checks(settings, wall, exchanges)]


def _spending(settings: Settings, opened: ExitStack) -> Spending:
    """That of the settings' database; in memory where the first start has not made its tables yet."""
    if is_missing(address_of(settings)):
        return SpendingInMemory()
    database = opened.enter_context(closing(Database(settings.database)))
    with database.reading() as db:
        is_made = migrations.current(db) == migrations.head()
    return StoredSpending(database) if is_made else SpendingInMemory()
