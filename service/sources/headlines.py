"""Headlines from RSS and Atom feeds, fetched with conditional requests and a time limit.

Redirects are not followed: a moved address is reported and has to be corrected in the settings.
"""

from __future__ import annotations

import re
from calendar import timegm
from dataclasses import dataclass, replace
from http import HTTPStatus
from io import BytesIO
from operator import attrgetter
from typing import Any
from urllib.parse import urljoin, urlsplit
from xml.parsers.expat import ExpatError, ParserCreate

import requests

from service.errors import SourceFailed
from service.forecasting.news.headline import Headline, headline
from service.market.instants import DAY, HOUR, MINUTE, iso
from service.sources.sessions import in_session, retry_after

MOST_BYTES = 2 * 2**20
LONGEST_TAG = 300  # characters; a longer ETag is discarded
# The pause after a 429 or 503 without a valid Retry-After; every pause lasts from a minute to a day.
REST_S = 15 * MINUTE
LONGEST_REST_S = DAY

HEADERS = {
    "User-Agent": "Mozilla/5.0 (compatible; Ninefold news pulse)",
    "Accept": "application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.8",
}
BUSY = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)


@dataclass(frozen=True)
class FeedState:
    """The validators for the next request to a feed, which is not sent before the unix second `not_before`."""

    etag: str | None = None
    modified: str | None = None
    not_before: int | None = None


@dataclass(frozen=True)
class FetchedHeadlines:
    """The headlines of a feed, newest first; empty if it was not modified or must not be requested yet."""

    headlines: tuple[Headline, ...]
    state: FeedState


class FeedFailed(SourceFailed):
    """A feed returned nothing usable; `state` is for the next request."""

    def __init__(self, detail: str, state: FeedState) -> None:
        super().__init__(detail)
        self.state = state


def fetch(url: str, state: FeedState, timeout_s: float, now: int) -> FetchedHeadlines:
    """The headlines of the feed at `url` as of the unix second `now`; FeedFailed after `timeout_s` seconds or an error.

    `state` is the one that the last call returned or raised. No request is sent before its `not_before`.
    """
    if state.not_before is not None and now < state.not_before:
        return FetchedHeadlines((), state)
    conditions = {"If-None-Match": state.etag, "If-Modified-Since": state.modified}
    headers = HEADERS | {name: value for name, value in conditions.items() if value}
    try:
        return in_session(
            timeout_s,
            lambda session: _read(session.get(url, headers=headers), state, now),
            most_bytes=MOST_BYTES,
            is_json=False,
        )
    except SourceFailed as failure:
        raise failure if isinstance(failure, FeedFailed) else FeedFailed(failure.detail, state) from None


def _read(response: requests.Response, state: FeedState, now: int) -> FetchedHeadlines:
    status, headers = response.status_code, response.headers
    if status == HTTPStatus.NOT_MODIFIED:
        return FetchedHeadlines((), replace(state, not_before=None))
    if status in BUSY:
        wait = retry_after(headers.get("Retry-After", ""), now)
        end = now + int(min(max(REST_S if wait is None else wait, MINUTE), LONGEST_REST_S))
        raise FeedFailed(f"it answered {status}; the next request is at {iso(end)}", replace(state, not_before=end))
    if response.is_redirect:
        raise SourceFailed("its address has moved")
    if status != HTTPStatus.OK:
        raise SourceFailed(f"it answered {status}")
    if "xml" not in headers.get("Content-Type", "xml").lower():
        raise SourceFailed("it is not sent as XML")
    validators = FeedState(_kept(headers.get("ETag")), _kept(headers.get("Last-Modified")))
    return FetchedHeadlines(headlines_in(response.content, response.url, now), validators)


def _kept(tag: str | None) -> str | None:
    return tag if tag and len(tag) <= LONGEST_TAG and tag.isprintable() else None


MOST_ENTRIES = 200
OLDEST_DAYS = 14
AHEAD_S = HOUR  # an entry dated further in the future is ignored
LONGEST_URL = 1000
MOST_ELEMENTS = 20_000
DEEPEST = 64

ENCODINGS = {"utf-8", "us-ascii", "ascii", "iso-8859-1", "iso-8859-15", "windows-1251", "windows-1252", "utf-16"}
ENCODING = re.compile(rb"""^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
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
    feed = feedparser.parse(
        BytesIO(text),
        response_headers={"content-type": "application/xml; charset=utf-8"},
        resolve_relative_uris=False,
        sanitize_html=False,
    )
    if not feed.version:
        raise SourceFailed("it is neither RSS nor Atom")
    headlines = [entry_headline for entry in feed.entries if (entry_headline := _headline(entry, url, now))]
    first: dict[str, Headline] = {}
    for entry_headline in sorted(headlines, key=attrgetter("published_at", "id")):
        first.setdefault(entry_headline.id, entry_headline)
    return tuple(reversed(first.values()))[:MOST_ENTRIES]


def _decoded(content: bytes) -> bytes:
    """The feed as UTF-8, without its XML declaration."""
    declaration = ENCODING.match(content)
    encoding = declaration[1].decode().lower().replace("utf8", "utf-8") if declaration else "utf-8"
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    if encoding not in ENCODINGS:
        raise SourceFailed("its encoding is not supported")
    try:
        text = content.decode("utf-8-sig" if encoding == "utf-8" else encoding)
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
    second = timegm(date)
    entry_headline = headline(str(entry.get("title", "")), source_of(url), second, _link(entry.get("link"), url))
    is_recent = now - OLDEST_DAYS * DAY <= second <= now + AHEAD_S
    return entry_headline if is_recent and entry_headline.title else None


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
    is_address = link and parts.scheme in ("http", "https") and parts.hostname and absolute.isprintable()
    return absolute if is_address and " " not in absolute and len(absolute) <= LONGEST_URL else None
