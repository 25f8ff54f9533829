"""The composition root: it starts the service from its settings. No other module imports it.

python app.py         the web server and the jobs in one process, with SQLite
python app.py web     web processes only (granian), if one process or machine is not enough
python app.py work    job processes only, together with web processes
python app.py worker  one of these job processes
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import shutil
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TypeVar

import structlog
from dotenv import load_dotenv
from flask import Flask

from service import config, logs
from service.api import serving
from service.api.application import create_app as create_web_app
from service.api.openapi import VERSION
from service.api.services import Services
from service.api.streaming import BEAT_S
from service.command_line import end_with
from service.config import Settings, SettingsError
from service.errors import NinefoldError, PackagesMissing, ResourceNotFound
from service.forecasting.voters.panel import VOTERS, Concurrent, Panel, is_model
from service.jobs.committing import erase_again
from service.jobs.engine import Engine, elapsed_s
from service.jobs.job import JobContext
from service.jobs.timetable import job_states, timetable
from service.sources.event_calendar import read_events
from service.sources.feeds import Feed, choose_world, open_feed
from service.sources.llm.limits import Budget
from service.sources.llm.seating import seated
from service.sources.sessions import use_proxy
from service.store import bars, secret, world
from service.store.database import AWAY, Database, closed_on_error, database_name, opened, reason_of
from service.store.quotas import StoredSpending
from service.store.secret import SecretName
from service.store.world import StoredWorld
from service.supervisor import Supervisor, end_with_parent, say_ready, say_refused, stop_signals

FIRST_QUESTION = """\
Open it in a browser, or ask from a shell:

  curl -s {address}/api/v1/register -H 'Content-Type: application/json' -d '{{"email": "you@example.com"}}'
  curl -s {address}/api/v1/oracle -H 'Content-Type: application/json' -H "X-API-Key: $KEY" \\
       -d '{{"question": "Will Bitcoin rise more than 5% this month?"}}'

Documentation: {address}/docs    Stop: Ctrl-C
"""
WORLDS = {
    "simulated": "simulated market: generated, deterministic prices, not real ones",
    "replay": "replay of recorded bars",
    "live": "live prices; a first start fetches eight months of them, /readyz says how long that takes",
}


# The time that a model seat may need after its deadline: a few milliseconds for the fallback, more on a busy machine.
GRACE_S = 0.2
JOBS_AT_ONCE = 16
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 8.0  # between two looks whether the database answers
WORKER_NICENESS = 10  # on a busy machine, callers who wait come before the documents of the next hour
# The variable by which prometheus_client finds the folder that processes share.
METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"

log = structlog.stdlib.get_logger("service.app")


def main(arguments: list[str]) -> int:
    """Run the command; a NinefoldError prints one sentence and returns exit code 2."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("all", "web", "work", "worker"), default="all")
    parser.add_argument("--processes", type=int, default=2, help="number of web or work processes (default: 2)")
    options = parser.parse_args(arguments)
    load_dotenv(".env")
    try:
        settings = config.read()
        logs.configure(settings.log_level, requests=settings.access_log)
        use_proxy(settings)
        allow_connections()
        if options.what == "all":
            return _all(in_a_world(settings))
        settings = patiently(lambda: in_a_world(settings))
        if options.what == "worker":
            return _worker(settings)
        if settings.database.startswith("sqlite"):
            raise SettingsError("several processes need PostgreSQL: set DATABASE_URL=postgresql://…")
        if options.what == "web":
            import_module("granian")
            serving.open_port(settings.host, settings.port).close()
            _share_metrics(settings)
            return Supervisor(serving.granian_command(settings), options.processes).run()
        return Supervisor([sys.executable, __file__, "worker"], options.processes).run()
    except NinefoldError as error:
        return _refuse(error.detail)
    except AWAY as error:
        return _refuse(f"The database does not answer: {reason_of(error)}")
    except ModuleNotFoundError as error:
        return _refuse(PackagesMissing.of(error).detail)


def _refuse(reason: str) -> int:
    print(f"ninefold: {reason}", file=sys.stderr)
    return 2


def allow_connections() -> None:
    """Let this process and its children have as many open files as the system allows; shells often allow 1,024."""
    _, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # macOS says "unlimited" and means less
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))


@dataclass(frozen=True)
class Runtime:
    """The components of one process, built from its settings; `now` is the wall clock.

    `elapsed`, where there is one, is a steady clock that shows whether the wall clock was set meanwhile.
    """

    settings: Settings
    database: Database
    feed: Feed
    world: StoredWorld
    now: Callable[[], float]
    panel: Panel
    elapsed: Callable[[], float] | None

    def application(self) -> Flask:
        """The web application of these components; SettingsError where the database belongs to another key secret."""
        self._verify("key-secret")
        with self.database.reading() as db:
            secrets = secret.key_secrets(db, self.settings)
        states = partial(job_states, timetable(self.feed.world, self.feed.step), self.world.clock)
        clock, step = self.world.clock, self.world.step
        return create_web_app(
            Services(self.settings, self.database, clock, step, self.panel, secrets, self.now, self.feed.coins, states)
        )

    def engine(self) -> Engine:
        """The job engine of these components.

        SettingsError where the database belongs to another ledger key or key secret, which signs webhooks.
        """
        self._verify("ledger-key", "key-secret")
        if self.settings.authorities is not None:
            import_module("rfc3161_client")  # refused now rather than where a root waits for it
        job_context = JobContext(
            settings=self.settings,
            database=self.database,
            feed=self.feed,
            clock=self.world.clock,
            history_from=self.world.history_from,
            panel=self.panel,
        )
        jobs = timetable(self.feed.world, self.feed.step)
        return Engine(self.database, jobs, job_context, self.now, self.elapsed)

    def log_start(self, process: str) -> None:
        """Log what this process runs on: version, world, database and the fingerprints of its secrets."""
        with self.database.reading() as db:
            belongs = secret.stored_fingerprints(db)
        place = database_name(self.settings.database)
        log.info("start", process=process, version=VERSION, world=self.settings.world, database=place, secrets=belongs)

    def _verify(self, *names: SecretName) -> None:
        with self.database.writing() as db:
            for name in names:
                secret.verify_fingerprint(db, self.settings, name)


def in_a_world(settings: Settings) -> Settings:
    """The settings with a world: that of the options or of an earlier start, else one that is chosen now and kept.

    The database at DATABASE_URL keeps the choice, or a file in DATA_DIR where there is none.
    """
    if settings.world:
        return settings
    if settings.database_url:
        with closing(opened(settings.database)) as database, database.reading() as db, suppress(ResourceNotFound):
            return settings.in_world(world.find_clock(db).world)
    name, sentence = choose_world(settings)
    print(sentence, flush=True)
    os.environ["WORLD"] = name  # of the processes that this one starts
    try:
        if not settings.database_url:
            settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            settings.world_file.write_text(f"{name}\n", encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"DATA_DIR: {settings.world_file} cannot be written: {error.strerror}") from None
    return settings.in_world(name)


def build_runtime(
    settings: Settings, now: Callable[[], float] = time.time, elapsed: Callable[[], float] | None = None
) -> Runtime:
    """Build the components of a process: migrate the database, claim it for the configured world, and open the feed."""
    wall = int(now())
    feed, database = open_feed(settings, wall), opened(settings.database)
    with closed_on_error(database):
        with database.writing() as db:
            if feed.world == "live":
                bars.ask_again(db)
            stored_world = world.claim_world(
                db,
                fingerprint=feed.fingerprint,
                step=feed.step,
                history_from=feed.history_from,
                clock=feed.clock(wall),
                wall=wall,
            )
        erase_again(database, settings.data_dir, wall)
    spending = Budget(settings.oracle_daily_tokens, settings.oracle_daily_usd, StoredSpending(database), now)
    seats = seated(VOTERS, settings, spending)
    # Enough threads for all models on all concurrent questions, including those of jobs.
    threads = sum(map(is_model, seats)) * (settings.oracle_concurrency + JOBS_AT_ONCE)
    executor = ThreadPoolExecutor(max(1, threads), "model")
    polling = Concurrent(lambda *call: executor.submit(*call), settings.oracle_deadline_s + GRACE_S, BEAT_S)
    events = read_events(settings.events_file)
    panel = Panel(seats, settings.oracle_quorum, time.perf_counter, polling, events)
    return Runtime(settings, database, feed, stored_world, now, panel, elapsed)


def create_app() -> Flask | serving.Starting:
    """The application of one web process, for granian and the `flask` command.

    While the database is away it answers 503. Under a supervisor it ends with one line where the settings are wrong.
    """
    end_with_parent()
    try:
        settings = config.read()
        logs.configure(settings.log_level, requests=settings.access_log)
        use_proxy(settings)
        try:
            return _application(settings)
        except AWAY:
            return serving.Starting(lambda: patiently(lambda: _application(settings)))
    except (NinefoldError, ModuleNotFoundError) as error:
        code = _refuse(error.detail if isinstance(error, NinefoldError) else PackagesMissing.of(error).detail)
        if say_refused():
            os._exit(code)  # granian would print a traceback
        raise


def _application(settings: Settings) -> Flask:
    runtime = build_runtime(in_a_world(settings))
    with closed_on_error(runtime.database):
        application = runtime.application()
        runtime.log_start("web")
    _freeze()
    say_ready()
    return application


T = TypeVar("T")


def patiently(build: Callable[[], T]) -> T:
    """What is built once the database answers: until then it is tried again, with growing pauses."""
    pause = FIRST_PAUSE_S
    while True:
        try:
            return build()
        except AWAY as error:
            log.error("database_away", detail=reason_of(error), next_in_s=pause)
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_S)


def _all(settings: Settings) -> int:
    serving.open_port(settings.host, settings.port).close()
    runtime = build_runtime(settings, elapsed=elapsed_s)
    if damage := runtime.database.check_pages():
        log.error("database_damaged", detail=damage)
    engine = runtime.engine()
    runtime.log_start("all")
    engine.start()
    application = runtime.application()
    _freeze()
    try:
        serving.serve(application, settings, lambda: _greet(settings))
    finally:
        engine.stop()
        runtime.database.close()
        log.info("stop", process="all")
    return 0


def _worker(settings: Settings) -> int:
    end_with_parent()
    os.nice(WORKER_NICENESS)
    engine = patiently(lambda: build_engine(settings))
    with stop_signals() as stop:
        engine.start()
        say_ready()
        stop.wait()
        engine.stop()
    engine.job_context.database.close()
    log.info("stop", process="work")
    return 0


def build_engine(settings: Settings) -> Engine:
    """The job engine of a process of its own; its database is closed where it cannot be built."""
    runtime = build_runtime(settings, elapsed=elapsed_s)
    with closed_on_error(runtime.database):
        engine = runtime.engine()
        runtime.log_start("work")
    return engine


def _freeze() -> None:
    """Exempt the objects of the start-up from garbage collection; a full collection would pause requests for 0.1 s."""
    gc.collect()
    gc.freeze()


def _share_metrics(settings: Settings) -> None:
    """Give the web processes of this port a new folder in which they add up their metrics, unless one is set."""
    if METRICS_FOLDER in os.environ:
        return
    folder = settings.data_dir.resolve() / f"metrics-{settings.port}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    os.environ[METRICS_FOLDER] = str(folder)


def _greet(settings: Settings) -> None:
    address = f"http://{settings.host}:{settings.port}"
    print(f"Ninefold is running at {address} ({WORLDS[settings.world]})\n")
    print(FIRST_QUESTION.format(address=address), flush=True)


if __name__ == "__main__":
    end_with(lambda: main(sys.argv[1:]))
