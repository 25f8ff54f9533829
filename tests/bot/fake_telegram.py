"""A fake Telegram in this process: it keeps every chat, and refuses what Telegram would refuse and a little more."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from itertools import count
from typing import Any, Literal

import httpx
from telegram.error import NetworkError
from telegram.request import BaseRequest, RequestData

TEXT, CAPTION, POPUP, DATA, ADDRESS, DESCRIPTION = 4096, 1024, 200, 64, 2048, 256
GROUP_MESSAGES, GROUP_WINDOW_S = 20, 60  # sent and edited in one group
SEND_METHODS = ("sendMessage", "sendPhoto", "editMessageText", "editMessageMedia")
TAGS = {"b", "i", "u", "s", "code", "pre", "a", "blockquote"}
ATTRIBUTES = {"a": {"href"}, "blockquote": {"expandable"}}
ENTITY = re.compile(r"&(lt|gt|amp|quot|#\d+|#x[0-9a-fA-F]+);")
SAME_TEXT = "Bad Request: message is not modified: specified new message content and reply markup are exactly the same "
SAME_TEXT += "as a current content and reply markup of the message"
BLOCK = "Forbidden: bot was blocked by the user"
MIGRATION = "Bad Request: group chat was upgraded to a supergroup chat"
NO_TOPIC = "Bad Request: message thread not found"
STALE = "Bad Request: query is too old and response timeout expired or query ID is invalid"
ME = {"id": 99, "is_bot": True, "first_name": "Ninefold", "username": "ninefold_bot"}


class Refusal(Exception):
    """An error that Telegram answers; `chat` is the only chat that gets it, None for all."""

    def __init__(self, description: str, status: int = 400, *, chat: int | None = None, **parameters: Any) -> None:
        super().__init__(description)
        self.chat = chat
        self.answer = {"ok": False, "error_code": status, "description": description}
        self.answer |= {"parameters": parameters} if parameters else {}


@dataclass
class ChatMessage:
    """A message as a chat shows it; `read` holds all its texts over time, the newest last."""

    chat: int
    id: int
    text: str
    keyboard: list[list[dict[str, str]]]
    is_photo: bool = False
    quoted: int | None = None
    topic: int | None = None
    is_silent: bool = False
    read: list[str] = field(default_factory=list)

    @property
    def plain(self) -> str:
        """The text without tags."""
        return unescape(re.sub(r"<[^>]*>", "", self.text))

    @property
    def buttons(self) -> dict[str, str]:
        """The data or address of each button, by its label."""
        return {key["text"]: key.get("callback_data") or key["url"] for row in self.keyboard for key in row}

    def replace(self, text: str, values: dict[str, Any]) -> None:
        self.text, self.keyboard = text, _keyboard(values)
        self.read.append(text)


class Markup(HTMLParser):
    """Collects the faults of a text in Telegram's HTML."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self.open: list[str] = []
        self.faults: list[str] = []
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is not closed" for tag in self.open]
        self.faults += ["a bare & or <"] if re.search(r"&(?!\w+;|#)|<(?![/a-z])", text) else []

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.open.append(tag)
        if tag not in TAGS or {name for name, _ in attrs} - ATTRIBUTES.get(tag, set()):
            self.faults.append(f"<{tag}> is not allowed like this")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")

    def handle_entityref(self, name: str) -> None:
        if not ENTITY.fullmatch(f"&{name};"):
            self.faults.append(f"&{name}; is no entity of Telegram")

    def handle_comment(self, data: str) -> None:
        self.faults.append("a comment")


@dataclass
class Cut:
    """A failure of one call: `place` counts the calls before it; after a cut that is `late` the call was done."""

    place: int
    kind: Literal["502", "early", "late"]


class FakeTelegram(BaseRequest):
    """The library's connection to Telegram; `faults` holds everything that a bot should never send.

    `topics` are those of forums, `supergroups` what groups became, `blocked` the chats that take nothing.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.chats: dict[tuple[int, int], ChatMessage] = {}
        self.faults: list[str] = []
        self.refusals: dict[str, list[Refusal]] = {}
        self.inline: dict[str, ChatMessage] = {}
        self.offered: list[dict[str, Any]] = []
        self.pressed: set[str] = set()
        self.admins: set[int] = set()
        self.popups: list[str] = []
        self.topics: dict[int, set[int]] = {}
        self.supergroups: dict[int, int] = {}
        self.blocked: set[int] = set()
        self.cut: Cut | None = None
        self.instants: dict[int, list[float]] = {}
        self.numbers = count(1)

    @property
    def read_timeout(self) -> float:
        return 5.0

    async def initialize(self) -> None: ...

    async def shutdown(self) -> None: ...

    def refuse(self, method: str, description: str, status: int = 400, **options: Any) -> None:
        """Answer the next call of this method, in the `chat` if one is given, with an error."""
        self.refusals.setdefault(method, []).append(Refusal(description, status, **options))

    def _raise_refusal(self, method: str, chat: int | None) -> None:
        refusals = self.refusals.get(method, [])
        refusal = next((refusal for refusal in refusals if refusal.chat in (None, chat)), None)
        if refusal is not None:
            refusals.remove(refusal)
            raise refusal

    def methods(self) -> list[str]:
        return [method for method, _ in self.calls]

    async def do_request(
        self, url: str, method: str, request_data: RequestData | None = None, *_timeouts: Any, **_options: Any
    ) -> tuple[int, bytes]:
        name, values = url.rpartition("/")[2], dict(request_data.parameters) if request_data else {}
        files = request_data.multipart_data if request_data and request_data.contains_files else {}
        self.calls.append((name, values))
        kind = self._kind_of_cut()
        if kind == "early":
            raise NetworkError("the connection was refused") from httpx.ConnectError("refused")
        try:
            if kind == "502":
                raise Refusal("Bad Gateway", 502)
            self._raise_refusal(name, values.get("chat_id"))
            self._enforce_limits(name, values)
            result = self._answer(name, values, files)
        except Refusal as refusal:
            return refusal.answer["error_code"], json.dumps(refusal.answer).encode()
        if kind == "late":
            raise NetworkError("the connection was reset") from httpx.ReadError("reset")
        return 200, json.dumps({"ok": True, "result": result}).encode()

    def _kind_of_cut(self) -> str | None:
        """How this call fails; None: not at all."""
        if self.cut is None:
            return None
        self.cut.place -= 1
        return self.cut.kind if self.cut.place == -1 else None

    def _enforce_limits(self, name: str, values: dict[str, Any]) -> None:
        """Refuse what a chat takes no more: it is gone, moved or blocked, has no such topic, or had too much."""
        chat = values.get("chat_id")
        if chat in self.supergroups:
            raise Refusal(MIGRATION, migrate_to_chat_id=self.supergroups[chat])
        if chat in self.blocked:
            raise Refusal(BLOCK, 403)
        topic = values.get("message_thread_id")
        if topic is not None and topic not in self.topics.get(chat or 0, ()):
            raise Refusal(NO_TOPIC)
        if name not in SEND_METHODS or not isinstance(chat, int) or chat > 0:
            return
        now = asyncio.get_running_loop().time()
        recent = [instant for instant in self.instants.get(chat, ()) if instant > now - GROUP_WINDOW_S]
        self.instants[chat] = [*recent, now]
        if len(recent) >= GROUP_MESSAGES:
            self.faults.append(f"more than {GROUP_MESSAGES} messages a minute in a group")
            raise Refusal("Too Many Requests: retry after 30", 429, retry_after=30)

    def _answer(self, name: str, values: dict[str, Any], files: dict[str, Any]) -> Any:
        answer = getattr(self, f"_{name}", None)
        if answer is None:
            self._blame(f"an unexpected method: {name}")
        return answer(values, files)

    def _getMe(self, _values: dict, _files: dict) -> dict[str, Any]:  # noqa: N802
        return ME

    def _setMyCommands(self, values: dict, _files: dict) -> bool:  # noqa: N802
        names = [entry["command"] for entry in values["commands"]]
        if not all(0 < len(entry["description"]) <= DESCRIPTION for entry in values["commands"]):
            self._blame("a description of a command that is too long")
        return all(re.fullmatch("[a-z0-9_]{1,32}", name) for name in names) or self._blame(f"a command of {names}")

    def _getChatMember(self, values: dict, _files: dict) -> dict[str, Any]:  # noqa: N802
        status = (
            {"status": "creator", "is_anonymous": False} if values["user_id"] in self.admins else {"status": "member"}
        )
        return status | {"user": {"id": values["user_id"], "is_bot": False, "first_name": "A member"}}

    def _sendChatAction(self, _values: dict, _files: dict) -> bool:  # noqa: N802
        return True

    _deleteMyCommands = _sendChatAction  # noqa: N815

    def _send(self, values: dict, files: dict) -> dict[str, Any]:
        quoted, topic = values.get("reply_parameters", {}).get("message_id"), values.get("message_thread_id")
        place = {"quoted": quoted, "topic": topic, "is_silent": bool(values.get("disable_notification"))}
        text, number, keyboard = self._text(values, files), next(self.numbers), _keyboard(values)
        reply = ChatMessage(values["chat_id"], number, text, keyboard, bool(files), read=[text], **place)
        self.chats[reply.chat, reply.id] = reply
        return self._result(reply)

    _sendMessage = _sendPhoto = _send  # noqa: N815

    def _edit(self, values: dict, files: dict) -> dict[str, Any] | bool:
        text = self._text(values.get("media", values) | {"reply_markup": values.get("reply_markup", {})}, files)
        if "inline_message_id" in values:
            self.inline[values["inline_message_id"]].replace(text, values)
            return True
        reply = self.chats.get((values["chat_id"], values["message_id"]))
        if reply is None:
            raise Refusal("Bad Request: message to edit not found")
        if files and not reply.is_photo:
            self._blame("a photo in place of a text")
        if reply.is_photo and not files:
            raise Refusal("Bad Request: there is no text in the message to edit")
        if not files and (reply.text, reply.keyboard) == (text, _keyboard(values)):
            raise Refusal(SAME_TEXT)
        reply.replace(text, values)
        return self._result(reply)

    _editMessageText = _editMessageMedia = _edit  # noqa: N815

    def _text(self, content: dict[str, Any], files: dict[str, Any]) -> str:
        """The text of a message, or the caption of its photo, once all of it was checked."""
        text, limit = (content.get("caption", ""), CAPTION) if files else (content.get("text", ""), TEXT)
        self._check(content, text, limit)
        if not all(picture.startswith(b"\x89PNG") for _, picture, *_ in files.values()):
            self._blame("a photo that is no PNG")
        return text

    def _answerInlineQuery(self, values: dict, _files: dict) -> bool:  # noqa: N802
        self.offered = values["results"]
        for offer in self.offered:
            content = offer["input_message_content"]
            keyboard = {"reply_markup": offer["reply_markup"]} if "reply_markup" in offer else {}
            self._check(content | keyboard, content["message_text"], TEXT)
            if not offer["title"] or not 0 < len(offer["id"]) <= DATA:
                self._blame(f"an invalid article: {offer}")
        return True

    def send_inline(self, offer: dict[str, Any]) -> ChatMessage:
        """A person sends one of the offered articles to a chat in which the bot need not be."""
        text, keyboard = offer["input_message_content"]["message_text"], _keyboard(offer)
        reply = ChatMessage(0, next(self.numbers), text, keyboard, read=[text])
        self.inline[str(reply.id)] = reply
        return reply

    def _answerCallbackQuery(self, values: dict, _files: dict) -> bool:  # noqa: N802
        if values["callback_query_id"] not in self.pressed:
            raise Refusal(STALE)
        text = values.get("text", "")
        if len(text) > POPUP or "<" in text:
            self._blame(f"an invalid pop-up: {text}")
        self.popups += [text] if text else []
        return True

    def _result(self, reply: ChatMessage) -> dict[str, Any]:
        kind = "private" if reply.chat > 0 else "supergroup"
        content = {"photo": [], "caption": reply.plain} if reply.is_photo else {"text": reply.plain}
        return {"message_id": reply.id, "date": 1, "chat": {"id": reply.chat, "type": kind}, "from": ME, **content}

    def _check(self, values: dict[str, Any], text: str, limit: int) -> None:
        if values.get("parse_mode") != "HTML":
            self._blame("a text that is not HTML")
        if not 0 < len(text.encode("utf-16-le")) // 2 <= limit:
            self._blame(f"{len(text)} characters")
        for fault in Markup(text).faults:
            self._blame(f"{fault}: {text}")
        for row in _keyboard(values):
            for key in row:
                address, data = key.get("url"), key.get("callback_data", "")
                if not key["text"] or not (address or 0 < len(data.encode()) <= DATA):
                    self._blame(f"an invalid button: {key}")
                if address and (not address.startswith("https://t.me/") or len(address) > ADDRESS):
                    self._blame(f"an invalid address: {address}")

    def _blame(self, fault: str) -> None:
        self.faults.append(fault)
        raise Refusal(f"Bad Request: {fault}")


def _keyboard(values: dict[str, Any]) -> list[list[dict[str, str]]]:
    return values.get("reply_markup", {}).get("inline_keyboard", [])
