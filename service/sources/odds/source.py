"""An outside market: how its open markets and their settlements are requested and read.

An unusable row is refused without affecting the others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.forecasting.predictions import Settlement
from service.forecasting.predictions.imports import OutsideMarket, Refusal
from service.sources.odds.asking import Listing, Query, ask

LONGEST_ID = 80
BATCH = 50  # ids in one query, so that its URL stays short

Row = Mapping[str, Any]


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
    read_settlement: Callable[[Row, int], Settlement | None]

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

    def settled(self, base_url: str, timeout_s: float, ids: Sequence[str]) -> dict[str, Settlement]:
        """The settlements of the settled markets among `ids`, by id; raises SourceFailed like `list_open`."""
        queries = [self.settled_query(ids[first : first + BATCH]) for first in range(0, len(ids), BATCH)]
        return self.settlements(ask(self.listing, base_url, queries, timeout_s), ids, int(time.time()))

    def markets(self, rows: Sequence[Any], fetched_at: int) -> tuple[list[OutsideMarket], list[Refusal]]:
        """The markets in the rows of a response received at the unix second `fetched_at`, and the refused rows."""
        markets: list[OutsideMarket] = []
        refused: list[Refusal] = []
        for row in rows:
            try:
                if not isinstance(row, dict):
                    raise UnusableRow("it is not a JSON object")
                markets.append(self.read_market(row, fetched_at))
            except UnusableRow as unusable:
                refused.append(Refusal(self._label(row), str(unusable)))
        return markets, refused

    def settlements(self, rows: Sequence[Any], ids: Sequence[str], fetched_at: int) -> dict[str, Settlement]:
        """The settlements of the markets `ids` that are settled according to the rows, by id."""
        key = self.listing.key
        by_id = {row[key]: row for row in rows if isinstance(row, dict) and isinstance(row.get(key), str)}
        settlements = {id: self.read_settlement(by_id[id], fetched_at) for id in ids if id in by_id}
        return {id: settlement for id, settlement in settlements.items() if settlement}

    def _label(self, row: Any) -> str:
        """The name of the source, and the id of the row if it has one."""
        id = row.get(self.listing.key) if isinstance(row, dict) else None
        return f"{self.name}-{id[:LONGEST_ID]}" if isinstance(id, str) else self.name
