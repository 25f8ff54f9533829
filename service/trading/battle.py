"""The Bot Battle document: six lanes of paper trading side by side, as JSON and as rows of a CSV file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any

from service.documents import Document, DocumentHeader
from service.errors import FieldError, InvalidRequest
from service.trading.accounts import TERMS, AccountTerms
from service.trading.battle_lanes import BattleLane, lane_row
from service.trading.battle_venues import Totals, Venues, exchange_venue, pool_venue, totals
from service.trading.lanes import LANES, State

COLUMNS = (*(field.name for field in fields(BattleLane)), "world")


@dataclass(frozen=True)
class BattleSummary(Totals):
    """Totals of all lanes, and the names of the best and the worst by `pnl_pct`."""

    best_lane: str
    worst_lane: str


@dataclass(frozen=True)
class RateLimit:
    """The limit of public telemetry: calls in a window of seconds, counted per `scope`."""

    limit: int
    window_s: int
    scope: str


@dataclass(frozen=True)
class BattleDocument(Document):
    """The document of GET /api/v1/bot-battle."""

    summary: BattleSummary
    lanes: tuple[BattleLane, ...]
    venues: Venues
    rate_limit: RateLimit


def describe(
    states: Mapping[str, State],
    benchmarks: Mapping[str, float],
    header: DocumentHeader,
    rate_limit: RateLimit,
    terms: AccountTerms = TERMS,
) -> BattleDocument:
    """The document from the state of every lane and its benchmark in USD, by name; `terms` are the lanes' costs."""
    lanes = tuple(lane_row(lane, states[name], benchmarks[name]) for name, lane in LANES.items())
    return BattleDocument(
        schema="bot-battle/1",
        **vars(header),
        summary=_summary(lanes, states),
        lanes=lanes,
        venues=Venues(exchange_venue(lanes, states, terms), pool_venue(lanes, states)),
        rate_limit=rate_limit,
    )


def rows(battle: BattleDocument, venue: str = "all") -> list[tuple[Any, ...]]:
    """The rows of the CSV file, in the order of COLUMNS: all lanes, or those of one venue. Raises InvalidRequest."""
    if venue not in ("all", "cex", "dex"):
        raise InvalidRequest("No such venue.", [FieldError("venue", "one of all, cex, dex")])
    return [(*astuple(lane), battle.world) for lane in battle.lanes if venue in ("all", lane.venue)]


def _summary(lanes: Sequence[BattleLane], states: Mapping[str, State]) -> BattleSummary:
    ranked = sorted(lanes, key=lambda lane: (-lane.pnl_pct, lane.name))
    return BattleSummary(**totals(lanes, states), best_lane=ranked[0].name, worst_lane=ranked[-1].name)
