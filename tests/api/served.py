"""The real application for servers under test, with views and streams that show what only a server can."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from flask import Blueprint, Flask, Response

from service import config
from service.api import auth, streaming
from service.api.application import create_app
from service.api.operations import operation
from service.api.serving import serve
from service.api.streaming import StreamEvent
from service.errors import ServiceUnavailable
from service.store.database import Database
from tests.api.web import services

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


if __name__ == "__main__":
    serve(web(), config.read(), announce=lambda: print("ready", flush=True))
    print("ended", flush=True)
