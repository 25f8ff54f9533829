"""Telegram as people use it: they say something, press a button and read what comes.

Nothing here sleeps: every wait is a long poll of the calls that the bots made.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import httpx

PATIENCE_S = 15


@dataclass(frozen=True)
class Call:
    """What a bot asked Telegram to do in a chat (0: in none), and what Telegram answered."""

    bot: str
    method: str
    chat: int
    values: dict[str, Any]
    status: int
    result: Any


@dataclass(frozen=True)
class Message:
    """A message of a bot as it stands in a chat; `read` is all that it has ever said, the newest last.

    `buttons` are the data of each by its label; `links` the addresses.
    """

    id: int
    text: str
    buttons: dict[str, str]
    links: dict[str, str]
    photo: dict[str, int] | None
    read: tuple[str, ...]
    changed: int


@dataclass
class Telegram:
    """The server at `address`; `calls` are all that were made so far, by every bot."""

    address: str
    calls: list[Call] = field(default_factory=list)
    numbers: count = field(default_factory=lambda: count(1000))

    def __post_init__(self) -> None:
        self.http = httpx.Client(base_url=self.address, timeout=PATIENCE_S + 10)

    def close(self) -> None:
        self.http.close()

    @property
    def bots(self) -> str:
        """What a bot is told as the address of Telegram."""
        return f"{self.address}/bot"

    def person(self, bot: str) -> Person:
        """Somebody new, in a private chat with the bot whose token that is."""
        return Person(self, bot, next(self.numbers))

    def fails(self, method: str, status: int, chat: int = 0, times: int = 1, **answer: Any) -> None:
        """Answer the next such calls (in a chat) with an error instead of doing them."""
        fault = {"method": method, "chat": chat, "times": times, "status": status, "answer": answer}
        self.http.post("/faults", json=fault).raise_for_status()

    def tell(self, path: str, update: dict[str, Any]) -> None:
        """Bring what a person did before their bot."""
        self.http.post(path, json=update).raise_for_status()

    def listen(self, seconds: float) -> None:
        """Take in the calls since the last time; where there are none, wait for one at most so long."""
        known = {"since": len(self.calls), "seconds": max(0.0, seconds)}
        self.calls += [Call(**call) for call in self.http.get("/calls", params=known).json()]

    def wait_for(self, is_so: Callable[[], Any], patience_s: float = PATIENCE_S) -> Any:
        """What `is_so` gives, once it is something."""
        deadline = time.monotonic() + patience_s
        self.listen(0)
        while not (found := is_so()):
            left = deadline - time.monotonic()
            assert left > 0, f"waited in vain; the last calls:\n{self.told()}"
            self.listen(left)
        return found

    def told(self, last: int = 12) -> str:
        """The last calls, for whoever wonders why nothing came."""
        return "\n".join(f"{one.status} {one.method} {one.chat} {one.values}" for one in self.calls[-last:])


@dataclass
class Person:
    """Somebody in a chat with a bot; `since` is the number of calls when they last did something.

    The chat is their private one, or the group of a number below 0.
    """

    telegram: Telegram
    bot: str
    id: int
    group: int = 0
    since: int = 0

    def __post_init__(self) -> None:
        self.chat = self.group or self.id

    def in_group(self) -> Person:
        """The same person, in a group that the bot is a member of."""
        return replace(self, group=-next(self.telegram.numbers))

    def says(self, text: str) -> None:
        """Send a message, or a command where it begins with a slash."""
        message = self._from() | {"text": text, "date": int(time.time())}
        if not text.startswith("/"):
            return self._do("/sendMessage", message)
        command = {"type": "bot_command", "offset": 0, "length": len(text.split()[0])}
        return self._do("/sendCommand", message | {"entities": [command]})

    def presses(self, label: str) -> Message:
        """Press the button `label` of the newest message that has it, once there is one; gives the message."""
        message = self.telegram.wait_for(lambda: self._newest(lambda one: label in one.buttons))
        self.presses_on(message, label)
        return message

    def presses_on(self, message: Message, label: str) -> None:
        """Press a button of a message as it stood then; it may look otherwise by now."""
        place = {"message_id": message.id, "chat": self._from()["chat"]}
        self._do("/sendCallback", self._from() | {"message": place, "data": message.buttons[label]})

    def waits_for(self, is_so: Callable[[Message], Any], patience_s: float = PATIENCE_S) -> Message:
        """The newest message for which `is_so` holds among those written or edited since this person last acted."""
        return self.telegram.wait_for(
            lambda: self._newest(lambda one: one.changed >= self.since and is_so(one)), patience_s
        )

    def reads(self, words: str, patience_s: float = PATIENCE_S) -> Message:
        """The same, where `words` stand in the text."""
        return self.waits_for(lambda one: words in one.text, patience_s)

    def is_answered(self) -> str:
        """What came up for a moment when a button was pressed; empty where nothing did."""
        return self.telegram.wait_for(lambda: self.calls("answerCallbackQuery"))[0].values.get("text", "")

    @property
    def messages(self) -> list[Message]:
        """The bot's side of the chat as it stands, the oldest first."""
        standing: dict[int, Message] = {}
        for number, call in enumerate(self.telegram.calls):
            if (call.bot, call.chat, call.status) != (self.bot, self.chat, 200):
                continue
            if call.method == "deleteMessage":
                standing.pop(int(call.values["message_id"]), None)
            elif isinstance(call.result, dict):
                message = _message(call.result, number)
                before = standing.get(message.id)
                standing[message.id] = replace(message, read=(*before.read, message.text)) if before else message
        return list(standing.values())

    def _newest(self, is_so: Callable[[Message], Any]) -> Message | None:
        return next((one for one in reversed(self.messages) if is_so(one)), None)

    def calls(self, method: str) -> list[Call]:
        """The calls of that method in this chat since this person last acted."""
        new = self.telegram.calls[self.since :]
        return [call for call in new if (call.bot, call.chat, call.method) == (self.bot, self.chat, method)]

    def _do(self, path: str, update: dict[str, Any]) -> None:
        self.telegram.listen(0)
        self.since = len(self.telegram.calls)
        self.telegram.tell(path, update)

    def _from(self) -> dict[str, Any]:
        who = {"id": self.id, "is_bot": False, "first_name": f"Person {self.id}"}
        private = {"id": self.id, "type": "private", "first_name": who["first_name"]}
        group = {"id": self.group, "type": "supergroup", "title": "Friends"}
        return {"botToken": self.bot, "from": who, "chat": group if self.group else private}


def _message(told: dict[str, Any], number: int) -> Message:
    rows = told.get("reply_markup", {}).get("inline_keyboard", [])
    keys = [key for row in rows for key in row]
    text = told.get("text", told.get("caption", ""))
    return Message(
        id=told["message_id"],
        text=text,
        buttons={key["text"]: key["callback_data"] for key in keys if "callback_data" in key},
        links={key["text"]: key["url"] for key in keys if "url" in key},
        photo=told["photo"][-1] if "photo" in told else None,
        read=(text,),
        changed=number,
    )
