"""The examples of a deployment: their syntax, and that every name in them exists."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from service import config
from service.store.audit import Audit, save_audit
from tests.processes import ROOT
from tests.running_service import running_service

FOLDER = ROOT / ".deploy"


def test_the_services_of_compose_use_options_that_exist():
    """Two web and two job processes behind a proxy, with one folder of secrets."""
    compose = yaml.safe_load((FOLDER / "compose.yaml").read_text())
    services = compose["services"]
    assert set(services) == {"web", "work", "proxy", "db", "redis"}
    for command in ("web", "work"):
        assert services[command]["command"] == ["python", "app.py", command, "--processes", "2"]
        assert services[command]["volumes"] == ["data:/data"]
        assert {name.lower() for name in services[command]["environment"]} <= set(config.Settings.model_fields)
    assert {volume.split(":")[0] for name in ("web", "db") for volume in services[name]["volumes"]} == set(
        compose["volumes"]
    )
    for service in services.values():
        assert set(service.get("depends_on", {})) <= set(services)
    assert services["work"]["cpu_shares"] < 1024 <= services["web"].get("cpu_shares", 1024)


def test_the_image_gets_only_what_the_service_needs():
    sources = re.findall(r"^COPY (\S+)", (FOLDER / "Dockerfile").read_text(), re.MULTILINE)
    let_in = (FOLDER / "Dockerfile.dockerignore").read_text().split()
    assert {f"!{name}" for name in sources} == {line for line in let_in if line.startswith("!")}
    assert all((ROOT / name).exists() for name in sources)


def test_alerts_use_metrics_that_exist(tmp_path: Path):
    rules = yaml.safe_load((FOLDER / "prometheus-rules.yaml").read_text())["groups"][0]["rules"]
    with running_service(tmp_path, oracle_daily_usd=5.0) as service:
        with service.runtime.database.writing() as db:
            save_audit(db, Audit(0, 0, 0))
        families = set(re.findall(r"^# TYPE (\w+)", service.client.get("/metrics").text, re.MULTILINE))
    for rule in rules:
        names = set(re.findall(r"\bninefold_\w+", rule["expr"]))
        assert {name.removesuffix("_bucket") for name in names} <= families, rule["alert"]


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
    rules = yaml.safe_load((FOLDER / "prometheus-rules.yaml").read_text())["groups"][0]["rules"]
    runbook = Path(ROOT / "service" / "OPERATIONS.md").read_text()
    assert [rule["alert"] for rule in rules if f"`{rule['alert']}`" not in runbook] == []
