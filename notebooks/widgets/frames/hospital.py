"""The strategy hospital as a frame: one month, or several months."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from notebooks.widgets.frames.schema import (
    COUNT,
    INSTANT,
    NUMBER,
    STRATEGY_CATEGORY,
    TEXT,
    WORLD,
    Document,
    FrameSchema,
    one_of,
)

STATUS = one_of("healthy", "watch", "sick", "critical", "observation")
RECOMMENDATION = one_of("promote", "keep", "pause", "retire", "observe")

COLUMNS = {
    "name": TEXT,
    "category": STRATEGY_CATEGORY,
    "assets": TEXT,
    "status": STATUS,
    "recommendation": RECOMMENDATION,
    "health_score": NUMBER,
    "days": COUNT,
    "trades": COUNT,
    "trades_a_month": NUMBER,
    "return_pct": NUMBER,
    "benchmark_return_pct": NUMBER,
    "month_return_pct": NUMBER,
    "month_sharpe": NUMBER,
    "sharpe": NUMBER,
    "sharpe_low": NUMBER,
    "sharpe_high": NUMBER,
    "shrunken_sharpe": NUMBER,
    "max_drawdown_pct": NUMBER,
    "win_rate_pct": NUMBER,
    "profit_factor": NUMBER,
    "deflated_sharpe": NUMBER,
    "turnover_score": NUMBER,
    "sharpe_score": NUMBER,
    "drawdown_score": NUMBER,
    "previous_score": NUMBER,
    "score_change": NUMBER,
    "previous_status": STATUS,
    "as_of": INSTANT,
    "world": WORLD,
}
HOSPITAL = FrameSchema({"key": TEXT}, {"snapshot_month": TEXT} | COLUMNS)
HOSPITAL_MONTHS = FrameSchema({"snapshot_month": TEXT, "key": TEXT}, COLUMNS)


def hospital(document: Document) -> pd.DataFrame:
    """The health of every strategy at the end of a month, with the parts of its score.

    Parameters
    ----------
    document : the response of `client.hospital()` or `client.hospital(month)`

    Returns
    -------
    One row per strategy, index `key`, the best score first. `health_score` is 0 to 100, its parts (`turnover_score` to
    `drawdown_score`) are 0 to 1. `_pct` are percentages over at most 90 days; `assets` are separated by spaces. Fields
    of the previous month are missing in the first month of a strategy, and parts of the score in months examined by
    an earlier version of the service.
    """
    return HOSPITAL.frame(_rows(document))


def hospital_months(documents: Iterable[Document]) -> pd.DataFrame:
    """Several months of the hospital.

    Parameters
    ----------
    documents : responses of `client.hospital(month)`, in the order of the frame

    Returns
    -------
    One row per month and strategy, index `snapshot_month` (`2026-10`) and `key`, with the columns of `hospital`.
    """
    return HOSPITAL_MONTHS.frame(row for document in documents for row in _rows(document))


def _rows(document: Document) -> Iterator[dict[str, Any]]:
    constants = {name: document[name] for name in ("snapshot_month", "as_of", "world")}
    for entry in document["strategies"]:
        yield {**dict.fromkeys(COLUMNS), **entry, **entry["metrics"], **constants, "assets": " ".join(entry["assets"])}
