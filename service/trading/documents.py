"""The leaderboard and a strategy's page as they are published."""

from __future__ import annotations

from dataclasses import dataclass

from service.documents import Document, DocumentHeader
from service.tabular import Table, table_of
from service.trading.leaderboard import Leaderboard, LeaderboardEntry
from service.trading.profile import Profile


# The fields of the last base come first.
@dataclass(frozen=True)
class LeaderboardDocument(Leaderboard, Document):
    """The document of GET /api/v1/leaderboard: all strategies by rank, and the ghosts."""


@dataclass(frozen=True)
class StrategyDocument(Profile, Document):
    """The document of GET /api/v1/strategies/{key}: one strategy in full.

    `standing` is its entry in the leaderboard over all assets. `equity` has a point at each 24:00 UTC since
    `started_at` and one for now; `recent_trades` are the last 50 closed in any asset, newest first.
    """


def leaderboard_table(document: LeaderboardDocument) -> Table:
    """The entries by rank and then the ghosts, without their positions."""
    entries = (*document.entries, *document.ghosts)
    return table_of(LeaderboardEntry, entries, as_of=document.as_of, world=document.world)


def leaderboard_document(board: Leaderboard, header: DocumentHeader) -> LeaderboardDocument:
    """The document of a leaderboard."""
    return LeaderboardDocument(schema="leaderboard/1", **vars(header), **vars(board))


def strategy_document(page: Profile, header: DocumentHeader) -> StrategyDocument:
    """The document of a strategy's page."""
    return StrategyDocument(schema="strategy/1", **vars(header), **vars(page))
