"""The servers that are measured side by side, each a process of its own on a free port."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

from tests import processes
from tests.processes import ROOT, free_port

THREADS = 64


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
    filled = [part.replace("{port}", str(port)) for part in command]
    options = {"PORT": str(port), "LOG_LEVEL": "error", "PYTHONPATH": str(ROOT)} | environment
    with NamedTemporaryFile() as file, processes.running(filled, Path(file.name), **options) as process:
        processes.wait_until_ready(port, process, Path(file.name), ready or path)
        yield Server(port, path, process.pid)


def service(data: Path, **options: str):
    """The whole service: waitress, jobs, SQLite."""
    return running([sys.executable, "app.py"], "/api/v1/prices", ready="/readyz", DATA_DIR=str(data), **options)


def slow_service(data: Path):
    """The whole service with voters of a second each."""
    command = [sys.executable, "-m", "tests.measure.slow_service"]
    return running(command, "/api/v1/prices", ready="/readyz", DATA_DIR=str(data))


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
