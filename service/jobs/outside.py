"""Markets of Polymarket and Kalshi: taken over into the live world, voted on, and settled as they settle them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from types import ModuleType

import structlog
from pydantic import TypeAdapter
from sqlalchemy import Connection

from service.errors import SourceFailed
from service.forecasting import context
from service.forecasting.predictions import Settlement
from service.forecasting.predictions.imports import OutsideMarket, choose
from service.jobs import records
from service.jobs.committing import keep_opened, keep_settlement
from service.jobs.forecast import hours
from service.jobs.job import Effects, Workshop
from service.jobs.predict import vote
from service.market.instants import iso
from service.sources.odds import kalshi, polymarket
from service.store import predictions, snapshots
from service.store.predictions import Stored

HOURS_A_YEAR = 24 * 365.25
READ = "odds-sources"

log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True)
class Reading:
    """When a source last told its markets (None: never yet), and why it did not since then."""

    read_at: int | None = None
    failed: str | None = None


READINGS = TypeAdapter(dict[str, Reading])


def take_over(workshop: Workshop, slot: int) -> Effects:
    """Take over what others ask about our assets; a source that fails leaves what was taken before."""
    offered, readings = _offered(workshop, slot)
    known = context.build_all(hours(workshop, slot), slot)
    with workshop.database.reading() as db:
        kept = [one.market for one in predictions.unresolved(db)]
        there = predictions.ids(db)
    fresh = [market for market in offered if market.id not in there]
    spots = {asset: told.spot for asset, told in known.items()}
    volatility = {asset: sqrt(told.slow * HOURS_A_YEAR) for asset, told in known.items()}
    taken, refused = choose(fresh, slot, spots, volatility, kept)
    log.info("markets_offered", taken=len(taken), refused=len(refused))
    odds = {market.id: market.odds for market in fresh}
    opened = [replace(one, odds=odds[one.market.id]) for one in vote(workshop, slot, taken, known)]

    def write(db: Connection) -> None:
        keep_opened(db, opened, slot)
        snapshots.save(db, READ, slot, READINGS.dump_json(readings))

    return write


def sources(db: Connection) -> dict[str, str]:
    """How old the odds of each source are, and why where it failed, in words."""
    return {name: _in_words(name, reading) for name, reading in _readings(db).items()}


def settle_taken(workshop: Workshop, slot: int) -> Effects:
    """Settle what was taken over as its source has settled it; what was decided before it was taken is void."""
    with workshop.database.reading() as db:
        waiting = {one.market.id: one for one in predictions.unresolved(db) if one.market.resolver in _SOURCES}
    found = {name: _settled(workshop, name, waiting) for name in _SOURCES}
    settled = {
        one.market.id: _fair(one, settlement, slot)
        for name, said in found.items()
        for market_id, settlement in said.items()
        if (one := waiting.get(f"{name}-{market_id}"))
    }

    def write(db: Connection) -> None:
        for market_id, settlement in settled.items():
            keep_settlement(db, market_id, settlement, slot)
        if settled:
            records.renew(db, slot)

    return write


def _offered(workshop: Workshop, slot: int) -> tuple[list[OutsideMarket], dict[str, Reading]]:
    """What every source offers, and how each one answered."""
    with workshop.database.reading() as db:
        readings = _readings(db)
    offered: list[OutsideMarket] = []
    for name in _SOURCES:
        source, address = _source(workshop, name)
        try:
            told, refused = source.list_open(address, workshop.settings.source_timeout_s)
        except SourceFailed as error:
            log.warning("source_failed", source=name, detail=error.detail)
            readings[name] = replace(readings.get(name, Reading()), failed=error.detail)
            continue
        log.info("markets_read", source=name, read=len(told), refused=len(refused))
        offered += told
        readings[name] = Reading(read_at=slot)
    return offered, readings


def _readings(db: Connection) -> dict[str, Reading]:
    told = snapshots.latest(db, READ)
    return READINGS.validate_json(told.body) if told else {}


def _in_words(name: str, reading: Reading) -> str:
    read = f"read {iso(reading.read_at)}" if reading.read_at else "never read"
    return f"odds ({name}), {read}" + (f"; failed since: {reading.failed}" if reading.failed else "")


def _settled(workshop: Workshop, name: str, waiting: dict[str, Stored]) -> dict[str, Settlement]:
    source, address = _source(workshop, name)
    wanted = [one.odds.market_id for one in waiting.values() if one.market.resolver == name and one.odds]
    if not wanted:
        return {}
    try:
        return source.settled(address, workshop.settings.source_timeout_s, wanted)
    except SourceFailed as error:
        log.warning("source_failed", source=name, detail=error.detail)
        return {}


def _fair(one: Stored, settlement: Settlement, slot: int) -> Settlement:
    if settlement.resolved_at > one.market.created_at:
        return replace(settlement, resolved_at=slot)
    return replace(settlement, outcome="void", resolved_at=slot, evidence="it was decided before it was taken over")


def _source(workshop: Workshop, name: str) -> tuple[ModuleType, str]:
    return _SOURCES[name], getattr(workshop.settings, f"{name}_url")


_SOURCES: dict[str, ModuleType] = {"polymarket": polymarket, "kalshi": kalshi}
