"""A headline as plain text: cleaned of markup, with an id that depends on its words and source alone."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from hashlib import sha256
from html import unescape

LONGEST_TITLE = 300
LONGEST_RAW = 4_000  # characters that are read
ROUNDS = 3  # feeds escape markup once, some twice

SILENT = re.compile(r"<(script|style|iframe|template)\b.*?(?:</\1[^>]*>|$)|<!--.*?(?:-->|$)", re.IGNORECASE | re.DOTALL)
BREAK = re.compile(r"<(?:br|/?p|/?div|/?li|hr)\b[^<>]*>", re.IGNORECASE)
TAG = re.compile(r"<[a-z/!?][^<>]*>?", re.IGNORECASE)
NOT_A_WORD = re.compile(r"\W+")


@dataclass(frozen=True)
class Headline:
    """A title that a source published at the unix second `published_at`; `id` is a hash of both, 32 hex digits."""

    id: str
    published_at: int
    source: str
    title: str
    url: str | None
    simulated: bool


@dataclass(frozen=True)
class ScoredHeadline:
    """A headline with its tone in -1..1 and the assets it names, in the order of `ASSETS`."""

    headline: Headline
    score: float
    assets: tuple[str, ...]


def headline(title: str, source: str, published_at: int, url: str | None = None, simulated: bool = False) -> Headline:
    """The headline of a raw title with any markup; its `title` may be empty."""
    cleaned = plain(title)
    return Headline(_id(cleaned, source), published_at, source, cleaned, url, simulated)


def plain(text: str) -> str:
    """`text` without markup, entities, scripts and invisible characters, of at most LONGEST_TITLE characters.

    A sign that begins no tag stays, as in "BTC < 100k".

    >>> plain("<b>Bitcoin</b> &amp; Ether <script>steal()</script>rise")
    'Bitcoin & Ether rise'
    """
    text = text[:LONGEST_RAW]
    for _ in range(ROUNDS):
        text = unescape(text)
    # Invisible characters are removed first: they could hide a tag.
    text = "".join(sign for sign in " ".join(text.split()) if not unicodedata.category(sign).startswith("C"))
    text = BREAK.sub(" ", SILENT.sub(" ", text))
    while (without := TAG.sub("", text)) != text:
        text = without
    return " ".join(text.split())[:LONGEST_TITLE].rstrip()


def _id(title: str, source: str) -> str:
    """The same id for a title in other case, spacing and punctuation."""
    normalised = NOT_A_WORD.sub(" ", unicodedata.normalize("NFKC", title).casefold()).strip()
    return sha256(f"{source.casefold()}\n{normalised}".encode()).hexdigest()[:32]
