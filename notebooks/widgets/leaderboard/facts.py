"""The facts of one strategy of the leaderboard as small tables, shown after a click on it."""

from __future__ import annotations

from notebooks.widgets.base.html_tables import Fact, grid, table
from notebooks.widgets.base.wording import Document, minute

LATEST = 8  # closed trades shown


def facts(strategy: Document) -> str:
    """The rule of a strategy, its source, and its track record on paper, as HTML."""
    rule = [
        Fact("rule", strategy["description"]),
        Fact("source", strategy["source"]),
        *(Fact(name, f"{value:g}") for name, value in strategy["parameters"].items()),
        Fact("assets", ", ".join(strategy["assets"])),
    ]
    return table(strategy["name"], rule) + _track_record(strategy) + _trades(strategy["recent_trades"])


def _track_record(strategy: Document) -> str:
    statistics, standing = strategy["statistics"], strategy["standing"]
    return table(
        f"track record over all its assets (paper), as of {minute(strategy['as_of'])}",
        [
            Fact("rank", standing["rank"]),
            Fact("gain", standing["pnl_pct"], "%", is_change=True),
            Fact("buy and hold of the same assets", standing["benchmark_pnl_pct"], "%", is_change=True),
            Fact("annualized Sharpe ratio, 95% interval", _sharpe(standing)),
            Fact("maximum drawdown", standing["max_drawdown_pct"], "%"),
            Fact("closed trades", statistics["count"]),
            Fact("win rate", statistics["win_rate_pct"], "%"),
            Fact("profit factor", statistics["profit_factor"]),
            Fact("mean win", statistics["average_win_usd"], " USD"),
            Fact("mean loss", statistics["average_loss_usd"], " USD"),
            Fact("mean holding time", statistics["average_hours"], " h"),
            Fact("fees", statistics["fees_usd"], " USD"),
            Fact("interest on shorts", statistics["borrow_usd"], " USD"),
        ],
    )


def _sharpe(standing: Document) -> str | None:
    if standing["sharpe"] is None:
        return None
    return f"{standing['sharpe']:.2f}, {standing['sharpe_low']:.2f} to {standing['sharpe_high']:.2f}"


def _trades(trades: list[Document]) -> str:
    rows = [
        [
            minute(trade["opened_at"]),
            minute(trade["closed_at"]),
            trade["side"],
            trade["asset"],
            trade["pnl_pct"],
            trade["pnl_usd"],
        ]
        for trade in trades[:LATEST]
    ]
    return grid("latest closed trades", ["opened", "closed", "side", "asset", "gain, %", "gain, USD"], rows)
