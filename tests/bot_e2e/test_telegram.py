"""The Telegram of these tests holds a bot to what the real one holds it to."""

from __future__ import annotations

import struct
from typing import Any

import httpx
import pytest

from tests.bot_e2e.chats import Telegram

TOKEN = "1:somebody_elses"
CHAT = 1
PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 1080, 720)
OTHER_BUTTON = {"inline_keyboard": [[{"text": "Go", "callback_data": "x" * 65}]]}


@pytest.fixture
def call(telegram: Telegram):
    """Call a method of a bot: status and answer."""

    def run(method: str, **values: Any) -> tuple[int, dict[str, Any]]:
        answer = httpx.post(f"{telegram.bots}{TOKEN}/{method}", json={"chat_id": CHAT, **values})
        return answer.status_code, answer.json()

    return run


@pytest.mark.parametrize(
    ("wrong", "reason"),
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
def test_it_refuses_what_telegram_refuses(call, wrong, reason):
    status, told = call("sendMessage", **wrong)
    assert (status, told["ok"]) == (400, False)
    assert reason in told["description"]


def test_it_shows_html_as_a_person_sees_it(call):
    written = '<b>a &lt; b</b> &amp; <a href="https://example.com">there</a> &#x25B2; &#9660;'
    _, told = call("sendMessage", text=written, parse_mode="HTML")
    assert told["result"]["text"] == "a < b & there ▲ ▼"


def test_an_edit_that_changes_nothing_is_refused(call):
    number = call("sendMessage", text="six lanes")[1]["result"]["message_id"]
    assert call("editMessageText", message_id=number, text="six lanes again")[1]["result"]["message_id"] == number
    status, told = call("editMessageText", message_id=number, text="six lanes again")
    assert status == 400
    assert "message is not modified" in told["description"]


def test_a_photo_is_an_uploaded_png(call, telegram):
    address, values = f"{telegram.bots}{TOKEN}/sendPhoto", {"chat_id": "1", "caption": "PAPER"}
    told = httpx.post(address, data=values, files={"photo": PNG}).json()["result"]
    assert (told["caption"], told["photo"][0]["width"]) == ("PAPER", 1080)
    assert httpx.post(address, data=values, files={"photo": b"GIF89a"}).status_code == 400


def test_what_a_bot_has_not_confirmed_comes_again(call, telegram):
    """A bot that dies between reading an update and asking for the next reads it again."""
    person = telegram.person(TOKEN)
    person.says("hello")
    (first,) = call("getUpdates")[1]["result"]
    assert call("getUpdates") == (200, {"ok": True, "result": [first]})
    assert call("getUpdates", offset=first["update_id"] + 1)[1]["result"] == []


def test_a_fault_is_answered_as_often_as_asked(call, telegram):
    telegram.fails("sendMessage", 429, CHAT, parameters={"retry_after": 3})
    status, told = call("sendMessage", text="one")
    assert (status, told["ok"], told["parameters"]) == (429, False, {"retry_after": 3})
    assert call("sendMessage", text="one")[0] == 200
