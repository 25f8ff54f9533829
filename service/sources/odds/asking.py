"""Requests for the paginated lists of outside markets, with a hard time limit."""

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

MOST_PAGES = 10  # of one call, over all its queries: far below the rate limit of every source
MOST_BYTES = 8 * 2**20  # several times the longest page

Query = Mapping[str, Any]


class Listing(NamedTuple):
    """The address of a source's list of markets, and its pagination.

    The rows are under "markets", and the field `key` identifies a row. A response holds the `cursor` of the next page,
    which is requested with the query `parameter`.
    """

    name: str
    path: str
    key: str
    cursor: str
    parameter: str


def ask(listing: Listing, base_url: str, queries: Sequence[Query], timeout_s: float) -> list[Any]:
    """The rows that match all `queries`, without duplicates, from at most ten pages.

    Raises SourceFailed if they are not complete within `timeout_s` seconds. The requests run in a thread of its own,
    which is abandoned at the deadline, because slow headers and name resolution have no time limit.
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
    # A malformed response can raise any exception, and the caller must still get a SourceFailed.
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
    """The pages of each query in turn; a query ends at a page without a cursor or without a new row.

    A server that ignores the cursor would return its first page again and again.
    """
    for query in queries:
        cursor: dict[str, str] = {}
        while True:
            answer = _answer(session, listing, url, {**query, **cursor})
            page, following = answer["markets"], answer.get(listing.cursor)
            is_new = any(_key(row, listing) not in seen for row in page)
            yield page
            if not is_new or not isinstance(following, str) or not following:
                break
            cursor = {listing.parameter: following}


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
    """The delay in `Retry-After` for an error message; empty if it is not in seconds."""
    seconds = response.headers.get("Retry-After", "")
    return f", retry after {seconds} s" if seconds.isdecimal() and len(seconds) < 6 else ""
