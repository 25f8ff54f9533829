"""The leaderboard and the page of each strategy."""

from __future__ import annotations

import json

from service.jobs.documents import bar_header
from service.jobs.job import Effects, JobContext
from service.market.instants import HOUR
from service.store import bars, snapshots
from service.trading import arena
from service.trading.arena import Arena
from service.trading.documents import leaderboard_document, strategy_document
from service.trading.leaderboard import leaderboard
from service.trading.profile import profile
from service.trading.swarm import net_positions

PAGES_EVERY_S = HOUR


def rank(job_context: JobContext, slot: int) -> Effects:
    """Publish the leaderboards, over all assets and of each one, and store the net positions."""
    state = run_arena(job_context, slot)
    header = bar_header(job_context, slot, state.as_of, job_context.feed.step)
    boards = {"leaderboard": leaderboard(state)}
    boards |= {f"leaderboard/{asset}": leaderboard(state, asset) for asset in state.assets}
    documents = {name: leaderboard_document(board, header) for name, board in boards.items()}
    swarm = {
        asset: {"long": net.long, "short": net.short, "flat": net.flat} for asset, net in net_positions(state).items()
    }
    return lambda db: snapshots.publish(db, slot, documents | {"swarm": json.dumps(swarm).encode()})


def publish_strategy_pages(job_context: JobContext, slot: int) -> Effects:
    """Publish the page of every strategy: its rule, its equity curve, its trades."""
    state = run_arena(job_context, slot)
    header = bar_header(job_context, slot, state.as_of, PAGES_EVERY_S)
    pages = {entry.key: profile(state, entry) for entry in leaderboard(state).entries}
    documents = {f"strategies/{key}": strategy_document(page, header) for key, page in pages.items()}
    return lambda db: snapshots.publish(db, slot, documents)


def run_arena(job_context: JobContext, slot: int) -> Arena:
    """The arena at `slot`, since the beginning of history, with the accounts in assets that have bars."""
    with job_context.database.reading() as db:
        since = job_context.whole_since(db, slot)
        hours = job_context.hourly_bars.load(db, since, slot)
        marks = {asset: bars.load(db, asset, slot - 2 * HOUR, slot, job_context.feed.step) for asset in since}
    return arena.mark(job_context.arenas.of(hours), hours, marks).traded()
