"""The bot's /metrics: updates, answers and failures are counted, and served on this machine alone."""

from __future__ import annotations

import socket

import httpx
import pytest
from prometheus_client import REGISTRY

from bot import metrics
from tests.processes import free_port

QUESTION = "Will Bitcoin be above $60k by the end of the month?"


def value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def test_updates_are_counted_by_kind(ann):
    before = {kind: value("bot_updates_total", kind=kind) for kind in ("command", "message", "button")}
    ann.says("/lanes")
    ann.presses("DEX")
    ann.says(QUESTION)
    assert {kind: value("bot_updates_total", kind=kind) - count for kind, count in before.items()} == {
        "command": 1,
        "message": 1,
        "button": 1,
    }


def test_an_answer_and_its_time_are_counted(ann):
    before = value("bot_answer_seconds_count")
    ann.says(QUESTION)
    assert value("bot_answer_seconds_count") == before + 1


def test_a_failure_is_counted_by_its_error(start):
    before = value("bot_failures_total", error="ConnectionFailed")
    start(oracle_url=f"http://127.0.0.1:{free_port()}").person().says("/lanes")
    assert value("bot_failures_total", error="ConnectionFailed") == before + 1


def test_they_are_served_on_this_machine():
    port = free_port()
    metrics.serve(port)
    assert "bot_updates_total" in httpx.get(f"http://127.0.0.1:{port}/metrics").text


def test_a_taken_port_is_an_error():
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        metrics.serve(taken.getsockname()[1])
