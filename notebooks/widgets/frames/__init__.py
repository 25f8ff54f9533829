"""Documents of the API as tidy, typed frames: pure functions of the responses of `service.client.Client`.

Each frame has its index and dtypes also without rows. Instants are UTC and units are part of the names. Every row has
its `world` and, where the API states it, `backfilled`, so that a file keeps the origin of its numbers.
"""

from notebooks.widgets.frames.accuracy import (
    calibration,
    cumulative_brier,
    paired_difference,
    resolved_pairs,
    scoreboard,
)
from notebooks.widgets.frames.apex import apex_accuracy, apex_layers, fund_equity, fund_trades
from notebooks.widgets.frames.battle import lane_events, lane_history, lanes, liquidity, positions
from notebooks.widgets.frames.hospital import hospital, hospital_months
from notebooks.widgets.frames.ledger import ledger, ledger_odds, ledger_outcomes, ledger_votes
from notebooks.widgets.frames.market import headlines, prices
from notebooks.widgets.frames.oracle import oracle_votes
from notebooks.widgets.frames.predictions import challenges, market_votes, markets
from notebooks.widgets.frames.shadow import shadow_bets, shadow_books, shadow_curve
from notebooks.widgets.frames.strategies import leaderboard, strategy_equity, strategy_trades
from notebooks.widgets.frames.streaks import streaks

__all__ = [
    "apex_accuracy",
    "apex_layers",
    "calibration",
    "challenges",
    "cumulative_brier",
    "fund_equity",
    "fund_trades",
    "headlines",
    "hospital",
    "hospital_months",
    "lane_events",
    "lane_history",
    "lanes",
    "leaderboard",
    "ledger",
    "ledger_odds",
    "ledger_outcomes",
    "ledger_votes",
    "liquidity",
    "market_votes",
    "markets",
    "oracle_votes",
    "paired_difference",
    "positions",
    "prices",
    "resolved_pairs",
    "scoreboard",
    "shadow_bets",
    "shadow_books",
    "shadow_curve",
    "strategy_equity",
    "strategy_trades",
    "streaks",
]
