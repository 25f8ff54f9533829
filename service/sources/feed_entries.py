"""Reads headlines from the bytes of an RSS or Atom feed and rejects everything that does not look like news."""

from __future__ import annotations

import re
from calendar import timegm
from io import BytesIO
from typing import Any
from urllib.parse import urljoin, urlsplit
from xml.parsers.expat import ExpatError, ParserCreate

from service.errors import SourceFailed
from service.forecasting.news.headline import Headline, headline
from service.market.instants import DAY, HOUR

MOST_ENTRIES = 200
OLDEST_DAYS = 14
AHEAD_S = HOUR  # an entry dated further in the future is ignored
LONGEST_URL = 1000
MOST_ELEMENTS = 20_000
DEEPEST = 64

ENCODINGS = {
    "utf-8",
    "utf8",
    "us-ascii",
    "ascii",
    "iso-8859-1",
    "iso-8859-15",
    "windows-1251",
    "windows-1252",
    "utf-16",
}
DECLARED = re.compile(rb"""^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>\s*")


def headlines_in(content: bytes, url: str, now: int) -> tuple[Headline, ...]:
    """The newest 200 headlines of the last fourteen days, newest first.

    Entries without a title or a date, or dated more than an hour after the unix second `now`, are ignored. Links that
    are not http or https are left out. Raises SourceFailed if the content is not a feed.
    """
    import feedparser

    text = _decoded(content)
    _require_sound(text)
    # With the encoding declared as UTF-8, feedparser reads exactly the checked text and uses its strict parser only.
    parsed = feedparser.parse(
        BytesIO(text),
        response_headers={"content-type": "application/xml; charset=utf-8"},
        resolve_relative_uris=False,
        sanitize_html=False,
    )
    if not parsed.version:
        raise SourceFailed("it is neither RSS nor Atom")
    headlines = [entry_headline for entry in parsed.entries if (entry_headline := _headline(entry, url, now))]
    first: dict[str, Headline] = {}
    for entry_headline in sorted(headlines, key=lambda dated: (dated.published_at, dated.id)):
        first.setdefault(entry_headline.id, entry_headline)
    return tuple(reversed(first.values()))[:MOST_ENTRIES]


def _decoded(content: bytes) -> bytes:
    """The feed as UTF-8, without its XML declaration."""
    declared = DECLARED.match(content)
    encoding = declared[1].decode().lower() if declared else "utf-8"
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    if encoding not in ENCODINGS:
        raise SourceFailed("its encoding is not supported")
    try:
        text = content.decode("utf-8-sig" if encoding in ("utf-8", "utf8") else encoding)
    except UnicodeDecodeError:
        raise SourceFailed("it is not in its declared encoding") from None
    return DECLARATION.sub("", text).encode()


def _require_sound(content: bytes) -> None:
    """Raise SourceFailed unless the content is XML without a document type and of the size and depth of a feed."""
    parser, depth, count = ParserCreate("utf-8"), 0, 0

    def begin(*_: object) -> None:
        nonlocal depth, count
        depth, count = depth + 1, count + 1
        if depth > DEEPEST or count > MOST_ELEMENTS:
            raise SourceFailed("it has too many or too deeply nested elements")

    def end(*_: object) -> None:
        nonlocal depth
        depth -= 1

    def refuse(*_: object) -> None:
        raise SourceFailed("it declares a document type")

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(content, True)
    except ExpatError:
        raise SourceFailed("it is not well-formed XML") from None


def _headline(entry: Any, url: str, now: int) -> Headline | None:
    # The `get` of feedparser would return one of these dates for the other and print a warning.
    date = dict.get(entry, "published_parsed") or dict.get(entry, "updated_parsed")
    if not date:
        return None
    published = timegm(date)
    entry_headline = headline(str(entry.get("title", "")), source_of(url), published, _link(entry.get("link"), url))
    fresh = now - OLDEST_DAYS * DAY <= published <= now + AHEAD_S
    return entry_headline if fresh and entry_headline.title else None


def source_of(url: str) -> str:
    """The source name of a feed's headlines: its host."""
    return (urlsplit(url).hostname or url).removeprefix("www.")


def _link(link: Any, url: str) -> str | None:
    """The address of an entry; None if a browser cannot open it."""
    try:
        absolute = urljoin(url, str(link or "").strip())
        parts = urlsplit(absolute)
    except ValueError:
        return None
    sound = link and parts.scheme in ("http", "https") and parts.hostname and absolute.isprintable()
    return absolute if sound and " " not in absolute and len(absolute) <= LONGEST_URL else None
