"""`python -m bot` with a webhook: updates are accepted with the secret and refused without it."""

from __future__ import annotations

import importlib.util
import json
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

from tests.conftest import absent
from tests.processes import PATIENCE_S, free_port, running, wait_until

ME = {"id": 99, "is_bot": True, "first_name": "Ninefold", "username": "ninefold_bot"}
CHAT = {"id": 7, "type": "private"}
SECRET = "s3cret"


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
        answer = json.dumps(answer).encode()
        is_bad = TelegramServer.bad_gateways > 0
        TelegramServer.bad_gateways -= is_bad
        self.send_response(502 if is_bad else 200 if self.knows_token else 401)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_values: object) -> None: ...


@pytest.fixture
def telegram() -> Iterator[tuple[str, Queue]]:
    """The address of a Telegram server, and its recorded calls."""
    calls: Queue = Queue()
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Recording", (TelegramServer,), {"calls": calls})) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/bot", calls
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
    address, calls = telegram
    port = free_port()
    environment = {
        "TELEGRAM_BOT_TOKEN": "123:token",
        "BOT_ORACLE_KEY": "nf_live_key",
        "BOT_DATA": str(tmp_path),
        "TELEGRAM_URL": address,
        "BOT_WEBHOOK_URL": "https://bot.example/updates",
        "BOT_WEBHOOK_PORT": str(port),
        "BOT_WEBHOOK_SECRET": SECRET,
    }
    text = {"text": "/help", "entities": [{"type": "bot_command", "offset": 0, "length": 5}]}
    person = {"id": 7, "is_bot": False, "first_name": "Ann"}
    update = {"update_id": 1, "message": {"message_id": 1, "date": 1, "chat": CHAT, "from": person, **text}}
    # The library sets the webhook before it listens on the port, so a refused connection is tried again.
    client = httpx.Client(base_url=f"http://127.0.0.1:{port}", transport=httpx.HTTPTransport(retries=5))
    with client, running([sys.executable, "-m", "bot"], tmp_path / "log", **environment):
        webhook = next_call(calls, "setWebhook")
        assert (webhook["url"], webhook["secret_token"]) == ("https://bot.example/updates", SECRET)
        statuses = [
            client.post("/updates", json=update, headers=headers).status_code
            for headers in ({}, {"X-Telegram-Bot-Api-Secret-Token": "wrong"})
        ]
        assert statuses == [403, 403]
        assert client.post("/updates", json=update, headers={"X-Telegram-Bot-Api-Secret-Token": SECRET}).is_success
        assert "/quota" in next_call(calls, "sendMessage")["text"]
    assert "token" not in (tmp_path / "log").read_text().replace("secret_token", "")


@pytest.mark.slow
def test_a_telegram_that_fails_at_the_start_is_retried(telegram, tmp_path: Path, monkeypatch):
    """Three answers of 502 take 5 seconds; then the bot runs."""
    address, calls = telegram
    monkeypatch.setattr(TelegramServer, "bad_gateways", 3)
    environment = {"TELEGRAM_BOT_TOKEN": "123:token", "BOT_ORACLE_KEY": "nf_live_key", "BOT_DATA": str(tmp_path)}
    with running([sys.executable, "-m", "bot"], tmp_path / "log", **environment, TELEGRAM_URL=address):
        for _ in range(4):
            calls.get(timeout=PATIENCE_S)
        next_call(calls, "setMyCommands")
        wait_until(lambda: " answers" in (tmp_path / "log").read_text())
    assert "connecting to" in (tmp_path / "log").read_text()


@pytest.mark.slow
def test_two_bots_never_use_one_folder(telegram, tmp_path: Path):
    """The second one says why it waits, calls nothing, and starts when the first one is killed."""
    address, calls = telegram
    environment = {"TELEGRAM_BOT_TOKEN": "123:token", "BOT_ORACLE_KEY": "nf_live_key", "TELEGRAM_URL": address}
    environment["BOT_DATA"] = str(tmp_path)
    command, log = [sys.executable, "-m", "bot"], tmp_path / "second"
    with running(command, tmp_path / "first", **environment) as first:
        next_call(calls, "getUpdates")
        with running(command, log, **environment):
            wait_until(lambda: "another bot uses BOT_DATA" in log.read_text())
            assert "connecting" not in log.read_text()
            first.kill()
            wait_until(lambda: " answers" in log.read_text())
    assert log.read_text().count("another bot uses BOT_DATA") == 1


def start_failing(tmp_path: Path, address: str, **options: str) -> subprocess.CompletedProcess:
    """A bot that does not start; it tries twice."""
    environment = {"TELEGRAM_BOT_TOKEN": "123:token", "BOT_ORACLE_KEY": "nf_live_key", "TELEGRAM_URL": address}
    environment |= {"BOT_DATA": str(tmp_path)} | options
    program = "import sys, bot.__main__ as program; program.START_RETRIES = 1; sys.exit(program.main())"
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, timeout=PATIENCE_S)


@pytest.mark.slow
def test_a_rejected_token_is_not_printed(telegram, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(TelegramServer, "knows_token", False)
    bot = start_failing(tmp_path, telegram[0])
    assert bot.returncode == 2
    assert bot.stderr.endswith("bot: Telegram rejects TELEGRAM_BOT_TOKEN. @BotFather shows the bot's present token.\n")
    assert "123:token" not in bot.stdout + bot.stderr
    assert "Traceback" not in bot.stderr


@pytest.mark.slow
def test_an_unreachable_telegram_is_a_few_lines(tmp_path: Path):
    bot = start_failing(tmp_path, f"http://127.0.0.1:{free_port()}/bot")
    assert bot.returncode == 1
    assert "bot: Telegram cannot be reached at http://127.0.0.1" in bot.stderr.splitlines()[-1]
    assert len(bot.stderr.splitlines()) <= 5
    assert "123:token" not in bot.stderr


@pytest.mark.slow
def test_a_taken_metrics_port_is_one_sentence(telegram, tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        bot = start_failing(tmp_path, telegram[0], BOT_METRICS_PORT=port)
    assert bot.returncode == 1
    assert bot.stderr.startswith(f"bot: BOT_METRICS_PORT {port} cannot be opened:")
    assert len(bot.stderr.splitlines()) == 1
