"""The real application for servers under test, and views that show what only a server can."""

from __future__ import annotations

import os
from pathlib import Path

from flask import Flask, Response

from service import config
from service.api import auth
from service.api.application import create_app
from service.api.services import Services
from service.api.serving import serve
from service.market.instants import WorldClock
from service.store.database import Database
from service.store.secret import KeySecrets
from tests.forecasting.made import panel_of


def web() -> Flask:
    settings = config.read()
    database = Database(settings.database)
    app = create_app(Services(settings, database, WorldClock("simulated"), 300, panel_of(()), KeySecrets(b"secret")))
    app.add_url_rule("/waiting", "waiting", lambda: _wait(settings.data_dir))
    app.add_url_rule("/process", "process", lambda: str(os.getpid()))
    app.add_url_rule("/address", "address", auth.address)
    return app


def _wait(folder: Path) -> Response:
    """Say through one pipe that the request is in flight, and answer what comes through the other."""
    (folder / "begun").write_text("begun")
    return Response((folder / "go-on").read_text())


if __name__ == "__main__":
    serve(web(), config.read(), ready=lambda: print("ready", flush=True))
    print("ended", flush=True)
