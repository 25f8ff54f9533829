"""The strategies: all by rank, the page of each one, and their review of each month."""

from __future__ import annotations

import json
from dataclasses import dataclass

from flask import Blueprint, Response
from pydantic import Field

from service.api import responses
from service.api.inputs import Query
from service.api.operations import operation
from service.api.responses import document
from service.api.services import find, latest, require_listed
from service.errors import ResourceNotFound
from service.market.assets import ASSETS, AssetCode
from service.trading.hospital import HospitalDocument
from service.trading.leaderboard import LeaderboardDocument, StrategyDocument, leaderboard_table
from service.trading.strategies import STRATEGIES, Category

leaderboard = Blueprint("leaderboard", __name__, url_prefix="/api/v1")

hospital = Blueprint("hospital", __name__, url_prefix="/api/v1")
MAX_AGE_S = 5
REVIEW_MAX_AGE_S = 60
REVIEW = "strategy-hospital"


class LeaderboardQuery(Query):
    """Which accounts to rank."""

    asset: AssetCode | None = Field(None, description="rank the accounts in this asset alone")


class TriageQuery(Query):
    """The month of the snapshot."""

    month: str | None = Field(
        None,
        pattern="^[0-9]{4}-(0[1-9]|1[0-2])$",
        examples=["2026-10"],
        description="a month that has ended, `YYYY-MM`; without it the last one",
    )


@leaderboard.get("/leaderboard")
@operation(
    tag="Strategies",
    key="required",
    limit="documents",
    returns=LeaderboardDocument,
    alternatives=responses.described("strategy by rank, and then for each ghost"),
    is_cached=True,
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
    return responses.snapshot(name, LeaderboardDocument, leaderboard_table, None)


@dataclass(frozen=True)
class StrategyTerms:
    """What a strategy is, whatever it has earned."""

    key: str
    name: str
    category: Category
    description: str
    source: str
    parameters: dict[str, float]
    assets: tuple[str, ...]


@dataclass(frozen=True)
class StrategyList:
    """Every strategy, in the order of its family."""

    count: int
    strategies: tuple[StrategyTerms, ...]


@leaderboard.get("/strategies")
@operation(tag="Strategies", limit="telemetry")
def listing() -> StrategyList:
    """The {n} strategies with their rules and sources, without results; no key."""
    terms = [
        StrategyTerms(row.key, row.name, row.category, row.description, row.source, dict(row.parameters), tuple(ASSETS))
        for row in STRATEGIES.values()
    ]
    return StrategyList(len(terms), tuple(terms))


@leaderboard.get("/strategies/<key>")
@operation(tag="Strategies", limit="telemetry", returns=StrategyDocument, is_cached=True, raises=(ResourceNotFound,))
def strategy(key: str) -> Response:
    """One strategy: its rule, parameters and source, its equity curve and its latest trades."""
    if key not in STRATEGIES:
        raise ResourceNotFound("There is no such strategy; /api/v1/strategies lists the keys.")
    return document(latest(f"strategies/{key}"), max_age=MAX_AGE_S)


@hospital.get("/strategy-hospital")
@operation(tag="Strategies", limit="telemetry", returns=HospitalDocument, is_cached=True, raises=(ResourceNotFound,))
def triage(query: TriageQuery) -> Response:
    """A health score, a status and a recommendation for each strategy at the end of a month.

    Computed once, when the month ends, and never changed; `links.months` lists the available months.

    `health_score` is 100 times the mean of three measures of the last 90 days, each from 0 to 1, which weigh the same:

    * `turnover_score`: the fraction of an account that a year of fees and slippage leaves at this turnover,
      `trades_a_month` in each asset.
    * `sharpe_score`: the probability that the true Sharpe ratio is above 0. `sharpe` is drawn to the mean of its
      category, to a fifth of its own after 90 days: that is `shrunken_sharpe`.
    * `drawdown_score`: the share of simulated strategies without skill, of the same volatility, whose maximum drawdown
      is deeper.

    The status is `healthy` from 60, `watch` from 45, `sick` from 30, else `critical`. With under 30 days or 5 trades
    it is `observation`; after a drawdown of more than 25% it is `sick` or `critical`. A healthy strategy is to `keep`,
    or to `promote` when its `deflated_sharpe` is above 0.95. A strategy to watch is to `keep`. A sick or critical one
    is to `pause`, and to `retire` after three critical months in a row.

    A score describes the past. On the 15 months from August 2024 to October 2025 of real prices it ranked the next
    month's Sharpe ratio at +0.20 (±0.11), a weak guide; its measures at +0.19 (±0.11), +0.15 (±0.14) and +0.16 (±0.12).
    The score before this one had +0.13 (±0.12). `summary.worth` measures the same in the months of this service. A
    measure whose mean over the last six months is not above 0 has not earned its place, which `summary.caveat` says.
    """
    snapshot = find(f"{REVIEW}/{query.month}") if query.month else latest(REVIEW)
    if snapshot is None:
        months = json.loads(latest(REVIEW).body)["links"]["months"]
        raise ResourceNotFound(f"There is no snapshot of {query.month}. Available months: {', '.join(months)}.")
    return document(snapshot, max_age=REVIEW_MAX_AGE_S)
