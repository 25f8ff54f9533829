"""What tests of several rooms need: real bars, a migrated database of each kind, a Redis.

Where one of them is absent its tests are skipped with the reason; with CI=true absence is a failure, unless
TEST_ALLOW_ABSENT=true says that this machine cannot have it. Tests marked `slow` run with CI=true only. `make soak`
tries most often.
"""

from __future__ import annotations

import fcntl
import gc
import logging
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg
import pytest
import redis
import structlog
from hypothesis import settings
from sqlalchemy import URL, Engine, create_engine, delete, make_url, text
from werkzeug.routing import Rule
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from service import logs
from service.store import migrations
from service.store.database import Database
from service.store.tables import metadata
from tests.models import Servers, six_models
from tests.processes import OwnRedis
from tests.running_service import START, RunningService, copied, replaying, running_service

os.environ.setdefault("WORLD", "simulated")  # of the commands that tests run
IN_CI = os.environ.get("CI") == "true"
IN_SOAK = os.environ.get("SOAK") == "true"
MAY_BE_ABSENT = os.environ.get("TEST_ALLOW_ABSENT") == "true"
SHARED = Path(__file__).parents[2] / "shared" / "data"
POSTGRESQL = os.environ.get("TEST_DATABASE_URL", "postgresql://127.0.0.1:5432/test")
REDIS = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379")

# A slow machine is no reason for an example to fail; one that is slow by itself has a test of its own.
settings.register_profile("ninefold", deadline=None, max_examples=100 if IN_SOAK else 30 if IN_CI else 20)
settings.load_profile("ninefold")

END_TO_END = ("tests/notebooks_e2e/", "tests/bot_e2e/", "tests/demo/")
LONG = (
    *END_TO_END,
    "tests/test_recovery.py",
    "tests/test_journeys.py",
    "tests/test_contract.py",
    "tests/test_fault_pairs.py",
    "tests/test_fleet.py",
    "tests/test_readme.py",
    "tests/test_models.py",
    "tests/generated_clients/",
    "tests/jobs/",
    "tests/operator/",
    "tests/measure/",
)

gc.disable()  # while tests are collected, which leaves little to free; see pytest_collection_finish


def _compiled_once(compile_builder: Callable) -> Callable:
    """Werkzeug's builder of the address of a rule; compiling those of 70 rules is half the time of an application."""
    compiled: dict[tuple, Callable] = {}

    def builder(rule: Rule, append_unknown: bool = True) -> Callable:
        key = (rule.rule, str(rule.defaults), rule.host, rule.subdomain, append_unknown)
        if key not in compiled:
            compiled[key] = compile_builder(rule, append_unknown)
        return compiled[key]

    return builder


Rule._compile_builder = _compiled_once(Rule._compile_builder)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling:
    """Give each file to one process, and each folder of end-to-end tests, which share their services."""
    return _ByFileOrFolder(config, log)


class _ByFileOrFolder(LoadFileScheduling):
    def _split_scope(self, nodeid: str) -> str:
        return next((folder for folder in END_TO_END if nodeid.startswith(folder)), super()._split_scope(nodeid))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that no process waits for the other at the end; leave slow tests to CI."""
    items.sort(key=lambda item: next((row for row, place in enumerate(LONG) if item.nodeid.startswith(place)), 99))
    for item in [] if IN_CI else items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow: runs with CI=true"))


def pytest_collection_finish() -> None:
    """Free memory again, but never search what the collected tests hold: that takes a seventh of the time of tests."""
    gc.enable()
    gc.collect()
    gc.freeze()


def absent(reason: str) -> None:
    """Skip the test for `reason`, or fail it in CI."""
    (pytest.fail if IN_CI and not MAY_BE_ABSENT else pytest.skip)(reason)


@pytest.fixture(autouse=True)
def logs_as_before() -> Iterator[None]:
    """Leave logging as other tests expect it: commands that run in this process configure it."""
    root, names = logging.getLogger(), ("", "service", "waitress.queue")
    handlers, levels = root.handlers[:], [logging.getLogger(name).level for name in names]
    yield
    root.handlers[:] = handlers
    for name, level in zip(names, levels, strict=True):
        logging.getLogger(name).setLevel(level)
    logs.request_id.set("")
    structlog.reset_defaults()


@pytest.fixture(scope="session")
def in_ci() -> bool:
    """Whether slow things run in full."""
    return IN_CI


@pytest.fixture
def tries(record_property) -> Callable[[int, int, int], int]:
    """How often a test tries: with `make test` alone, with CI=true, and by `make soak`, which reports the number."""

    def chosen(few: int, in_ci: int, in_soak: int) -> int:
        count = in_soak if IN_SOAK else in_ci if IN_CI else few
        record_property("tried", count)
        return count

    return chosen


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real bars and recorded answers that lies beside the project."""
    if not SHARED.is_dir():
        absent(f"no shared data at {SHARED}")
    return SHARED


@pytest.fixture(scope="session")
def made_once(tmp_path_factory) -> Callable[[str, Callable[[Path], None]], Path]:
    """A folder by its name: one process fills it, and the whole test run reads it, also the next one with its MADE."""
    base = tmp_path_factory.getbasetemp()
    run = Path(os.environ.get("MADE") or (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base))

    def folder_of(name: str, fill: Callable[[Path], None]) -> Path:
        folder = run / name
        with (run / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                unfinished = run / f"{name}.unfinished"
                fill(unfinished)
                unfinished.rename(folder)
        return folder

    return folder_of


@pytest.fixture(scope="session")
def seeded(made_once) -> Path:
    """The data of a service after its first start in the simulated world: to be copied, not lived in."""

    def fill(folder: Path) -> None:
        with running_service(folder) as running:
            running.work()

    return made_once("seeded", fill)


@pytest.fixture
def build_service(seeded: Path, tmp_path: Path) -> Iterator[Callable[..., RunningService]]:
    """Opens the service of one folder, in which language models have five seconds, as often as a test wants."""
    folder = copied(seeded, tmp_path)
    with ExitStack() as opened:

        def build(wall: float = START, *, oracle_deadline_s: float = 5, **options) -> RunningService:
            service = running_service(folder, wall, oracle_deadline_s=oracle_deadline_s, **options)
            running = opened.enter_context(service)
            running.register()
            return running

        yield build


@pytest.fixture
def servers() -> Iterator[Servers]:
    """A language model for each seat, on this machine."""
    with six_models() as servers:
        yield servers


@pytest.fixture(scope="session")
def present(made_once) -> Path:
    """As `seeded`, at the time of this machine: for services in processes of their own."""

    def fill(folder: Path) -> None:
        with running_service(folder, wall=time.time()) as running:
            running.work()

    return made_once("present", fill)


@pytest.fixture(scope="session")
def replayed_start(made_once, shared_data: Path) -> Path:
    """The data of a replay of real bars after its first start: to be copied, not lived in."""

    def fill(folder: Path) -> None:
        with replaying(shared_data, folder) as running:
            running.work()

    return made_once("replayed", fill)


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory) -> Path:
    """A migrated, empty SQLite file: copying it is fifty times faster than migrating again."""
    file = tmp_path_factory.mktemp("migrated") / "database.sqlite"
    database = Database(f"sqlite:///{file}")
    database.migrate()
    database.close()
    return file


@pytest.fixture(scope="session")
def postgresql() -> URL:
    """The address of the PostgreSQL that the tests may use."""
    address = make_url(POSTGRESQL).set(drivername="postgresql+psycopg")
    try:
        psycopg.connect(address.set(drivername="postgresql").render_as_string(False), connect_timeout=2).close()
    except psycopg.OperationalError as error:
        absent(f"no PostgreSQL at {address!r}: {str(error).splitlines()[0]}")
    return address


@contextmanager
def schema_of_its_own(postgresql: URL) -> Iterator[str]:
    """The address of an empty schema, dropped afterwards."""
    schema = f"test_{uuid.uuid4().hex}"
    engine = create_engine(postgresql, isolation_level="AUTOCOMMIT")
    with engine.connect() as db:
        db.execute(text("SET client_min_messages = warning"))
        db.execute(text(f"CREATE SCHEMA {schema}"))
        yield postgresql.update_query_dict({"options": f"-c search_path={schema}"}).render_as_string(False)
        db.execute(text(f"DROP SCHEMA {schema} CASCADE"))
    engine.dispose()


@pytest.fixture
def empty_postgresql(postgresql: URL) -> Iterator[str]:
    """The address of a PostgreSQL schema without any table."""
    with schema_of_its_own(postgresql) as url:
        yield url


@pytest.fixture(scope="session")
def migrated_postgresql(postgresql: URL) -> Iterator[Engine]:
    """A migrated schema of this run: emptying it is fifty times faster than making another.

    It is created from the metadata, which a test of the store holds equal to what the migrations make.
    """
    with schema_of_its_own(postgresql) as url:
        engine = create_engine(url)
        with engine.begin() as db:
            metadata.create_all(db)
            db.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
            db.execute(text("INSERT INTO alembic_version VALUES (:head)"), {"head": migrations.head()})
        yield engine
        engine.dispose()


@pytest.fixture
def sqlite_url(tmp_path: Path, migrated_sqlite: Path) -> str:
    """The address of a migrated SQLite database of its own."""
    return f"sqlite:///{shutil.copy(migrated_sqlite, tmp_path)}"


@pytest.fixture
def sqlite_database(sqlite_url: str) -> Iterator[Database]:
    """A migrated SQLite database of its own."""
    with closing(Database(sqlite_url)) as database:
        yield database


@pytest.fixture
def postgresql_url(migrated_postgresql: Engine) -> Iterator[str]:
    """The address of a migrated PostgreSQL schema, emptied afterwards."""
    yield migrated_postgresql.url.render_as_string(False)
    with migrated_postgresql.begin() as db:
        db.execute(text("SET LOCAL lock_timeout = '5s'"))
        for table in reversed(metadata.sorted_tables):
            db.execute(delete(table))


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request) -> str:
    """The address of a migrated database of its own, of each kind in turn."""
    return request.getfixturevalue(f"{request.param}_url")


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A migrated database of its own, of each kind in turn."""
    with closing(Database(database_url)) as database:
        yield database


@pytest.fixture(scope="session")
def redis_database() -> Iterator[str]:
    """The address of a Redis database of this run: of the machine's server, else of one that is started for it."""
    server = redis.Redis.from_url(REDIS, socket_timeout=2)
    try:
        server.ping()
    except redis.RedisError as error:
        if "TEST_REDIS_URL" in os.environ or not shutil.which("redis-server"):
            absent(f"no Redis at {REDIS}, and none to start: {error}")
        own = OwnRedis()
        yield own.url
        own.stop()
        return
    number = next((n for n in range(15, 0, -1) if server.set(f"ninefold-tests:{n}", 1, nx=True, ex=900)), None)
    assert number, "all fifteen numbered databases of this Redis are in use by other test runs"
    yield f"{REDIS.rstrip('/')}/{number}"
    server.delete(f"ninefold-tests:{number}")
    server.close()


@pytest.fixture
def redis_url(redis_database: str) -> Iterator[str]:
    """The address of an empty Redis database of its own."""
    with redis.Redis.from_url(redis_database) as client:
        client.flushdb()
        yield redis_database
        client.flushdb()
