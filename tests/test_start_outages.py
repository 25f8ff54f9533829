"""An outage of the database during the start of a process, whichever statement it strikes."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from threading import Timer

import pytest
from sqlalchemy import event, make_url
from sqlalchemy.engine import Engine

import app
from service.config import Settings
from tests.relay import Relay

OUTAGE_S = 0.2


@pytest.mark.slow
def test_an_outage_at_any_statement_of_a_start_is_waited_for(
    empty_postgresql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Also between two that succeed: a process that ended would be replaced, and its traceback is no line of JSON."""
    server = make_url(empty_postgresql)
    relay = Relay(server.host or "127.0.0.1", server.port or 5432)
    address = server.set(host="127.0.0.1", port=relay.port).render_as_string(False)
    settings = Settings(world="simulated", data_dir=tmp_path, database_url=address, history_days=60)
    monkeypatch.setattr(app, "FIRST_PAUSE_S", OUTAGE_S)
    app.build_engine(settings).job_context.database.close()
    for statement in count(1):
        strikes = Outage(relay, statement)
        event.listen(Engine, "before_cursor_execute", strikes)
        app.patiently(lambda: app.build_engine(settings)).job_context.database.close()
        event.remove(Engine, "before_cursor_execute", strikes)
        if strikes.left > 0:
            break
    assert statement > 5


class Outage:
    """Cuts a relay before the n-th statement, and mends it soon afterwards."""

    def __init__(self, relay: Relay, statement: int) -> None:
        self._relay = relay
        self.left = statement  # until the outage; negative after it

    def __call__(self, *_: object) -> None:
        self.left -= 1
        if self.left == 0:
            self._relay.cut()
            Timer(OUTAGE_S, self._relay.mend).start()
