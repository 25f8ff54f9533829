"""The real application for servers under test, with views and streams that show what only a server can.

`python served.py SECONDS` is waitress, whose requests must arrive in so many seconds; tests begin it with `started`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import httpx
from flask import Blueprint, Flask, Response

from service import config
from service.api import auth, serving, streaming
from service.api.application import create_app
from service.api.operations import operation
from service.api.streaming import StreamEvent
from service.config import Settings
from service.errors import ServiceUnavailable
from service.store.database import Database
from tests.api.web import services
from tests.processes import ROOT, free_port, running, wait_until, wait_until_ready

FOLDER = Path(__file__).parent
FIRST, LAST = StreamEvent("vote", b'{"a":1}'), StreamEvent("consensus", b'{"all":1}')


def web() -> Flask:
    settings = config.read()
    app = create_app(services(Database(settings.database), settings))
    app.register_blueprint(views(settings.data_dir))
    return app


def views(folder: Path) -> Blueprint:
    """Views and streams that talk to their test through files and pipes in `folder`."""
    views = Blueprint("views", __name__)
    views.get("/process", endpoint="process")(lambda: str(os.getpid()))
    views.get("/address")(auth.address)

    @views.get("/waiting")
    def waiting() -> Response:
        """Say through one pipe that the request is in flight, and answer what comes through the other."""
        (folder / "begun").write_text("begun")
        return Response((folder / "go-on").read_text())

    @views.get("/stepwise")
    @operation(tag="Test", limit=None, returns=str)
    def stepwise() -> Response:
        """One event, and after a word through a pipe another one and a refusal."""

        def events() -> Iterator[StreamEvent | None]:
            yield FIRST
            (folder / "go-on").read_text()
            yield None
            yield LAST
            raise ServiceUnavailable("No voters are available.")

        return streaming.respond(events(), lambda: None)

    @views.get("/endless")
    @operation(tag="Test", limit=None, returns=str)
    def endless() -> Response:
        """Signs of life until the reader goes away."""

        def events() -> Iterator[StreamEvent | None]:
            try:
                for _ in count():
                    yield None
                    threading.Event().wait(0.02)
            finally:
                (folder / "closed").write_text("closed")

        return streaming.respond(events(), lambda: (folder / "ended").write_text("ended"))

    return views


@dataclass
class Server:
    """A running server: its process, its address, its data folder and what it says."""

    process: subprocess.Popen
    port: int
    folder: Path
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/healthz").status_code == 200
        except httpx.TransportError:
            return False


def tell(pipe: Path, text: str) -> None:
    """Say something through a pipe that is read, or is soon; opening one whose reader has ended would never return."""

    def is_told() -> bool:
        with suppress(OSError), open(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK), "w") as reader:
            return reader.write(text) > 0
        return False

    wait_until(is_told)


@contextmanager
def started(
    kind: str, folder: Path, port: int = 0, request_s: float = serving.REQUEST_S, **options: str
) -> Iterator[Server]:
    """A waitress or granian that answers, over the database in `folder`; ended by SIGTERM."""
    port, log = port or free_port(), folder / f"log-{len(list(folder.glob('log-*')))}"
    command = [sys.executable, "served.py", str(request_s)]
    if kind == "granian":
        command = serving.granian_command(Settings(port=port, threads=8), "served:web")
    environment = {"PORT": str(port), "DATA_DIR": str(folder), "THREADS": "8", "PYTHONPATH": str(ROOT)}
    with running(command, log, FOLDER, **environment, **{"TRUSTED_PROXIES": "1"} | options) as process:
        wait_until_ready(port, process, log, "/healthz")
        yield Server(process, port, folder, log)


if __name__ == "__main__":
    serving.REQUEST_S = float(sys.argv[1])
    serving.serve(web(), config.read(), announce=lambda: print("ready", flush=True))
    print("ended", flush=True)
