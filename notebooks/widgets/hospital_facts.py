"""The facts of one strategy in the hospital, for whoever clicked on it."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import Any

from notebooks.widgets.tables import Row, grid, table

Document = Mapping[str, Any]

# Where less is better, the least is the best.
LESS_IS_BETTER = {"max_drawdown_pct"}
MEASURES = {
    "return_pct": "return of the window, %",
    "month_return_pct": "return of the month, %",
    "sharpe": "Sharpe ratio of a year",
    "max_drawdown_pct": "deepest fall, %",
    "win_rate_pct": "trades won, %",
    "profit_factor": "profit factor",
    "psr": "probability of a Sharpe ratio above 0",
    "deflated_sharpe": "probability that it beats the best of luck",
    "drawdown_room": "room to the deepest fall allowed, 0 to 1",
    "wins": "wins more often than it must, 0 to 1",
    "profits": "profit factor, 0 to 1",
    "decay": "as good lately as before, 0 to 1",
    "raw_score": "score before trust",
    "trust": "trust, 0 to 1",
}


def facts(document: Document, months: Mapping[str, Document], key: str) -> str:
    """How a strategy stands, its measures among those of all, and its scores of the months looked at, as HTML."""
    one = _of(document, key)
    if one is None:
        return table(key, [Row("status", f"not examined in {document['snapshot_month']}")])
    return _standing(document, one) + _measures(document, one) + _past(months, key)


def _standing(document: Document, one: Document) -> str:
    metrics = one["metrics"]
    rows = [
        Row("recommendation", one["recommendation"]),
        Row("status", one["status"]),
        Row("status a month before", metrics["previous_status"]),
        Row("health score", one["health_score"]),
        Row("change in a month", metrics["score_change"]),
        Row("category", one["category"]),
        Row("assets", ", ".join(one["assets"])),
        Row("days looked at", metrics["days"]),
        Row("trades closed in them", metrics["trades"]),
    ]
    return table(f"{one['name']}, {document['snapshot_month']} (paper)", rows)


def _measures(document: Document, one: Document) -> str:
    everyone = document["strategies"]
    rows = []
    for name, label in MEASURES.items():
        values = [other["metrics"][name] for other in everyone if other["metrics"][name] is not None]
        worst, best = (min(values), max(values)) if values else (None, None)
        if name in LESS_IS_BETTER:
            worst, best = best, worst
        rows.append([label, one["metrics"][name], worst, median(values) if values else None, best])
    return grid(f"its measures among all {len(everyone)}", ["", "this one", "worst", "median", "best"], rows)


def _past(months: Mapping[str, Document], key: str) -> str:
    looked_at = sorted(months)
    found = [_of(months[month], key) for month in looked_at]
    scores = ["health score", *(one and one["health_score"] for one in found)]
    statuses = ["status", *(one and one["status"] for one in found)]
    return grid("the months looked at", ["", *looked_at], [scores, statuses])


def _of(document: Document, key: str) -> Document | None:
    return next((one for one in document["strategies"] if one["key"] == key), None)
