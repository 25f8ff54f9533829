"""What a person reads of a message, after a check that Telegram accepts it."""

from __future__ import annotations

import re
from html import unescape

from bot.messages.markup import LIMIT
from tests.bot.fake_telegram import Markup

Message = str | list[str]


def pages_of(message: Message) -> list[str]:
    return [message] if isinstance(message, str) else message


def texts_of(message: Message, limit: int = LIMIT) -> list[str]:
    """The text of each page; fails if Telegram would refuse one for its length, its tags or its links."""
    texts = []
    for page in pages_of(message):
        assert 0 < len(page.encode("utf-16-le")) // 2 <= limit  # an unpaired surrogate cannot be encoded
        assert Markup(page).faults == []
        assert all(address.startswith(("http://", "https://")) for address in re.findall(r'href="([^"]*)', page))
        text = unescape(re.sub(r"<[^>]*>", "", page))
        assert text.strip()
        texts.append(text)
    return texts


def text_of(message: Message) -> str:
    return "\n".join(texts_of(message))
