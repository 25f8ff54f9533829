"""The facts of one strategy in the hospital as small tables, shown after a click on it."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from notebooks.widgets.base.html_tables import Fact, grid, table
from notebooks.widgets.base.wording import Document

LOWER_IS_BETTER = {"max_drawdown_pct", "trades_a_month"}
MEASURES = {
    "return_pct": "return over the window, %",
    "benchmark_return_pct": "buy and hold over the window, %",
    "month_return_pct": "return over the month, %",
    "sharpe": "annualized Sharpe ratio",
    "sharpe_low": "lower end of its 95% interval",
    "sharpe_high": "upper end of its 95% interval",
    "shrunken_sharpe": "Sharpe ratio drawn to its class",
    "trades_a_month": "trades a month in each asset",
    "max_drawdown_pct": "maximum drawdown, %",
    "win_rate_pct": "win rate, %",
    "profit_factor": "profit factor",
    "deflated_sharpe": "probability that it is better than luck",
    "turnover_score": "left of a year of trading costs, 0 to 1",
    "sharpe_score": "probability that the Sharpe ratio is above 0",
    "drawdown_score": "share of chance drawdowns that are deeper, 0 to 1",
}


def facts(document: Document, months: Mapping[str, Document], key: str) -> str:
    """The state of a strategy, its measures among those of all, and its scores in the months viewed, as HTML."""
    strategy = _strategy(document, key)
    if strategy is None:
        return table(key, [Fact("status", f"not examined in {document['snapshot_month']}")])
    return _state(document, strategy) + _measures(document["strategies"], strategy) + _history(months, key)


def _state(document: Document, strategy: Document) -> str:
    metrics = strategy["metrics"]
    return table(
        f"{strategy['name']}, {document['snapshot_month']} (paper)",
        [
            Fact("recommendation", strategy["recommendation"]),
            Fact("status", strategy["status"]),
            Fact("status one month before", metrics["previous_status"]),
            Fact("health score", strategy["health_score"]),
            Fact("change in one month", metrics["score_change"], is_change=True),
            Fact("category", strategy["category"]),
            Fact("assets", ", ".join(strategy["assets"])),
            Fact("days in the window", metrics["days"]),
            Fact("closed trades in the window", metrics["trades"]),
        ],
    )


def _measures(strategies: list[Document], strategy: Document) -> str:
    rows = []
    for name, label in MEASURES.items():
        if name not in strategy["metrics"]:
            continue  # a month that an earlier version of the service examined
        values = [other["metrics"][name] for other in strategies if other["metrics"][name] is not None]
        worst, best = (min(values), max(values)) if values else (None, None)
        if name in LOWER_IS_BETTER:
            worst, best = best, worst
        rows.append([label, strategy["metrics"][name], worst, median(values) if values else None, best])
    columns = ["", "this strategy", "worst", "median", "best"]
    return grid(f"its measures among all {len(strategies)} strategies", columns, rows)


def _history(months: Mapping[str, Document], key: str) -> str:
    viewed = sorted(months)
    strategies = [_strategy(months[month], key) for month in viewed]
    scores = ["health score", *(strategy and strategy["health_score"] for strategy in strategies)]
    statuses = ["status", *(strategy and strategy["status"] for strategy in strategies)]
    return grid("the months viewed", ["", *viewed], [scores, statuses])


def _strategy(document: Document, key: str) -> Document | None:
    return next((strategy for strategy in document["strategies"] if strategy["key"] == key), None)
