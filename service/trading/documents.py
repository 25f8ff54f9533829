"""The leaderboard and a strategy's page as they are published: what was computed, and what it was computed from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from service.market.clock import World
from service.market.instants import iso
from service.market.prices import MISSED_BARS
from service.trading.leaderboard import Leaderboard
from service.trading.profile import Profile

# The assets that have a leaderboard of their own; xrp is traded and seen in positions, and is not among them.
LeaderboardAsset = Literal["btc", "eth", "sol", "bnb", "gold", "silver"]
LEADERBOARD_ASSETS: tuple[LeaderboardAsset, ...] = get_args(LeaderboardAsset)


@dataclass(frozen=True)
class Published:
    """What a document says of itself: when it was made, the last bar it saw, and after when it is out of date."""

    schema: str
    timestamp: str
    as_of: str
    stale_after: str
    world: World
    sources: dict[str, str]


# Fields of the last base come first.
@dataclass(frozen=True)
class LeaderboardDocument(Leaderboard, Published):
    """The document of GET /api/v1/leaderboard: all strategies by rank, and the ghosts beside them."""


@dataclass(frozen=True)
class StrategyDocument(Profile, Published):
    """The document of GET /api/v1/strategies/{key}: one strategy in full.

    `standing` is its line of the whole leaderboard. `equity` is at each 24:00 UTC since `started_at` and now;
    `recent_trades` are the last 100 closed in any asset, newest first.
    """


def leaderboard_document(
    board: Leaderboard, *, made_at: int, as_of: int, step: int, world: World, sources: Mapping[str, str]
) -> LeaderboardDocument:
    """The document of a leaderboard.

    `made_at` and `as_of` are unix seconds of world time; another document follows `step` seconds later; `sources`
    names where the bars came from.
    """
    return LeaderboardDocument(**_published("leaderboard/1", made_at, as_of, step, world, sources), **vars(board))


def strategy_document(
    page: Profile, *, made_at: int, as_of: int, step: int, world: World, sources: Mapping[str, str]
) -> StrategyDocument:
    """The document of a strategy's page; the arguments are those of `leaderboard_document`."""
    return StrategyDocument(**_published("strategy/1", made_at, as_of, step, world, sources), **vars(page))


def _published(
    schema: str, made_at: int, as_of: int, step: int, world: World, sources: Mapping[str, str]
) -> dict[str, Any]:
    """The fields of Published."""
    return {
        "schema": schema,
        "timestamp": iso(made_at),
        "as_of": iso(as_of),
        "stale_after": iso(as_of + MISSED_BARS * step),
        "world": world,
        "sources": dict(sources),
    }
