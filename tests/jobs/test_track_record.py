"""The track record over the real thing: what there is after a first start, and what two days add to it."""

from __future__ import annotations

from collections import Counter

import pytest

from service.jobs import backfill
from service.market.instants import DAY, HOUR
from service.store import predictions
from service.store.pages import apex_calls
from service.store.tables import metadata
from tests.jobs.challenges import challenge
from tests.jobs.contexts import work
from tests.jobs.track_record import END, SLOT, document, opened, read, rows, settled, verified
from tests.running_service import RunningService


def once_each(service: RunningService) -> set[tuple[str, str]]:
    """The kinds and markets of the rows that there must be once."""
    kinds = Counter((row.kind, row.subject) for row in rows(service) if row.kind in ("votes", "odds", "resolution"))
    assert set(kinds.values()) == {1}
    return set(kinds)


@pytest.mark.slow
def test_the_published_record_matches_the_ledger(old_house):
    """It verifies, and every market has its votes in it exactly once and its outcome at most once."""
    verdict = verified(old_house)
    assert (verdict.fault, verdict.roots) == (None, 3)
    kinds = once_each(old_house)
    over = {**settled(old_house, backfilled=False), **settled(old_house, backfilled=True)}
    markets = over | {market.id: market for market in read(old_house, predictions.unresolved_predictions)}
    assert {subject for kind, subject in kinds if kind == "votes"} == set(markets)
    assert {subject for kind, subject in kinds if kind == "resolution"} == set(over)
    by_seq = {row.seq: row for row in rows(old_house, "votes")}
    for market in markets.values():
        row = by_seq[market.ledger_position.seq]
        assert (row.subject, row.hash) == (market.id, market.ledger_position.hash)
    entries = [row for row in rows(old_house) if row.kind in ("votes", "odds", "resolution", "score")]
    assert all(row.backfilled == markets[row.subject].backfilled for row in entries)


@pytest.mark.slow
def test_two_days_down_are_caught_up_with_once(house, old_house, log_events):
    """What is due is opened and settled as by a service that was there, and nothing twice."""
    house.move(48 * HOUR)
    assert not [line for line in log_events if line["log_level"] == "error"]
    assert verified(house).fault is None
    once_each(house)
    outcomes, expected = (
        {id: market.settlement.outcome for id, market in settled(service, backfilled=True).items()}
        for service in (house, old_house)
    )
    assert outcomes == expected
    open_after, open_before = set(opened(house)), set(opened(old_house))
    assert open_before <= open_after
    assert open_after - open_before <= set(settled(old_house, backfilled=False))  # touched before it was opened here
    assert [at for at, call in read(house, apex_calls.every).items() if not call["backfilled"]] == [END]


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
    challenge(house, "Will Bitcoin rise?", "2026-12-31")
    with house.runtime.database.writing() as db:
        for name in ("opinion", "prediction_vote", "odds", "prediction"):
            table = metadata.tables[name]
            key = table.c.id if name == "prediction" else table.c.prediction
            db.execute(table.delete().where(key != "challenge-1"))
    work(house.engine.job_context, backfill.backfill, SLOT)
    assert len(read(house, predictions.market_ids)) > 20
