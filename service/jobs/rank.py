"""The leaderboard and the page of each strategy, recomputed from the first stored bar on."""

from __future__ import annotations

import json

from pydantic import TypeAdapter
from sqlalchemy import Connection

from service.jobs.job import Effects, Workshop
from service.jobs.tick import sources
from service.market.instants import HOUR
from service.store import bars, snapshots
from service.trading import arena
from service.trading.arena import Arena
from service.trading.documents import (
    LEADERBOARD_ASSETS,
    LeaderboardDocument,
    StrategyDocument,
    leaderboard_document,
    strategy_document,
)
from service.trading.leaderboard import leaderboard
from service.trading.profile import profile
from service.trading.swarm import net_positions

LEADERBOARD = TypeAdapter(LeaderboardDocument)
STRATEGY = TypeAdapter(StrategyDocument)
PORTRAYED_EVERY_S = HOUR


def rank(workshop: Workshop, slot: int) -> Effects:
    """Publish the ranking over all assets and in each one that can be asked for; keep what the strategies hold."""
    known, about = fight(workshop, slot), _about(workshop, slot, step=workshop.feed.step)
    made = {
        "leaderboard": leaderboard_document(leaderboard(known), as_of=known.as_of, **about),
        **{
            f"leaderboard/{asset}": leaderboard_document(leaderboard(known, asset), as_of=known.as_of, **about)
            for asset in LEADERBOARD_ASSETS
        },
    }
    files = {name: LEADERBOARD.dump_json(document) for name, document in made.items()}
    held = {
        asset: {"long": net.long, "short": net.short, "flat": net.flat} for asset, net in net_positions(known).items()
    }
    return lambda db: _save(db, slot, files | {"swarm": json.dumps(held).encode()})


def portray(workshop: Workshop, slot: int) -> Effects:
    """Publish the page of every strategy: its rule, its curve, its trades."""
    known, about = fight(workshop, slot), _about(workshop, slot, step=PORTRAYED_EVERY_S)
    files = {
        f"strategies/{entry.key}": STRATEGY.dump_json(
            strategy_document(profile(known, entry), as_of=known.as_of, **about)
        )
        for entry in leaderboard(known).entries
    }
    return lambda db: _save(db, slot, files)


def fight(workshop: Workshop, slot: int) -> Arena:
    """The arena at `slot`, always from the same first bar on."""
    assets, shortest, since = workshop.feed.assets, workshop.feed.step, workshop.history_from
    with workshop.database.reading() as db:
        hours = {asset: bars.load(db, asset, since, slot, HOUR) for asset in assets}
        marks = {asset: bars.load(db, asset, slot - 2 * HOUR, slot, shortest) for asset in assets}
    return arena.run(hours, marks, since)


def _about(workshop: Workshop, slot: int, step: int) -> dict:
    return {
        "made_at": slot,
        "step": step,
        "world": workshop.clock.world,
        "sources": sources(workshop),
    }


def _save(db: Connection, slot: int, files: dict[str, bytes]) -> None:
    for name, body in files.items():
        snapshots.save(db, name, slot, body)
