"""Votes are stored with their row of the ledger, and only on an open challenge."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Connection, update

from service.forecasting.predictions import Prediction, Settlement
from service.forecasting.predictions.open_markets import resolved
from service.forecasting.voters.track_record import TrackRecord, build
from service.jobs import apex
from service.jobs.committing import keep_settlement, keep_settlements, renew_record
from service.market.instants import DAY
from service.store import predictions
from service.store.pages import RECORD, records
from service.store.tables import resolved_day
from tests.forecasting.markets import settled, waiting
from tests.jobs.challenges import BEAT_S, challenge, recorded, shown
from tests.running_service import START


def test_votes_that_come_after_it_was_settled_are_not_kept(house):
    """They were computed before the settlement and would be written after it."""
    number, slot = challenge(house), START + BEAT_S
    write = apex.answer(house.engine.job_context, slot)
    with house.runtime.database.writing() as db:
        keep_settlement(db, f"challenge-{number}", Settlement("yes", slot, "a bar", "bars"), slot)
        write(db)
    assert recorded(house, number) == ["question", "resolution"]
    assert shown(house, number)["ai_votes"] == {}


def test_the_record_counts_what_is_settled(sqlite_database):
    """An unsettled market counts nothing, and the next settlement replaces the record."""
    markets = {id: waiting(id, votes={"vol": 0.6, "trend": 0.7}) for id in "abc"}
    slot = markets["a"].deadline + DAY
    with sqlite_database.writing() as db:
        predictions.add_predictions(db, list(markets.values()))
        counts = [_counts(db, settled("a"), slot), _counts(db, settled("b", "no"), slot + DAY)]
    assert counts == [(slot, {"vol": 1, "trend": 1}), (slot + DAY, {"vol": 2, "trend": 2})]


def test_the_record_is_carried_on_from_stored_days(sqlite_database):
    """It equals one that is made of all votes again, and only the days of new settlements are read."""
    markets = {id: waiting(id, votes={"vol": 0.6, "trend": 0.7}) for id in "abc"}
    slot = markets["a"].deadline + DAY
    with sqlite_database.writing() as db:
        predictions.add_predictions(db, list(markets.values()))
        for number, id in enumerate("abc"):
            outcome = replace(settled(id).settlement, resolved_at=slot + number * DAY)
            keep_settlements(db, {id: outcome}, slot + number * DAY)
            assert predictions.outdated_days(db) == []
        carried = records.find(db, RECORD)
        db.execute(update(resolved_day).values(body=None))
        assert len(predictions.outdated_days(db)) == 3
        renew_record(db, slot + 2 * DAY)
        recomputed = build(resolved(predictions.settled_predictions(db)), slot + 2 * DAY)
        assert records.find(db, RECORD) == carried
        assert TrackRecord.from_plain(carried) == recomputed


def _counts(db: Connection, market: Prediction, slot: int) -> tuple[int, dict[str, int]]:
    """The record after a market is settled: its instant and the votes counted of each voter."""
    assert market.settlement
    keep_settlements(db, {market.id: market.settlement}, slot)
    record = TrackRecord.from_plain(records.find(db, RECORD) or {})
    return record.as_of, {standing.voter: standing.n for standing in record.of_band("day").standings}
