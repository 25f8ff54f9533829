"""What faults cost a whole service: two web and two job processes on PostgreSQL and Redis, asked all the while.

A part of `make scale`. After each fault: how long until the service answers again. At the end: whether the ledger
verifies, and whether every key was charged for its answers alone.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path

import httpx
from sqlalchemy import make_url

from service.ledger.verifier import verify
from service.store import ledger
from service.store.database import Database
from tests import processes
from tests.conftest import schema_of_its_own
from tests.measure import asking, servers
from tests.measure.fleet import APPLICATION, Target, strikes
from tests.measure.servers import Server
from tests.own_redis import OwnRedis
from tests.processes import wait_until

WEB, WORK = "a web process", "a job process"
CALLERS = 4
PAUSE_S = 1.0  # between the questions of a caller: a key has 100 a day
BEFORE_S, AFTER_S = 2.0, 2.0
MOST_S = 30.0  # until the service answers again
REFUNDED_S = 240.0  # until what a fault left charged is refunded


@dataclass
class Caller:
    """What a key was answered: the status of each request, 0 where the answer was lost on the way."""

    key: str
    statuses: list[int] = field(default_factory=list)  # threads append, which loses nothing
    stopping: threading.Event = field(default_factory=threading.Event)

    @property
    def answered(self) -> int:
        """The questions that were answered."""
        return self.statuses.count(200)

    @property
    def unknown(self) -> int:
        """The requests of which only the service knows whether they were answered."""
        return self.statuses.count(0)

    def is_fair(self, used: int) -> bool:
        """Whether the key was charged for its answers, neither more nor less."""
        return self.answered <= used <= self.answered + self.unknown

    def ask(self, address: str, number: int) -> bool:
        """Ask one question; returns whether it was answered."""
        question = {"question": f"Will bitcoin rise more than {1 + number / 100:g}% this week?"}
        status, headers = 0, {"X-API-Key": self.key}
        with suppress(httpx.TransportError):
            status = httpx.post(f"{address}/api/v1/oracle", json=question, headers=headers, timeout=40).status_code
        self.statuses.append(status)
        return status == 200

    def ask_on(self, address: str, numbers: Iterator[int]) -> None:
        """Ask until it is stopped."""
        while not self.stopping.wait(PAUSE_S):
            self.ask(address, next(numbers))


@contextmanager
def started(database: str, redis: OwnRedis) -> Iterator[tuple[Server, Target, dict[str, str]]]:
    """A service of two web and two job processes, and its settings."""
    with ExitStack() as stack:
        url = stack.enter_context(schema_of_its_own(make_url(database).set(drivername="postgresql+psycopg")))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = {"DATA_DIR": str(folder), "DATABASE_URL": url, "REDIS_URL": redis.url, "HISTORY_DAYS": "60"}
        settings |= {"LOG_LEVEL": "error", "PGAPPNAME": APPLICATION}
        command = [sys.executable, "app.py"]
        work = stack.enter_context(
            processes.running([*command, "work", "--processes", "2"], folder / "work.log", **settings)
        )
        web = stack.enter_context(
            servers.running([*command, "web", "--processes", "2"], "/api/v1/prices", ready="/readyz", **settings)
        )
        store = stack.enter_context(closing(Database(url)))
        yield web, Target(redis, store, {WEB: web.pid, WORK: work.pid}), settings


def answers_after(server: Server, caller: Caller, numbers: Iterator[int], strike: Callable[[], None]) -> float:
    """Seconds from a fault until the service is ready and answers a question, at most 60; callers ask all the while."""
    threads = [threading.Thread(target=caller.ask_on, args=(server.address, numbers)) for _ in range(CALLERS)]
    for thread in threads:
        thread.start()
    time.sleep(BEFORE_S)
    struck = time.monotonic()
    strike()
    with suppress(AssertionError):  # it does not answer in time
        wait_until(lambda: _is_ready(server) and caller.ask(server.address, next(numbers)), 2 * MOST_S)
    seconds = time.monotonic() - struck
    time.sleep(AFTER_S)
    caller.stopping.set()
    for thread in threads:
        thread.join()
    return seconds


def _is_ready(server: Server) -> bool:
    with suppress(httpx.TransportError):
        return httpx.get(f"{server.address}/readyz", timeout=5).status_code == 200
    return False


def used(server: Server, caller: Caller) -> int:
    """The calls that a key was charged for today."""
    return int(httpx.get(f"{server.address}/api/v1/me", headers={"X-API-Key": caller.key}).json()["used"])


def measure(database: str, redis: OwnRedis) -> int:
    """Print the table; returns how many promises were not kept."""
    missed, numbers, callers = 0, count(), dict[str, Caller]()
    print(f"\n{'with two web and two job processes':<48}{'seconds until answers':>22}")
    with started(database, redis) as (server, target, settings):
        for number, (name, strike) in enumerate(strikes([WEB, WORK]).items()):
            callers[name] = Caller(_key(settings, number))
            seconds = answers_after(server, callers[name], numbers, partial(strike, target))
            missed += seconds > MOST_S
            print(f"{name:<48}{seconds:>22.1f}", flush=True)
        with suppress(AssertionError):
            wait_until(lambda: all(each.is_fair(used(server, each)) for each in callers.values()), REFUNDED_S)
        print(f"\n{'':<48}{'answered':>12}{'lost on the way':>17}{'charged':>10}")
        for name, caller in callers.items():
            charged = used(server, caller)
            missed += not caller.is_fair(charged)
            print(f"{name:<48}{caller.answered:>12}{caller.unknown:>17}{charged:>10}")
        with target.database.reading() as db:
            verification = verify(ledger.export(db))
    print(f"the ledger: {verification.fault or f'{verification.rows:,} rows, valid'}", flush=True)
    return missed + bool(verification.fault)


def _key(settings: Mapping[str, str], number: int) -> str:
    return asking.key(settings, "--plan", "paid", owner=f"caller-{number}")
