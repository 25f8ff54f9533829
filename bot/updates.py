"""The parts of an update that handlers rely on, and the skipping of updates that cannot be decoded.

Handlers get only updates that have the parts they use; else every function here raises LookupError.
"""

from __future__ import annotations

import json
import logging
from typing import Any, TypeVar

from telegram import CallbackQuery, Chat, Message, Update
from telegram.constants import ChatMemberStatus, ChatType
from telegram.request import BaseRequest

T = TypeVar("T")
LOG = logging.getLogger(__name__)
ADMINS = (ChatMemberStatus.ADMINISTRATOR, ChatMemberStatus.OWNER)


def user_id(update: Update) -> int:
    """Telegram's id of the person who caused the update; of the group or the channel where it speaks itself.

    All anonymous admins, and all channels, have one user in common.
    """
    speaker = _speaker(update)
    return speaker.id if speaker else _required(update.effective_user, "user").id


def sender(update: Update) -> tuple[int, int]:
    """The chat and the person who caused the update."""
    return chat(update).id, user_id(update)


def first_name(update: Update) -> str:
    """The name of the sender."""
    speaker = _speaker(update)
    return (speaker and speaker.title) or _required(update.effective_user, "user").first_name


def chat(update: Update) -> Chat:
    return _required(update.effective_chat, "chat")


def message(update: Update) -> Message:
    """The message that was sent, or the one whose button was pressed."""
    return _required(update.effective_message, "message")


def text(update: Update) -> str:
    """The words of the message that was sent; empty where it has none."""
    return words(message(update))


def words(message: Message) -> str:
    """The text or the caption of a message: its lines, with single spaces and without what cannot be printed."""
    lines = (message.text or message.caption or "").splitlines()
    lines_of_words = ("".join(letter if letter.isprintable() else " " for letter in line).split() for line in lines)
    return "\n".join(" ".join(words) for words in lines_of_words if words)


async def is_admin(update: Update) -> bool:
    """Whether the sender may change the settings of the chat; an anonymous admin sends as the group itself."""
    place = chat(update)
    if place.type == ChatType.PRIVATE:
        return True
    if speaker := _speaker(update):
        return speaker.id == place.id
    return (await place.get_member(user_id(update))).status in ADMINS


def press(update: Update) -> CallbackQuery:
    """The press of a button."""
    return _required(update.callback_query, "callback query")


def _speaker(update: Update) -> Chat | None:
    """The group or the channel that speaks itself."""
    return update.message.sender_chat if update.message else None


def _required(part: T | None, name: str) -> T:
    if part is None:
        raise LookupError(f"the update has no {name}")
    return part


class SkippingRequest(BaseRequest):
    """A connection for getUpdates: what cannot be decoded arrives as an update without content, which is confirmed."""

    def __init__(self, request: BaseRequest) -> None:
        self._request = request

    @property
    def read_timeout(self) -> float | None:
        return self._request.read_timeout

    async def initialize(self) -> None:
        await self._request.initialize()

    async def shutdown(self) -> None:
        await self._request.shutdown()

    async def do_request(self, url: str, *values: Any, **options: Any) -> tuple[int, bytes]:
        status, body = await self._request.do_request(url, *values, **options)
        if status == 200 and url.endswith("/getUpdates"):
            document = json.loads(body)
            document["result"] = [_skipped_if_undecodable(update) for update in document["result"]]
            body = json.dumps(document).encode()
        return status, body


def _skipped_if_undecodable(update: dict[str, Any]) -> dict[str, Any]:
    try:
        Update.de_json(update, None)
    except Exception as error:
        LOG.error("update %s cannot be decoded and is skipped: %r", update["update_id"], error)
        return {"update_id": update["update_id"]}
    return update
