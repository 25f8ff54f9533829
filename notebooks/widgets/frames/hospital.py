"""The strategy hospital as a frame: one month, or several months."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from notebooks.widgets.frames.schema import Document, FrameSchema

EXAMINATION = (
    "name:text category:strategy_category assets:text status:healthy|watch|sick|critical|observation"
    " recommendation:promote|keep|pause|retire|observe health_score days:count trades:count trades_a_month return_pct"
    " benchmark_return_pct month_return_pct month_sharpe sharpe sharpe_low sharpe_high shrunken_sharpe"
    " max_drawdown_pct win_rate_pct profit_factor deflated_sharpe turnover_score sharpe_score drawdown_score"
    " previous_score score_change previous_status:healthy|watch|sick|critical|observation as_of:time world:world"
)
HOSPITAL = FrameSchema.of("key:text", f"snapshot_month:text {EXAMINATION}")
HOSPITAL_MONTHS = FrameSchema.of("snapshot_month:text key:text", EXAMINATION)


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
        yield {
            **dict.fromkeys(HOSPITAL.columns),
            **entry,
            **entry["metrics"],
            **constants,
            "assets": " ".join(entry["assets"]),
        }
