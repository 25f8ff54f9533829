"""An outside market: how its open markets and their settlements are requested and read.

An unusable row is refused without affecting the others.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from http import HTTPStatus
from itertools import islice
from math import isfinite
from typing import Any, NamedTuple

import requests

from service.errors import SourceFailed
from service.forecasting.predictions import Settlement
from service.forecasting.predictions.imports import OutsideMarket, Refusal, Terms
from service.market.instants import unix
from service.sources.sessions import TOO_LATE, BoundedSession, in_time

LONGEST_ID = 80
BATCH = 50  # ids in one query, so that its URL stays short

Row = Mapping[str, Any]
SettledMarket = tuple[Settlement, Terms | None]  # without an end in its row there are no terms


class UnusableRow(Exception):
    """A row that cannot be read as a market; the message is the reason."""


@dataclass(frozen=True)
class OddsSource:
    """One outside market.

    `open_queries` returns the queries for its open markets at a unix second, or for the short ones, `settled_query` the
    one for the settled markets among some ids. `read_market` and `read_settlement` read a row of a response received at
    a unix second; the first raises UnusableRow, the second returns None before the market is settled.
    """

    listing: Listing
    open_queries: Callable[[int, bool], Sequence[Query]]
    settled_query: Callable[[Sequence[str]], Query]
    read_market: Callable[[Row, int], OutsideMarket]
    read_settlement: Callable[[Row, int], SettledMarket | None]

    @property
    def name(self) -> str:
        return self.listing.name

    def list_open(
        self, base_url: str, timeout_s: float, *, short: bool = False
    ) -> tuple[list[OutsideMarket], list[Refusal]]:
        """The open markets on crypto prices, or the short ones, and the refused rows.

        Raises SourceFailed if there is no complete response within `timeout_s` seconds.
        """
        rows = ask(self.listing, base_url, self.open_queries(int(time.time()), short), timeout_s)
        return self.markets(rows, int(time.time()))

    def settled(self, base_url: str, timeout_s: float, ids: Sequence[str]) -> dict[str, SettledMarket]:
        """The settlements of the settled markets among `ids`, by id; raises SourceFailed like `list_open`."""
        queries = [self.settled_query(ids[first : first + BATCH]) for first in range(0, len(ids), BATCH)]
        return self.settlements(ask(self.listing, base_url, queries, timeout_s), ids, int(time.time()))

    def markets(self, rows: Sequence[Any], fetched_at: int) -> tuple[list[OutsideMarket], list[Refusal]]:
        """The markets in the rows of a response received at the unix second `fetched_at`, and the refused rows."""
        markets: list[OutsideMarket] = []
        refusals: list[Refusal] = []
        for row in rows:
            try:
                if not isinstance(row, dict):
                    raise UnusableRow("it is not a JSON object")
                markets.append(self.read_market(row, fetched_at))
            except UnusableRow as error:
                refusals.append(Refusal(self._label(row), str(error)))
        return markets, refusals

    def settlements(self, rows: Sequence[Any], ids: Sequence[str], fetched_at: int) -> dict[str, SettledMarket]:
        """The settlements of the markets `ids` that are settled according to the rows, by id."""
        key = self.listing.key
        by_id = {row[key]: row for row in rows if isinstance(row, dict) and isinstance(row.get(key), str)}
        settlements = {id: self.read_settlement(by_id[id], fetched_at) for id in ids if id in by_id}
        return {id: settlement for id, settlement in settlements.items() if settlement}

    def _label(self, row: Any) -> str:
        """The name of the source, and the id of the row if it has one."""
        id = row.get(self.listing.key) if isinstance(row, dict) else None
        return f"{self.name}-{id[:LONGEST_ID]}" if isinstance(id, str) else self.name


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

    Raises SourceFailed if they are not complete within `timeout_s` seconds.
    """
    deadline = time.monotonic() + timeout_s

    def read() -> list[Any]:
        with BoundedSession(deadline) as session:
            return _read(session, listing, base_url.rstrip("/") + listing.path, queries)

    try:
        return in_time(timeout_s, read)
    except SourceFailed:
        raise
    except (TimeoutError, requests.exceptions.Timeout):
        raise SourceFailed(f"{listing.name}: {TOO_LATE}") from None
    # A malformed response can raise any exception, and the caller must still get a SourceFailed.
    except Exception as error:
        raise SourceFailed(f"{listing.name}: {type(error).__name__}") from None


def _read(session: BoundedSession, listing: Listing, url: str, queries: Sequence[Query]) -> list[Any]:
    rows: list[Any] = []
    ids: set[str] = set()
    for page in islice(_pages(session, listing, url, queries, ids), MOST_PAGES):
        for row in page:
            key = _key(row, listing)
            if key is None or key not in ids:
                rows.append(row)
            if key is not None:
                ids.add(key)
    return rows


def _key(row: Any, listing: Listing) -> str | None:
    return str(row[listing.key]) if isinstance(row, dict) and listing.key in row else None


def _pages(
    session: BoundedSession, listing: Listing, url: str, queries: Sequence[Query], ids: Set[str]
) -> Iterator[list[Any]]:
    """The pages of each query in turn; a query ends at a page without a cursor or without a new row.

    A server that ignores the cursor would return its first page again and again.
    """
    for query in queries:
        cursor: dict[str, str] = {}
        while True:
            answer = _answer(session, listing, url, {**query, **cursor})
            page, following = answer["markets"], answer.get(listing.cursor)
            is_new = any(_key(row, listing) not in ids for row in page)
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


LONGEST_NUMBER = 60


def number(value: Any) -> float | None:
    """A finite number, given as a JSON number or as a string."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and len(value) > LONGEST_NUMBER:
        return None
    try:
        result = float(value)
    except (ValueError, OverflowError):
        return None
    return result if isfinite(result) else None


def price(value: Any) -> float | None:
    """A bid or ask as a probability; None for 0 and 1, which mean that there is no order."""
    result = number(value)
    return result if result is not None and 0 < result < 1 else None


def instant(value: Any) -> int | None:
    """The unix second of an ISO 8601 instant; without an offset it is UTC."""
    try:
        return unix(value) if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None


def listed(value: Any) -> list[Any]:
    """A list, or the one that a string holds as JSON; empty if there is none."""
    if not isinstance(value, str):
        return value if isinstance(value, list) else []
    try:
        result = json.loads(value)
    except (ValueError, RecursionError):
        return []
    return result if isinstance(result, list) else []


def text(value: Any) -> str:
    """The value if it is a string, otherwise an empty string."""
    return value if isinstance(value, str) else ""
