"""Markets into the store and the ledger at once: what is committed there and what is kept here never differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from service.forecasting.predictions import Commitment, PredictionMarket, Settled, Settlement, entries
from service.ledger.chain import Row
from service.store import ledger, predictions
from service.store.predictions import Stored


def keep_opened(db: Connection, opened: Sequence[Stored], recorded_at: int) -> None:
    """Store markets that were opened and voted on, past ones with what became of them."""
    told = sorted((step for one in opened for step in _steps(one)), key=lambda step: step[0])
    recorded = ledger.append(db, [row for _, row in told], recorded_at)
    committed = {entry.subject: entry for entry in recorded if entry.kind == "votes"}
    by_id = {one.market.id: one for one in opened}
    predictions.add_all(db, [replace(one, seq=committed[id].seq, hash=committed[id].hash) for id, one in by_id.items()])


def keep_votes(db: Connection, market: PredictionMarket, commitment: Commitment, recorded_at: int) -> None:
    """Store the votes on a challenge that was opened before, unless something settled it meanwhile."""
    found = predictions.find(db, market.id)
    if found.commitment or found.settlement:
        return
    (entry,) = ledger.append(db, [entries.votes_row(market, commitment)], recorded_at)
    predictions.commit(db, market.id, commitment, entry.seq, entry.hash)


def keep_settlement(db: Connection, market_id: str, settlement: Settlement, recorded_at: int) -> None:
    """Store what became of a market, unless something settled it meanwhile; votes cast meanwhile are scored."""
    if predictions.settle(db, market_id, settlement):
        ledger.append(db, _settled_rows(predictions.find(db, market_id), settlement), recorded_at)


def _steps(one: Stored) -> Iterator[tuple[tuple[int, int], Row]]:
    """The rows of a market with the instant at which each belongs, and its place there."""
    at = one.commitment.voted_at
    yield (at, 0), entries.votes_row(one.market, one.commitment)
    if one.odds:
        yield (at, 1), entries.odds_row(one.market, one.odds)
    if one.settlement:
        for row in _settled_rows(one, one.settlement):
            yield (one.settlement.resolved_at, -1), row


def _settled_rows(one: Stored, settlement: Settlement) -> list[Row]:
    scored = entries.score_row(Settled(one.market, one.commitment, one.odds, settlement))
    return [entries.resolution_row(one.market, settlement), *([scored] if scored else [])]
