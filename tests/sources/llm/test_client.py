"""A language model is asked within its time whatever its server does; six of a mock server that others wrote."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.config import Settings
from service.forecasting.voters.prompts import reading
from service.sources import sessions
from service.sources.llm.client import Completion, LanguageModel
from service.sources.llm.limits import ModelFailed
from service.sources.llm.providers import PROVIDERS, Chosen, parse
from tests.conftest import absent
from tests.processes import PATIENCE_S, free_port, running, wait_until_ready
from tests.sources.llm import model_server as it
from tests.sources.llm.conftest import KEY
from tests.sources.llm.model_server import answers, events, refuses, sends, vote_text

SCHEMA = {"type": "object", "properties": {"probability_yes": {"type": "integer"}}}
DEADLINE_S = 0.6
STRANGE_DELTA = b'{"choices": [{"delta": {"content": [1]}}]}'
UNREADABLE_PIECES = (b"{broken", b"5", b'{"choices": {"a": 1}}', STRANGE_DELTA, b"[" * 100_000)
SLOW = it.DRIPS | {"nothing": it.hangs, "a beginning": it.hangs_after(events(vote_text())[:400])}
REFUSAL = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
VALIDATION = "validation error: ('body', 'response_format', 'type')"
SCHEMA_MODES = ["json_schema", "json_object+schema"]
PACKAGE = "@copilotkit/aimock@1.43.0"
VOTES = [
    *(("openai", "gpt-5-mini", 61), ("anthropic", "claude-haiku-4-5", 38), ("gemini", "gemini-2.5-flash", 50)),
    *(("deepseek", "deepseek-chat", 0), ("xai", "grok-4", 100), ("mistral", "mistral-small-latest", 7)),
]


def complete(model: LanguageModel, seconds: float = 5.0) -> Completion:
    return model.complete("Be brief.", "Will it?", SCHEMA, time.monotonic() + seconds)


def threads_of_callers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if "process_request_thread" not in thread.name]


def failure(model: LanguageModel, seconds: float = DEADLINE_S) -> ModelFailed:
    """What it fails with, leaving no thread behind."""
    before = threads_of_callers()
    with pytest.raises(ModelFailed) as failure_info:
        complete(model, seconds)
    assert threads_of_callers() == before
    return failure_info.value


def test_a_completion_has_the_text_and_its_cost(model, server, open_model):
    """The request holds the model to the schema and to a length; a known model costs $0.25 and $2 a million."""
    completion = complete(model)
    assert json.loads(completion.text) == {"reasoning": "Momentum is up.", "probability_yes": 62}
    assert completion.tokens == 900 + 40
    assert completion.usd is None, "the price of a model that is configured by its address alone is unknown"
    assert completion.mode == "json_schema"
    assert 0 < completion.latency_ms < 5000
    body = server.requests[0]
    assert body["response_format"]["json_schema"] == {"name": "vote", "strict": True, "schema": SCHEMA}
    contents = {"system": "Be brief.", "user": "Will it?"}
    assert body["messages"] == [{"role": role, "content": content} for role, content in contents.items()]
    assert (body["model"], body["stream"], body["max_tokens"]) == ("some-model", True, 4000)
    assert "tools" not in body
    assert server.headers[0]["accept-encoding"] == "identity"
    chosen = Chosen(PROVIDERS["openai"], "gpt-5-mini-2025-08-07")
    completion = complete(open_model(chosen, server.address))
    assert completion.usd == pytest.approx(0.000305)
    assert "max_completion_tokens" in server.requests[1]


@pytest.mark.slow
@pytest.mark.parametrize("behave", SLOW.values(), ids=SLOW)
def test_no_server_can_stretch_the_deadline(model, server, behave):
    server.behaviours = [behave]
    error = failure(model)
    assert (error.detail, error.may_cost) == ("did not answer in time", True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("behave", "reason"),
    [
        *((behave, "interrupted its answer") for behave in (it.resets, it.breaks_off, sends(b""))),
        (sends(b'data: {"error": {"message": "overloaded"}}\n\n'), "interrupted its answer"),
        *((sends(b"data: %s\n\n" % piece), "sent an unreadable answer") for piece in UNREADABLE_PIECES),
        (sends(b"<html>hello</html>", "text/html"), "sent an unreadable answer"),
        (sends(b"[" * 100_000, "application/json"), "sent an unreadable answer"),
        (sends(b"data: " + b"x" * 10_000_000), "sent an answer that is too long"),
        (answers("x" * 200_000, size=1000), "sent an answer that is too long"),
        (refuses(401, f"Incorrect API key provided: {KEY}"), "refused the key (401)"),
        (refuses(302, Location="http://127.0.0.1:9/elsewhere"), "has moved (302)"),
        (refuses(429, code="insufficient_quota"), "is out of credit (429)"),
    ],
)
def test_every_failure_has_a_message_of_the_service(model, server, behave, reason):
    server.behaviours = [behave]
    error = failure(model)
    assert error.detail == reason
    assert KEY not in repr(error)


@pytest.mark.usefixtures("without_proxy")
@pytest.mark.parametrize("has_proxy", [False, True])
def test_a_closed_port_is_a_server_that_could_not_be_reached(model_at, has_proxy):
    """Its own, or that of its proxy."""
    nowhere = f"http://127.0.0.1:{free_port()}"
    sessions.use_proxy(Settings(source_proxy=nowhere if has_proxy else ""))
    address = "https://model.test/v1" if has_proxy else f"{nowhere}/v1"
    error = failure(model_at(address))
    assert (error.detail, error.may_cost) == ("could not be reached", False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "behave", [refuses(429), refuses(500), refuses(502), refuses(503), refuses(529), it.resets, it.breaks_off]
)
def test_a_transient_failure_is_retried(model, server, behave):
    server.behaviours = [behave, answers(vote_text(40))]
    assert json.loads(complete(model).text)["probability_yes"] == 40
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("behave", "deadline_s"),
    [*((refuses(status), 30.0) for status in (400, 401, 403, 404)), (refuses(429, Retry_After="3"), 2.0)],
)
def test_a_permanent_failure_is_not_retried(model, server, behave, deadline_s):
    """Nor is a wait begun that goes beyond the deadline."""
    server.behaviours = [behave, answers(vote_text())]
    failure(model, deadline_s)
    assert len(server.requests) == 1


@pytest.mark.slow
def test_retry_after_is_respected(model, server):
    server.behaviours = [refuses(429, Retry_After="1"), answers(vote_text())]
    began = time.monotonic()
    complete(model)
    assert time.monotonic() - began > 0.99


def test_pieces_may_be_cut_anywhere(model, server):
    """Also inside of a letter; a complete answer counts even if its stream is never closed."""
    content = events(vote_text(reasoning="Über 10 € …"), size=1)

    def behave(handler: it.Handler) -> None:
        handler.begin()
        for byte in content:
            handler.wfile.write(bytes([byte]))

    server.behaviours = [behave]
    assert json.loads(complete(model).text)["reasoning"] == "Über 10 € …"
    server.behaviours = [it.hangs_after(events(vote_text(), usage=None).replace(b"data: [DONE]\n\n", b""))]
    completion = complete(model, 0.5)
    assert json.loads(completion.text)["probability_yes"] == 62
    assert completion.tokens is None


@pytest.mark.parametrize(
    "thoughts",
    [
        {"reasoning_content": vote_text(3)},  # DeepSeek, vLLM, llama.cpp, xAI
        {"reasoning": vote_text(3), "content": None},  # Groq, OpenRouter, Ollama
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": vote_text(3)}]}]},  # Mistral
    ],
)
@pytest.mark.parametrize("content", [vote_text(), [{"type": "text", "text": vote_text()}]])
def test_thoughts_beside_the_content_are_no_answer(model, server, thoughts, content):
    """Every server has a field of its own for them; Mistral's models send parts of a content."""
    pieces = [{"choices": [{"index": 0, "delta": delta}]} for delta in (thoughts, {"content": content})]
    pieces[-1]["choices"][0]["finish_reason"] = "stop"
    lines = [f"data: {json.dumps(piece)}\n\n" for piece in pieces]
    server.behaviours = [sends("".join([*lines, "data: [DONE]\n\n"]).encode())]
    assert complete(model).text == vote_text()


@pytest.mark.parametrize(
    ("refusals", "modes"),
    [
        ([refuses(400, REFUSAL), refuses(422, "json_object: schema not permitted")], [*SCHEMA_MODES, "json_object"]),
        ([refuses(500, VALIDATION)], SCHEMA_MODES),
        ([refuses(500)] * 2, ["json_schema", *SCHEMA_MODES]),
        ([refuses(400, "no response_format")] * 3, [*SCHEMA_MODES, "json_object", "text"]),
    ],
    ids=["refused", "named by a failure", "fails inside", "in words"],
)
def test_a_refused_mode_is_left_for_the_next_and_not_tried_again(model, server, refusals, modes):
    """`modes` are those of the first call; the second begins with the last of them."""
    server.behaviours = [*refusals, answers(vote_text())]
    assert complete(model).mode == complete(model).mode == modes[-1].replace("+", "_")
    assert server.modes == [*modes, modes[-1]]
    assert json.dumps(SCHEMA) in server.requests[-1]["messages"][0]["content"]


def test_a_server_that_is_down_does_not_change_the_mode(model, server):
    server.behaviours = [refuses(500)]
    failure(model)
    assert model.modes.of(model.chosen.engine) == "json_schema"


def test_a_key_is_shown_nowhere(model, server, capfd, caplog, open_model, monkeypatch):
    """Nothing of the environment is sent: the SDK would send one provider's organisation and key to every other."""
    server.behaviours = [refuses(401, f"Incorrect API key provided: {KEY}")]
    with caplog.at_level("DEBUG"):
        error = failure(model, 5.0)
    outputs = [repr(model), str(error), repr(error.__cause__), caplog.text, *capfd.readouterr()]
    assert not any(KEY in words for words in outputs)
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "sk-of-another")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    server.behaviours = [answers(vote_text())]
    complete(open_model(parse("some-model", server.address), server.address))
    assert "sk-of-another" not in str(server.headers[1])
    assert server.headers[1]["authorization"] == "Bearer none"
    assert not any(name.startswith("openai-") for name in server.headers[1])


def test_one_client_serves_many_threads(model, server):
    """Six seats and four callers at once, each with an answer of its own."""
    server.behaviours = [answers(vote_text(number)) for number in range(24)]
    with ThreadPoolExecutor(24) as threads:
        completions = list(threads.map(lambda _: complete(model, 10), range(24)))
    assert sorted(json.loads(completion.text)["probability_yes"] for completion in completions) == list(range(24))


@pytest.mark.usefixtures("without_proxy")
@pytest.mark.parametrize("variable", ["SOURCE_PROXY", "HTTP_PROXY"])
def test_a_proxy_serves_models_elsewhere(model_at, server, http_proxy, monkeypatch, variable):
    """The proxy of all sources is that of language models too, except of those on this machine."""
    monkeypatch.setenv(variable, http_proxy.address)
    sessions.use_proxy(Settings(source_proxy=http_proxy.address if variable == "SOURCE_PROXY" else ""))
    complete(model_at(server.address))
    assert http_proxy.requests == []
    address = server.address.replace("127.0.0.1", "model.test")
    complete(model_at(address))
    assert http_proxy.requests == [f"POST {address}/chat/completions"]


@pytest.fixture(scope="module")
def mock_address(tmp_path_factory) -> Iterator[str]:
    """The address of the mock server, installed for these tests and gone with them."""
    folder = tmp_path_factory.mktemp("aimock")
    _install(folder)
    fixtures = [{"match": {"model": model}, "response": {"content": vote_text(p)}} for _, model, p in VOTES]
    (folder / "fixtures.json").write_text(json.dumps({"fixtures": fixtures}))
    port, program = free_port(), folder / "node_modules/@copilotkit/aimock/dist/cli.js"
    command = ["node", str(program), "-p", str(port), "-f", str(folder / "fixtures.json"), "--log-level", "warn"]
    with running(command, folder / "log") as process:
        wait_until_ready(port, process, folder / "log", "/__aimock/journal")
        yield f"http://127.0.0.1:{port}/v1"


def _install(folder: Path) -> None:
    if not (shutil.which("node") and shutil.which("npm")):
        absent("no node and npm for the mock server of language models")
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder), PACKAGE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    if done.returncode:
        absent(f"npm gives no {PACKAGE}: {done.stderr.strip().splitlines()[-1:]}")


@pytest.mark.slow
@pytest.mark.parametrize(("provider", "name", "p"), VOTES)
def test_a_model_of_each_provider_votes_and_reports_its_cost(mock_address: str, open_model, provider, name, p):
    """Within two seconds."""
    model = open_model(Chosen(PROVIDERS[provider], name), mock_address, "sk-mock")
    completion = model.complete("You are one of nine.", "Will it?", reading.SCHEMA, time.monotonic() + 2)
    assert reading.read(completion.text).p == min(0.99, max(0.01, p / 100))
    assert completion.mode == "json_schema"
    assert completion.usd is None or completion.usd > 0
