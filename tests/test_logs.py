from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from service import logs


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Leave logging as the other tests expect it."""
    root, names = logging.getLogger(), ("", "service", "waitress.queue")
    handlers, levels = root.handlers[:], [logging.getLogger(name).level for name in names]
    yield
    root.handlers[:] = handlers
    for name, level in zip(names, levels, strict=True):
        logging.getLogger(name).setLevel(level)
    logs.request_id.set("")
    structlog.reset_defaults()


def lines(capsys) -> list[dict]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_an_event_is_one_json_line_with_time_level_and_request(capsys):
    logs.configure("info")
    logs.request_id.set("5f0c2a9be41d7c36")
    structlog.get_logger("service.jobs").info("bars stored", asset="btc", added=3)
    (line,) = lines(capsys)
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "bars stored",
        "level": "info",
        "logger": "service.jobs",
        "request_id": "5f0c2a9be41d7c36",
        "asset": "btc",
        "added": 3,
    }


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
