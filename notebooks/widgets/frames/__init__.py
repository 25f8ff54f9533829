"""Documents of the API as tidy, typed frames: pure functions of the responses of `service.client.Client`.

Each frame has its index and dtypes also without rows. Instants are UTC and units are part of the names. Every row has
its `world` and, where the API states it, `backfilled`, so that a file keeps the origin of its numbers. A noun has the
same index everywhere: a market `id`, a voter `voter`. `notebooks.lab.Archive` downloads all pages of an operation.
"""

from __future__ import annotations

from notebooks.widgets.frames.accuracy import (
    calibration,
    cumulative_brier,
    paired_difference,
    scoreboard,
)
from notebooks.widgets.frames.answers import answers, deliveries
from notebooks.widgets.frames.apex import (
    apex_accuracy,
    apex_call_layers,
    apex_calls,
    apex_layers,
    fund_equity,
    fund_trades,
)
from notebooks.widgets.frames.battle import lane_equity, lane_events, lane_history, lanes, liquidity, positions
from notebooks.widgets.frames.forecasters import forecasters, forecasts
from notebooks.widgets.frames.hospital import hospital, hospital_months
from notebooks.widgets.frames.ledger import (
    ledger,
    ledger_odds,
    ledger_outcomes,
    ledger_roots,
    ledger_votes,
    resolved_votes,
)
from notebooks.widgets.frames.market import as_ohlcv, candles, headlines, prices
from notebooks.widgets.frames.oracle import features, oracle_votes
from notebooks.widgets.frames.predictions import challenges, market_series, market_votes, markets
from notebooks.widgets.frames.price_forecasts import price_forecasts, price_record
from notebooks.widgets.frames.schema import as_polars
from notebooks.widgets.frames.shadow import shadow_books, shadow_curve
from notebooks.widgets.frames.strategies import leaderboard, strategy_equity, strategy_trades
from notebooks.widgets.frames.streaks import streaks

__all__ = [
    "answers",
    "apex_accuracy",
    "apex_call_layers",
    "apex_calls",
    "apex_layers",
    "as_ohlcv",
    "as_polars",
    "calibration",
    "candles",
    "challenges",
    "cumulative_brier",
    "deliveries",
    "features",
    "forecasters",
    "forecasts",
    "fund_equity",
    "fund_trades",
    "headlines",
    "hospital",
    "hospital_months",
    "lane_equity",
    "lane_events",
    "lane_history",
    "lanes",
    "leaderboard",
    "ledger",
    "ledger_odds",
    "ledger_outcomes",
    "ledger_roots",
    "ledger_votes",
    "liquidity",
    "market_series",
    "market_votes",
    "markets",
    "oracle_votes",
    "paired_difference",
    "positions",
    "price_forecasts",
    "price_record",
    "prices",
    "resolved_votes",
    "scoreboard",
    "shadow_books",
    "shadow_curve",
    "strategy_equity",
    "strategy_trades",
    "streaks",
]


def __dir__() -> list[str]:
    return sorted(__all__)
