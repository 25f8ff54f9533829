"""The Telegram of these tests enforces the rules of the real one."""

from __future__ import annotations

import struct
from typing import Any

import httpx
import pytest

from tests.bot_e2e.chats import Telegram

pytestmark = pytest.mark.slow

TOKEN = "1:another_bot"
CHAT = 1
PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 1080, 720)
OTHER_BUTTON = {"inline_keyboard": [[{"text": "Go", "callback_data": "x" * 65}]]}


@pytest.fixture
def call(telegram: Telegram):
    """Call a method of the Bot API; returns the status and the answer."""

    def run(method: str, **values: Any) -> tuple[int, dict[str, Any]]:
        answer = httpx.post(f"{telegram.bots}{TOKEN}/{method}", json={"chat_id": CHAT, **values})
        return answer.status_code, answer.json()

    return run


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"text": "x" * 4097}, "message is too long"),
        ({"text": "<b> </b>", "parse_mode": "HTML"}, "message text is empty"),
        ({"text": "<b>never closed", "parse_mode": "HTML"}, "can't find end tag"),
        ({"text": "<b>crossed <i></b></i>", "parse_mode": "HTML"}, "unmatched end tag"),
        ({"text": "<table>", "parse_mode": "HTML"}, "unsupported start tag"),
        ({"text": "1 < 2", "parse_mode": "HTML"}, "unsupported start tag"),
        ({"text": "x", "reply_markup": OTHER_BUTTON}, "BUTTON_DATA_INVALID"),
    ],
)
def test_it_refuses_invalid_messages(call, parts, reason):
    status, answer = call("sendMessage", **parts)
    assert (status, answer["ok"]) == (400, False)
    assert reason in answer["description"]


def test_it_shows_html_as_a_person_sees_it(call):
    markup = '<b>a &lt; b</b> &amp; <a href="https://example.com">there</a> &#x25B2; &#9660;'
    _, answer = call("sendMessage", text=markup, parse_mode="HTML")
    assert answer["result"]["text"] == "a < b & there ▲ ▼"


def test_an_edit_that_changes_nothing_is_refused(call):
    number = call("sendMessage", text="six lanes")[1]["result"]["message_id"]
    assert call("editMessageText", message_id=number, text="six lanes again")[1]["result"]["message_id"] == number
    status, answer = call("editMessageText", message_id=number, text="six lanes again")
    assert status == 400
    assert "message is not modified" in answer["description"]


def test_a_photo_must_be_a_png(call, telegram):
    address, values = f"{telegram.bots}{TOKEN}/sendPhoto", {"chat_id": "1", "caption": "PAPER"}
    message = httpx.post(address, data=values, files={"photo": PNG}).json()["result"]
    assert (message["caption"], message["photo"][0]["width"]) == ("PAPER", 1080)
    assert httpx.post(address, data=values, files={"photo": b"GIF89a"}).status_code == 400


def test_an_unconfirmed_update_is_delivered_again(call, telegram):
    """A bot that dies between reading an update and requesting the next reads it again."""
    person = telegram.person(TOKEN)
    person.says("hello")
    (first,) = call("getUpdates")[1]["result"]
    assert call("getUpdates") == (200, {"ok": True, "result": [first]})
    assert call("getUpdates", offset=first["update_id"] + 1)[1]["result"] == []


def test_an_injected_error_is_answered_once(call, telegram):
    telegram.fails("sendMessage", 429, CHAT, parameters={"retry_after": 3})
    status, answer = call("sendMessage", text="one")
    assert (status, answer["ok"], answer["parameters"]) == (429, False, {"retry_after": 3})
    assert call("sendMessage", text="one")[0] == 200
