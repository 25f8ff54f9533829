"""Clients that two generators write from the API's description are complete, and work against a running service."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.trading.strategies import STRATEGIES
from tests.conftest import absent
from tests.npm import installed
from tests.running_service import RunningService, copied, listening, running_service

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parent
TYPESCRIPT = ("--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck")


@pytest.fixture(scope="module")
def service(seeded: Path, tmp_path_factory) -> Iterator[RunningService]:
    with running_service(copied(seeded, tmp_path_factory.mktemp("generated"))) as service:
        service.work()
        service.register()
        yield service


@pytest.fixture(scope="module")
def address(service: RunningService) -> Iterator[str]:
    with listening(service.runtime.application()) as address:
        yield address


@pytest.fixture(scope="module")
def description(service: RunningService, tmp_path_factory) -> Path:
    """The API's description as a file."""
    file = tmp_path_factory.mktemp("description") / "openapi.json"
    file.write_bytes(service.client.get("/api/openapi.json").data)
    return file


def run(*command: object, **options) -> str:
    """What a command prints; it must succeed."""
    process = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, **options)
    assert process.returncode == 0, f"{process.stdout}\n{process.stderr}"
    return process.stdout


def expected(service: RunningService, output: dict, leader: str) -> None:
    """What a client read is what the service answers."""
    answer = service.ask("Will Bitcoin rise this week?").json
    assert output == {
        "prices": 7,
        "year": 2026,
        "leader": leader,
        "strategy": "macd_slow",
        "reviewed": len(STRATEGIES),
        "p_yes": answer["p_yes"],
    }


def leader(service: RunningService, query: str = "") -> str:
    key = {"X-API-Key": service.key}
    return service.client.get(f"/api/v1/leaderboard{query}", headers=key).json["entries"][0]["key"]


@pytest.fixture(scope="module")
def generator(tmp_path_factory) -> Path:
    """The programs of an environment with openapi-python-client."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    uv = (sys.executable, "-m", "uv")
    run(*uv, "venv", "--quiet", "--python", sys.executable, folder)
    programs = folder / "bin"
    packages = ("--require-hashes", "-r", FOLDER / "requirements.txt")
    try:
        run(*uv, "pip", "install", "--quiet", "--python", programs / "python", *packages)
    except AssertionError as error:
        absent(f"no package index: {error}")
    return programs


def test_openapi_python_client_drops_no_operation(generator, description, service, address, tmp_path):
    package = tmp_path / "client"
    run(
        *(generator / "openapi-python-client", "generate", "--meta", "none"),
        *("--path", description, "--output-path", package / "ninefold_client"),
    )
    operations = {
        operation["operationId"]
        for methods in json.loads(description.read_text())["paths"].values()
        for operation in methods.values()
    }
    assert {file.stem for file in (package / "ninefold_client" / "api").glob("*/[!_]*.py")} == operations
    output = run(
        *(generator / "python", FOLDER / "use_client.py", address, service.key),
        env=os.environ | {"PYTHONPATH": str(package)},
    )
    expected(service, json.loads(output), leader(service))


def test_openapi_typescript_types_every_call(description, service, address, tmp_path):
    node, programs = installed(FOLDER), FOLDER / "node_modules" / ".bin"
    shutil.copy(FOLDER / "use_client.ts", tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "node_modules").symlink_to(FOLDER / "node_modules")
    run(programs / "openapi-typescript", description, "-o", tmp_path / "api.d.ts")
    run(programs / "tsc", *TYPESCRIPT, "use_client.ts", cwd=tmp_path)
    output = run(node, "use_client.js", address, service.key, cwd=tmp_path)
    expected(service, json.loads(output), leader(service, "?asset=btc"))
