"""The real application for servers under test, with streams that show what only a server can."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from flask import Blueprint, Flask, Response

from service import config
from service.api import streaming
from service.api.application import create_app
from service.api.operations import operation
from service.api.services import Services
from service.api.serving import serve
from service.api.streaming import StreamEvent
from service.errors import ServiceUnavailable
from service.market.instants import WorldClock
from service.store.database import Database
from service.store.secret import KeySecrets
from tests.forecasting.made import panel_of

FIRST, LAST = StreamEvent("vote", b'{"a":1}'), StreamEvent("consensus", b'{"all":1}')


def web() -> Flask:
    settings = config.read()
    app = create_app(
        Services(
            settings, Database(settings.database), WorldClock("simulated"), 300, panel_of(()), KeySecrets(b"secret")
        )
    )
    app.register_blueprint(room(settings.data_dir))
    return app


def room(folder: Path) -> Blueprint:
    """Streams that record in `folder` how they ended."""
    streams = Blueprint("streams", __name__)

    @streams.get("/stepwise")
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

    @streams.get("/endless")
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

    return streams


if __name__ == "__main__":
    serve(web(), config.read())
