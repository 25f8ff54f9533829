"""What more processes bring, and what faults cost: the real engine on PostgreSQL, Redis and RabbitMQ if there is one.

Jobs and webhooks here only wait, as for a language model or a slow receiver, so two processors are enough for the
ratios. Then a worker, the broker or the database is killed, frozen or wiped in the middle of the work.

    python -m tests.measure.scale [DATABASE]    a PostgreSQL that it may use, by default the one of the tests
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from functools import partial

from sqlalchemy import make_url
from sqlalchemy import text as sql

from tests.conftest import POSTGRESQL, RABBITMQ
from tests.measure.fleet import (
    JOB_S,
    KEY_SECRET,
    OUTAGE_S,
    PATIENCE_S,
    Fleet,
    OwnRedis,
    backends,
    children,
    fleet,
    frozen,
    receiving,
)
from tests.processes import wait_until
from tests.receiver import endpoint, trade

WORKERS = (1, 2, 4)
JOBS = 48
ENDPOINTS, EVENTS = 32, 4
FAULT_AFTER_S = 1.5
GOALS = {2: 1.9, 4: 3.6}


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


def fault(database: str, broker: OwnRedis, strike: Callable[[Fleet], None]) -> tuple[float, int, int]:
    """Seconds from a fault until all work is done, and how many jobs were lost and doubled."""
    with fleet(database, broker.url, 2, JOBS) as started:
        started.go()
        time.sleep(FAULT_AFTER_S)
        struck = time.monotonic()
        strike(started)
        wait_until(lambda: started.count("job %")[1] == JOBS, PATIENCE_S)
        seconds = time.monotonic() - struck
        time.sleep(2 * JOB_S)  # what is done twice is done within this time
        rows, different = started.count("job %")
        return seconds, JOBS - different, rows - different


def faults(broker: OwnRedis) -> dict[str, Callable[[Fleet], None]]:
    """What happens in the middle of the work."""

    def kill_worker(started: Fleet) -> None:
        os.kill(min(children(started.supervisor.pid)), signal.SIGKILL)

    def kill_broker(_started: Fleet) -> None:
        broker.process.kill()
        broker.process.wait()
        time.sleep(OUTAGE_S)
        broker.start()

    def freeze_broker(_started: Fleet) -> None:
        frozen([broker.process.pid])

    def wipe_broker(_started: Fleet) -> None:
        broker.client.flushall()

    def end_connections(started: Fleet) -> None:
        for pid in backends(started.database):
            with started.database.writing() as db:
                db.execute(sql("SELECT pg_terminate_backend(:pid)"), {"pid": pid})

    return {
        "nothing happens": lambda _started: None,
        "a worker is killed": kill_worker,
        f"the broker is killed, and back after {OUTAGE_S:.0f} s": kill_broker,
        f"the broker is frozen for {OUTAGE_S:.0f} s": freeze_broker,
        "the broker loses everything": wipe_broker,
        "all connections to the database end": end_connections,
        f"the database is frozen for {OUTAGE_S:.0f} s": lambda started: frozen(backends(started.database)),
    }


def measure(database: str = POSTGRESQL) -> int:
    """Print the table; the exit code is 1 where a goal is missed."""
    broker, missed = OwnRedis(), 0
    try:
        rates = {"waiting jobs, Redis": partial(jobs_per_second, database, broker.url)}
        rates["webhooks, Redis"] = partial(webhooks_per_second, database, broker.url)
        if rabbitmq_answers():
            rates["waiting jobs, RabbitMQ"] = partial(jobs_per_second, database, RABBITMQ)
        for name, rate in rates.items():
            missed += _compare(name, rate)
        print(f"\n{'with two workers':<48}{'seconds until done':>20}{'lost':>8}{'doubled':>10}")
        for name, strike in faults(broker).items():
            seconds, lost, doubled = fault(database, broker, strike)
            missed += bool(lost or doubled)
            print(f"{name:<48}{seconds:>20.1f}{lost:>8}{doubled:>10}", flush=True)
    finally:
        broker.process.kill()
        broker.process.wait()
    return 1 if missed else 0


def _compare(name: str, rate: Callable[[int], float]) -> int:
    """Print one line for each number of workers; returns how many goals are missed."""
    missed, alone = 0, 0.0
    for workers in WORKERS:
        measured = rate(workers)
        alone = alone or measured
        ratio, goal = measured / alone, GOALS.get(workers, 1.0)
        missed += ratio < goal
        figures = f"{measured:6.2f} a second, {ratio:4.2f} times one (at least {goal:g})"
        print(f"{'ok  ' if ratio >= goal else 'MISS'} {name}, {workers} workers: {figures}", flush=True)
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
