"""A headline as plain text: cleaned of markup, with an id that is the same wherever it is met again."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from hashlib import sha256
from html import unescape

LONGEST_TITLE = 300
LONGEST_RAW = 4_000  # characters looked at: a title is no place for more
ROUNDS = 3  # feeds escape markup once, some twice

SILENT = re.compile(r"<(script|style|iframe|template)\b.*?(?:</\1[^>]*>|$)|<!--.*?(?:-->|$)", re.IGNORECASE | re.DOTALL)
BREAK = re.compile(r"<(?:br|/?p|/?div|/?li|hr)\b[^<>]*>", re.IGNORECASE)
TAG = re.compile(r"<[a-z/!?][^<>]*>?", re.IGNORECASE)
NOT_A_WORD = re.compile(r"\W+")


@dataclass(frozen=True)
class Headline:
    """What a source printed at the unix second `published_at`; `id` is 32 hex digits of its title and source."""

    id: str
    published_at: int
    source: str
    title: str
    url: str | None
    simulated: bool


@dataclass(frozen=True)
class ScoredHeadline:
    """A headline with its tone in -1..1 and the assets it names, in the order of the market's."""

    headline: Headline
    score: float
    assets: tuple[str, ...]


def headline(title: str, source: str, published_at: int, url: str | None = None, simulated: bool = False) -> Headline:
    """The headline of a raw title, whatever markup it came with; `title` may come out empty."""
    cleaned = plain(title)
    return Headline(_id(cleaned, source), published_at, source, cleaned, url, simulated)


def plain(text: str) -> str:
    """`text` without markup, entities, scripts and invisible characters, of at most LONGEST_TITLE characters.

    A sign that no tag begins with stays: "BTC < 100k" is what it says.

    >>> plain("<b>Bitcoin</b> &amp; Ether <script>steal()</script>rise")
    'Bitcoin & Ether rise'
    """
    text = text[:LONGEST_RAW]
    for _ in range(ROUNDS):
        text = unescape(text)
    # What cannot be seen goes first: it would hide a tag.
    text = "".join(sign for sign in " ".join(text.split()) if not unicodedata.category(sign).startswith("C"))
    text = BREAK.sub(" ", SILENT.sub(" ", text))
    while (without := TAG.sub("", text)) != text:
        text = without
    return " ".join(text.split())[:LONGEST_TITLE].rstrip()


def _id(title: str, source: str) -> str:
    """The same for one title in other case, spacing and punctuation."""
    normalised = NOT_A_WORD.sub(" ", unicodedata.normalize("NFKC", title).casefold()).strip()
    return sha256(f"{source.casefold()}\n{normalised}".encode()).hexdigest()[:32]
