"""Research on the record of the service and on bars: tearsheets, calibration, backtests of voters and strategies.

Everything goes over HTTP through `service.client`; downloads are kept in Parquet files on this machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from notebooks import on_first_use

if TYPE_CHECKING:
    from notebooks.lab.archive import Archive
    from notebooks.lab.calibration_panel import calibration
    from notebooks.lab.entry import TournamentEntry, enter
    from notebooks.lab.foresight import StrategyRefused
    from notebooks.lab.record import AskedQuestion, MarketRecord, OpeningInputs, read_bars
    from notebooks.lab.report import BacktestReport, backtest
    from notebooks.lab.returns import daily_returns, daily_values, statistics
    from notebooks.lab.strategies import ArenaReport, service_strategies
    from notebooks.lab.studies import differences, leave_one_out
    from notebooks.lab.tearsheet_panel import tearsheet
    from notebooks.lab.walk import ResolvedExample, VoterRefused
    from notebooks.widgets.base.forest import forest_plot

__all__ = [
    "Archive",
    "ArenaReport",
    "AskedQuestion",
    "BacktestReport",
    "MarketRecord",
    "OpeningInputs",
    "ResolvedExample",
    "StrategyRefused",
    "TournamentEntry",
    "VoterRefused",
    "backtest",
    "calibration",
    "daily_returns",
    "daily_values",
    "differences",
    "enter",
    "forest_plot",
    "leave_one_out",
    "read_bars",
    "service_strategies",
    "statistics",
    "tearsheet",
]

MODULES = {
    "Archive": "archive",
    "calibration": "calibration_panel",
    **dict.fromkeys(("TournamentEntry", "enter"), "entry"),
    **dict.fromkeys(("AskedQuestion", "MarketRecord", "OpeningInputs", "read_bars"), "record"),
    **dict.fromkeys(("BacktestReport", "backtest"), "report"),
    **dict.fromkeys(("daily_returns", "daily_values", "statistics"), "returns"),
    **dict.fromkeys(("ArenaReport", "service_strategies"), "strategies"),
    "StrategyRefused": "foresight",
    **dict.fromkeys(("differences", "leave_one_out"), "studies"),
    "forest_plot": ".widgets.base.forest",
    "tearsheet": "tearsheet_panel",
    **dict.fromkeys(("ResolvedExample", "VoterRefused"), "walk"),
}
__getattr__ = on_first_use(__name__, MODULES)


def __dir__() -> list[str]:
    return sorted(__all__)
