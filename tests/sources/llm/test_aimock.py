"""Six models of a mock server that others wrote, which speaks the protocol of the providers."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from service.forecasting.voters.prompts.reading import SCHEMA, read
from service.sources.llm.client import Completion
from service.sources.llm.limits import ModelFailed
from service.sources.llm.providers import PROVIDERS, Chosen
from tests.conftest import absent
from tests.processes import PATIENCE_S, free_port, running

pytestmark = pytest.mark.slow

PACKAGE = "@copilotkit/aimock@1.43.0"

VOTES = {
    "gpt-5-mini": ("openai", 61),
    "claude-haiku-4-5": ("anthropic", 38),
    "gemini-2.5-flash": ("gemini", 50),
    "deepseek-chat": ("deepseek", 0),
    "grok-4": ("xai", 100),
    "mistral-small-latest": ("mistral", 7),
}


def vote(probability: int) -> dict:
    return {"content": json.dumps({"reasoning": "Moves of a week point up.", "probability_yes": probability})}


def failing(status: int) -> dict:
    return {"error": {"message": "not now", "type": "server_error"}, "status": status}


FIXTURES = [
    *({"match": {"model": model}, "response": vote(p)} for model, (_, p) in VOTES.items()),
    *({"match": {"model": f"once-{status}", "sequenceIndex": 0}, "response": failing(status)} for status in (429, 503)),
    *({"match": {"model": f"once-{status}"}, "response": vote(62)} for status in (429, 503)),
    {"match": {"model": "gone"}, "response": vote(62), "chaos": {"disconnectRate": 1}},
    {"match": {"model": "malformed"}, "response": vote(62), "chaos": {"malformedRate": 1}},
    {"match": {"model": "cut"}, "response": vote(62), "truncateAfterChunks": 2, "latency": 20},
    {"match": {"model": "takes-objects", "responseFormat": "json_schema"}, "response": failing(500)},
    {"match": {"model": "takes-objects"}, "response": vote(62)},
]


@pytest.fixture(scope="module")
def mock_address(tmp_path_factory) -> Iterator[str]:
    """The address of the mock server, installed for these tests and gone with them."""
    folder = tmp_path_factory.mktemp("aimock")
    _install(folder)
    (folder / "fixtures.json").write_text(json.dumps({"fixtures": FIXTURES}))
    port, program = free_port(), folder / "node_modules/@copilotkit/aimock/dist/cli.js"
    command = ["node", str(program), "-p", str(port), "-f", str(folder / "fixtures.json"), "--log-level", "warn"]
    with running(command, folder / "log"):
        _wait_for(port, folder / "log")
        yield f"http://127.0.0.1:{port}/v1"


def _install(folder: Path) -> None:
    if not (shutil.which("node") and shutil.which("npm")):
        absent("no node and npm for the mock server of language models")
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder), PACKAGE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    if done.returncode:
        absent(f"npm gives no {PACKAGE}: {done.stderr.strip().splitlines()[-1:]}")


def _wait_for(port: int, log: Path) -> None:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        try:
            httpx.get(f"http://127.0.0.1:{port}/__aimock/journal", timeout=2)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    pytest.fail(f"the mock server did not start: {log.read_text()}")


@pytest.fixture
def complete(mock_address: str, open_model):
    """Ask a model of the mock server for a vote within two seconds."""

    def ask(model: str, provider: str = "openai") -> Completion:
        language_model = open_model(Chosen(PROVIDERS[provider], model), mock_address, "sk-mock")
        return language_model.complete("You are one of nine.", "Will it?", SCHEMA, time.monotonic() + 2)

    return ask


@pytest.mark.parametrize("model", VOTES)
def test_a_model_of_each_provider_votes_and_reports_its_cost(complete, model):
    provider, p = VOTES[model]
    completion = complete(model, provider)
    assert read(completion.text).p == min(0.99, max(0.01, p / 100))
    assert completion.mode == "json_schema"
    assert completion.usd is None or completion.usd > 0


@pytest.mark.parametrize("model", ["once-429", "once-503"])
def test_a_model_that_fails_once_votes_the_second_time(complete, model):
    assert read(complete(model).text).p == 0.62


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("gone", "interrupted its answer"),
        ("cut", "interrupted its answer"),
        ("malformed", "sent an unreadable answer"),
        ("not-there", "was not found (404)"),
    ],
)
def test_a_model_that_fails_says_why_in_its_time(complete, model, reason):
    began = time.monotonic()
    with pytest.raises(ModelFailed) as failure:
        complete(model)
    assert failure.value.detail == reason
    assert time.monotonic() - began < 2.3


def test_a_model_that_fails_at_a_schema_is_asked_for_an_object(complete):
    assert complete("takes-objects").mode == "json_object_schema"
