"""The leaderboard and the page of each strategy."""

from __future__ import annotations

import json
from typing import Any

from service.jobs.documents import bar_header
from service.jobs.job import Effects, JobContext
from service.market.instants import HOUR
from service.store import bars, snapshots
from service.trading import arena
from service.trading.arena import Arena, net_positions
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
