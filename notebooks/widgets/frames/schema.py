"""The schema of a frame: the dtypes of its index and columns, declared once, and the conversion of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

import pandas as pd

Document = Mapping[str, Any]
Pages = Document | Iterable[Document]  # a response, or the pages of one operation in their order
Dtype = str | pd.CategoricalDtype

INSTANT = "datetime64[us, UTC]"
NUMBER = "float64"
COUNT = "Int64"  # the nullable integer of pandas
TEXT = "str"
FLAG = "bool"
OPTIONAL_FLAG = "boolean"  # the nullable boolean of pandas
OBJECT = "object"


def one_of(*words: str) -> pd.CategoricalDtype:
    """The dtype of a closed vocabulary, in its order."""
    return pd.CategoricalDtype(words)


WORLD = one_of("simulated", "replay", "live")
OUTCOME = one_of("yes", "no", "void")
DIRECTION = one_of("BULLISH", "BEARISH", "NEUTRAL")
POSITION = one_of("long", "short")
STRATEGY_CATEGORY = one_of(
    "trend", "momentum", "reversion", "breakout", "volatility", "volume", "relative", "ghost"
)  # a ghost is a reference that strategies are compared with
MARKET_CATEGORY = one_of("daily", "weekly", "monthly", "imported", "challenge")
COMPARATOR = one_of(
    *("close_above", "close_below", "touch_above", "touch_below", "between", "leave", "up", "down", "relative", "open"),
    *("upper_first", "lower_first", "move", "range", "days_above", "days_below", "days_up", "days_down"),
    *("average_above", "average_below", "above_moving_average", "below_moving_average", "volatility"),
    *("above_earlier", "below_earlier", "both", "either", "topic"),
)


DTYPES: Mapping[str, Dtype] = {
    "text": TEXT,
    "number": NUMBER,
    "count": COUNT,
    "flag": FLAG,
    "maybe": OPTIONAL_FLAG,
    "time": INSTANT,
    "object": OBJECT,
    "world": WORLD,
    "outcome": OUTCOME,
    "direction": DIRECTION,
    "position": POSITION,
    "strategy_category": STRATEGY_CATEGORY,
    "market_category": MARKET_CATEGORY,
    "comparator": COMPARATOR,
}


@dataclass(frozen=True)
class FrameSchema:
    """The dtypes of a frame by name: those of its index, then those of its columns."""

    index: Mapping[str, Dtype]
    columns: Mapping[str, Dtype]

    @classmethod
    def of(cls, index: str, columns: str, **vocabularies: Dtype) -> FrameSchema:
        """The schema of fields written as `name:type`, separated by spaces; a name alone is a number.

        A type is a key of `DTYPES`, or the words of a closed vocabulary as `a|b`. `vocabularies` are the dtypes of
        fields whose words have spaces, by name. KeyError for an unknown type.
        """
        return cls(_fields(index), {**_fields(columns), **vocabularies})

    @property
    def dtypes(self) -> dict[str, Dtype]:
        """The dtypes of the index and of the columns."""
        return {**self.index, **self.columns}

    def frame(self, rows: Iterable[Document], **constants: Any) -> pd.DataFrame:
        """The rows as a frame with exactly the declared index and columns.

        Parameters
        ----------
        rows : mappings with every declared field that is not constant; other fields are left out
        constants : values that every row has, by name

        Returns
        -------
        A frame with the declared dtypes, also without rows. A word outside of its vocabulary is kept and appended to
        the categories of that column. KeyError for a missing field, ValueError for a missing `FLAG`.
        """
        rows = list(rows)
        columns = {
            name: typed([constants[name]] * len(rows) if name in constants else [row[name] for row in rows], dtype)
            for name, dtype in self.dtypes.items()
        }
        return pd.DataFrame(columns).set_index(list(self.index))


def _fields(text: str) -> dict[str, Dtype]:
    pairs = (field.partition(":") for field in text.split())
    return {name: one_of(*kind.split("|")) if "|" in kind else DTYPES[kind or "number"] for name, _, kind in pairs}


def pages_of(source: Pages) -> Iterable[Document]:
    """The pages of a source; a single response is one page."""
    return [cast(Document, source)] if isinstance(source, Mapping) else source


def typed(values: list[Any], dtype: Dtype) -> pd.Series:
    """The values as a column of `dtype`; None becomes its missing value, and raises ValueError for a `FLAG`."""
    if isinstance(dtype, pd.CategoricalDtype):
        return _words(values, dtype)
    if dtype == INSTANT:
        return _instants(values)
    if dtype == FLAG:
        # Converted to bool directly, None would become False.
        return pd.Series(values, dtype=OPTIONAL_FLAG).astype(FLAG)
    return pd.Series(values, dtype=dtype)


def _words(values: list[Any], dtype: pd.CategoricalDtype) -> pd.Series:
    vocabulary = {None, *dtype.categories}
    unknown = dict.fromkeys(value for value in values if value not in vocabulary)
    return pd.Series(values, dtype=pd.CategoricalDtype([*dtype.categories, *unknown]))


def _instants(values: list[Any]) -> pd.Series:
    """Instants in ISO 8601; the bodies of old ledger rows have unix seconds."""
    texts = [datetime.fromtimestamp(value, UTC).isoformat() if isinstance(value, int) else value for value in values]
    return pd.to_datetime(pd.Series(texts, dtype=OBJECT), format="ISO8601", utc=True).astype(INSTANT)


if TYPE_CHECKING:
    import polars  # pyright: ignore[reportMissingImports]  # installed by those who want it


def as_polars(frame: pd.DataFrame) -> polars.DataFrame:
    """A frame as one of polars; ImportError where polars or pyarrow is not installed.

    Parameters
    ----------
    frame : any frame of this package

    Returns
    -------
    The same rows; the index `id`, `time` and so on becomes the first columns, because polars has no index.
    """
    import polars  # pyright: ignore[reportMissingImports]  # as above

    return polars.from_pandas(frame.reset_index())
