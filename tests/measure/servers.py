"""The servers that are measured side by side, questions to them, and the lines of `make bench`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

import httpx

from tests import processes
from tests.processes import ROOT, free_port

THREADS = 64
ASSETS = ("bitcoin", "ether", "solana", "gold")


@dataclass(frozen=True)
class Server:
    """A running server: its port, the document that is asked of it, and its process."""

    port: int
    path: str
    pid: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def running(command: list[str], path: str, *, ready: str | None = None, **environment: str) -> Iterator[Server]:
    """Start `command` (`{port}` in it is filled in), wait until `ready` answers 200, stop it at the end."""
    port = free_port()
    arguments = [part.replace("{port}", str(port)) for part in command]
    options = {"PORT": str(port), "LOG_LEVEL": "error", "PYTHONPATH": str(ROOT)} | environment
    with NamedTemporaryFile() as file, processes.running(arguments, Path(file.name), **options) as process:
        processes.wait_until_ready(port, process, Path(file.name), ready or path)
        yield Server(port, path, process.pid)


def service(data: Path, **options: str):
    """The whole service: waitress, jobs, SQLite."""
    return running([sys.executable, "app.py"], "/api/v1/prices", ready="/readyz", DATA_DIR=str(data), **options)


def service_on_granian(data: Path, **options: str):
    """One web process of the service over data that is already there."""
    return running(
        _granian("app:create_app", "--factory"), "/api/v1/prices", ready="/healthz", DATA_DIR=str(data), **options
    )


def bare_on_waitress(size: int):
    """A Flask route that returns bytes, on the same server with the same threads."""
    command = [sys.executable, "-m", "waitress", "--port={port}", "--host=127.0.0.1", f"--threads={THREADS}"]
    return running([*command, "tests.measure.bare_app:app"], "/document", BODY_BYTES=str(size))


def bare_on_granian(size: int):
    """The same route on granian."""
    return running(_granian("tests.measure.bare_app:app"), "/document", BODY_BYTES=str(size))


def fastapi_on_uvicorn(python: Path, document: Path):
    """The same document from FastAPI: a `def` route with a response model."""
    command = [str(python), "-m", "uvicorn", "--host=127.0.0.1", "--port={port}", "--log-level=error"]
    return running([*command, "tests.measure.fastapi_app:app"], "/document", DOCUMENT=str(document))


def _granian(target: str, *flags: str) -> list[str]:
    options = ["--interface=wsgi", "--host=127.0.0.1", "--port={port}", f"--blocking-threads={THREADS}"]
    return [sys.executable, "-m", "granian", *options, "--no-ws", "--log-level=error", *flags, target]


def ask(client: httpx.Client, server: Server, key: str, number: int) -> httpx.Response:
    """Ask question `number`, each of the first 1,800 another one, for an end user of its own: quotas count these."""
    question = f"Will {ASSETS[number % 4]} rise more than {1 + number % 90 / 10 + number // 180 * 0.01:g}% this week?"
    headers = {"X-API-Key": key, "X-End-User": f"bench-{number}"}
    return client.post(f"{server.address}/api/v1/oracle", json={"question": question}, headers=headers)


def key(environment: Mapping[str, str], *options: str, owner: str = "bench") -> str:
    """A new key of the service with this environment; by default a delegating one."""
    command = [sys.executable, "-m", "service.operator", "keys", "mint", "--email", f"{owner}@example.com", "--json"]
    command += options or ["--delegating"]
    output = subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, check=True)
    return str(json.loads(output.stdout)["api_key"])


@dataclass(frozen=True)
class Figure:
    """One line of the result: what was measured, what it should be, and whether it is."""

    name: str
    value: float
    unit: str
    goal: float
    at_least: bool

    def __str__(self) -> str:
        is_met = self.value >= self.goal if self.at_least else self.value <= self.goal
        sign = "at least" if self.at_least else "at most"
        return f"{'ok  ' if is_met else 'MISS'} {self.name:<66} {self.value:8.2f} {self.unit:<3} ({sign} {self.goal:g})"
