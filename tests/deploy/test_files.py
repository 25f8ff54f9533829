"""The examples of a deployment: their syntax, and that every name in them exists."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import yaml
from sqlalchemy import URL, create_engine, make_url, text

from service import config
from service.store import snapshots, world
from service.store.audit import NAME, Audit
from service.store.database import Database
from tests.conftest import absent
from tests.processes import ROOT
from tests.running_service import copied, running_service

FOLDER = ROOT / ".deploy"
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text())
RULES = yaml.safe_load((FOLDER / "prometheus-rules.yaml").read_text())["groups"][0]["rules"]
PANELS = json.loads((FOLDER / "grafana.json").read_text())["panels"]


def test_the_services_of_compose_use_options_that_exist():
    """Two web and two job processes behind a proxy, with one folder of secrets, and backups."""
    services = COMPOSE["services"]
    assert set(services) == {"web", "work", "bot", "proxy", "db", "redis", "backup"}
    for command in ("web", "work"):
        assert services[command]["command"] == ["python", "app.py", command, "--processes", "2"]
        assert services[command]["volumes"] == ["data:/data"]
    volumes = [volume.split(":")[0] for service in services.values() for volume in service.get("volumes", ())]
    assert {volume for volume in volumes if not volume.startswith("./")} == set(COMPOSE["volumes"])
    assert all((FOLDER / volume).is_file() for volume in volumes if volume.startswith("./"))
    for service in services.values():
        assert set(service.get("depends_on", {})) <= set(services)
    assert services["work"]["cpu_shares"] < 1024 <= services["web"].get("cpu_shares", 1024)


# What the containers need to find each other, whatever the operator sets.
NETWORK_OPTIONS = {"HOST", "PORT", "DATA_DIR", "DATABASE_URL", "REDIS_URL", "TRUSTED_PROXIES"}


@pytest.mark.parametrize("service", ["web", "work"])
def test_every_option_reaches_the_containers(service: str):
    """By the file from which Compose reads its own variables, apart from what their network decides."""
    container = COMPOSE["services"][service]
    assert container["env_file"] == [{"path": ".env", "required": False}]
    environment = container["environment"]
    assert set(environment) == NETWORK_OPTIONS | {"PGPASSWORD"}
    config.read({name: environment[name] for name in NETWORK_OPTIONS})


def test_a_password_may_have_any_character():
    """It is not part of an address, in which `@` would end it."""
    services = COMPOSE["services"]
    for name in ("web", "work"):
        assert make_url(services[name]["environment"]["DATABASE_URL"]).password is None
    passwords = {services[name]["environment"]["PGPASSWORD"] for name in ("web", "work", "backup")}
    assert passwords == {services["db"]["environment"]["POSTGRES_PASSWORD"]}


def test_the_image_gets_only_what_the_service_needs():
    sources = re.findall(r"^COPY (\S+)", (FOLDER / "Dockerfile").read_text(), re.MULTILINE)
    let_in = (FOLDER / "Dockerfile.dockerignore").read_text().split()
    assert {f"!{name}" for name in sources} == {line for line in let_in if line.startswith("!")}
    assert all((ROOT / name).exists() for name in sources)


def queries() -> Iterator[str]:
    """What alerts and the page for Grafana ask Prometheus."""
    yield from (rule["expr"] for rule in RULES)
    yield from (target["expr"] for panel in PANELS for target in panel["targets"])


def test_alerts_and_pages_use_metrics_that_exist(present: Path, tmp_path: Path):
    with running_service(copied(present, tmp_path), oracle_daily_usd=5.0) as service:
        with service.runtime.database.writing() as db:
            snapshots.publish(db, 0, {NAME: Audit(0, 0, 0)})
            world.beat(db, 0, world.BACKUP)
        metrics = service.client.get("/metrics").text
    families = set(re.findall(r"^# TYPE (\w+)", metrics, re.MULTILINE))
    for query in queries():
        names = set(re.findall(r"\bninefold_\w+", query))
        assert {name.removesuffix("_bucket") for name in names} <= families, query
    # Prometheus sets these two itself, and renames labels of the same name.
    assert re.findall(r"[{,](?:job|instance)=.*", metrics) == []


def test_panels_of_the_grafana_page_do_not_overlap():
    places = [panel["gridPos"] for panel in PANELS]
    cells = [(x, y) for p in places for x in range(p["x"], p["x"] + p["w"]) for y in range(p["y"], p["y"] + p["h"])]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24


@pytest.fixture
def postgresql_database(postgresql: URL) -> Iterator[URL]:
    """A database of its own."""
    name = f"backup_{uuid.uuid4().hex}"
    engine = create_engine(postgresql, isolation_level="AUTOCOMMIT")
    with engine.connect() as db:
        db.execute(text(f"CREATE DATABASE {name}"))
        yield postgresql.set(database=name)
        db.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()


@pytest.mark.slow
def test_a_scheduled_backup_can_be_restored_and_is_noted(postgresql_database: URL, tmp_path: Path):
    """With the secrets and the list of what was erased; the 14 newest are kept."""
    if shutil.which("pg_dump") is None:
        absent("no pg_dump: it is in the package postgresql-client of Debian")
    for name in ("data", "backups"):
        (tmp_path / name).mkdir()
    for name in (kept := {"key-secret", "key-secret.before", "ledger-key", "erased"}):
        (tmp_path / "data" / name).write_text(name)
    for day in range(10, 26):
        (tmp_path / "backups" / f"ninefold-202601{day}T000000Z.dump").touch()
    url = postgresql_database
    with closing(Database(url.render_as_string(False))) as database:
        database.migrate()
        environment = {
            "PGHOST": url.host or "127.0.0.1",
            "PGPORT": str(url.port or 5432),
            "PGDATABASE": str(url.database),
            "BACKUPS": str(tmp_path / "backups"),
            "SECRETS": str(tmp_path / "data"),
        } | ({"PGUSER": url.username} if url.username else {})
        subprocess.run(["bash", FOLDER / "backup.sh"], env=os.environ | environment, check=True)
        with database.reading() as db:
            assert world.silence_s(db, time.time(), world.BACKUP) < 60
    files = {path.name for path in (tmp_path / "backups").iterdir()}
    dumps = sorted(name for name in files if name.endswith(".dump"))
    assert files - set(dumps) == kept
    assert (len(dumps), dumps[0]) == (14, "ninefold-20260113T000000Z.dump")
    newest = tmp_path / "backups" / dumps[-1]
    listing = subprocess.run(["pg_restore", "--list", newest], capture_output=True, text=True, check=True).stdout
    assert "TABLE DATA public ledger " in listing


@pytest.mark.parametrize(
    "command",
    [("test", "rules", "prometheus-rules-test.yaml"), ("check", "config", "prometheus.yaml")],
    ids=lambda command: command[0],
)
def test_the_alerts_fire_as_their_tests_say(command: tuple[str, ...]):
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("no promtool: it is in the package prometheus of Debian")
    done = subprocess.run([promtool, *command], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_runbook_has_a_line_for_each_alert():
    runbook = Path(ROOT / "service" / "docs" / "operations.md").read_text()
    assert [rule["alert"] for rule in RULES if f"`{rule['alert']}`" not in runbook] == []
