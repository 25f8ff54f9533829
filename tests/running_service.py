"""A whole service in this process: real feed, real store, real jobs, real web, and a clock that the test sets."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.serving import make_server

import app
from service.config import Settings

START = int(datetime(2026, 11, 21, 8, 2, tzinfo=UTC).timestamp())
HISTORY_DAYS = 120  # half of the default: most tests need no more
REPLAY_START = "2024-06-04"
SPEED = 60  # world seconds of a replay in a second of the wall
QUESTION = "Will Bitcoin be above $60k by the end of the month?"


@dataclass
class RunningService:
    """A runtime whose clock stands at `wall` until a test moves it."""

    runtime: app.Runtime
    client: FlaskClient
    wall: float
    key: str = ""

    def __post_init__(self) -> None:
        self.engine = self.runtime.engine()

    def work(self) -> None:
        """Do everything that is due now, and what follows from it."""
        while "done" in [self.engine.execute(run.job, run.slot) for run in self.engine.due()]:
            pass

    def move(self, seconds: float) -> None:
        """Let the wall clock go on, and do what has come due."""
        self.wall += seconds
        self.work()

    def register(self) -> str:
        """A fresh key, which `ask` uses from then on."""
        answer = self.client.post("/api/v1/register", json={"email": "reader@example.com"})
        self.key = answer.get_json()["api_key"]
        return self.key

    def ask(self, question: str = QUESTION, **headers: str):
        """The oracle's answer to a question."""
        return self.client.post(
            "/api/v1/oracle", json={"question": question}, headers={"X-API-Key": self.key, **headers}
        )


@contextmanager
def running_service(
    folder: Path, wall: float = START, *, world: str = "simulated", history_days: int = HISTORY_DAYS, **options
) -> Iterator[RunningService]:
    """A runtime over the data in `folder`, opened when the wall shows `wall`."""
    settings = Settings(data_dir=folder, world=world, history_days=history_days, **options)
    clock: list[RunningService] = []
    runtime = app.build_runtime(settings, lambda: clock[0].wall if clock else wall)
    running = RunningService(runtime, runtime.application().test_client(), wall)
    clock.append(running)
    try:
        yield running
    finally:
        running.engine.stop()
        runtime.database.close()


def replaying(shared_data: Path, folder: Path) -> AbstractContextManager[RunningService]:
    """A service in a replay of real bars, of which the first 124 days are history."""
    replay_dir = shared_data / "candles" / "1h"
    return running_service(
        folder, world="replay", replay_dir=replay_dir, world_speed=SPEED, replay_start=REPLAY_START, history_days=62
    )


def copied(seeded: Path, folder: Path) -> Path:
    """A copy of a runtime that has been lived in, faster than living through it again."""
    shutil.copytree(seeded, folder / "var")
    return folder / "var"


@contextmanager
def listening(app: Flask) -> Iterator[str]:
    """The address of an application on a port of its own."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
