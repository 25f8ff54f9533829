"""A real model with weights drawn by chance, served by a real server: the most hostile voter that still is one.

`make test-llm` builds what it needs in an environment of its own; where that is there, every run of the tests asks it.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.forecasting.voters.prompts import SCHEMA, UnusableAnswer, read
from service.sources.llm.client import Clients, LanguageModel
from service.sources.llm.failures import ModelFailed
from service.sources.llm.modes import Modes
from service.sources.llm.providers import PROVIDERS, Chosen
from tests.processes import PATIENCE_S, ROOT, free_port, running

ENVIRONMENT = ROOT / os.environ.get("TEST_LLM_VENV", ".venv-llm")
PYTHON = ENVIRONMENT / "bin" / "python"
VOTES = 30

# Skipped in CI as well: it takes a compiler and a quarter of an hour.
pytestmark = pytest.mark.skipif(
    not (ENVIRONMENT / ".installed").exists(), reason=f"no environment at {ENVIRONMENT}: make test-llm makes it"
)


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    """The address of a server of the tiny model."""
    folder, port = tmp_path_factory.mktemp("llm"), free_port()
    model = folder / "tiny.gguf"
    subprocess.run([PYTHON, "-m", "tests.measure.tiny_model", model], cwd=ROOT, check=True, timeout=PATIENCE_S)
    # It would break off an answer as soon as somebody else asks.
    options = f"--n_ctx 8192 --n_threads 1 --interrupt_requests false --verbose false --port {port}"
    command = [str(PYTHON), "-m", "llama_cpp.server", "--model", str(model), *options.split()]
    with running(command, folder / "log"):
        _wait_for(port, folder / "log")
        yield f"http://127.0.0.1:{port}/v1"


def _wait_for(port: int, log: Path) -> None:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail(f"the server did not start: {log.read_text()}")


@pytest.fixture
def model(address: str) -> Iterator[LanguageModel]:
    clients = Clients()
    yield LanguageModel(Chosen(PROVIDERS["llamacpp"], "tiny"), clients.of(address, ""), Modes())
    clients.close()


def ask(model: LanguageModel, seconds: float = 60.0):
    return model.complete("You are one of nine.", "Will btc be above 105?", SCHEMA, time.monotonic() + seconds)


def test_it_is_held_to_the_schema_in_the_mode_that_it_takes(model):
    """It refuses one mode; in the next, whatever it draws is a vote."""
    result = [ask(model) for _ in range(VOTES)]
    assert {completion.mode for completion in result} == {"json_object_schema"}
    votes = [read(completion.text) for completion in result]
    assert all(0.01 <= vote.p <= 0.99 and vote.reasoning.isprintable() for vote in votes)
    assert len({vote.p for vote in votes}) > 1


def test_six_seats_at_once_each_get_a_vote(model):
    with ThreadPoolExecutor(6) as pool:
        result = list(pool.map(lambda _: ask(model), range(6)))
    assert all(0.01 <= read(completion.text).p <= 0.99 for completion in result)


@pytest.mark.parametrize("mode", ["json_object", "text"])
def test_without_the_schema_it_is_late_or_unusable_and_never_believed(model, mode):
    model.modes.worked(model.engine, mode)
    began = time.monotonic()
    with pytest.raises((ModelFailed, UnusableAnswer)):
        read(ask(model, 3.0).text)
    assert time.monotonic() - began < 3.3
