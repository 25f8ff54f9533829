"""Writes predictions to the store and the ledger in one transaction, so that the two never differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import structlog
from sqlalchemy import Connection

from service.errors import SourceFailed
from service.forecasting.predictions import Commitment, LedgerPosition, Prediction, Settlement, commitments
from service.forecasting.predictions.commitments import withdrawal_row, withdrawn
from service.forecasting.predictions.open_markets import is_due, resolved
from service.forecasting.predictions.open_markets import settle as settle_by_bars
from service.forecasting.predictions.scores.market_forecasts import score_forecasts
from service.forecasting.voters.track_record import build
from service.jobs.job import Effects, JobContext
from service.ledger.chain import ChainEntry
from service.ledger.timestamps import LATEST_S, authority_of
from service.market.assets import LONGEST_CLOSURE_S
from service.market.instants import DAY, HOUR, iso, unix
from service.store import answers, bars, forecasts, idempotency, keys, knowledge, ledger, predictions, world
from service.store.database import Database
from service.store.pages import RECORD, records
from service.store.secret import ledger_key

log = structlog.stdlib.get_logger(__name__)


def keep_opened(db: Connection, markets: Sequence[Prediction], recorded_at: int) -> None:
    """Store markets with their votes and their inputs, and past ones with their settlements."""
    entries = ledger.append(db, commitments.market_rows(markets), recorded_at)
    positions = {entry.subject: LedgerPosition(entry.seq, entry.hash) for entry in entries if entry.kind == "votes"}
    predictions.add_predictions(db, [replace(market, ledger_position=positions[market.id]) for market in markets])
    knowledge.add_vote_inputs(db, markets)


def keep_votes(db: Connection, challenge: Prediction, commitment: Commitment, recorded_at: int) -> None:
    """Store the votes on a challenge and their inputs, unless it was voted on, settled or withdrawn meanwhile."""
    current = predictions.find_prediction(db, challenge.id)
    if current is None or current.commitment or current.settlement or current.question != challenge.question:
        return
    (entry,) = ledger.append(db, [commitments.votes_row(challenge, commitment)], recorded_at)
    predictions.add_commitment(db, challenge.id, commitment, LedgerPosition(entry.seq, entry.hash))
    knowledge.add_vote_inputs(db, [replace(challenge, commitment=commitment)])


def keep_settlements(db: Connection, settlements: Mapping[str, Settlement], slot: int) -> list[ChainEntry]:
    """Store settlements by id, then the track record of all settled by `slot`; returns the new rows of the ledger."""
    entries = [entry for id, settlement in settlements.items() for entry in keep_settlement(db, id, settlement, slot)]
    if settlements:
        renew_record(db, slot)
    return entries


def withdraw_texts(db: Connection, ids: Iterable[str], now: int) -> list[str]:
    """Take the foreign texts from predictions for good, and record that; returns the ids of those that had one.

    A question that only its text could decide is void.
    """
    records = [record for record in predictions.find_predictions(db, list(ids)) if record != withdrawn(record)]
    for record in records:
        predictions.replace_texts(db, withdrawn(record))
        idempotency.forget_caller(db, record.author)
        (first,) = ledger.entries(db, 1, 1, subject=record.id)
        ledger.append(db, [withdrawal_row(first)], now)
    topics = [record.id for record in records if record.resolver == "hand" and record.settlement is None]
    keep_settlements(db, dict.fromkeys(topics, Settlement("void", now, "The text was withdrawn.", "hand")), now)
    return [record.id for record in records]


def forget(db: Connection, key_ids: Sequence[str], now: int) -> dict[str, int]:
    """Erase keys with everything that was asked, voted and stored with them, and the texts of their challenges."""
    withdraw_texts(db, answers.authored_challenges(db, key_ids), now)
    return answers.erase_keys(db, key_ids)


def erase_again(database: Database, folder: Path, wall: int) -> None:
    """Erase whatever of the list in `folder` is stored, as it is after a restore; `wall` is the wall second."""
    ids = answers.erased_ids(folder)
    with database.writing() as db:
        now, key_ids = world.find_clock(db).at(wall), keys.existing_keys(db, ids["key"])
        texts = withdraw_texts(db, ids["text"], now)
        forget(db, key_ids, now)
    if texts or key_ids:
        database.overwrite()


def renew_record(db: Connection, slot: int) -> None:
    """Store the track record of everything settled by `slot`, carried on from the days that nothing has changed."""
    for day in predictions.outdated_days(db):
        predictions.keep_day(db, day, resolved(predictions.settled_predictions(db, day, day + DAY)))
    records.save(db, RECORD, build(predictions.resolved_questions(db), slot).to_plain(), as_of=slot)


def keep_settlement(db: Connection, id: str, settlement: Settlement, recorded_at: int) -> Sequence[ChainEntry]:
    """Store a settlement, unless the prediction was settled meanwhile; returns the new rows of the ledger.

    Votes cast meanwhile are scored, every forecast is revealed, and the named ones are scored.
    """
    if not predictions.add_settlement(db, id, settlement):
        return []
    (prediction,) = predictions.find_predictions(db, [id])
    # A forecast is stored under the lock of the ledger, so none is missed after these rows are appended.
    entries = ledger.append(db, commitments.settlement_rows(prediction), recorded_at)
    scores = score_forecasts(prediction, *forecasts.counted_forecasts(db, id))
    forecasts.add_scores(db, id, settlement.resolved_at, scores)
    reveals = map(commitments.reveal_row, forecasts.market_forecasts(db, id))
    return [*entries, *ledger.append(db, reveals, recorded_at)]


def settle(job_context: JobContext, slot: int) -> Effects:
    """Settle every prediction that prices have decided by `slot`, then renew the track record."""
    with job_context.database.reading() as db:
        # Their bars are still to come.
        laggards = set(job_context.feed.assets) - job_context.whole_since(db, slot).keys()
        candidates = (prediction for prediction in predictions.due_predictions(db, slot) if is_due(prediction, slot))
        due = [prediction for prediction in candidates if laggards.isdisjoint(prediction.question.assets)]
        settlements = {prediction.id: _settlement(db, job_context, prediction, slot) for prediction in due}
    decisions = {id: settlement for id, settlement in settlements.items() if settlement}
    return lambda db: keep_settlements(db, decisions, slot)


def _settlement(db: Connection, job_context: JobContext, prediction: Prediction, slot: int) -> Settlement | None:
    # Hours for a market opened on one, as they show the same in less time.
    is_hourly = prediction.category != "answer" and prediction.created_at % HOUR == 0
    since, step = prediction.created_at - LONGEST_CLOSURE_S, HOUR if is_hourly else job_context.feed.step
    by_asset = {asset: bars.load_bars(db, asset, since, slot, step) for asset in prediction.question.assets}
    return settle_by_bars(prediction, by_asset, slot)


def seal(job_context: JobContext, slot: int) -> Effects:
    """Sign all rows recorded up to `slot`, unless this day already has a root."""
    key = ledger_key(job_context.settings)
    return lambda db: ledger.seal(db, iso(slot)[:10], key, slot)


def names_authorities(_db: Connection, job_context: JobContext) -> bool:
    """Whether the operator names authorities; the times of a replay mean nothing to them."""
    return job_context.clock.world != "replay" and bool(job_context.settings.ledger_tsa_urls)


def stamp(job_context: JobContext, slot: int) -> Effects:
    """Have the last root signed by each authority; one that fails is asked again in the next slot, for a day."""
    from service.sources.timestamps import stamp as ask  # imported lazily: few operators name an authority

    settings, timestamps = job_context.settings, []
    with job_context.database.reading() as db:
        root = ledger.last_root(db)
        names = {timestamp.authority for timestamp in ledger.timestamps(db, root.day, root.day)} if root else set()
    if root is None or slot >= unix(root.signed_at) + LATEST_S:
        return lambda _: None
    for url in settings.ledger_tsa_urls:
        try:
            if authority_of(url) not in names:
                timestamps.append(ask(url, root, settings.authorities or b"", settings.source_timeout_s))
        except SourceFailed as error:
            log.warning("source_failed", authority=authority_of(url), detail=error.detail)
    return lambda db: ledger.add_timestamps(db, timestamps)
