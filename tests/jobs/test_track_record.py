"""The track record over the real thing: what there is after a first start, and what two days add to it."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from service.errors import SourceFailed
from service.forecasting.predictions import Settled
from service.jobs import apex, listing, predict, relive, score, settle, widget
from service.ledger import proofs
from service.ledger.chain import Entry
from service.ledger.verifier import Verdict, verify
from service.market.instants import DAY, HOUR, MINUTE, iso, unix
from service.sources.feeds import Fetched
from service.store import apex_calls, ledger, predictions, snapshots
from service.store.tables import metadata, prediction
from tests.houses import START, Residents, copied, resident

SLOT = START - START % HOUR
END = SLOT + 48 * HOUR
DOCUMENTS = (
    "predictions",
    "streaks",
    "shadow",
    "ai-vs-market",
    "apex",
    "apex-fund",
    "news-pulse",
    "widget",
)


@pytest.fixture
def aged(later: Path, tmp_path: Path) -> Iterator[Residents]:
    """A service 48 hours after its first start, for one test."""
    with resident(copied(later, tmp_path / "later"), wall=START + 48 * HOUR) as residents:
        yield residents


def document(residents: Residents, name: str) -> dict:
    with residents.house.database.reading() as db:
        return json.loads(snapshots.latest(db, name).body)


def rows(residents: Residents, kind: str | None = None) -> list[Entry]:
    with residents.house.database.reading() as db:
        return ledger.entries(db, 1, 10**6, kind=kind)


def verified(residents: Residents) -> Verdict:
    with residents.house.database.reading() as db:
        return verify(ledger.export(db))


def settled(residents: Residents, backfilled: bool) -> dict[str, Settled]:
    with residents.house.database.reading() as db:
        return {one.market.id: one for one in predictions.settled(db) if one.market.backfilled == backfilled}


def opened(residents: Residents) -> dict[str, bool]:
    """The markets that nothing has settled yet, and whether they are of the past."""
    with residents.house.database.reading() as db:
        return {one.market.id: one.market.backfilled for one in predictions.unresolved(db)}


def test_after_a_first_start_there_is_a_record_and_all_of_it_is_of_the_past(house):
    past = settled(house, backfilled=True)
    assert len(past) >= 300
    assert not settled(house, backfilled=False)
    assert len(opened(house)) >= 40
    assert all(opened(house).values())
    assert not [row for row in rows(house) if not row.backfilled]
    streaks = document(house, "streaks")["streaks"]
    assert [row["oracle"] for row in streaks if not row["backfilled"]] == ["consensus"]
    assert {row["oracle"] for row in streaks if row["backfilled"]} > {"consensus", "vol", "news", "forest"}
    live, backfilled = document(house, "ai-vs-market")["books"]
    assert (live["backfilled"], live["n"], live["verdict"]) == (False, 0, "not enough resolved markets")
    assert backfilled["n"] >= 300
    assert backfilled["calibration"]["ai"]["bins"]


def test_after_a_first_start_the_fund_has_sixty_days_and_the_news_have_headlines(house):
    fund, news = document(house, "apex-fund"), document(house, "news-pulse")
    assert fund["days"] >= 60
    assert (fund["live_since"], len(fund["equity"]) > 60) == (None, True)
    assert len(news["headlines"]) >= 10
    assert all(row["simulated"] for row in news["headlines"])
    assert document(house, "apex")["backfilled"]


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("age", ["house", "aged"])
def test_every_document_says_when_it_was_made_and_how_far_it_saw(age, name, request):
    residents = request.getfixturevalue(age)
    told, hour = document(residents, name), int(residents.wall) // HOUR * HOUR
    minute = int(residents.wall) // MINUTE * MINUTE
    assert told["timestamp"] == iso(minute if name == "predictions" else hour)
    assert told["as_of"] == iso(hour)
    assert unix(told["as_of"]) <= unix(told["timestamp"]) < unix(told["stale_after"])
    assert told["world"] == "simulated"
    assert told["sources"]["btc"] == "simulated (seed 42)"


def test_a_feed_that_stands_still_shows_in_what_is_made_meanwhile(house, monkeypatch):
    """An hour without bars: the list is made every minute and says that it saw nothing since."""

    def silent(*_) -> Fetched:
        raise SourceFailed("nobody answers")

    before = document(house, "predictions")
    monkeypatch.setattr(type(house.house.feed), "fetch", silent)
    house.move(HOUR)
    after = document(house, "predictions")
    assert unix(after["timestamp"]) == unix(before["timestamp"]) + HOUR
    assert after["as_of"] == before["as_of"]
    assert unix(after["stale_after"]) < unix(after["timestamp"])


def test_two_days_later_more_is_resolved_with_no_hand(house, aged):
    live = settled(aged, backfilled=False)
    assert len(live) >= 5
    assert all(one.commitment and one.odds for one in live.values())
    assert all(one.settlement.source == "bars" and one.settlement.evidence for one in live.values())
    for one in live.values():
        assert SLOT < one.market.created_at <= one.commitment.voted_at < one.settlement.resolved_at <= END
        assert one.commitment.as_of <= one.commitment.voted_at
        assert one.odds.fetched_at == one.commitment.voted_at
    with aged.house.database.reading() as db:
        overdue = [one.market.id for one in predictions.unresolved(db) if one.market.deadline < END - 12 * HOUR]
    assert not overdue


def test_the_books_stay_apart(house, aged):
    """What was committed live is in one book, and of the past only what was still open is new in the other."""
    before, after = settled(house, backfilled=True), settled(aged, backfilled=True)
    assert {market_id: after[market_id] for market_id in before} == before
    assert set(after) - set(before) <= set(opened(house))
    books = {book["backfilled"]: book for book in document(aged, "ai-vs-market")["books"]}
    counted = {
        backfilled: sum(one.settlement.outcome != "void" for one in settled(aged, backfilled).values())
        for backfilled in (False, True)
    }
    assert {backfilled: book["n"] for backfilled, book in books.items()} == counted
    voters = Counter((row["oracle"], row["backfilled"]) for row in document(aged, "streaks")["streaks"])
    assert set(voters.values()) == {1}
    assert {oracle for oracle, backfilled in voters if not backfilled} > {"consensus", "vol"}
    assert not document(aged, "apex")["backfilled"]


def test_what_is_published_is_what_the_ledger_holds(aged):
    """It verifies, and every market has its votes in it once and what became of it at most once."""
    found = verified(aged)
    assert (found.fault, found.roots) == (None, 3)
    kinds = Counter((row.kind, row.subject) for row in rows(aged) if row.kind in ("votes", "odds", "resolution"))
    assert set(kinds.values()) == {1}
    over = {**settled(aged, backfilled=False), **settled(aged, backfilled=True)}
    markets = {market_id: one.market.backfilled for market_id, one in over.items()} | opened(aged)
    assert {subject for kind, subject in kinds if kind == "votes"} == set(markets)
    assert {subject for kind, subject in kinds if kind == "resolution"} == set(over)
    by_seq = {row.seq: row for row in rows(aged, "votes")}
    with aged.house.database.reading() as db:
        for market_id, seq, hash in db.execute(select(prediction.c.id, prediction.c.seq, prediction.c.hash)):
            assert (by_seq[seq].subject, by_seq[seq].hash) == (market_id, hash)
    told = [row for row in rows(aged) if row.kind in ("votes", "odds", "resolution", "score")]
    assert all(row.backfilled == markets[row.subject] for row in told)


def test_trades_of_a_lane_are_live_where_they_were_told_within_the_hour(house, aged):
    """Those of an hour that nobody watched are told afterwards, and marked as such."""
    known = len(rows(house))
    told = [row for row in rows(aged, "lane_trade") if row.seq > known]
    assert told
    for row in told:
        assert row.body["time"] > SLOT
        assert row.backfilled == (row.body["time"] < unix(row.recorded_at) - HOUR)
    hour_seen = range(SLOT + 6 * HOUR, SLOT + 7 * HOUR + 1)
    assert any(not row.backfilled and row.body["time"] in hour_seen for row in told)
    with aged.house.database.reading() as db:
        assert len(rows(aged, "lane_trade")) == db.scalar(
            select(func.count()).select_from(metadata.tables["lane_event"])
        )


def test_a_day_has_one_root_and_what_it_seals_can_be_proven_without_the_ledger(aged):
    """The first on the first start; a row of the first day is proven to whoever kept the key."""
    roots = aged.client.get("/api/v1/ledger/roots").get_json()["roots"]
    assert [root["day"] for root in roots] == ["2026-11-21", "2026-11-22", "2026-11-23"]
    assert roots[0]["signed_at"] == iso(SLOT)
    yesterday = next(row for row in rows(aged, "votes") if row.recorded_at.startswith("2026-11-22"))
    told = aged.client.get(f"/api/v1/ledger/proof/{yesterday.seq}").get_json()
    key = aged.client.get("/api/v1/ledger/head").get_json()["public_key"]
    assert proofs.fault(proofs.read(told), yesterday.seq, key) is None
    told["entry"]["body"]["p"] = 0.5
    assert proofs.fault(proofs.read(told), yesterday.seq, key) is not None


def test_two_days_down_are_caught_up_with_once(house, aged, logged):
    """What is due is opened and settled as by a service that was there, and nothing twice."""
    house.move(48 * HOUR)
    assert not [line for line in logged if line["log_level"] == "error"]
    assert verified(house).fault is None
    kinds = Counter((row.kind, row.subject) for row in rows(house) if row.kind in ("votes", "odds", "resolution"))
    assert set(kinds.values()) == {1}
    there, caught_up = settled(aged, backfilled=True), settled(house, backfilled=True)
    assert {market_id: one.settlement.outcome for market_id, one in caught_up.items()} == {
        market_id: one.settlement.outcome for market_id, one in there.items()
    }
    fresh, running = opened(house), opened(aged)
    assert set(running) <= set(fresh)
    assert set(fresh) - set(running) <= set(settled(aged, backfilled=False))  # touched before it was opened here
    calls = [call.at for call in _calls(house) if not call.backfilled]
    assert calls == [END]


def _calls(residents: Residents) -> list[apex_calls.ApexCall]:
    with residents.house.database.reading() as db:
        return apex_calls.every(db)


def test_the_past_is_lived_through_once(house):
    """Where there are markets nothing is written."""
    calls = []
    relive.relive(house.engine._workshop, SLOT)(calls.append)
    assert not calls


def test_a_challenge_that_was_quicker_does_not_cost_the_past(house, monkeypatch):
    """Somebody may ask while the first start is still learning."""
    monkeypatch.setattr(relive, "LIVED_S", 2 * DAY)
    asked = house.client.post(
        "/api/challenges/create", json={"question": "Will Bitcoin rise?", "deadline": "2026-12-31"}
    )
    assert asked.status_code == 200
    with house.house.database.writing() as db:
        for name in ("prediction_vote", "odds", "prediction"):
            table = metadata.tables[name]
            key = table.c.id if name == "prediction" else table.c.prediction
            db.execute(table.delete().where(key != "challenge-1"))
    effects = relive.relive(house.engine._workshop, SLOT)
    with house.house.database.writing() as db:
        effects(db)
        assert len(predictions.ids(db)) > 20


JOBS = {
    "predict": predict.predict,
    "settle": settle.settle,
    "score": score.score,
    "apex": apex.apex,
    "widget": widget.show,
    "list_markets": listing.list_markets,
}


@pytest.mark.parametrize("name", JOBS)
def test_a_job_of_the_record_is_done_well_within_a_second(name, aged):
    """Of the processor's time, with a thousand markets settled."""
    workshop = aged.engine._workshop
    JOBS[name](workshop, END)  # what is imported on the first call is not counted
    began = time.process_time()
    effects = JOBS[name](workshop, END + 12 * HOUR if name == "predict" else END)
    with aged.house.database.writing() as db:
        effects(db)
    took = time.process_time() - began
    print(f"{name}: {took:.3f} s")
    assert took < 1
