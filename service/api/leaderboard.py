"""The strategies: all by rank, and the page of each one."""

from __future__ import annotations

from flask import Blueprint, Response
from pydantic import Field, TypeAdapter

from service.api import files
from service.api.encoding import document
from service.api.inputs import Query
from service.api.operations import operation
from service.api.snapshots import latest, require_listed
from service.errors import ResourceNotFound
from service.market.assets import AssetCode
from service.trading.leaderboard import LeaderboardDocument, StrategyDocument, leaderboard_table
from service.trading.strategies import STRATEGIES

leaderboard = Blueprint("leaderboard", __name__, url_prefix="/api/v1")

MAX_AGE_S = 5
BOARD = TypeAdapter(LeaderboardDocument)


class LeaderboardQuery(Query):
    """Which accounts to rank."""

    asset: AssetCode | None = Field(None, description="rank the accounts in this asset alone")


@leaderboard.get("/leaderboard")
@operation(
    tag="Strategies",
    key="required",
    limit="documents",
    returns=LeaderboardDocument,
    also=files.described("strategy by rank, and then for each ghost"),
    cached=True,
    raises=(ResourceNotFound,),
)
def ranking(query: LeaderboardQuery) -> Response:
    """The {n} strategies by the result of their paper trading, over all their assets or in one of them.

    Every strategy started with 10,000 USD in each asset. `ghosts` are two benchmarks without a rank: buying and
    holding, and tossing a coin. `sharpe_low` to `sharpe_high` is the 95% interval of the Sharpe ratio: half a year
    leaves 2.8 to either side. Shorts, of metals too, pay interest for each hour begun, at `borrow_rate_pct` a
    year (`BORROW_RATE_PCT`). Computed once per bar; a 304 and the answer to a HEAD are free of charge. With `Accept:
    text/csv` it is a CSV file without the open positions, with `Accept: application/vnd.apache.parquet` a Parquet file.
    """
    if query.asset:
        require_listed(query.asset)
    name = f"leaderboard/{query.asset}" if query.asset else "leaderboard"
    return files.snapshot(name, BOARD, leaderboard_table, None)


@leaderboard.get("/strategies/<key>")
@operation(
    tag="Strategies",
    limit="telemetry",
    returns=StrategyDocument,
    cached=True,
    raises=(ResourceNotFound,),
)
def strategy(key: str) -> Response:
    """One strategy: its rule, parameters and source, its equity curve and its latest trades."""
    if key not in STRATEGIES:
        raise ResourceNotFound(
            "There is no such strategy; /api/v1/leaderboard and /api/v1/strategy-hospital list the keys."
        )
    return document(latest(f"strategies/{key}"), max_age=MAX_AGE_S)
