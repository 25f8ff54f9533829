"""The six lanes, bar by bar, and the document of their battle.

A first start, catching up and a tick are one loop over the bars that a lane has not seen.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import sqrt
from typing import Any

import structlog
from pydantic import TypeAdapter
from sqlalchemy import Connection

from service.access.quota import TELEMETRY_CALLS, TELEMETRY_WINDOW_S
from service.jobs.job import Effects, Workshop
from service.jobs.tick import sources
from service.ledger.chain import Row
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from service.sources import pools
from service.store import bars, contexts, hourly_votes, lanes, ledger, snapshots
from service.store.lanes import LaneBar
from service.trading import battle as documents
from service.trading.battle import Battle, RateLimit
from service.trading.lanes import LANES, State, begin, dump, load, moments, step
from service.trading.pools import ASSUMED_POOLS, Pool

# How much of the past the lanes live through before the first start.
LIVED_S = 120 * DAY
VENUES = ("all", "cex", "dex")
RATE_LIMIT = RateLimit(limit=TELEMETRY_CALLS, window_s=TELEMETRY_WINDOW_S, scope="address")

BATTLE = TypeAdapter(Battle)
POOLS = TypeAdapter(dict[str, Pool])
HOURS_A_YEAR = 24 * 365

log = structlog.stdlib.get_logger(__name__)


@dataclass
class Walk:
    """A lane on its way through the bars it had not seen: its state, what it was worth, what it did."""

    state: State
    passed: list[LaneBar] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)


def battle(workshop: Workshop, slot: int) -> Effects:
    """Show every lane the bars up to `slot` that it has not seen, and publish how they stand."""
    walks = _begin(workshop, slot)
    known = _pools(workshop, slot)
    after = min(walk.state.as_of for walk in walks.values())
    hours, marks, votes = _market(workshop, after, slot)
    for moment in moments(hours, marks, after, votes=votes, pools=known):
        for name, walk in walks.items():
            walk.state = step(LANES[name], walk.state, moment)
            walk.passed.append(LaneBar(moment.as_of, walk.state.equity, walk.state.status))
            walk.events.extend(asdict(event) for event in walk.state.events)
    files = _documents(workshop, slot, walks, known)
    # What is told an hour late was not committed to, nor what was before the first start.
    recorded = _recorded(walks, max(slot - HOUR, workshop.clock.world_origin))

    def write(db: Connection) -> None:
        for name, walk in walks.items():
            lanes.advance(db, name, dump(walk.state), walk.passed, walk.events)
        ledger.append(db, recorded, slot)
        for name, body in files.items():
            snapshots.save(db, name, slot, body)

    return write


def _recorded(walks: dict[str, Walk], since: int) -> list[Row]:
    """What the lanes did, in order of time; what was before the unix second `since` is backfilled."""
    events = sorted(((event["time"], name, event) for name, walk in walks.items() for event in walk.events), key=_when)
    return [Row("lane_trade", name, event, backfilled=time < since) for time, name, event in events]


def _when(told: tuple[int, str, dict[str, Any]]) -> tuple[int, str]:
    return told[:2]


def _begin(workshop: Workshop, slot: int) -> dict[str, Walk]:
    """Every lane where it stands, or at the beginning of its past."""
    anchor = max(workshop.history_from, slot // DAY * DAY - LIVED_S)
    walks = {}
    with workshop.database.reading() as db:
        for name, lane in LANES.items():
            body = lanes.state(db, name)
            walks[name] = Walk(load(lane, body) if body else begin(lane, anchor))
    return walks


def _market(
    workshop: Workshop, after: int, slot: int
) -> tuple[dict[str, Bars], dict[str, Bars], dict[int, dict[str, float]]]:
    """Hours from the first stored one on, because averages remember; bars and votes that the lanes have not seen."""
    assets, shortest = workshop.feed.assets, workshop.feed.step
    with workshop.database.reading() as db:
        hours = {asset: bars.load(db, asset, workshop.history_from, slot, HOUR) for asset in assets}
        marks = {asset: bars.load(db, asset, after - shortest, slot, shortest) for asset in assets}
        return hours, marks, hourly_votes.since(db, after - HOUR)


def list_pools(workshop: Workshop, slot: int) -> Effects:
    """Ask DefiLlama for the pools of the live world; an answer without one that fits leaves the last ones."""
    with workshop.database.reading() as db:
        variances = {asset: told["slow"] for asset, told in contexts.every(db).items()}
    volatility = {asset: sqrt(variance * HOURS_A_YEAR) for asset, variance in variances.items()}
    answer = pools.fetch(workshop.settings.pools_url, workshop.settings.source_timeout_s)
    found, refused = pools.parse(answer, volatility)
    log.info("pools_listed", found=len(found), refused=len(refused))
    return lambda db: snapshots.save(db, "pools", slot, POOLS.dump_json(found)) if found else None


def _pools(workshop: Workshop, slot: int) -> Mapping[str, Pool]:
    """The pools that were listed within a day, else the assumed ones."""
    with workshop.database.reading() as db:
        listed = snapshots.latest(db, "pools")
    if listed is None or slot - listed.as_of > DAY:
        return ASSUMED_POOLS
    return POOLS.validate_json(listed.body)


def _documents(workshop: Workshop, slot: int, walks: dict[str, Walk], known: Mapping[str, Pool]) -> dict[str, bytes]:
    """The battle as JSON, and as CSV of each venue."""
    made = documents.describe(
        {name: walk.state for name, walk in walks.items()},
        step=workshop.feed.step,
        made_at=slot,
        world=workshop.clock.world,
        sources=sources(workshop) | {"pools": ", ".join(sorted({pool.source for pool in known.values()}))},
        rate_limit=RATE_LIMIT,
    )
    files = {f"bot-battle.csv/{venue}": _csv(documents.rows(made, venue)) for venue in VENUES}
    return {"bot-battle": BATTLE.dump_json(made), **files}


def _csv(rows: list[tuple]) -> bytes:
    """RFC 4180: a header, CRLF, nothing for null, `true` and `false` in lower case as in JSON."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(documents.COLUMNS)
    writer.writerows([str(cell).lower() if isinstance(cell, bool) else cell for cell in row] for row in rows)
    return text.getvalue().encode()
