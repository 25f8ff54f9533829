"""Links that open the bot at an answer, a market, a challenge and so on, and links that share them."""

from __future__ import annotations

import re
from urllib.parse import urlencode

from telegram.helpers import create_deep_linked_url

from bot.messages.markup import plain

VIEWS = ("challenge", "market", "strategy", "lane", "price")  # what a link can open beside an answer
LINK = re.compile(rf"^/start\s+({'|'.join(VIEWS)}|answer)_([\w-]{{1,57}})$", re.ASCII)
POSTING = re.compile(r"^/start(@\w+)?\s+challenge_\d{1,9}$", re.ASCII)  # in a group
SUBJECT = re.compile(r"[\w-]{1,48}", re.ASCII)
SHARE = "https://t.me/share/url"
MAX_TEXT = 300


def opening(username: str, kind: str, subject: str) -> str | None:
    """The address that opens a subject in the bot; None if the subject's id does not fit into an address."""
    return create_deep_linked_url(username, f"{kind}_{subject}") if SUBJECT.fullmatch(subject) else None


def posting(username: str, number: int) -> str:
    """The address at which Telegram lets the person choose a group in which the bot posts a challenge."""
    return create_deep_linked_url(username, f"challenge_{number}", group=True)


def sharing(username: str, kind: str, subject: str, text: str) -> str | None:
    """The address at which Telegram lets the person choose to whom a link is sent; None as in `opening`."""
    address = opening(username, kind, subject)
    return address and f"{SHARE}?{urlencode({'url': address, 'text': plain(text)[:MAX_TEXT]})}"
