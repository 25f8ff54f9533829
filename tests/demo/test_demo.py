"""The demo: its installation, its tour, and a real small model in all six seats of a service."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from service.client import Client, Unavailable
from service.forecasting.voters.prompts.reading import SCHEMA, read
from service.sources.llm.client import LanguageModel, open_client
from service.sources.llm.modes import Modes
from service.sources.llm.providers import parse
from tests.demo.__main__ import main
from tests.demo.small_model import MARKER, NAME, SEATS, InstallError, check_node, small_model
from tests.demo.tour import PRICE_QUESTION, DemoService, ask, demo_service, fed_question
from tests.processes import free_port
from tests.running_service import copied, running_service


def put_in_path(folder: Path, monkeypatch, version: str) -> None:
    """A machine whose only programs are npm and a Node.js of a version."""
    for name in ("node", "npm"):
        program = folder / name
        program.write_text(f"#!/bin/sh\necho {version}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_node_is_new_enough_or_refused_with_its_version(tmp_path, monkeypatch):
    put_in_path(tmp_path, monkeypatch, "v22.1.0")
    check_node()
    put_in_path(tmp_path, monkeypatch, "v18.19.0")
    with pytest.raises(InstallError, match=r"needs Node\.js 20 or newer .* this machine has v18\.19\.0"):
        check_node()


def test_without_node_a_sentence_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["install"]) == 2
    assert capsys.readouterr().err == (
        "ninefold: The small model needs Node.js 20 or newer with npm (https://nodejs.org); this machine has none.\n"
    )


NO_MODEL = "http://127.0.0.1:9/v1"  # the discard port: nothing answers there


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_service_that_does_not_start_says_why(tmp_path: Path):
    """Here another program has its port."""
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(InstallError, match=r"The service did not start: ninefold: .*port"),
        demo_service(NO_MODEL, tmp_path, server.getsockname()[1]),
    ):
        pass


ENGINE = f"custom:{NAME}"
BRAINS = {"vol", "garch", "sv"}
# On a busy machine too few votes may come in time: a topic is then refused, a price has embedded votes instead.
TRIES = 3
PRICE_QUESTIONS = (PRICE_QUESTION, "Will Ether rise this week?", "Will Solana rise this week?")


@pytest.fixture(scope="module")
def model_url() -> Iterator[str]:
    assert MARKER.exists(), "make demo-models installs the small model"
    with small_model() as url:
        yield url


@pytest.fixture(scope="module")
def service(model_url: str, tmp_path_factory) -> Iterator[DemoService]:
    with demo_service(model_url, tmp_path_factory.mktemp("service"), free_port()) as running:
        yield running


@pytest.fixture(scope="module")
def client(service: DemoService) -> Iterator[Client]:
    with Client(service.address) as stranger:
        key = stranger.register("reader@example.com")["api_key"]
    with Client(service.address, key, timeout_s=150) as client:
        yield client


def engines(answer: dict) -> set[str]:
    return {vote["engine"] for vote in answer["votes"].values()}


def ask_patiently(client: Client, question: str) -> dict:
    for _ in range(TRIES - 1):
        try:
            return client.ask(question)
        except Unavailable:
            continue
    return client.ask(question)


@pytest.mark.slow
def test_the_server_holds_its_model_to_the_schema(model_url: str):
    """It takes the strictest mode at once, and counts tokens."""
    with open_client(model_url, "") as client:
        model = LanguageModel(parse(NAME, model_url), client, Modes())
        completion = model.complete("You are a forecaster.", "Will it rain?", SCHEMA, time.monotonic() + 60)
    assert completion.mode == "json_schema"
    assert 0.01 <= read(completion.text).p <= 0.99
    assert completion.tokens > 1


@pytest.mark.slow
def test_the_models_vote_on_a_price_beside_the_brains(client: Client):
    for question in PRICE_QUESTIONS:
        answer = client.ask(question)
        assert set(answer["votes"]) == BRAINS | {seat.lower() for seat in SEATS}
        assert 0 < answer["p_yes"] < 1
        if ENGINE in engines(answer):
            break
    assert ENGINE in engines(answer)


@pytest.mark.slow
def test_the_operator_settles_what_the_models_voted_on(client: Client, service: DemoService):
    """The brains abstain on a Fed question, which no price decides; it is recorded, settled by hand, and scored."""
    answer = ask_patiently(client, fed_question())
    assert engines(answer) == {ENGINE}
    assert set(answer["abstained"]) >= BRAINS
    assert answer["consensus"]["oracles_count"] == len(answer["votes"]) >= 3
    assert answer["understood"]["comparator"] == "topic"

    (row,) = service.operate("answers", "list")
    assert (row["id"], row["status"]) == (answer["id"], "open")
    settled = service.operate("answers", "resolve", answer["id"], "no", "--evidence", "https://www.federalreserve.gov")
    assert settled["brier"] == pytest.approx(answer["p_yes"] ** 2, abs=0.002)
    assert service.operate("answers", "list") == []
