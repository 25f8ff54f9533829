"""Headlines of the live world: RSS and Atom feeds, asked politely and no longer than they are given.

Redirects are not followed: an address that has moved is told, and mended in the settings.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from io import BytesIO
from queue import Empty, SimpleQueue
from threading import Thread

import requests

from service.errors import SourceFailed
from service.forecasting.news.headline import Headline
from service.market.instants import DAY, MINUTE, iso
from service.sources.bounded_session import PIECE, TOO_LATE, BoundedSession
from service.sources.feed_entries import headlines_in

MOST_BYTES = 2 * 2**20
LONGEST_TAG = 300  # characters: a longer ETag is not kept
REST_S = 15 * MINUTE  # where a feed that is asked too often names no time
LONGEST_REST_S = DAY

HEADERS = {
    "User-Agent": "Mozilla/5.0 (compatible; Ninefold news pulse)",
    "Accept": "application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.8",
}
BUSY = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)


@dataclass(frozen=True)
class FeedState:
    """What a feed is told when it is asked again; before the unix second `not_before` it is not asked."""

    etag: str | None = None
    modified: str | None = None
    not_before: int | None = None


@dataclass(frozen=True)
class Fetched:
    """The headlines of a feed, newest first; none where it was `not_modified` or not to be asked yet."""

    headlines: tuple[Headline, ...]
    state: FeedState
    not_modified: bool


class FeedFailed(SourceFailed):
    """A feed gave nothing usable; `state` is what to come back with."""

    def __init__(self, detail: str, state: FeedState) -> None:
        super().__init__(detail)
        self.state = state


class FeedSession(BoundedSession):
    """A bounded session for an answer of at most 2 MB that is not JSON."""

    def request(self, method: str, url: str, **options) -> requests.Response:
        options |= {"timeout": self._left(url), "stream": True, "allow_redirects": False}
        response = requests.Session.request(self, method, url, **options)
        with response.raw as raw:
            response.raw = BytesIO(self._read(raw, url))
        return response

    def get_redirect_target(self, resp: requests.Response) -> None:
        """None: asked where a redirect leads, requests reads the whole of its body first, however long."""

    def _read(self, raw, url: str) -> bytes:
        content = bytearray()
        while piece := raw.read1(PIECE, decode_content=True):
            content += piece
            self._left(url)
            if len(content) > MOST_BYTES:
                raise SourceFailed(f"it is larger than {MOST_BYTES // 2**20} MB")
        return bytes(content)


def fetch(url: str, known: FeedState, timeout_s: float, now: int) -> Fetched:
    """The headlines of the feed at `url` as of the unix second `now`; FeedFailed when none came in `timeout_s` seconds.

    `known` is what the last call gave, or the state in what it raised. A feed that asked to be left alone until later
    is not asked. The asking is done by a thread of its own, which is left behind when the time is over: headers, name
    resolution and parsing have no deadline of theirs.
    """
    if known.not_before is not None and now < known.not_before:
        return Fetched((), known, not_modified=True)
    answers: SimpleQueue[Fetched | FeedFailed] = SimpleQueue()
    deadline = time.monotonic() + timeout_s
    Thread(target=lambda: answers.put(_ask(url, known, deadline, now)), daemon=True).start()
    try:
        answer = answers.get(timeout=timeout_s)
    except Empty:
        raise FeedFailed(TOO_LATE, known) from None
    if isinstance(answer, FeedFailed):
        raise answer
    return answer


def _ask(url: str, known: FeedState, deadline: float, now: int) -> Fetched | FeedFailed:
    try:
        with FeedSession() as session:
            session.deadline = deadline
            return _read(session.get(url, headers=HEADERS | _conditions(known)), known, now)
    except FeedFailed as failed:
        return failed
    except SourceFailed as failed:
        return FeedFailed(failed.detail, known)
    except requests.exceptions.Timeout:
        return FeedFailed(TOO_LATE, known)
    # A malformed answer can break a parser in any way, and the other feeds are to be read.
    except Exception as error:
        return FeedFailed(f"it could not be read: {type(error).__name__}", known)


def _conditions(known: FeedState) -> dict[str, str]:
    told = {"If-None-Match": known.etag, "If-Modified-Since": known.modified}
    return {name: value for name, value in told.items() if value}


def _read(response: requests.Response, known: FeedState, now: int) -> Fetched:
    status, told = response.status_code, response.headers
    if status == HTTPStatus.NOT_MODIFIED:
        return Fetched((), replace(known, not_before=None), not_modified=True)
    if status in BUSY:
        again = now + _rest(told.get("Retry-After", ""), now)
        raise FeedFailed(f"it answered {status} and is left alone until {iso(again)}", replace(known, not_before=again))
    if response.is_redirect:
        raise SourceFailed("its address has moved")
    if status != HTTPStatus.OK:
        raise SourceFailed(f"it answered {status}")
    if "xml" not in told.get("Content-Type", "xml").lower():
        raise SourceFailed("it is not sent as XML")
    state = FeedState(_kept(told.get("ETag")), _kept(told.get("Last-Modified")))
    return Fetched(headlines_in(response.content, response.url, now), state, not_modified=False)


def _kept(tag: str | None) -> str | None:
    return tag if tag and len(tag) <= LONGEST_TAG and tag.isprintable() else None


def _rest(retry_after: str, now: int) -> int:
    """Seconds to leave a feed alone, a minute to a day, by its `Retry-After`: seconds or a date."""
    try:
        wait = int(retry_after) if retry_after.isdecimal() else parsedate_to_datetime(retry_after).timestamp() - now
    except (ValueError, OverflowError):
        wait = REST_S
    return int(min(max(wait, MINUTE), LONGEST_REST_S))
