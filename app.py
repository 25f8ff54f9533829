"""The composition root: settings in, a running service out. Nobody imports it.

python app.py         everything in one process: the web, the jobs, SQLite
python app.py web     web processes alone (granian), for when one machine or process is not enough
python app.py work    job processes alone (dramatiq), beside them
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import dramatiq
from flask import Flask

from service import config, logs
from service.api import create_app, serving
from service.api.services import Services
from service.api.streaming import BEAT_S
from service.config import Settings, SettingsError
from service.errors import NinefoldError
from service.forecasting.brains import EMBEDDED
from service.forecasting.oracle import Polling, Voter, voters
from service.forecasting.polling import together
from service.jobs import Workshop, timetable
from service.jobs.engine import Engine
from service.sources.feeds import Feed, open_feed
from service.sources.llm.budget import Budget
from service.sources.llm.seating import seated
from service.store import world
from service.store.database import Database
from service.store.secret import key_secret
from service.store.spending import StoredSpending
from service.store.world import Settled

FIRST_QUESTION = """\
Ask it something:

  curl -s {address}/api/v1/register -H 'Content-Type: application/json' -d '{{"email": "you@example.com"}}'
  curl -s {address}/api/v1/oracle -H 'Content-Type: application/json' -H "X-API-Key: $KEY" \\
       -d '{{"question": "Will Bitcoin rise more than 5% this month?"}}'

Documentation: {address}/docs    Stop: Ctrl-C
"""
WORLDS = {
    "simulated": "simulated market: made up, deterministic, never to be taken for real prices",
    "replay": "replay of recorded bars",
    "live": "live prices",
}


# What a model seat may take beyond its own deadline: a fallback's few milliseconds, and a busy machine.
GRACE_S = 0.2
JOBS_AT_ONCE = 16


def main(arguments: list[str]) -> int:
    """Run what the command line asks for; an error of ours is one sentence and exit code 2."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("all", "web", "work"), default="all")
    parser.add_argument("--processes", type=int, default=2, help="of web or work (default: 2)")
    asked = parser.parse_args(arguments)
    try:
        settings = config.read()
        {"all": _all, "web": _web, "work": _work}[asked.what](settings, asked.processes)
    except NinefoldError as error:
        print(f"ninefold: {error.detail}", file=sys.stderr)
        return 2
    return 0


@dataclass(frozen=True)
class House:
    """The parts of one process, opened from its settings; `now` is the wall clock."""

    settings: Settings
    database: Database
    feed: Feed
    settled: Settled
    now: Callable[[], float]
    voters: tuple[Voter, ...]
    polling: Polling

    def application(self) -> Flask:
        """The web over these parts."""
        known = Services(
            settings=self.settings,
            database=self.database,
            clock=self.settled.clock,
            step=self.settled.step,
            voters=self.voters,
            key_secret=key_secret(self.settings),
            now=self.now,
            polling=self.polling,
        )
        return create_app(known)

    def engine(self, broker: str = "") -> Engine:
        """The jobs over these parts, rung through `broker` or, without one, in this process alone."""
        workshop = Workshop(
            settings=self.settings,
            database=self.database,
            feed=self.feed,
            clock=self.settled.clock,
            history_from=self.settled.history_from,
            voters=self.voters,
            polling=self.polling,
        )
        return Engine(self.database, timetable(self.feed.world, self.feed.step), workshop, broker, self.now)


def open_house(settings: Settings, now: Callable[[], float] = time.time) -> House:
    """Everything a process needs: the database up to date and settled for the world of the settings, and its feed."""
    wall = int(now())
    database, feed = Database(settings.database), open_feed(settings, wall)
    database.migrate()
    with database.writing() as db:
        settled = world.settle(
            db,
            fingerprint=feed.fingerprint,
            step=feed.step,
            history_from=feed.history_from,
            clock=feed.clock(wall),
            wall=wall,
        )
    spending = Budget(settings.oracle_daily_tokens, settings.oracle_daily_usd, StoredSpending(database), now)
    seats = seated(voters(), settings, spending)
    return House(settings, database, feed, settled, now, seats, _polling(settings, seats))


def _polling(settings: Settings, seats: tuple[Voter, ...]) -> Polling:
    """All voters at once, with a thread for each model of every question that may be open, the jobs' among them."""
    models = sum(voter.engine != EMBEDDED for voter in seats)
    lent = ThreadPoolExecutor(max(1, models * (settings.oracle_concurrency + JOBS_AT_ONCE)), "model")
    return together(lent.submit, settings.oracle_deadline_s + GRACE_S, BEAT_S)


def web() -> Flask:
    """The application of one web process; what granian calls."""
    settings = config.read()
    logs.configure(settings.log_level)
    return open_house(settings).application()


def work() -> None:
    """Set the broker of one job process; what dramatiq calls."""
    settings = config.read()
    logs.configure(settings.log_level)
    dramatiq.set_broker(open_house(settings).engine(settings.broker).broker)


def _all(settings: Settings, _processes: int) -> None:
    """The web and the jobs in this process."""
    logs.configure(settings.log_level)
    serving.open_port(settings.host, settings.port).close()
    house = open_house(settings)
    engine = house.engine()
    engine.start()
    try:
        serving.serve(house.application(), settings, lambda: _greet(settings))
    finally:
        engine.stop()
        house.database.close()


def _web(settings: Settings, processes: int) -> None:
    _need_server_database(settings)
    serving.open_port(settings.host, settings.port).close()
    command = serving.granian_command(settings, processes)
    os.execv(command[0], command)


def _work(settings: Settings, processes: int) -> None:
    _need_server_database(settings)
    if not settings.broker:
        raise SettingsError("job processes are rung through a broker: set REDIS_URL or BROKER_URL")
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
    print(f"Ninefold answers at {address} ({WORLDS[settings.world]})\n")
    print(FIRST_QUESTION.format(address=address), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
