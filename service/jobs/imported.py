"""Markets of Polymarket and Kalshi: imported into the live world, voted on, and settled by their sources.

Short markets, which end within two hours, are imported if the option says so, and forecast from the last bar's price.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from secrets import token_hex

import structlog
from sqlalchemy import Connection

from service.errors import SourceFailed
from service.forecasting.predictions import SALT_BYTES, Opinion, Prediction, Settlement
from service.forecasting.predictions.imports import OutsideMarket, change_since_import, choose
from service.forecasting.voters.context import Knowledge
from service.jobs.committing import keep_opened, keep_settlements
from service.jobs.forecast import hours
from service.jobs.job import Effects, JobContext
from service.jobs.predict import vote
from service.market.instants import DAY, iso
from service.sources.odds import SOURCES
from service.sources.odds.source import SettledMarket
from service.store import bars, knowledge, listings, predictions, snapshots

PATIENCE_S = 30 * DAY  # after the end of a market; disputes at Polymarket take a week or two
HOURS_A_YEAR = 24 * 365.25
SNAPSHOT = "odds-sources"

log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True)
class SourceStatus:
    """When a source last listed its markets (None: never yet), and why it failed since then."""

    read_at: int | None = None
    failed: str | None = None


def import_markets(job_context: JobContext, slot: int) -> Effects:
    """Import what outside markets ask about our assets; where a source fails, earlier imports stay."""
    offers, statuses = _offered(job_context, slot)
    contexts = job_context.contexts.of(hours(job_context, slot))
    effects = _import(job_context, slot, offers, knowledge.knowledge_of(job_context.database, contexts))

    def write(db: Connection) -> None:
        effects(db)
        snapshots.publish(db, slot, {SNAPSHOT: statuses})

    return write


def import_short(job_context: JobContext, slot: int) -> Effects:
    """Import the short markets whose move begins at `slot`, for the assets with a bar that ends then."""
    basis = knowledge.latest_knowledge(job_context.database, job_context.feed.step)
    contexts = {asset: context for asset, context in basis.contexts.items() if context.as_of == slot}
    offers, _ = _offered(job_context, slot, short=True)
    return _import(job_context, slot, offers, replace(basis, contexts=contexts), short=True)


def imports_short(_db: Connection, job_context: JobContext) -> bool:
    return job_context.settings.short_markets


def sources(db: Connection) -> dict[str, str]:
    """The age of the odds of each source in words, with the reason where it failed."""
    sentences = {}
    for name, status in _statuses(db).items():
        read = f"read {iso(status.read_at)}" if status.read_at else "never read"
        sentences[name] = f"odds ({name}), {read}" + (f"; failed since: {status.failed}" if status.failed else "")
    return sentences


def settle_imported(job_context: JobContext, slot: int) -> Effects:
    """Settle imported markets as their sources have settled them, or void with the reason."""
    with job_context.database.reading() as db:
        markets = [market for market in predictions.unresolved_predictions(db) if market.odds]
    settlements = [_settlements(job_context, name, markets, slot) for name in SOURCES]
    return lambda db: keep_settlements(db, dict(ChainMap(*settlements)), slot)


def as_stored(market: Prediction, decision: SettledMarket | None, slot: int) -> Settlement | None:
    """The settlement as it is stored at `slot`, None for none yet: void where it is not that of what was imported."""
    if decision is None:
        is_overdue = market.deadline + PATIENCE_S < slot
        return Settlement("void", slot, "it was not settled within 30 days", market.resolver) if is_overdue else None
    settlement, terms = decision
    is_old = settlement.resolved_at <= market.created_at
    change = "it was decided before it was imported" if is_old else change_since_import(market, terms) if terms else ""
    if change:
        settlement = replace(settlement, outcome="void", evidence=change)
    return replace(settlement, resolved_at=slot)


def _import(
    job_context: JobContext, slot: int, offers: list[OutsideMarket], basis: Knowledge, *, short: bool = False
) -> Effects:
    """Import the offered markets that are fit for it, and renew the odds of the imported ones."""
    with job_context.database.reading() as db:
        open_markets = predictions.unresolved_predictions(db)
        ids = predictions.market_ids(db, slot)
    by_id = {market.id: market for market in offers if market.id not in ids}
    volatility = {asset: sqrt(state.slow * HOURS_A_YEAR) for asset, state in basis.contexts.items()}
    price_at = partial(_price_at, job_context)
    choices, refusals = choose(by_id.values(), slot, basis.spots, volatility, open_markets, price_at, short=short)
    log.info("markets_offered", taken=len(choices), refused=len(refusals))
    markets = [
        replace(market, odds=by_id[market.id].odds, salt=token_hex(SALT_BYTES))
        for market in vote(job_context, slot, choices, basis)
    ]
    open_ids = {market.id for market in open_markets}
    quotes = {market.id: market.odds for market in offers if market.id in open_ids}
    # The prices of now of the imported markets that their sources still list.
    opinions = {id: Opinion(slot, quote.p_yes, quote.bid, quote.ask) for id, quote in quotes.items()}

    def write(db: Connection) -> None:
        keep_opened(db, markets, slot)
        listings.add_opinions(db, "odds", opinions)

    return write


def _price_at(job_context: JobContext, asset: str, instant: int) -> float | None:
    """The close of the bar of the feed that ends at a unix second; None if there is none."""
    step = job_context.feed.step
    with job_context.database.reading() as db:
        return bars.close_at(db, asset, instant, step, step)


def _offered(
    job_context: JobContext, slot: int, *, short: bool = False
) -> tuple[list[OutsideMarket], dict[str, SourceStatus]]:
    """The markets, or the short ones, that every source lists, and the status of each."""
    with job_context.database.reading() as db:
        statuses = _statuses(db)
    offers: list[OutsideMarket] = []
    for name, source in SOURCES.items():
        try:
            timeout_s = job_context.settings.source_timeout_s
            markets, refusals = source.list_open(_address(job_context, name), timeout_s, short=short)
        except SourceFailed as error:
            log.warning("source_failed", source=name, detail=error.detail)
            statuses[name] = replace(statuses.get(name, SourceStatus()), failed=error.detail)
            continue
        log.info("markets_read", source=name, read=len(markets), refused=refusals)
        offers += markets
        statuses[name] = SourceStatus(read_at=slot)
    return offers, statuses


def _statuses(db: Connection) -> dict[str, SourceStatus]:
    return snapshots.find_document(db, SNAPSHOT, dict[str, SourceStatus]) or {}


def _settlements(job_context: JobContext, name: str, markets: Iterable[Prediction], slot: int) -> dict[str, Settlement]:
    """What a source has settled, by our id; nothing where it fails."""
    by_id = {market.odds.market_id: market for market in markets if market.resolver == name and market.odds}
    if not by_id:
        return {}
    try:
        decisions = SOURCES[name].settled(_address(job_context, name), job_context.settings.source_timeout_s, [*by_id])
    except SourceFailed as error:
        log.warning("source_failed", source=name, detail=error.detail)
        return {}
    settlements = {market.id: as_stored(market, decisions.get(id), slot) for id, market in by_id.items()}
    return {id: settlement for id, settlement in settlements.items() if settlement}


def _address(job_context: JobContext, name: str) -> str:
    return getattr(job_context.settings, f"{name}_url")
