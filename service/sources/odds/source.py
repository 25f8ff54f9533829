"""An outside market: how its open markets and their settlements are requested and read."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from math import isfinite
from typing import Any

from service.errors import SourceFailed
from service.forecasting.predictions import Settlement
from service.forecasting.predictions.imports import OutsideMarket, Terms
from service.market.instants import unix
from service.sources.sessions import BoundedSession, in_session

BATCH = 50  # ids in one query, so that its URL stays short
MOST_PAGES = 10  # of one call, over all its queries: far below the rate limit of every source
MOST_BYTES = 8 * 2**20  # of a page: several times the longest page

Row = Mapping[str, Any]
Query = Mapping[str, Any]
SettledMarket = tuple[Settlement, Terms | None]  # without an end in its row there are no terms


@dataclass(frozen=True)
class OddsSource:
    """One outside market.

    Its API lists markets at `path`; the field `key` identifies a row. A response holds the `cursor` of the next page,
    which is requested with the query `parameter`. `open_queries` returns the queries for its open markets at a unix
    second, or for the short ones, `settled_query` the one for the settled markets among some ids. `read_market` and
    `read_settlement` read a row of a response received at a unix second; the first returns None for an unusable one,
    the second before the market is settled.
    """

    name: str
    path: str
    key: str
    cursor: str
    parameter: str
    open_queries: Callable[[int, bool], Sequence[Query]]
    settled_query: Callable[[Sequence[str]], Query]
    read_market: Callable[[Row, int], OutsideMarket | None]
    read_settlement: Callable[[Row, int], SettledMarket | None]

    def list_open(self, base_url: str, timeout_s: float, *, short: bool = False) -> tuple[list[OutsideMarket], int]:
        """The open markets on crypto prices, or the short ones, and the number of refused rows.

        Raises SourceFailed if there is no complete response within `timeout_s` seconds.
        """
        rows = self._ask(base_url, self.open_queries(int(time.time()), short), timeout_s)
        return self.markets(rows, int(time.time()))

    def settled(self, base_url: str, timeout_s: float, ids: Sequence[str]) -> dict[str, SettledMarket]:
        """The settlements of the settled markets among `ids`, by id; raises SourceFailed like `list_open`."""
        queries = [self.settled_query(ids[first : first + BATCH]) for first in range(0, len(ids), BATCH)]
        return self.settlements(self._ask(base_url, queries, timeout_s), ids, int(time.time()))

    def markets(self, rows: Sequence[Any], fetched_at: int) -> tuple[list[OutsideMarket], int]:
        """The markets in the rows of a response received at a unix second, and how many rows were refused."""
        readings = [self.read_market(row, fetched_at) if isinstance(row, dict) else None for row in rows]
        return [market for market in readings if market], readings.count(None)

    def settlements(self, rows: Sequence[Any], ids: Sequence[str], fetched_at: int) -> dict[str, SettledMarket]:
        """The settlements of the markets `ids` that are settled according to the rows, by id."""
        by_id = {row[self.key]: row for row in rows if isinstance(row, dict) and isinstance(row.get(self.key), str)}
        settlements = {id: self.read_settlement(by_id[id], fetched_at) for id in ids if id in by_id}
        return {id: settlement for id, settlement in settlements.items() if settlement}

    def _ask(self, base_url: str, queries: Sequence[Query], timeout_s: float) -> list[Any]:
        """The rows that match all `queries`; raises SourceFailed if they are not complete within `timeout_s`."""
        url = base_url.rstrip("/") + self.path
        try:
            return in_session(timeout_s, lambda session: self._read(session, url, queries), most_bytes=MOST_BYTES)
        except SourceFailed as failure:
            raise SourceFailed(f"{self.name}: {failure.detail}") from None

    def _read(self, session: BoundedSession, url: str, queries: Sequence[Query]) -> list[Any]:
        """The rows of each query in turn, without duplicates; it ends at a page without a cursor or without a new row.

        A server that ignores the cursor would return its first page again and again.
        """
        rows: dict[object, Any] = {}
        pages = 0
        for query in queries:
            cursor: dict[str, str] | None = {}
            while cursor is not None and pages < MOST_PAGES:
                answer, count = self._answer(session, url, {**query, **cursor}), len(rows)
                pages += 1
                for row in answer["markets"]:
                    has_id = isinstance(row, dict) and self.key in row
                    rows.setdefault(str(row[self.key]) if has_id else object(), row)
                following = answer.get(self.cursor)
                goes_on = len(rows) > count and following
                cursor = {self.parameter: following} if goes_on and isinstance(following, str) else None
        return list(rows.values())

    def _answer(self, session: BoundedSession, url: str, query: Query) -> dict[str, Any]:
        response = session.get(url, params=query)
        if response.status_code != HTTPStatus.OK:
            # The delay is added where it is in seconds.
            wait = response.headers.get("Retry-After", "")
            advice = f", retry after {wait} s" if wait.isdecimal() and len(wait) < 6 else ""
            raise SourceFailed(f"it answered {response.status_code}{advice}")
        answer = response.json()
        if not isinstance(answer, dict) or not isinstance(answer.get("markets"), list):
            raise SourceFailed("no list of markets")
        return answer


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
