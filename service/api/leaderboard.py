"""The strategies: all of them by rank, and each one in full."""

from __future__ import annotations

from flask import Blueprint, Response
from pydantic import Field

from service.api import examples
from service.api.encoding import document
from service.api.inputs import Query
from service.api.operations import operation
from service.api.snapshots import latest
from service.errors import NotFound
from service.trading.documents import LeaderboardAsset, LeaderboardDocument, StrategyDocument
from service.trading.strategies import STRATEGIES

leaderboard = Blueprint("leaderboard", __name__, url_prefix="/api/v1")

MAX_AGE_S = 5


class Ranking(Query):
    """Which accounts are ranked."""

    asset: LeaderboardAsset | None = Field(None, description="rank the accounts in this asset alone")


@leaderboard.get("/leaderboard")
@operation(
    tag="Strategies",
    key="required",
    limit="daily",
    returns=LeaderboardDocument,
    cached=True,
    example=examples.LEADERBOARD,
)
def ranking(query: Ranking) -> Response:
    """The 54 strategies by what they made on paper, over all their assets or in one of them.

    Every strategy began with 10,000 USD in each asset. `ghosts` stand unranked beside them: what buying and holding
    made, and the toss of a coin. Made once per bar; an answer of 304 counts like any other.
    """
    return document(latest(f"leaderboard/{query.asset}" if query.asset else "leaderboard"), max_age=None)


@leaderboard.get("/strategies/<key>")
@operation(
    tag="Strategies",
    limit="telemetry",
    returns=StrategyDocument,
    cached=True,
    raises=(NotFound,),
    example=examples.STRATEGY,
)
def strategy(key: str) -> Response:
    """One strategy: its rule, parameters and source, its equity curve and its last trades."""
    if key not in STRATEGIES:
        raise NotFound("There is no such strategy; /api/v1/leaderboard and /api/v1/strategy-hospital list the keys.")
    return document(latest(f"strategies/{key}"), max_age=MAX_AGE_S)
