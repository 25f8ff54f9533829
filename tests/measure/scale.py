"""What more processes bring, and what faults cost: the real engine on PostgreSQL.

Jobs and webhooks here only wait, as for a language model or a slow receiver, so two processors are enough for the
ratios. Web processes compute, beside the load itself: their ratios are those of this machine and have no goal. Then a
worker, Redis or the database is killed, frozen or wiped in the middle of the work, and of a whole service.

    python -m tests.measure.scale [DATABASE]    a PostgreSQL that it may use, by default the one of the tests
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from types import MappingProxyType

import httpx
from sqlalchemy import make_url

from service.ledger.verifier import verify
from service.store import ledger
from service.store.database import Database
from tests import processes
from tests.conftest import POSTGRESQL, schema_of_its_own
from tests.measure import load, servers
from tests.measure.fleet import (
    APPLICATION,
    JOB_S,
    KEY_SECRET,
    PATIENCE_S,
    Target,
    fleet,
    receiving,
    strikes,
)
from tests.measure.servers import Server
from tests.processes import OwnRedis, wait_until
from tests.receiver import endpoint, trade

PROCESSES = (1, 2, 4)
JOBS = 48
ENDPOINTS, EVENTS = 32, 4
FAULT_AFTER_S = 1.5
WORKER = "a worker"
GOALS = {2: 1.9, 4: 3.6}
CONNECTIONS, LOAD_S = 16, 5.0
CALLERS, QUESTIONS, WARM_UP = 8, 200, 20
WEB, WORK = "a web process", "a job process"
OUTAGE_CALLERS = 4
PAUSE_S = 1.0  # between the questions of a caller: a key has 100 a day
BEFORE_S, AFTER_S = 2.0, 2.0
MOST_S = 30.0  # until the service answers again
REFUNDED_S = 240.0  # until what a fault left charged is refunded


def jobs_per_second(database: str, workers: int) -> float:
    """How many waiting jobs this many workers do in a second."""
    with fleet(database, workers, JOBS) as processes:
        processes.go()
        began = time.monotonic()
        wait_until(lambda: processes.count("job %")[1] == JOBS, PATIENCE_S)
        return JOBS / (time.monotonic() - began)


def webhooks_per_second(database: str, workers: int) -> float:
    """How many webhooks this many workers deliver in a second to receivers that take their time."""
    with fleet(database, workers) as processes, receiving() as (url, messages):
        for number in range(ENDPOINTS):
            endpoint(processes.database, f"{url}/{number}", 0, secret=KEY_SECRET.encode())
        trade(processes.database, 1)  # the first delivery of a process loads the HTTP library
        wait_until(lambda: len(messages) == ENDPOINTS, PATIENCE_S)
        began = time.monotonic()
        trade(processes.database, EVENTS)
        wait_until(lambda: len(messages) == ENDPOINTS * (1 + EVENTS), PATIENCE_S)
        return ENDPOINTS * EVENTS / (time.monotonic() - began)


@contextmanager
def first_started(database: str, redis: str) -> Iterator[dict[str, str]]:
    """The settings of a service on PostgreSQL and Redis whose first start is over."""
    with ExitStack() as stack:
        url = stack.enter_context(schema_of_its_own(make_url(database).set(drivername="postgresql+psycopg")))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = {"DATA_DIR": str(folder), "DATABASE_URL": url, "REDIS_URL": redis, "LOG_LEVEL": "error"}
        work = [sys.executable, "app.py", "work", "--processes", "1"]
        with processes.running(work, folder / "work.log", **settings), web(settings, 1, "/readyz"):
            pass
        yield settings


def web(settings: Mapping[str, str], number: int, ready: str = "/healthz"):
    """So many web processes behind one port."""
    command = [sys.executable, "app.py", "web", "--processes", str(number)]
    return servers.running(command, "/api/v1/prices", ready=ready, **settings)


def gets_per_second(settings: Mapping[str, str], addresses: Iterator[str], number: int) -> float:
    """How many GETs of a document so many web processes answer in a second."""
    with web(settings, number) as server:
        return load.rate(server.port, server.path, seconds=LOAD_S, connections=CONNECTIONS, addresses=addresses)


def answers_per_second(settings: Mapping[str, str], key: str, numbers: Iterator[int], number: int) -> float:
    """How many questions so many web processes answer in a second, with embedded engines."""
    with web(settings, number) as server, ThreadPoolExecutor(CALLERS) as callers, httpx.Client() as client:

        def ask(questions: int) -> float:
            began = time.monotonic()
            for answer in callers.map(lambda _: servers.ask(client, server, key, next(numbers)), range(questions)):
                answer.raise_for_status()
            return questions / (time.monotonic() - began)

        ask(WARM_UP)
        return ask(QUESTIONS)


def fault(database: str, redis: OwnRedis, strike: Callable[[Target], None]) -> tuple[float, int, int]:
    """Seconds from a fault until all work is done, and how many jobs were lost and doubled."""
    with fleet(database, 2, JOBS) as processes:
        processes.go()
        time.sleep(FAULT_AFTER_S)
        struck = time.monotonic()
        strike(Target(redis, processes.database, {WORKER: processes.supervisor.pid}))
        wait_until(lambda: processes.count("job %")[1] == JOBS, PATIENCE_S)
        seconds = time.monotonic() - struck
        time.sleep(2 * JOB_S)  # what is done twice is done within this time
        rows, subjects = processes.count("job %")
        return seconds, JOBS - subjects, rows - subjects


def measure(database: str = POSTGRESQL) -> int:
    """Print the table; the exit code is 1 where a goal is missed."""
    redis, misses = OwnRedis(), 0
    try:
        rates = {"waiting jobs": partial(jobs_per_second, database), "webhooks": partial(webhooks_per_second, database)}
        for name, rate in rates.items():
            misses += _compare(name, rate, GOALS)
        with first_started(database, redis.url) as settings:
            _compare("GETs", partial(gets_per_second, settings, load.sources()))
            _compare("answers of the oracle", partial(answers_per_second, settings, servers.key(settings), count()))
        print(f"\n{'with two workers':<48}{'seconds until done':>20}{'lost':>8}{'doubled':>10}")
        nothing: dict[str, Callable[[Target], None]] = {"nothing happens": lambda _target: None}
        for name, strike in (nothing | strikes([WORKER])).items():
            seconds, losses, doubles = fault(database, redis, strike)
            misses += bool(losses or doubles)
            print(f"{name:<48}{seconds:>20.1f}{losses:>8}{doubles:>10}", flush=True)
        misses += measure_outages(database, redis)
    finally:
        redis.stop()
    return 1 if misses else 0


def _compare(name: str, rate: Callable[[int], float], goals: Mapping[int, float] = MappingProxyType({})) -> int:
    """Print one line for each number of processes; returns how many goals are missed."""
    misses, base = 0, 0.0
    for number in PROCESSES:
        result = rate(number)
        base = base or result
        ratio, goal = result / base, goals.get(number, 0.0)
        misses += ratio < goal
        figures = f"{result:8.2f} a second, {ratio:4.2f} times one" + (f" (at least {goal:g})" if goal else "")
        print(f"{'ok  ' if ratio >= goal else 'MISS'} {name}, processes {number}: {figures}", flush=True)
    return misses


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

    def is_fair(self, units: int) -> bool:
        """Whether the key was charged for its answers, neither more nor less."""
        return self.answered <= units <= self.answered + self.unknown

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
    threads = [threading.Thread(target=caller.ask_on, args=(server.address, numbers)) for _ in range(OUTAGE_CALLERS)]
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


def measure_outages(database: str, redis: OwnRedis) -> int:
    """Print the table; returns how many promises were not kept."""
    misses, numbers, callers = 0, count(), dict[str, Caller]()
    print(f"\n{'with two web and two job processes':<48}{'seconds until answers':>22}")
    with started(database, redis) as (server, target, settings):
        for number, (name, strike) in enumerate(strikes([WEB, WORK]).items()):
            callers[name] = Caller(_key(settings, number))
            seconds = answers_after(server, callers[name], numbers, partial(strike, target))
            misses += seconds > MOST_S
            print(f"{name:<48}{seconds:>22.1f}", flush=True)
        with suppress(AssertionError):
            wait_until(lambda: all(caller.is_fair(used(server, caller)) for caller in callers.values()), REFUNDED_S)
        print(f"\n{'':<48}{'answered':>12}{'lost on the way':>17}{'charged':>10}")
        for name, caller in callers.items():
            units = used(server, caller)
            misses += not caller.is_fair(units)
            print(f"{name:<48}{caller.answered:>12}{caller.unknown:>17}{units:>10}")
        with target.database.reading() as db:
            verification = verify(ledger.export(db))
    print(f"the ledger: {verification.fault or f'{verification.rows:,} rows, valid'}", flush=True)
    return misses + bool(verification.fault)


def _key(settings: Mapping[str, str], number: int) -> str:
    return servers.key(settings, "--plan", "paid", owner=f"caller-{number}")


if __name__ == "__main__":
    sys.exit(measure(*sys.argv[1:]))
