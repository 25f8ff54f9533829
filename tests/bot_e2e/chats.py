"""Telegram from the people's side: they send texts, press buttons and read; every wait is a long poll for calls."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

import httpx

from tests.processes import PATIENCE_S


@dataclass(frozen=True)
class Call:
    """A bot's call of the Bot API in a chat (0: in none), with Telegram's answer; `at` is in unix seconds."""

    bot: str
    method: str
    chat: int
    values: dict[str, Any]
    status: int
    result: Any
    at: float


@dataclass(frozen=True)
class Message:
    """A bot's message as a chat shows it; `buttons` maps each label to the button's data."""

    id: int
    text: str
    buttons: dict[str, str]
    changed: int


@dataclass
class Telegram:
    """The server at `address`; `calls` are all calls of all bots so far."""

    address: str
    calls: list[Call] = field(default_factory=list)
    numbers: count = field(default_factory=lambda: count(1000))

    def __post_init__(self) -> None:
        self.http = httpx.Client(base_url=self.address, timeout=PATIENCE_S + 10)
        self.bots = f"{self.address}/bot"  # the value of TELEGRAM_URL

    def person(self, bot: str) -> Person:
        """A new person in a private chat with the bot that has this token."""
        return Person(self, bot, next(self.numbers))

    def reset_connection(self, method: str, chat: int) -> None:
        self.http.post("/resets", json={"method": method, "chat": chat}).raise_for_status()

    def send(self, path: str, update: dict[str, Any]) -> None:
        self.http.post(path, json=update).raise_for_status()

    def read_calls(self, seconds: float) -> None:
        """Read the new calls; if there are none, wait up to `seconds` for one."""
        query = {"since": len(self.calls), "seconds": max(0.0, seconds)}
        self.calls += [Call(**call) for call in self.http.get("/calls", params=query).json()]

    def wait_for(self, condition: Callable[[], Any]) -> Any:
        """The first true value of `condition`; fails after PATIENCE_S with the last calls."""
        deadline = time.monotonic() + PATIENCE_S
        self.read_calls(0)
        while not (value := condition()):
            left = deadline - time.monotonic()
            assert left > 0, "\n".join(map(str, self.calls[-12:]))
            self.read_calls(left)
        return value


@dataclass
class Person:
    """A person in a private chat with a bot; `since` is the number of calls when they last did something."""

    telegram: Telegram
    bot: str
    id: int
    since: int = 0

    def says(self, text: str) -> None:
        """Send a text; it is a command if it starts with a slash."""
        message = self._from() | {"text": text, "date": int(time.time())}
        if not text.startswith("/"):
            return self._do("/sendMessage", message)
        command = {"type": "bot_command", "offset": 0, "length": len(text.split()[0])}
        return self._do("/sendCommand", message | {"entities": [command]})

    def presses(self, label: str) -> None:
        """Press the button `label` of the newest message that has it, once there is one."""
        message = self.telegram.wait_for(lambda: self._newest(lambda candidate: label in candidate.buttons))
        place = {"message_id": message.id, "chat": self._from()["chat"]}
        self._do("/sendCallback", self._from() | {"message": place, "data": message.buttons[label]})

    def reads(self, words: str) -> Message:
        """The newest message with these words that was sent or edited since this person last acted."""
        return self.telegram.wait_for(
            lambda: self._newest(lambda message: message.changed >= self.since and words in message.text)
        )

    def is_answered(self) -> str:
        """The text of the pop-up after a press; empty if there was none."""
        return self.telegram.wait_for(lambda: self.calls("answerCallbackQuery"))[0].values.get("text", "")

    @property
    def messages(self) -> list[Message]:
        """The bot's messages in this chat as shown now, the oldest first."""
        messages: dict[int, Message] = {}
        for number, call in enumerate(self.telegram.calls):
            if (call.bot, call.chat, call.status) == (self.bot, self.id, 200) and isinstance(call.result, dict):
                result, place = call.result, call.result["message_id"]
                keys = chain(*result.get("reply_markup", {}).get("inline_keyboard", []))
                buttons = {key["text"]: key["callback_data"] for key in keys if "callback_data" in key}
                messages[place] = Message(place, result.get("text", result.get("caption", "")), buttons, number)
        return list(messages.values())

    def _newest(self, condition: Callable[[Message], Any]) -> Message | None:
        return next((message for message in reversed(self.messages) if condition(message)), None)

    def calls(self, method: str) -> list[Call]:
        """The calls of a method in this chat since this person last acted."""
        new = self.telegram.calls[self.since :]
        return [call for call in new if (call.bot, call.chat, call.method) == (self.bot, self.id, method)]

    def _do(self, path: str, update: dict[str, Any]) -> None:
        self.telegram.read_calls(0)
        self.since = len(self.telegram.calls)
        self.telegram.send(path, update)

    def _from(self) -> dict[str, Any]:
        sender = {"id": self.id, "is_bot": False, "first_name": f"Person {self.id}"}
        private = {"id": self.id, "type": "private", "first_name": sender["first_name"]}
        return {"botToken": self.bot, "from": sender, "chat": private}
