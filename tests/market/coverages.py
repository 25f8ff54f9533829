"""Whole histories, for what shows them."""

from __future__ import annotations

from collections.abc import Iterable

from service.market.coverage import Coverage, History, history_of
from service.market.instants import DAY


def whole(assets: Iterable[str], until: int, days: int = 240) -> dict[str, History]:
    """The histories of assets that have all of their days."""
    since = until - days * DAY
    coverage = Coverage(since, until, windows=((since, until),), source="a test")
    return {asset: history_of(asset, coverage, coverage, until) for asset in assets}
