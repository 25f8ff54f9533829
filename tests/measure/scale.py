"""What more processes bring, and what faults cost: the real engine on PostgreSQL, Redis and RabbitMQ if there is one.

Jobs and webhooks here only wait, as for a language model or a slow receiver, so two processors are enough for the
ratios. Web processes compute, beside the load itself: their ratios are those of this machine and have no goal. Then a
worker, the broker or the database is killed, frozen or wiped in the middle of the work, and of a whole service.

    python -m tests.measure.scale [DATABASE]    a PostgreSQL that it may use, by default the one of the tests
"""

from __future__ import annotations

import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from types import MappingProxyType

import httpx
from sqlalchemy import make_url

from tests import processes
from tests.conftest import POSTGRESQL, RABBITMQ, schema_of_its_own
from tests.measure import asking, load, outages, servers
from tests.measure.fleet import (
    JOB_S,
    KEY_SECRET,
    PATIENCE_S,
    Target,
    fleet,
    receiving,
    strikes,
)
from tests.own_redis import OwnRedis
from tests.processes import wait_until
from tests.receiver import endpoint, trade

PROCESSES = (1, 2, 4)
JOBS = 48
ENDPOINTS, EVENTS = 32, 4
FAULT_AFTER_S = 1.5
WORKER = "a worker"
GOALS = {2: 1.9, 4: 3.6}
CONNECTIONS, LOAD_S = 16, 5.0
CALLERS, QUESTIONS, WARMING = 8, 200, 20


def jobs_per_second(database: str, broker: str, workers: int) -> float:
    """How many waiting jobs this many workers do in a second."""
    with fleet(database, broker, workers, JOBS) as started:
        started.go()
        began = time.monotonic()
        wait_until(lambda: started.count("job %")[1] == JOBS, PATIENCE_S)
        return JOBS / (time.monotonic() - began)


def webhooks_per_second(database: str, broker: str, workers: int) -> float:
    """How many webhooks this many workers deliver in a second to receivers that take their time."""
    with fleet(database, broker, workers) as started, receiving() as (url, received):
        for number in range(ENDPOINTS):
            endpoint(started.database, f"{url}/{number}", 0, secret=KEY_SECRET.encode())
        trade(started.database, 1)  # the first delivery of a process loads the HTTP library
        wait_until(lambda: len(received) == ENDPOINTS, PATIENCE_S)
        began = time.monotonic()
        trade(started.database, EVENTS)
        wait_until(lambda: len(received) == ENDPOINTS * (1 + EVENTS), PATIENCE_S)
        return ENDPOINTS * EVENTS / (time.monotonic() - began)


@contextmanager
def first_started(database: str, broker: str) -> Iterator[dict[str, str]]:
    """The settings of a service on PostgreSQL and Redis whose first start is over."""
    with ExitStack() as stack:
        url = stack.enter_context(schema_of_its_own(make_url(database).set(drivername="postgresql+psycopg")))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = {"DATA_DIR": str(folder), "DATABASE_URL": url, "REDIS_URL": broker, "LOG_LEVEL": "error"}
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
            for answer in callers.map(lambda _: asking.ask(client, server, key, next(numbers)), range(questions)):
                answer.raise_for_status()
            return questions / (time.monotonic() - began)

        ask(WARMING)
        return ask(QUESTIONS)


def fault(database: str, broker: OwnRedis, strike: Callable[[Target], None]) -> tuple[float, int, int]:
    """Seconds from a fault until all work is done, and how many jobs were lost and doubled."""
    with fleet(database, broker.url, 2, JOBS) as started:
        started.go()
        time.sleep(FAULT_AFTER_S)
        struck = time.monotonic()
        strike(Target(broker, started.database, {WORKER: started.supervisor.pid}))
        wait_until(lambda: started.count("job %")[1] == JOBS, PATIENCE_S)
        seconds = time.monotonic() - struck
        time.sleep(2 * JOB_S)  # what is done twice is done within this time
        rows, different = started.count("job %")
        return seconds, JOBS - different, rows - different


def measure(database: str = POSTGRESQL) -> int:
    """Print the table; the exit code is 1 where a goal is missed."""
    broker, missed = OwnRedis(), 0
    try:
        rates = {"waiting jobs, Redis": partial(jobs_per_second, database, broker.url)}
        rates["webhooks, Redis"] = partial(webhooks_per_second, database, broker.url)
        if rabbitmq_answers():
            rates["waiting jobs, RabbitMQ"] = partial(jobs_per_second, database, RABBITMQ)
        for name, rate in rates.items():
            missed += _compare(name, rate, GOALS)
        with first_started(database, broker.url) as settings:
            _compare("GETs", partial(gets_per_second, settings, load.sources()))
            _compare("answers of the oracle", partial(answers_per_second, settings, asking.key(settings), count()))
        print(f"\n{'with two workers':<48}{'seconds until done':>20}{'lost':>8}{'doubled':>10}")
        nothing: dict[str, Callable[[Target], None]] = {"nothing happens": lambda _target: None}
        for name, strike in (nothing | strikes([WORKER])).items():
            seconds, lost, doubled = fault(database, broker, strike)
            missed += bool(lost or doubled)
            print(f"{name:<48}{seconds:>20.1f}{lost:>8}{doubled:>10}", flush=True)
        missed += outages.measure(database, broker)
    finally:
        broker.stop()
    return 1 if missed else 0


def _compare(name: str, rate: Callable[[int], float], goals: Mapping[int, float] = MappingProxyType({})) -> int:
    """Print one line for each number of processes; returns how many goals are missed."""
    missed, alone = 0, 0.0
    for number in PROCESSES:
        measured = rate(number)
        alone = alone or measured
        ratio, goal = measured / alone, goals.get(number, 0.0)
        missed += ratio < goal
        figures = f"{measured:8.2f} a second, {ratio:4.2f} times one" + (f" (at least {goal:g})" if goal else "")
        print(f"{'ok  ' if ratio >= goal else 'MISS'} {name}, processes {number}: {figures}", flush=True)
    return missed


def rabbitmq_answers() -> bool:
    """Whether there is a RabbitMQ where the tests expect one."""
    address = make_url(RABBITMQ)
    try:
        socket.create_connection((address.host, address.port or 5672), timeout=2).close()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(measure(*sys.argv[1:]))
