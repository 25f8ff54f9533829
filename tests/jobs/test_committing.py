"""What is kept with its row of the ledger: votes, settlements, the record, and timestamps of the last root."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import Connection, update

from service.config import Settings
from service.forecasting.predictions import Prediction, Settlement
from service.forecasting.predictions.commitments import question_row
from service.forecasting.predictions.open_markets import resolved
from service.forecasting.voters.track_record import TrackRecord, build
from service.jobs import apex, committing
from service.jobs.committing import keep_settlement, keep_settlements, keep_votes, renew_record, withdraw_texts
from service.jobs.job import JobContext
from service.ledger.roots import Root
from service.ledger.verifier import verify
from service.market.instants import DAY, HOUR, WorldClock, iso
from service.store import idempotency, ledger, predictions
from service.store.database import Database
from service.store.pages import RECORD, records
from service.store.tables import resolved_day
from tests.authorities import Authority, authority
from tests.forecasting.markets import settled, waiting
from tests.jobs.challenges import BEAT_S, NINE, challenge, recorded, shown
from tests.jobs.contexts import context_of, work
from tests.jobs.track_record import END, SLOT, read, rows, verified
from tests.jobs.track_record import settled as settled_in
from tests.ledger import books
from tests.running_service import START

MARKETS = [waiting(id, votes={"vol": 0.6, "trend": 0.7}) for id in "abc"]
DUE = MARKETS[0].deadline + DAY
NOW = int(time.time())  # an authority signs what is signed now


def test_votes_that_come_after_it_was_settled_are_not_kept(house):
    """They were computed before the settlement and would be written after it."""
    number, slot = challenge(house), START + BEAT_S
    write = apex.answer(house.engine.job_context, slot)
    with house.runtime.database.writing() as db:
        keep_settlement(db, f"challenge-{number}", Settlement("yes", slot, "a bar", "bars"), slot)
        write(db)
    assert recorded(house, number) == ["question", "resolution"]
    assert shown(house, number)["ai_votes"] == {}


@pytest.fixture
def hidden(db: Connection) -> Prediction:
    """A challenge with its row of the ledger, which hides its text."""
    question = replace(waiting().question, text="Ann Doe asks.", canonical="Up?")
    hidden = replace(waiting(odds=None), category="challenge", number=1, salt="5a17", author="key:1a", commitment=None)
    hidden = replace(hidden, question=question)
    predictions.add_predictions(db, [hidden])
    ledger.append(db, [question_row(hidden)], SLOT)
    return hidden


def test_votes_on_a_text_that_was_withdrawn_are_not_kept(db, hidden: Prediction):
    """A language model may have repeated it. The challenge is voted on again, by what it means."""
    commitment = waiting().commitment
    assert withdraw_texts(db, ["one"], SLOT) == ["one"]
    keep_votes(db, hidden, commitment, SLOT)
    assert predictions.find_prediction(db, "one").commitment is None
    keep_votes(db, predictions.find_prediction(db, "one"), commitment, SLOT)
    assert predictions.find_prediction(db, "one").commitment == commitment


def test_a_withdrawn_text_is_in_no_kept_response(db, hidden: Prediction):
    """The response to the request that wrote it would repeat it for a day."""
    idempotency.begin(db, hidden.author, "retry", "digest", SLOT)
    idempotency.finish(db, hidden.author, "retry", 200, b"Ann Doe asks.")
    withdraw_texts(db, ["one"], SLOT)
    assert idempotency.find_replay(db, hidden.author, "retry", "digest", SLOT) is None


def test_the_record_counts_what_is_settled(db):
    """An unsettled market counts nothing, and the next settlement replaces the record."""
    predictions.add_predictions(db, MARKETS)
    for number, market in enumerate((settled("a"), settled("b", "no"))):
        keep_settlements(db, {market.id: market.settlement}, DUE + number * DAY)
        record = TrackRecord.from_plain(records.find(db, RECORD))
        assert record.as_of == DUE + number * DAY
        counts = {standing.voter: standing.n for standing in record.of_band("day").standings}
        assert counts == {"vol": number + 1, "trend": number + 1}


def test_the_record_is_carried_on_from_stored_days(db):
    """It equals one that is made of all votes again, and only the days of new settlements are read."""
    predictions.add_predictions(db, MARKETS)
    for number, market in enumerate(MARKETS):
        at = DUE + number * DAY
        keep_settlements(db, {market.id: replace(settled().settlement, resolved_at=at)}, at)
        assert predictions.outdated_days(db) == []
    record = records.find(db, RECORD)
    db.execute(update(resolved_day).values(body=None))
    assert len(predictions.outdated_days(db)) == 3
    renew_record(db, at)
    assert records.find(db, RECORD) == record
    assert TrackRecord.from_plain(record) == build(resolved(predictions.settled_predictions(db)), at)


@pytest.mark.slow
def test_two_days_later_more_markets_are_resolved(house, old_house):
    live = settled_in(old_house, backfilled=False)
    assert len(live) >= 5
    assert all(market.commitment and market.odds for market in live.values())
    assert all(market.settlement.source == "bars" and market.settlement.evidence for market in live.values())
    for market in live.values():
        assert SLOT < market.created_at <= market.commitment.voted_at < market.settlement.resolved_at <= END
        assert market.commitment.as_of <= market.commitment.voted_at
        assert market.odds.fetched_at == market.commitment.voted_at
    assert all(market.deadline >= END - 12 * HOUR for market in read(old_house, predictions.unresolved_predictions))


@pytest.mark.slow
def test_a_challenge_is_settled_after_its_deadline_with_evidence(house):
    """By prices, with no hand, and every vote is scored."""
    number = challenge(house)
    house.move(BEAT_S)
    house.move(5 * HOUR)
    after = shown(house, number)
    assert after["status"] == "resolved"
    assert after["resolution"]["outcome"] in ("yes", "no")
    assert "of the bar of 2026-11-21T11:55:00Z" in after["resolution"]["evidence"]
    assert recorded(house, number) == ["question", "votes", "resolution", "score"]
    (row,) = rows(house, "score", f"challenge-{number}")
    assert set(row.body["brier_by_voter"]) == {*NINE, "swarm", "apex"}
    assert verified(house).fault is None


@pytest.fixture(scope="module")
def tsa(tmp_path_factory) -> Iterator[Authority]:
    with authority(tmp_path_factory.mktemp("authority") / "tsa") as server:
        yield server


@pytest.fixture
def context(sqlite_database: Database, tsa: Authority) -> JobContext:
    """A job context whose operator names an authority."""
    settings = Settings(ledger_tsa_urls=(tsa.url,), ledger_tsa_certificates=tsa.certificates)
    return replace(context_of(sqlite_database), settings=settings)


def seal(context: JobContext, at: int) -> Root:
    """A row and a root over it, signed at a unix second."""
    with context.database.writing() as db:
        ledger.append(db, books.rows(1), at - HOUR)
        root = ledger.seal(db, iso(at)[:10], books.SEED, at)
    assert root
    return root


def stamp(context: JobContext, at: int) -> list[str]:
    """The days of the roots that are timestamped after a slot of the job."""
    work(context, committing.stamp, at)
    with context.database.reading() as db:
        return [timestamp.day for timestamp in ledger.timestamps(db)]


def test_the_last_root_is_timestamped_once(context, tsa: Authority):
    assert stamp(context, NOW) == []
    root = seal(context, NOW)
    assert stamp(context, NOW) == stamp(context, NOW) == [root.day]
    assert len(list(tsa.folder.glob("reply"))) == 1
    with context.database.reading() as db:
        result = verify(ledger.export(db), certificates=context.settings.authorities)
    assert (result.fault, result.timestamps, result.stamped_seq) == (None, 1, 1)


def test_a_failure_is_logged_and_tried_again(context, tsa: Authority, log_events):
    """The root stands meanwhile; the job itself does not fail."""
    root = seal(context, NOW)
    tsa.failures[:] = [503]
    assert stamp(context, NOW) == []
    assert [event["event"] for event in log_events] == ["source_failed"]
    assert stamp(context, NOW + 600) == [root.day]


def test_one_authority_does_not_wait_for_another(context, tsa: Authority):
    urls = ("http://127.0.0.1:1/away", tsa.url)
    context = replace(context, settings=context.settings.model_copy(update={"ledger_tsa_urls": urls}))
    root = seal(context, NOW)
    assert stamp(context, NOW) == [root.day]


def test_a_root_that_would_be_stale_is_not_stamped(context):
    seal(context, NOW - DAY - HOUR)
    assert stamp(context, NOW) == []


@pytest.mark.parametrize(("world", "urls", "is_wanted"), [("live", 1, True), ("live", 0, False), ("replay", 1, False)])
def test_roots_of_a_replay_are_never_stamped(context, world: str, urls: int, is_wanted: bool):
    settings = context.settings.model_copy(update={"ledger_tsa_urls": context.settings.ledger_tsa_urls[:urls]})
    context = replace(context, settings=settings, clock=WorldClock(world))
    with context.database.reading() as db:
        assert committing.names_authorities(db, context) is is_wanted
