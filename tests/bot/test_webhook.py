"""Updates that Telegram brings: taken with the secret, refused without it."""

from __future__ import annotations

import importlib.util
import json
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
from tests.processes import free_port, running

ME = {"id": 99, "is_bot": True, "first_name": "Ninefold", "username": "ninefold_bot"}
CHAT = {"id": 7, "type": "private"}
SECRET = "s3cret"
PATIENCE_S = 30


class Telegram(BaseHTTPRequestHandler):
    """Answers what a bot needs, and notes what it asks."""

    asked: Queue

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
        method = self.path.rpartition("/")[2]
        self.asked.put((method, {name: value[0] for name, value in parse_qs(body).items()}))
        message = {"message_id": 1, "date": 1, "chat": CHAT, "from": ME, "text": "…"}
        result = {"getMe": ME, "sendMessage": message}.get(method, True)
        answer = json.dumps({"ok": True, "result": result}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_said: object) -> None: ...


@pytest.fixture
def telegram() -> Iterator[tuple[str, Queue]]:
    """The address of a server of Telegram, and what it was asked."""
    asked: Queue = Queue()
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Noting", (Telegram,), {"asked": asked})) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/bot", asked
        server.shutdown()


def asked_for(asked: Queue, method: str) -> dict[str, str]:
    """The next call of this method."""
    while True:
        name, values = asked.get(timeout=PATIENCE_S)
        if name == method:
            return values


def test_an_update_is_taken_with_the_secret_and_refused_without(telegram, tmp_path: Path):
    if not importlib.util.find_spec("tornado"):
        absent("no tornado, without which the library serves no webhook")
    address, asked = telegram
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
    # The library tells Telegram the address first and listens on it next: a refused connection is tried again.
    patient = httpx.Client(base_url=f"http://127.0.0.1:{port}", transport=httpx.HTTPTransport(retries=5))
    with patient, running([sys.executable, "-m", "bot"], tmp_path / "log", **environment):
        told = asked_for(asked, "setWebhook")
        assert (told["url"], told["secret_token"]) == ("https://bot.example/updates", SECRET)
        statuses = [
            patient.post("/updates", json=update, headers=headers).status_code
            for headers in ({}, {"X-Telegram-Bot-Api-Secret-Token": "wrong"})
        ]
        assert statuses == [403, 403]
        assert patient.post("/updates", json=update, headers={"X-Telegram-Bot-Api-Secret-Token": SECRET}).is_success
        assert "/quota" in asked_for(asked, "sendMessage")["text"]
    assert "token" not in (tmp_path / "log").read_text().replace("secret_token", "")
