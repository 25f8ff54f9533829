"""The doctor calls every configured source and seat once and reports what works, how fast and at what cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

from service.config import Settings
from service.doctor.checks import Finding
from service.doctor.seats import configured_seats, seat_checks
from service.doctor.sources import UP_TO_DATE, Options, source_checks, store_checks
from service.sources.llm.limits import SpendingInMemory
from service.sources.sessions import use_proxy
from service.store.database import Database
from service.store.quotas import StoredSpending


def examine(settings: Settings, now: Callable[[], float] = time.time, exchanges: Options = None) -> list[Finding]:
    """The findings of all parts that the settings name; the only thing stored is what language models cost.

    `now` is the wall clock, `exchanges` maps the name of an exchange to arguments for its ccxt constructor.
    Raises SettingsError, before any check runs, where the settings cannot be used.
    """
    use_proxy(settings)
    settings = settings if settings.world else settings.in_world("live")  # what a first start would ask
    wall, seats = int(now()), configured_seats(settings)
    check_database, *checks = [*store_checks(settings), *source_checks(settings, wall, exchanges)]
    database, spending = check_database(), SpendingInMemory()
    with ExitStack() as stack:
        if database.detail == UP_TO_DATE:
            spending = StoredSpending(stack.enter_context(closing(Database(settings.database))))
        checks += seat_checks(seats, settings, spending, wall)
        with ThreadPoolExecutor(len(checks)) as executor:
            return [database, *executor.map(lambda check: check(), checks)]
