"""The composition root: it starts the service from its settings. No other module imports it.

python app.py         the web server and the jobs in one process, with SQLite
python app.py web     web processes only (granian), if one process or machine is not enough
python app.py work    job processes only (dramatiq), together with web processes
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import dramatiq
from flask import Flask

from service import api, config, logs
from service.api import serving
from service.api.services import Services
from service.api.streaming import BEAT_S
from service.config import Settings, SettingsError
from service.errors import NinefoldError
from service.forecasting.voters.panel import Panel, voters
from service.forecasting.voters.polling import Concurrent
from service.forecasting.voters.voter import Voter, is_model
from service.jobs import JobContext, timetable
from service.jobs.engine import Engine
from service.sources.feeds import Feed, open_feed
from service.sources.llm.budget import Budget
from service.sources.llm.seating import seated
from service.store import world
from service.store.database import Database
from service.store.secret import key_secret
from service.store.spending import StoredSpending
from service.store.world import StoredWorld

FIRST_QUESTION = """\
Ask a question:

  curl -s {address}/api/v1/register -H 'Content-Type: application/json' -d '{{"email": "you@example.com"}}'
  curl -s {address}/api/v1/oracle -H 'Content-Type: application/json' -H "X-API-Key: $KEY" \\
       -d '{{"question": "Will Bitcoin rise more than 5% this month?"}}'

Documentation: {address}/docs    Stop: Ctrl-C
"""
WORLDS = {
    "simulated": "simulated market: generated, deterministic prices, not real ones",
    "replay": "replay of recorded bars",
    "live": "live prices",
}


# The time that a model seat may need after its deadline: a few milliseconds for the fallback, more on a busy machine.
GRACE_S = 0.2
JOBS_AT_ONCE = 16


def main(arguments: list[str]) -> int:
    """Run the command; a NinefoldError prints one sentence and returns exit code 2."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("all", "web", "work"), default="all")
    parser.add_argument("--processes", type=int, default=2, help="number of web or work processes (default: 2)")
    options = parser.parse_args(arguments)
    try:
        settings = config.read()
        {"all": _all, "web": _web, "work": _work}[options.what](settings, options.processes)
    except NinefoldError as error:
        print(f"ninefold: {error.detail}", file=sys.stderr)
        return 2
    return 0


@dataclass(frozen=True)
class Runtime:
    """The components of one process, built from its settings; `now` is the wall clock."""

    settings: Settings
    database: Database
    feed: Feed
    world: StoredWorld
    now: Callable[[], float]
    panel: Panel

    def application(self) -> Flask:
        """The web application of these components."""
        services = Services(
            settings=self.settings,
            database=self.database,
            clock=self.world.clock,
            step=self.world.step,
            panel=self.panel,
            key_secret=key_secret(self.settings),
            now=self.now,
        )
        return api.create_app(services)

    def engine(self, broker: str = "") -> Engine:
        """The job engine of these components; without a `broker` the jobs run in this process only."""
        job_context = JobContext(
            settings=self.settings,
            database=self.database,
            feed=self.feed,
            clock=self.world.clock,
            history_from=self.world.history_from,
            panel=self.panel,
        )
        return Engine(self.database, timetable(self.feed.world, self.feed.step), job_context, broker, self.now)


def build_runtime(settings: Settings, now: Callable[[], float] = time.time) -> Runtime:
    """Build the components of a process: migrate the database, claim it for the configured world, and open the feed."""
    wall = int(now())
    database, feed = Database(settings.database), open_feed(settings, wall)
    database.migrate()
    with database.writing() as db:
        claimed = world.claim(
            db,
            fingerprint=feed.fingerprint,
            step=feed.step,
            history_from=feed.history_from,
            clock=feed.clock(wall),
            wall=wall,
        )
    spending = Budget(settings.oracle_daily_tokens, settings.oracle_daily_usd, StoredSpending(database), now)
    seats = seated(voters(), settings, spending)
    return Runtime(settings, database, feed, claimed, now, _panel(settings, seats))


def _panel(settings: Settings, seats: tuple[Voter, ...]) -> Panel:
    """The voters, with enough threads for all models on all concurrent questions, including those of jobs."""
    models = sum(is_model(voter) for voter in seats)
    executor = ThreadPoolExecutor(max(1, models * (settings.oracle_concurrency + JOBS_AT_ONCE)), "model")
    polling = Concurrent(lambda *call: executor.submit(*call), settings.oracle_deadline_s + GRACE_S, BEAT_S)
    return Panel(seats, settings.oracle_quorum, time.perf_counter, polling)


def create_app() -> Flask:
    """The application of one web process, for granian and the `flask` command."""
    settings = config.read()
    logs.configure(settings.log_level)
    application = build_runtime(settings).application()
    _freeze()
    return application


def work() -> None:
    """Set the broker of one job process, for dramatiq."""
    settings = config.read()
    logs.configure(settings.log_level)
    dramatiq.set_broker(build_runtime(settings).engine(settings.broker).broker)


def _all(settings: Settings, _processes: int) -> None:
    """Run the web server and the jobs in this process."""
    logs.configure(settings.log_level)
    serving.open_port(settings.host, settings.port).close()
    runtime = build_runtime(settings)
    engine = runtime.engine()
    engine.start()
    application = runtime.application()
    _freeze()
    try:
        serving.serve(application, settings, lambda: _greet(settings))
    finally:
        engine.stop()
        runtime.database.close()


def _freeze() -> None:
    """Exempt the objects of the start-up from garbage collection; a full collection would pause requests for 0.1 s."""
    gc.collect()
    gc.freeze()


def _web(settings: Settings, processes: int) -> None:
    _need_server_database(settings)
    serving.open_port(settings.host, settings.port).close()
    command = serving.granian_command(settings, processes)
    os.execv(command[0], command)


def _work(settings: Settings, processes: int) -> None:
    _need_server_database(settings)
    if not settings.broker:
        raise SettingsError("job processes need a broker: set REDIS_URL or BROKER_URL")
    command = [
        sys.executable,
        "-m",
        "dramatiq",
        "app:work",
        f"--processes={processes}",
        "--threads=4",
        "--skip-logging",
    ]
    os.execv(command[0], command)


def _need_server_database(settings: Settings) -> None:
    if settings.database.startswith("sqlite"):
        raise SettingsError("several processes need PostgreSQL: set DATABASE_URL=postgresql://…")


def _greet(settings: Settings) -> None:
    address = f"http://{settings.host}:{settings.port}"
    print(f"Ninefold is running at {address} ({WORLDS[settings.world]})\n")
    print(FIRST_QUESTION.format(address=address), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
