"""Rows of a list of outside markets, each read by its source: one that tells too little is refused alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from service.forecasting.predictions import Settlement
from service.forecasting.predictions.imports import OutsideMarket, Refusal

LONGEST_ID = 80

Row = Mapping[str, Any]


class Unusable(Exception):
    """A row from which no market can be made; says why."""


def markets_in(
    rows: Sequence[Any], name: str, key: str, read: Callable[[Row], OutsideMarket]
) -> tuple[list[OutsideMarket], list[Refusal]]:
    """The markets that `read` makes of the rows of the source `name`, and what it refuses by the row's `key`."""
    markets: list[OutsideMarket] = []
    refused: list[Refusal] = []
    for row in rows:
        try:
            if not isinstance(row, dict):
                raise Unusable("it is no row")
            markets.append(read(row))
        except Unusable as why:
            said = row.get(key) if isinstance(row, dict) else None
            refused.append(Refusal(f"{name}-{said[:LONGEST_ID]}" if isinstance(said, str) else name, str(why)))
    return markets, refused


def settlements_in(
    rows: Sequence[Any], ids: Sequence[str], key: str, read: Callable[[Row], Settlement | None]
) -> dict[str, Settlement]:
    """What `read` says became of the markets `ids`, by the row's `key`; those that are still open are left out."""
    told = {row[key]: row for row in rows if isinstance(row, dict) and isinstance(row.get(key), str)}
    found = {id: read(told[id]) for id in ids if id in told}
    return {id: settlement for id, settlement in found.items() if settlement}
