"""`python -m bot`: its settings, its log and metrics, its start, and a webhook that refuses what has no secret."""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread
from urllib.parse import parse_qs

import httpx
import pytest
from prometheus_client import REGISTRY
from telegram.error import NetworkError

from bot import settings
from bot.settings import BotSettings, BotSettingsError
from bot.telemetry import LogFormatter
from tests.bot.conftest import QUESTION
from tests.bot.fake_telegram import ME
from tests.conftest import absent
from tests.processes import PATIENCE_S, ROOT, free_port, running, wait_until

CHAT = {"id": 7, "type": "private"}
MINIMUM = {"TELEGRAM_BOT_TOKEN": "123:token", "BOT_ORACLE_KEY": "nf_live_key"}
SECRET = "s3cret"
BOT = [sys.executable, "-m", "bot"]


class TelegramServer(BaseHTTPRequestHandler):
    """Answers every call of the Bot API and records it."""

    calls: Queue
    knows_token = True
    bad_gateways = 0  # answers of 502 before the first other one

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
        method = self.path.rpartition("/")[2]
        self.calls.put((method, {name: value[0] for name, value in parse_qs(body).items()}))
        message = {"message_id": 1, "date": 1, "chat": CHAT, "from": ME, "text": "…"}
        result = {"getMe": ME, "sendMessage": message}.get(method, True)
        answer = {"ok": True, "result": result} if self.knows_token else {"ok": False, "description": "Unauthorized"}
        is_bad = TelegramServer.bad_gateways > 0
        TelegramServer.bad_gateways -= is_bad
        self.send_response(502 if is_bad else 200 if self.knows_token else 401)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_values: object) -> None: ...


@pytest.fixture
def telegram(tmp_path: Path) -> Iterator[tuple[dict[str, str], Queue]]:
    """The settings of a bot with a Telegram server of its own, and the recorded calls."""
    calls: Queue = Queue()
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Recording", (TelegramServer,), {"calls": calls})) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/bot"
        yield MINIMUM | {"BOT_DATA": str(tmp_path), "TELEGRAM_URL": address}, calls
        server.shutdown()


def next_call(calls: Queue, method: str) -> dict[str, str]:
    """The values of the next call of this method."""
    while True:
        name, values = calls.get(timeout=PATIENCE_S)
        if name == method:
            return values


@pytest.mark.slow
def test_the_webhook_requires_its_secret(telegram, tmp_path: Path):
    if not importlib.util.find_spec("tornado"):
        absent("no tornado, without which the library serves no webhook")
    (environment, calls), port = telegram, free_port()
    environment |= {"BOT_WEBHOOK_URL": "https://bot.example/updates", "BOT_WEBHOOK_PORT": str(port)}
    environment |= {"BOT_WEBHOOK_SECRET": SECRET}
    text = {"text": "/help", "entities": [{"type": "bot_command", "offset": 0, "length": 5}]}
    person = {"id": 7, "is_bot": False, "first_name": "Ann"}
    update = {"update_id": 1, "message": {"message_id": 1, "date": 1, "chat": CHAT, "from": person, **text}}
    # The library sets the webhook before it listens on the port, so a refused connection is tried again.
    client = httpx.Client(base_url=f"http://127.0.0.1:{port}", transport=httpx.HTTPTransport(retries=5))
    with client, running(BOT, tmp_path / "log", **environment):
        webhook = next_call(calls, "setWebhook")
        assert (webhook["url"], webhook["secret_token"]) == ("https://bot.example/updates", SECRET)
        for headers in ({}, {"X-Telegram-Bot-Api-Secret-Token": "wrong"}):
            assert client.post("/updates", json=update, headers=headers).status_code == 403
        assert client.post("/updates", json=update, headers={"X-Telegram-Bot-Api-Secret-Token": SECRET}).is_success
        assert "/quota" in next_call(calls, "sendMessage")["text"]
    assert "token" not in (tmp_path / "log").read_text().replace("secret_token", "")


@pytest.mark.slow
def test_a_telegram_that_fails_at_the_start_is_retried(telegram, tmp_path: Path, monkeypatch):
    """Three answers of 502 take 5 seconds; then the bot runs."""
    environment, calls = telegram
    monkeypatch.setattr(TelegramServer, "bad_gateways", 3)
    with running(BOT, tmp_path / "log", **environment):
        for _ in range(4):
            calls.get(timeout=PATIENCE_S)
        next_call(calls, "setMyCommands")
        wait_until(lambda: " answers" in (tmp_path / "log").read_text())
    assert "connecting to" in (tmp_path / "log").read_text()


@pytest.mark.slow
def test_two_bots_never_use_one_folder(telegram, tmp_path: Path):
    """The second one says why it waits, calls nothing, and starts when the first one is killed."""
    (environment, calls), log = telegram, tmp_path / "second"
    with running(BOT, tmp_path / "first", **environment) as first:
        next_call(calls, "getUpdates")
        with running(BOT, log, **environment):
            wait_until(lambda: "another bot uses BOT_DATA" in log.read_text())
            assert "connecting" not in log.read_text()
            first.kill()
            wait_until(lambda: " answers" in log.read_text())
    assert log.read_text().count("another bot uses BOT_DATA") == 1


def start_failing(environment: dict[str, str], **options: str) -> subprocess.CompletedProcess:
    """A bot that does not start, which it tries twice; it prints no token and a few lines."""
    program = "import sys, bot.__main__ as program; program.START_RETRIES = 1; sys.exit(program.main())"
    process = {"cwd": ROOT, "env": os.environ | environment | options, "timeout": PATIENCE_S}
    bot = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, **process)
    assert "123:token" not in bot.stdout + bot.stderr
    assert "Traceback" not in bot.stderr
    assert len(bot.stderr.splitlines()) <= 5
    return bot


@pytest.mark.slow
def test_a_bot_that_cannot_start_says_why(telegram, monkeypatch):
    """Telegram cannot be reached or rejects the token, or the port of the metrics is taken."""
    environment, _ = telegram
    bot = start_failing(environment, TELEGRAM_URL=f"http://127.0.0.1:{free_port()}/bot")
    assert bot.returncode == 1
    assert "bot: Telegram cannot be reached at http://127.0.0.1" in bot.stderr.splitlines()[-1]
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        bot = start_failing(environment, BOT_METRICS_PORT=port)
    assert bot.returncode == 1
    assert bot.stderr.startswith(f"bot: BOT_METRICS_PORT {port} cannot be opened:")
    assert len(bot.stderr.splitlines()) == 1
    monkeypatch.setattr(TelegramServer, "knows_token", False)
    bot = start_failing(environment)
    assert bot.returncode == 2
    assert bot.stderr.endswith("bot: Telegram rejects TELEGRAM_BOT_TOKEN. @BotFather shows the bot's present token.\n")


def test_every_setting_can_be_set():
    """A token and a key are enough; secrets are not shown by repr."""
    assert settings.read(MINIMUM) == BotSettings("123:token", "nf_live_key")
    values = {"ORACLE_URL": "https://oracle.example", "BOT_DATA": "/srv/bot", "TELEGRAM_URL": "http://127.0.0.1:9/bot"}
    values |= {"BOT_WEBHOOK_URL": "https://bot.example/x", "BOT_WEBHOOK_PORT": "9000", "BOT_WEBHOOK_SECRET": SECRET}
    read = settings.read(MINIMUM | values)
    assert {name: str(getattr(read, name.lower())) for name in values} == values
    assert not [secret for secret in (*MINIMUM.values(), SECRET) if secret in repr(read)]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"TELEGRAM_BOT_TOKEN": ""}, "TELEGRAM_BOT_TOKEN is not set"),
        ({"BOT_ORACLE_KEY": ""}, "python -m service.operator keys mint --delegating"),
        ({"ORACLE_URL": "localhost:8000"}, "ORACLE_URL"),
        ({"ORACLE_URL": "ftp://example.com"}, "ORACLE_URL"),
        ({"TELEGRAM_URL": "nonsense"}, "TELEGRAM_URL"),
        ({"BOT_WEBHOOK_PORT": "0"}, "BOT_WEBHOOK_PORT"),
        ({"BOT_WEBHOOK_PORT": "ninety"}, "BOT_WEBHOOK_PORT"),
        ({"BOT_METRICS_PORT": "65536"}, "BOT_METRICS_PORT"),
        ({"BOT_WEBHOOK_URL": "https://bot.example"}, "BOT_WEBHOOK_SECRET"),
        ({"BOT_WEBHOOK_URL": "https://bot.example", "BOT_WEBHOOK_SECRET": "not this one"}, "BOT_WEBHOOK_SECRET"),
    ],
)
def test_an_invalid_setting_is_named(changes, error):
    with pytest.raises(BotSettingsError) as refusal:
        settings.read(MINIMUM | changes)
    assert error in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_missing_token_ends_the_bot_with_a_sentence(tmp_path: Path):
    bot = start_failing(MINIMUM, TELEGRAM_BOT_TOKEN="", BOT_DATA=str(tmp_path))
    assert (bot.returncode, bot.stdout) == (2, "")
    assert bot.stderr.startswith("bot: TELEGRAM_BOT_TOKEN is not set")
    assert bot.stderr.count("\n") == 1
    with pytest.raises(BotSettingsError, match="TELEGRAM_BOT_TOKEN is not set"):
        settings.read({})


def line(message: str, error: Exception | None = None, level: int = logging.INFO) -> str:
    info = (type(error), error, None) if error else None
    return LogFormatter(MINIMUM).format(logging.LogRecord("bot", level, "bot.py", 1, message, (), info))


def test_a_secret_appears_by_name_at_every_level():
    """Also in an address, a header and the message of an error; one of Telegram is one line."""
    for level in (logging.DEBUG, logging.INFO, logging.ERROR):
        text = line("GET https://x/bot123:token/getMe X-API-Key: nf_live_key", ValueError("nf_live_key"), level)
        assert "123:token" not in text
        assert "nf_live_key" not in text
        assert text.count("BOT_ORACLE_KEY") == 2
        assert "bot" + "TELEGRAM_BOT_TOKEN" in text
    assert line("down", NetworkError("Bad Gateway")).splitlines()[1:] == ["NetworkError: Bad Gateway"]


def value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def test_updates_and_answers_are_counted(ann):
    names = {kind: ("bot_updates_total", {"kind": kind}) for kind in ("command", "message", "button")}
    names["answer"] = ("bot_answer_seconds_count", {})
    before = {kind: value(name, **labels) for kind, (name, labels) in names.items()}
    ann.says("/price")
    ann.presses("Gold")
    ann.says(QUESTION)
    growth = {kind: value(name, **labels) - before[kind] for kind, (name, labels) in names.items()}
    assert growth == {"command": 1, "message": 1, "button": 1, "answer": 1}


def test_a_failure_is_counted_by_its_error(start):
    before = value("bot_failures_total", error="ConnectionFailed")
    start(oracle_url=f"http://127.0.0.1:{free_port()}").person().says("/price")
    assert value("bot_failures_total", error="ConnectionFailed") == before + 1
