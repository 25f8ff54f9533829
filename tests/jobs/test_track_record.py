"""The track record over the real thing: what there is after a first start, and what two days add to it."""

from __future__ import annotations

from collections import Counter

import pytest
from sqlalchemy import select

from service.jobs import backfill
from service.ledger.verifier import Verification, verify
from service.market.instants import DAY, HOUR
from service.store import ledger, predictions
from service.store.pages import apex_calls
from service.store.tables import metadata, prediction
from tests.jobs.track_record import END, SLOT, document, opened, rows, settled
from tests.running_service import RunningService


def verified(service: RunningService) -> Verification:
    with service.runtime.database.reading() as db:
        return verify(ledger.export(db))


@pytest.mark.slow
def test_the_published_record_matches_the_ledger(old_house):
    """It verifies, and every market has its votes in it exactly once and its outcome at most once."""
    verdict = verified(old_house)
    assert (verdict.fault, verdict.roots) == (None, 3)
    kinds = Counter((row.kind, row.subject) for row in rows(old_house) if row.kind in ("votes", "odds", "resolution"))
    assert set(kinds.values()) == {1}
    over = {**settled(old_house, backfilled=False), **settled(old_house, backfilled=True)}
    markets = {market_id: market.backfilled for market_id, market in over.items()} | opened(old_house)
    assert {subject for kind, subject in kinds if kind == "votes"} == set(markets)
    assert {subject for kind, subject in kinds if kind == "resolution"} == set(over)
    by_seq = {row.seq: row for row in rows(old_house, "votes")}
    with old_house.runtime.database.reading() as db:
        for market_id, seq, hash in db.execute(select(prediction.c.id, prediction.c.seq, prediction.c.hash)):
            assert (by_seq[seq].subject, by_seq[seq].hash) == (market_id, hash)
    entries = [row for row in rows(old_house) if row.kind in ("votes", "odds", "resolution", "score")]
    assert all(row.backfilled == markets[row.subject] for row in entries)


@pytest.mark.slow
def test_two_days_down_are_caught_up_with_once(house, old_house, log_events):
    """What is due is opened and settled as by a service that was there, and nothing twice."""
    house.move(48 * HOUR)
    assert not [line for line in log_events if line["log_level"] == "error"]
    assert verified(house).fault is None
    kinds = Counter((row.kind, row.subject) for row in rows(house) if row.kind in ("votes", "odds", "resolution"))
    assert set(kinds.values()) == {1}
    expected, caught_up = settled(old_house, backfilled=True), settled(house, backfilled=True)
    assert {market_id: market.settlement.outcome for market_id, market in caught_up.items()} == {
        market_id: market.settlement.outcome for market_id, market in expected.items()
    }
    open_after, open_before = opened(house), opened(old_house)
    assert set(open_before) <= set(open_after)
    assert set(open_after) - set(open_before) <= set(
        settled(old_house, backfilled=False)
    )  # touched before it was opened here
    with house.runtime.database.reading() as db:
        calls = apex_calls.every(db)
    assert [at for at, call in calls.items() if not call["backfilled"]] == [END]


@pytest.mark.slow
def test_the_books_stay_apart(house, old_house):
    """What was committed live is in one book, and of the past only what was still open is new in the other."""
    before, after = settled(house, backfilled=True), settled(old_house, backfilled=True)
    assert {market_id: after[market_id] for market_id in before} == before
    assert set(after) - set(before) <= set(opened(house))
    books = {book["backfilled"]: book for book in document(old_house, "ai-vs-market")["books"]}
    counts = {
        backfilled: sum(market.settlement.outcome != "void" for market in settled(old_house, backfilled).values())
        for backfilled in (False, True)
    }
    assert {backfilled: book["n"] for backfilled, book in books.items()} == counts
    voters = Counter((row["voter"], row["backfilled"]) for row in document(old_house, "streaks")["streaks"])
    assert set(voters.values()) == {1}
    assert {oracle for oracle, backfilled in voters if not backfilled} > {"consensus", "vol"}
    assert not document(old_house, "apex")["backfilled"]


def test_user_votes_are_published_within_a_minute(house):
    """And a later vote of the same caller takes the place of the first."""
    house.register()
    headers = {"X-API-Key": house.key}
    market = house.client.get("/api/v1/predictions", headers=headers).get_json()["markets"][-1]["id"]
    for vote in ("yes", "no"):
        answer = house.client.post(f"/api/v1/predictions/{market}/vote", json={"vote": vote}, headers=headers)
        assert answer.status_code == 200
        house.move(60)
        markets = house.client.get("/api/v1/predictions", headers=headers).get_json()["markets"]
        tally = next(entry["user_votes"] for entry in markets if entry["id"] == market)
        assert (tally["yes"], tally["no"], tally["total"]) == (vote == "yes", vote == "no", 1)


def test_the_first_start_has_a_record_that_is_all_backfilled(house):
    past = settled(house, backfilled=True)
    assert len(past) >= 300
    assert not settled(house, backfilled=False)
    assert len(opened(house)) >= 40
    assert all(opened(house).values())
    assert {row.kind for row in rows(house) if not row.backfilled} == {"price_forecast"}
    streaks = document(house, "streaks")["streaks"]
    assert [row["voter"] for row in streaks if not row["backfilled"]] == ["consensus"]
    assert {row["voter"] for row in streaks if row["backfilled"]} > {"consensus", "vol", "news", "sv"}
    live, backfilled = document(house, "ai-vs-market")["books"]
    assert (live["backfilled"], live["n"], live["verdict"]) == (False, 0, "not enough resolved markets")
    assert backfilled["n"] >= 300
    assert backfilled["calibration"]["ai"]["bins"]


def test_the_past_is_backfilled_once(house):
    """Where there are markets nothing is written."""
    calls = []
    backfill.backfill(house.engine.job_context, SLOT)(calls.append)
    assert not calls


@pytest.mark.slow
def test_an_early_challenge_does_not_prevent_the_backfill(house, monkeypatch):
    """Somebody may ask while the first start is still learning."""
    monkeypatch.setattr(backfill, "BACKFILLED_S", 2 * DAY)
    answer = house.client.post(
        "/api/challenges/create", json={"question": "Will Bitcoin rise?", "deadline": "2026-12-31"}
    )
    assert answer.status_code == 200
    with house.runtime.database.writing() as db:
        for name in ("opinion", "prediction_vote", "odds", "prediction"):
            table = metadata.tables[name]
            key = table.c.id if name == "prediction" else table.c.prediction
            db.execute(table.delete().where(key != "challenge-1"))
    effects = backfill.backfill(house.engine.job_context, SLOT)
    with house.runtime.database.writing() as db:
        effects(db)
        assert len(predictions.market_ids(db)) > 20
