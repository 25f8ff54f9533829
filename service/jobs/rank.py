"""The leaderboard, the page of each strategy, and the hospital: one snapshot of every month that has closed."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from sqlalchemy import Connection

from service.jobs.job import Effects, JobContext, bar_header, bar_sources
from service.ledger.chain import LedgerRow
from service.market.headers import month_header
from service.market.instants import HOUR
from service.market.months import closed_months, ends, month_start
from service.store import bars, ledger, snapshots
from service.trading import arena, hospital
from service.trading.arena import Arena, net_positions
from service.trading.hospital import admit
from service.trading.leaderboard import leaderboard, strategy_page

PAGES_EVERY_S = HOUR


def rank(job_context: JobContext, slot: int) -> Effects:
    """Publish the leaderboards, over all assets and of each one, and store the net positions."""
    state = run_arena(job_context, slot)
    header = bar_header(job_context, slot, state.as_of, job_context.feed.step)
    documents: dict[str, Any] = {"leaderboard": leaderboard(state, header)}
    documents |= {f"leaderboard/{asset}": leaderboard(state, header, asset) for asset in state.assets}
    documents["swarm"] = json.dumps({asset: vars(net) for asset, net in net_positions(state).items()}).encode()
    return lambda db: snapshots.publish(db, slot, documents)


def publish_strategy_pages(job_context: JobContext, slot: int) -> Effects:
    """Publish the page of every strategy: its rule, its equity curve, its trades."""
    state = run_arena(job_context, slot)
    header = bar_header(job_context, slot, state.as_of, PAGES_EVERY_S)
    entries = leaderboard(state, header).entries
    documents = {f"strategies/{entry.key}": strategy_page(state, entry, header) for entry in entries}
    return lambda db: snapshots.publish(db, slot, documents)


def run_arena(job_context: JobContext, slot: int) -> Arena:
    """The arena at `slot`, since the beginning of history, with the accounts in assets that have bars."""
    with job_context.database.reading() as db:
        since = job_context.whole_since(db, slot)
        hours = job_context.hourly_bars.load(db, since, slot)
        marks = {asset: bars.load_bars(db, asset, slot - 2 * HOUR, slot, job_context.feed.step) for asset in since}
    return arena.mark(job_context.arenas.of(hours), hours, marks).traded()


HOSPITAL = "strategy-hospital"


def triage(job_context: JobContext, slot: int) -> Effects:
    """Publish a snapshot of each closed month that has none yet, oldest first, and record it in the ledger.

    Both are dated by the beginning of the month of `slot`, by which all of these months had closed.
    """
    arena, made_at = run_arena(job_context, slot), month_start(slot)
    months = closed_months(arena.anchor, slot)
    with job_context.database.reading() as db:
        by_month = {month: snapshots.latest_snapshot(db, f"{HOSPITAL}/{month}") for month in months}
        sources = bar_sources(db)
    before = {month: hospital.past(json.loads(snapshot.body)) for month, snapshot in by_month.items() if snapshot}
    missing = [month for month in months if month not in before]
    if not missing:
        return lambda _: None
    world = job_context.clock.world
    bodies: dict[str, bytes] = {}
    for month in missing:
        patients = admit(arena, month)
        header = month_header(made_at, month, world=world, sources=sources)
        document = hospital.snapshot(month, patients, before, header)
        bodies[month] = snapshots.to_json(document)
        before[month] = hospital.past(json.loads(bodies[month]))
    rows = [_ledger_row(month, body, job_context.clock.world_origin) for month, body in bodies.items()]

    def write(db: Connection) -> None:
        for month, body in bodies.items():
            snapshots.publish(db, ends(month), {f"{HOSPITAL}/{month}": body})
        ledger.append(db, rows, made_at)
        snapshots.publish(db, ends(max(bodies)), {HOSPITAL: bodies[max(bodies)]})

    return write


def _ledger_row(month: str, body: bytes, started_at: int) -> LedgerRow:
    """The SHA-256 of a snapshot with all statuses and scores; backfilled if the month ended before the first start."""
    document = json.loads(body)
    verdicts = {entry["key"]: [entry["status"], entry["health_score"]] for entry in document["strategies"]}
    digest = hashlib.sha256(body).hexdigest()
    return LedgerRow("hospital", month, {"sha256": digest, "judged": verdicts}, backfilled=ends(month) <= started_at)
