"""Reads the rows of a list of outside markets; an unusable row is refused without affecting the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from service.forecasting.predictions import Settlement
from service.forecasting.predictions.imports import OutsideMarket, Refusal

LONGEST_ID = 80

Row = Mapping[str, Any]


class UnusableRow(Exception):
    """A row that cannot be read as a market; the message is the reason."""


def markets_in(
    rows: Sequence[Any], name: str, key: str, read: Callable[[Row], OutsideMarket]
) -> tuple[list[OutsideMarket], list[Refusal]]:
    """The markets that `read` returns for the rows of the source `name`, and the refusals, identified by `key`."""
    markets: list[OutsideMarket] = []
    refused: list[Refusal] = []
    for row in rows:
        try:
            if not isinstance(row, dict):
                raise UnusableRow("it is not a JSON object")
            markets.append(read(row))
        except UnusableRow as unusable:
            id = row.get(key) if isinstance(row, dict) else None
            refused.append(Refusal(f"{name}-{id[:LONGEST_ID]}" if isinstance(id, str) else name, str(unusable)))
    return markets, refused


def settlements_in(
    rows: Sequence[Any], ids: Sequence[str], key: str, read: Callable[[Row], Settlement | None]
) -> dict[str, Settlement]:
    """The settlements that `read` returns for the markets `ids`, by `key`; open markets are left out."""
    by_id = {row[key]: row for row in rows if isinstance(row, dict) and isinstance(row.get(key), str)}
    settlements = {id: read(by_id[id]) for id in ids if id in by_id}
    return {id: settlement for id, settlement in settlements.items() if settlement}
