"""Writes predictions to the store and the ledger in one transaction, so that the two never differ.

What is settled renews the track record of the voters in the same transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from service.forecasting.predictions import Commitment, LedgerPosition, Prediction, Settlement, ledger_rows
from service.forecasting.predictions.settling import resolved
from service.forecasting.voters.track_record import build
from service.ledger.chain import ChainEntry
from service.store import ledger, predictions
from service.store.plain import RECORD, records


def keep_opened(db: Connection, opened: Sequence[Prediction], recorded_at: int) -> None:
    """Store markets with their votes, and past ones with their settlements."""
    entries = ledger.append(db, ledger_rows.market_rows(opened), recorded_at)
    positions = {entry.subject: _position(entry) for entry in entries if entry.kind == "votes"}
    predictions.add(db, [replace(market, ledger_position=positions[market.id]) for market in opened])


def keep_votes(db: Connection, challenge: Prediction, commitment: Commitment, recorded_at: int) -> None:
    """Store the votes on a challenge, unless it was voted on or settled meanwhile."""
    stored = predictions.find(db, challenge.id)
    if stored is None or stored.commitment or stored.settlement:
        return
    (entry,) = ledger.append(db, [ledger_rows.votes_row(challenge, commitment)], recorded_at)
    predictions.commit(db, challenge.id, commitment, _position(entry))


def keep_settlements(db: Connection, settlements: Mapping[str, Settlement], slot: int) -> None:
    """Store the settlements by id, then the track record of every market, challenge and answer settled by `slot`."""
    for id, settlement in settlements.items():
        keep_settlement(db, id, settlement, slot)
    if settlements:
        records.save(db, RECORD, build(resolved(predictions.settled(db)), slot).to_plain(), as_of=slot)


def keep_settlement(db: Connection, id: str, settlement: Settlement, recorded_at: int) -> None:
    """Store a settlement, unless the prediction was settled meanwhile; votes cast meanwhile are scored."""
    if not predictions.settle(db, id, settlement):
        return
    prediction = predictions.find(db, id)
    if prediction and prediction.category != "answer":
        ledger.append(db, ledger_rows.settlement_rows(prediction), recorded_at)


def _position(entry: ChainEntry) -> LedgerPosition:
    return LedgerPosition(entry.seq, entry.hash)
