"""The strategy hospital as a frame: one month, or several under each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from notebooks.widgets.frames.table import COUNT, INSTANT, NUMBER, STRATEGY_CATEGORY, TEXT, WORLD, Table, one_of

STATUS = one_of("healthy", "watch", "sick", "critical", "observation")
RECOMMENDATION = one_of("promote", "keep", "reduce", "pause", "retire", "observe")

COLUMNS = {
    "name": TEXT,
    "category": STRATEGY_CATEGORY,
    "assets": TEXT,
    "status": STATUS,
    "recommendation": RECOMMENDATION,
    "health_score": NUMBER,
    "days": COUNT,
    "trades": COUNT,
    "return_pct": NUMBER,
    "month_return_pct": NUMBER,
    "sharpe": NUMBER,
    "max_drawdown_pct": NUMBER,
    "win_rate_pct": NUMBER,
    "profit_factor": NUMBER,
    "psr": NUMBER,
    "deflated_sharpe": NUMBER,
    "drawdown_room": NUMBER,
    "wins": NUMBER,
    "profits": NUMBER,
    "decay": NUMBER,
    "raw_score": NUMBER,
    "trust": NUMBER,
    "previous_score": NUMBER,
    "score_change": NUMBER,
    "previous_status": STATUS,
    "as_of": INSTANT,
    "world": WORLD,
}
HOSPITAL = Table({"key": TEXT}, {"snapshot_month": TEXT} | COLUMNS)
HOSPITAL_MONTHS = Table({"snapshot_month": TEXT, "key": TEXT}, COLUMNS)


def hospital(document: Mapping[str, Any]) -> pd.DataFrame:
    """The health of every strategy at the end of a month, with what the score is made of.

    Parameters
    ----------
    document : that of `client.hospital()` or `client.hospital(month)`

    Returns
    -------
    One row a strategy, index `key`, the best score first. Scores are 0 to 100, the measures they are made of (`psr`
    to `trust`) 0 to 1 but for `raw_score`, `_pct` is percent over the last 90 days at most, `assets` are divided by
    blanks. What there was no month before for is missing.
    """
    return HOSPITAL.frame(_rows(document))


def hospital_months(documents: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Several months of the hospital under each other.

    Parameters
    ----------
    documents : those of `client.hospital(month)`, in the order wanted

    Returns
    -------
    One row a month and strategy, index `snapshot_month` (`2026-10`) and `key`; columns as `hospital` has them.
    """
    return HOSPITAL_MONTHS.frame(row for document in documents for row in _rows(document))


def _rows(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    shared = {name: document[name] for name in ("snapshot_month", "as_of", "world")}
    for entry in document["strategies"]:
        yield {**entry, **entry["metrics"], **shared, "assets": " ".join(entry["assets"])}
