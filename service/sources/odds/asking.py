"""Lists that outside markets give page by page, asked for within a time they cannot overstay."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence, Set
from concurrent.futures import Future
from http import HTTPStatus
from itertools import islice
from threading import Thread
from typing import Any, NamedTuple

import requests

from service.errors import SourceFailed
from service.sources.bounded_session import TOO_LATE, BoundedSession

MOST_PAGES = 10  # of one call, over all its queries: far below what any of them allows in ten seconds
MOST_BYTES = 8 * 2**20  # several times the longest page

Query = Mapping[str, Any]


class Listing(NamedTuple):
    """Where a source lists its markets and how the list goes on.

    The rows stand under "markets", each with a `key` of its own; what an answer tells as `given` is sent back as `sent`
    for the next page.
    """

    name: str
    path: str
    key: str
    given: str
    sent: str


def ask(listing: Listing, base_url: str, queries: Sequence[Query], timeout_s: float) -> list[Any]:
    """The rows that answer all `queries`, each once; SourceFailed when they are not all there in `timeout_s` seconds.

    A server may send the head of an answer a byte at a time and a name may take long to resolve: the asking is done
    by a thread of its own, which is left behind when its time is over. After ten pages the rest is left off.
    """
    rows: Future[list[Any]] = Future()
    deadline = time.monotonic() + timeout_s
    Thread(target=_work, args=(rows, listing, base_url, queries, deadline), daemon=True).start()
    try:
        return rows.result(timeout_s)
    except TimeoutError:
        raise SourceFailed(f"{listing.name}: {TOO_LATE}") from None


def _work(rows: Future[list[Any]], listing: Listing, base_url: str, queries: Sequence[Query], deadline: float) -> None:
    try:
        with BoundedSession() as session:
            session.deadline = deadline
            rows.set_result(_read(session, listing, base_url.rstrip("/") + listing.path, queries))
    except SourceFailed as error:
        rows.set_exception(error)
    # An answer can break its reader in any way, and whoever asked is to go on.
    except Exception as error:
        rows.set_exception(SourceFailed(f"{listing.name}: {_in_words(error)}"))


def _in_words(error: Exception) -> str:
    if isinstance(error, requests.exceptions.Timeout):
        return TOO_LATE
    return type(error).__name__


def _read(session: BoundedSession, listing: Listing, url: str, queries: Sequence[Query]) -> list[Any]:
    rows: list[Any] = []
    seen: set[str] = set()
    for page in islice(_pages(session, listing, url, queries, seen), MOST_PAGES):
        for row in page:
            key = _key(row, listing)
            if key is None or key not in seen:
                rows.append(row)
            if key is not None:
                seen.add(key)
    return rows


def _key(row: Any, listing: Listing) -> str | None:
    return str(row[listing.key]) if isinstance(row, dict) and listing.key in row else None


def _pages(
    session: BoundedSession, listing: Listing, url: str, queries: Sequence[Query], seen: Set[str]
) -> Iterator[list[Any]]:
    """The pages of each query in turn, until one names no other or holds nothing that has not been seen before it.

    A server that does not know the cursor gives its first page for ever.
    """
    for query in queries:
        cursor: dict[str, str] = {}
        while True:
            answer = _answer(session, listing, url, {**query, **cursor})
            page, following = answer["markets"], answer.get(listing.given)
            is_new = any(_key(row, listing) not in seen for row in page)
            yield page
            if not is_new or not isinstance(following, str) or not following:
                break
            cursor = {listing.sent: following}


def _answer(session: BoundedSession, listing: Listing, url: str, query: Query) -> dict[str, Any]:
    response = session.get(url, params=query)
    if response.status_code != HTTPStatus.OK:
        raise SourceFailed(f"{listing.name}: it answered {response.status_code}{_wait(response)}")
    if len(response.content) > MOST_BYTES:
        raise SourceFailed(f"{listing.name}: more than {MOST_BYTES} bytes in one page")
    answer = response.json()
    if not isinstance(answer, dict) or not isinstance(answer.get("markets"), list):
        raise SourceFailed(f"{listing.name}: no list of markets")
    return answer


def _wait(response: requests.Response) -> str:
    """How long it asks to be left alone, where it does in seconds."""
    seconds = response.headers.get("Retry-After", "")
    return f", to be asked again in {seconds} s" if seconds.isdecimal() and len(seconds) < 6 else ""
