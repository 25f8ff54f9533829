"""A table of the workbench: its index and columns with their dtypes, declared once, and the frame made from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

Dtype = str | pd.CategoricalDtype

INSTANT = "datetime64[us, UTC]"
NUMBER = "float64"
COUNT = "Int64"  # pandas' integer that may be absent
TEXT = "str"
CLAIM = "bool"
MAYBE = "boolean"  # a claim that may be absent
BODY = "object"


def one_of(*words: str) -> pd.CategoricalDtype:
    """The dtype of a closed vocabulary, in its order."""
    return pd.CategoricalDtype(words)


WORLD = one_of("simulated", "replay", "live")
OUTCOME = one_of("yes", "no", "void")
DIRECTION = one_of("BULLISH", "BEARISH", "NEUTRAL")
POSITION = one_of("long", "short")
STRATEGY_CATEGORY = one_of(
    "trend", "momentum", "reversion", "breakout", "volatility", "volume", "relative", "ghost"
)  # a ghost is what strategies are measured against
MARKET_CATEGORY = one_of("daily", "weekly", "monthly", "imported", "challenge")
COMPARATOR = one_of(
    "close_above", "close_below", "touch_above", "touch_below", "between", "up", "down", "relative", "open"
)


@dataclass(frozen=True)
class Table:
    """The dtypes of a table by name: first those of its index, then those of its columns."""

    index: Mapping[str, Dtype]
    columns: Mapping[str, Dtype]

    def frame(self, rows: Iterable[Mapping[str, Any]], **shared: Any) -> pd.DataFrame:
        """The rows as a frame; what is `shared` stands in each of them, what is not declared in none.

        A frame without rows has the same dtypes. Only a word that its vocabulary does not know widens that column's
        categories: it is kept as it came.
        """
        rows = list(rows)
        told = {
            name: typed([shared[name]] * len(rows) if name in shared else [row[name] for row in rows], dtype)
            for name, dtype in (self.index | self.columns).items()
        }
        return pd.DataFrame(told).set_index(list(self.index))


def typed(values: list[Any], dtype: Dtype) -> pd.Series:
    """The values as a column of `dtype`; None is its missing value, and refused where a claim cannot be missing."""
    if isinstance(dtype, pd.CategoricalDtype):
        return _words(values, dtype)
    if dtype == INSTANT:
        return _instants(values)
    if dtype == CLAIM:
        # Asked for bool at once, pandas takes None for False.
        return pd.Series(values, dtype=MAYBE).astype(CLAIM)
    return pd.Series(values, dtype=dtype)


def _words(values: list[Any], dtype: pd.CategoricalDtype) -> pd.Series:
    known = {None, *dtype.categories}
    strange = dict.fromkeys(value for value in values if value not in known)
    return pd.Series(values, dtype=pd.CategoricalDtype([*dtype.categories, *strange]))


def _instants(values: list[Any]) -> pd.Series:
    """Instants of the API, ISO 8601, or those of a ledger's body, unix seconds."""
    counted = any(isinstance(value, int) for value in values)
    read = pd.to_datetime(pd.Series(values, dtype="Int64" if counted else BODY), **_form(counted), utc=True)
    return read.astype(INSTANT)


def _form(counted: bool) -> dict[str, str]:
    return {"unit": "s"} if counted else {"format": "ISO8601"}
