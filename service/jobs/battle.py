"""The six lanes, bar by bar, from a first start on, and the documents of the Bot Battle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from math import sqrt

import structlog
from sqlalchemy import Connection

from service.access.quota import TELEMETRY_CALLS, TELEMETRY_WINDOW_S
from service.documents import adapter
from service.jobs.job import Effects, JobContext, bar_header
from service.ledger.chain import LedgerRow
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from service.sources import pools
from service.store import bars, lanes, ledger, snapshots
from service.store.pages import contexts, lane_states
from service.trading import battle as documents
from service.trading.accounts import HOURS_A_YEAR
from service.trading.battle import RateLimit, benchmarks
from service.trading.lanes import LANES, CexState, LpState
from service.trading.lanes.lane import LaneVote, Walk, moments
from service.trading.pools import ASSUMED_POOLS, Pool

# The span before the first start that the lanes process as backfill.
BACKFILLED_S = 120 * DAY
VENUES = ("all", "cex", "dex")
RATE_LIMIT = RateLimit(limit=TELEMETRY_CALLS, window_s=TELEMETRY_WINDOW_S, scope="address")

log = structlog.stdlib.get_logger(__name__)

AnyWalk = Walk[CexState] | Walk[LpState]


def battle(job_context: JobContext, slot: int) -> Effects:
    """Advance every lane to `slot`, publish the battle and record the lanes' events in the ledger."""
    walks = _begin(job_context, slot)
    listing = _pools(job_context, slot)
    after = min(walk.state.as_of for walk in walks.values())
    hours, marks, votes = _market(job_context, after, slot)
    for moment in moments(hours, marks, after, votes=votes, pools=listing):
        for walk in walks.values():
            walk.step(moment)
    states = {name: walk.state for name, walk in walks.items()}
    hold_usd = benchmarks(states, hours, marks, job_context.account_terms)
    as_of = max(state.as_of for state in states.values())
    origin = ", ".join(sorted({pool.source for pool in listing.values()}))
    header = bar_header(job_context, slot, as_of, job_context.feed.step, pools=origin)
    document = documents.describe(
        states, hold_usd, header, RATE_LIMIT, job_context.clock.world_origin, job_context.account_terms
    )
    files = {f"bot-battle.csv/{venue}": documents.table(document, venue).to_csv() for venue in VENUES}
    # An event that is recorded more than an hour late, or that precedes the first start, counts as backfilled.
    rows = _ledger_rows(walks, max(slot - HOUR, job_context.clock.world_origin))

    def write(db: Connection) -> None:
        for name, walk in walks.items():
            lanes.advance_lane(db, name, asdict(walk.state), walk.bars, walk.events)
        ledger.append(db, rows, slot)
        snapshots.publish(db, slot, {"bot-battle": document, **files})

    return write


def _ledger_rows(walks: Mapping[str, AnyWalk], since: int) -> list[LedgerRow]:
    """The events of all lanes in order of time and lane; those before the unix second `since` are backfilled."""
    events = [(event["time"], name, event) for name, walk in walks.items() for event in walk.events]
    events.sort(key=lambda entry: entry[:2])
    return [LedgerRow("lane_trade", name, event, backfilled=time < since) for time, name, event in events]


def _begin(job_context: JobContext, slot: int) -> Mapping[str, AnyWalk]:
    """Every lane in its stored state, or at the start of its backfill."""
    with job_context.database.reading() as db:
        first = min(job_context.whole_since(db, slot).values(), default=job_context.history_from)
        anchor = max(first, slot // DAY * DAY - BACKFILLED_S)
        terms = job_context.account_terms
        return {
            name: replace(lane, terms=terms).walk(lane_states.find(db, name), anchor) for name, lane in LANES.items()
        }


def _market(
    job_context: JobContext, after: int, slot: int
) -> tuple[dict[str, Bars], dict[str, Bars], dict[int, dict[str, LaneVote]]]:
    """All stored hours, because exponential averages need their whole history; and the new bars and votes."""
    shortest = job_context.feed.step
    with job_context.database.reading() as db:
        since = job_context.whole_since(db, slot)
        hours = job_context.hourly_bars.load(db, since, slot)
        marks = {asset: bars.load_bars(db, asset, after - shortest, slot, shortest) for asset in since}
        return hours, marks, lanes.hourly_votes_since(db, after - HOUR)


def list_pools(job_context: JobContext, slot: int) -> Effects:
    """Fetch the pools of the live world from DefiLlama; without a suitable one the last pools are kept."""
    with job_context.database.reading() as db:
        variances = {asset: context["slow"] for asset, context in contexts.every(db).items()}
    volatility = {asset: sqrt(variance * HOURS_A_YEAR) for asset, variance in variances.items()}
    answer = pools.fetch(job_context.settings.pools_url, job_context.settings.source_timeout_s)
    listing, refusals = pools.parse(answer, volatility)
    log.info("pools_listed", listed=len(listing), refused=refusals)
    return lambda db: snapshots.publish(db, slot, {"pools": listing}) if listing else None


def _pools(job_context: JobContext, slot: int) -> Mapping[str, Pool]:
    """The pools listed within the last day, else the assumed ones."""
    with job_context.database.reading() as db:
        snapshot = snapshots.latest_snapshot(db, "pools")
    if snapshot is None or slot - snapshot.as_of > DAY:
        return ASSUMED_POOLS
    return adapter(dict[str, Pool]).validate_json(snapshot.body)
