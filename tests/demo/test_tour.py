"""The tour of the demo: how it starts the service, and how it prints an answer."""

from __future__ import annotations

import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from service.client import Client
from service.questions import Circumstances, read_any
from tests.demo.small_model import InstallError
from tests.demo.tour import PRICE_QUESTION, DemoService, ask, demo_service, fed_question
from tests.running_service import copied, running_service

pytestmark = pytest.mark.slow

NO_MODEL = "http://127.0.0.1:9/v1"  # the discard port: nothing answers there


def test_the_fed_question_is_one_that_no_price_decides():
    """It names a date, a month from now."""
    now = datetime.now(UTC)
    question = read_any(fed_question(), Circumstances(now, {"btc": 50_000.0})).question
    assert question.comparator == "topic"
    assert timedelta(days=29) < question.deadline - now < timedelta(days=32)


def test_an_answer_is_printed_vote_by_vote(seeded: Path, tmp_path: Path, capsys):
    with running_service(copied(seeded, tmp_path)) as service:
        transport = httpx.WSGITransport(service.client.application)
        answer = ask(Client("http://service", service.register(), transport=transport), PRICE_QUESTION)
    output = capsys.readouterr().out
    lines = [line for line in output.splitlines() if "P(YES)" in line or "abstains" in line]
    assert {line.split()[0] for line in lines} == answer["votes"].keys() | answer["abstained"].keys()
    assert len(lines) == 9
    consensus = f"consensus of {len(answer['votes'])} votes: {100 * answer['p_yes']:.0f}% YES"
    assert output.rstrip().endswith(consensus)


def test_a_service_that_does_not_start_says_why(tmp_path: Path):
    """Here another program has its port."""
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(InstallError, match=r"The service did not start: ninefold: .*port"),
        demo_service(NO_MODEL, tmp_path, server.getsockname()[1]),
    ):
        pass


def test_a_command_that_fails_says_why(tmp_path: Path):
    """Before the first start there is no database to operate on."""
    service = DemoService("http://127.0.0.1:9", {"DATA_DIR": str(tmp_path)}, None)
    with pytest.raises(InstallError, match="The operator's command failed: error: "):
        service.operate("answers", "list")
