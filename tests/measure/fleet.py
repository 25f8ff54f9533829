"""Workers of the real engine whose jobs and webhooks only wait, the servers that they need, and how to harm them.

`python -m tests.measure.fleet` is what `tests.measure.scale` starts: a supervisor with its workers, or one worker.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from signal import SIGCONT, SIGKILL, SIGSTOP
from types import SimpleNamespace
from typing import Any

from sqlalchemy import Column, Connection, Integer, MetaData, String, Table, func, insert, make_url, select
from sqlalchemy import text as sql

from service.config import Settings
from service.jobs.engine import Engine
from service.jobs.job import Every, Job
from service.market.instants import WorldClock
from service.store.database import Database
from service.supervisor import Supervisor, say_ready, stop_signals
from tests.conftest import schema_of_its_own
from tests.processes import OwnRedis, children, wait_until

JOB_S, RECEIVER_S, OUTAGE_S = 2.0, 1.0, 4.0
PATIENCE_S = 300
ONCE = Every(10**9)
KEY_SECRET = "the secret of this measurement"
APPLICATION = "scale worker"  # the name of its connections to PostgreSQL
OPTIONS = ("url", "jobs")

# What the jobs have done; without a unique key, because what is done twice must show.
done = Table(
    "scale_done", MetaData(), Column("id", Integer, primary_key=True), Column("what", String(32), nullable=False)
)


def has_begun(db: Connection, _job_context: object) -> bool:
    """Whether the work has been released."""
    return db.scalar(select(done.c.id).where(done.c.what == "go").limit(1)) is not None


def waiting_job(number: int) -> Job:
    """A job with one slot that waits, as for a model, and notes that it was done."""

    def work(_job_context: object, _slot: int) -> Callable[[Connection], object]:
        time.sleep(JOB_S)
        return lambda db: db.execute(insert(done).values(what=f"job {number}"))

    return Job(f"wait-{number}", ONCE, work, is_wanted=has_begun)


def be_worker(url: str, jobs: int) -> None:
    """Run jobs and deliver webhooks until SIGTERM, as `app.py worker` does."""
    database = Database(url)
    settings = Settings(data_dir=Path(os.devnull), key_secret=KEY_SECRET, webhook_private=True)
    context = SimpleNamespace(database=database, settings=settings, clock=WorldClock("simulated"))
    engine = Engine(database, map(waiting_job, range(jobs)), context)
    with stop_signals() as stop:
        engine.start()
        say_ready()
        with database.writing() as db:
            db.execute(insert(done).values(what=f"worker {os.getpid()}"))
        stop.wait()
        engine.stop()


@dataclass
class Fleet:
    """Some workers over a database of their own; `supervisor` replaces those that are killed."""

    database: Database
    supervisor: subprocess.Popen[bytes]

    def count(self, like: str) -> tuple[int, int]:
        """How many rows note such work, and how many different ones."""
        with self.database.reading() as db:
            counts = select(func.count(), func.count(done.c.what.distinct())).where(done.c.what.like(like))
            rows, subjects = db.execute(counts).one()
        return rows, subjects

    def go(self) -> None:
        """Release the work."""
        with self.database.writing() as db:
            db.execute(insert(done).values(what="go"))


@dataclass(frozen=True)
class Target:
    """What faults strike: Redis, the database, and processes that replace their children, by the children's name."""

    redis: OwnRedis
    database: Database
    supervisors: Mapping[str, int]


def strikes(names: Iterable[str]) -> dict[str, Callable[[Target], None]]:
    """The faults of a target whose supervised processes have these names."""

    def kill(name: str) -> Callable[[Target], None]:
        return lambda target: os.kill(min(children(target.supervisors[name])), SIGKILL)

    def restart_redis(target: Target) -> None:
        target.redis.stop()
        time.sleep(OUTAGE_S)
        target.redis.start()

    def wipe_redis(target: Target) -> None:
        target.redis.client.flushall()

    def end_connections(target: Target) -> None:
        for pid in backends(target.database):
            with target.database.writing() as db:
                db.execute(sql("SELECT pg_terminate_backend(:pid)"), {"pid": pid})

    return {
        **{f"{name} is killed": kill(name) for name in names},
        f"Redis is killed, and back after {OUTAGE_S:.0f} s": restart_redis,
        f"Redis is frozen for {OUTAGE_S:.0f} s": lambda target: frozen([target.redis.process.pid]),
        "Redis loses everything": wipe_redis,
        "all connections to the database end": end_connections,
        f"the database is frozen for {OUTAGE_S:.0f} s": lambda target: frozen(backends(target.database)),
    }


@contextmanager
def fleet(database: str, workers: int, jobs: int = 0) -> Iterator[Fleet]:
    """This many workers, once all of them have started."""
    with ExitStack() as stack:
        url = stack.enter_context(schema_of_its_own(make_url(database).set(drivername="postgresql+psycopg")))
        store = Database(url)
        store.migrate()
        with store.writing() as db:
            done.create(db)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        command = [sys.executable, "-m", __name__, "--workers", str(workers), "--url", url, "--jobs", str(jobs)]
        process = stack.enter_context(ended(command, folder / "log"))
        processes = Fleet(store, process)
        wait_until(lambda: processes.count("worker %")[1] >= workers, PATIENCE_S)
        yield processes
        store.close()


@contextmanager
def ended(command: Sequence[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is killed with all that it has started; how long stopping takes is not measured here."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=os.environ | {"LOG_LEVEL": "error"}, stdout=output, stderr=output, start_new_session=True
        )
    try:
        yield process
    finally:
        os.killpg(process.pid, SIGKILL)
        process.wait()


@contextmanager
def receiving() -> Iterator[tuple[str, Counter[tuple[str, str]]]]:
    """A receiver that takes a second, and how often each message came to each endpoint."""
    counts: Counter[tuple[str, str]] = Counter()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            time.sleep(RECEIVER_S)
            counts[self.path, self.headers["webhook-id"]] += 1
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_arguments: Any) -> None:
            """Nothing: the table is what is printed."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", counts
    finally:
        server.shutdown()
        server.server_close()


def frozen(pids: Sequence[int]) -> None:
    """Stop these processes for some seconds."""
    for pid in pids:
        os.kill(pid, SIGSTOP)
    time.sleep(OUTAGE_S)
    for pid in pids:
        os.kill(pid, SIGCONT)


def backends(database: Database) -> list[int]:
    """The server's processes that work for the workers of this fleet."""
    query = sql(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid != pg_backend_pid() "
        "AND application_name = :name"
    )
    with database.reading() as db:
        return list(db.scalars(query, {"name": APPLICATION}))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("workers", *OPTIONS):
        parser.add_argument(f"--{name}")
    options = parser.parse_args()
    if options.workers:
        arguments = [f"--{name}={getattr(options, name)}" for name in OPTIONS]
        os.environ["PGAPPNAME"] = APPLICATION
        return Supervisor([sys.executable, "-m", __spec__.name, *arguments], int(options.workers)).run()
    be_worker(options.url, int(options.jobs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
