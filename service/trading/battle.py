"""The Bot Battle document: six lanes of paper trading side by side, as JSON and as rows of a CSV file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields

from service.errors import FieldError, InvalidRequest
from service.market.clock import World
from service.market.instants import iso
from service.market.prices import MISSED_BARS
from service.trading.battle_lanes import BattleLane, lane_row
from service.trading.battle_venues import Totals, Venues, exchange_venue, pool_venue, totals
from service.trading.lanes import LANES, State

COLUMNS = (*(field.name for field in fields(BattleLane)), "world")


@dataclass(frozen=True)
class Summary(Totals):
    """All lanes together, and the names of the best and the worst by `pnl_pct`."""

    best_lane: str
    worst_lane: str


@dataclass(frozen=True)
class RateLimit:
    """The policy for public telemetry: so many calls in a window of seconds, counted for each of `scope`."""

    limit: int
    window_s: int
    scope: str


@dataclass(frozen=True)
class Battle:
    """The document of GET /api/v1/bot-battle."""

    schema: str
    timestamp: str
    as_of: str
    stale_after: str
    world: World
    sources: dict[str, str]
    summary: Summary
    lanes: tuple[BattleLane, ...]
    venues: Venues
    rate_limit: RateLimit


def describe(
    states: Mapping[str, State],
    *,
    step: int,
    made_at: int,
    world: World,
    sources: Mapping[str, str],
    rate_limit: RateLimit,
) -> Battle:
    """The document from the state of every lane, by name.

    `step` is the length of this world's bars in seconds, `made_at` a unix second of world time; `sources` names
    where bars and pools came from.
    """
    as_of = max(state.as_of for state in states.values())
    lanes = tuple(lane_row(lane, states[name]) for name, lane in LANES.items())
    return Battle(
        schema="bot-battle/1",
        timestamp=iso(made_at),
        as_of=iso(as_of),
        stale_after=iso(as_of + MISSED_BARS * step),
        world=world,
        sources=dict(sources),
        summary=_summary(lanes, states),
        lanes=lanes,
        venues=Venues(exchange_venue(lanes, states), pool_venue(lanes, states)),
        rate_limit=rate_limit,
    )


def rows(battle: Battle, venue: str = "all") -> list[tuple]:
    """The rows of the CSV file under COLUMNS: all lanes, or those of one venue. InvalidRequest for another word."""
    if venue not in ("all", "cex", "dex"):
        raise InvalidRequest("No such venue.", [FieldError("venue", "one of all, cex, dex")])
    return [(*astuple(lane), battle.world) for lane in battle.lanes if venue in ("all", lane.venue)]


def _summary(lanes: Sequence[BattleLane], states: Mapping[str, State]) -> Summary:
    ranked = sorted(lanes, key=lambda lane: (-lane.pnl_pct, lane.name))
    return Summary(**totals(lanes, states), best_lane=ranked[0].name, worst_lane=ranked[-1].name)
