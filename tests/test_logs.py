from __future__ import annotations

import json
import logging
from pathlib import Path
from types import SimpleNamespace

import pytest
import structlog
from granian.log import LogLevels, configure_logging

from service import logs
from service.api.serving import GRANIAN_LOG_CONFIG
from service.store.database import Database
from tests.api.web import Web
from tests.running_service import copied, running_service


@pytest.fixture
def web(sqlite_database: Database) -> Web:
    return Web(sqlite_database)


def lines(capsys) -> list[dict]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_an_event_is_one_json_line_with_time_level_and_request(capsys):
    logs.configure("info")
    logs.request_id.set("5f0c2a9be41d7c36")
    structlog.get_logger("service.jobs").info("bars stored", asset="btc", added=3)
    (line,) = lines(capsys)
    assert line.pop("timestamp").endswith("Z")
    origin = {"level": "info", "logger": "service.jobs", "request_id": "5f0c2a9be41d7c36"}
    assert line == origin | {"event": "bars stored", "asset": "btc", "added": 3}


def test_a_fault_is_logged_with_its_trace_in_the_same_line(capsys):
    logs.configure("info")
    for logger in (structlog.get_logger("service.api"), logging.getLogger("a.library")):
        try:
            raise ValueError("broken")
        except ValueError as error:
            logger.error("fault", exc_info=error)
    ours, theirs = lines(capsys)
    for line in (ours, theirs):
        assert line["exception"].endswith("ValueError: broken")
        assert "Traceback" in line["exception"]
    assert (theirs["event"], theirs["logger"]) == ("fault", "a.library")


@pytest.mark.parametrize(("level", "count"), [("debug", 3), ("info", 2), ("warning", 1), ("error", 0)])
def test_events_below_the_configured_level_are_dropped(capsys, level: str, count: int):
    logs.configure(level)
    logger = structlog.get_logger("service.api")
    for name in ("debug", "info", "warning"):
        getattr(logger, name)("event")
    logging.getLogger("a.library").info("chatter")
    assert len(lines(capsys)) == count


@pytest.mark.parametrize("level", ["info", "error"])
def test_a_request_is_a_line_where_it_is_wanted(web: Web, capsys, level: str):
    """With its route and not its address, and without what tells a caller from its neighbours."""
    logs.configure(level)
    key = web.register().json["api_key"]
    assert lines(capsys) == []
    logs.configure(level, requests=True)
    web.send("GET", "/api/v1/predictions/market-7", headers={"X-Request-ID": "mine"})
    web.send("GET", "/api/v1/me", key=key)
    web.send("GET", "/api/v1/me", key=f"{key[:-1]}x")
    first, *others = lines(capsys)
    assert (first.pop("timestamp")[-1], first.pop("ms") >= 0) == ("Z", True)
    origin = {"event": "request", "level": "info", "logger": "access", "request_id": "mine"}
    caller = {"status": 404, "key": None, "address": "203.0.113.0/24"}
    assert first == origin | caller | {"method": "GET", "route": "/api/v1/predictions/<market_id>"}
    assert [(line["status"], line["key"]) for line in others] == [(200, key.split("_")[2]), (401, None)]


@pytest.mark.slow
def test_an_idle_service_logs_at_most_five_megabytes_a_day(seeded: Path, tmp_path: Path, capsys):
    """Two ticks around the full hour, when every hourly job runs too, written 144 times are more than a day.

    Each job says its slot and its seconds.
    """
    with running_service(copied(seeded, tmp_path)) as service:
        service.move(55 * 60)
        logs.configure("info")
        capsys.readouterr()
        for _ in range(2):
            service.move(300)
    written = capsys.readouterr().err
    assert 0 < len(written.encode()) * 144 < 5_000_000
    finished = [event for event in map(json.loads, written.splitlines()) if event["event"] == "job_done"]
    assert {"tick", "seal", "battle"} <= {event["job"] for event in finished}
    assert all(event["slot"] > 0 and event["seconds"] >= 0 for event in finished)


def test_granian_logs_in_the_same_form(capsys):
    """Its logging file names our formatter; a line of its own logger is one JSON line."""
    configuration = json.loads(GRANIAN_LOG_CONFIG.read_text())
    configure_logging(LogLevels.info, configuration)
    logging.getLogger("_granian").info("Spawning worker-1 with PID: 5")
    (line,) = lines(capsys)
    assert (line["event"], line["level"], line["logger"]) == ("Spawning worker-1 with PID: 5", "info", "_granian")


@pytest.mark.parametrize(
    ("chosen", "terminal", "level"), [(None, True, "warning"), (None, False, "info"), ("debug", True, "debug")]
)
def test_a_terminal_shows_warnings_without_a_chosen_level(monkeypatch, chosen, terminal, level):
    """Lines about every job would bury the address that the start prints."""
    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: terminal))
    assert logs.level_of(chosen) == level
