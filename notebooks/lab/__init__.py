"""Research on the record of the service: download it, backtest a voter of one's own, enter it in the tournament.

Everything goes over HTTP through `service.client`; downloads are kept in Parquet files on this machine.
"""

from notebooks.lab.archive import Archive
from notebooks.lab.entry import TournamentEntry, enter
from notebooks.lab.record import AskedQuestion, MarketRecord, OpeningInputs, read_bars
from notebooks.lab.report import BacktestReport, backtest
from notebooks.lab.studies import calibration_by_template, lane_sharpes, leave_one_out
from notebooks.lab.walk import ResolvedExample, VoterRefused

__all__ = [
    "Archive",
    "AskedQuestion",
    "BacktestReport",
    "MarketRecord",
    "OpeningInputs",
    "ResolvedExample",
    "TournamentEntry",
    "VoterRefused",
    "backtest",
    "calibration_by_template",
    "enter",
    "lane_sharpes",
    "leave_one_out",
    "read_bars",
]
