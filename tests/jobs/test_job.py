"""Jobs follow a clock and their timetable, in every world; one deletes daily what has expired."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, select

from service.config import Settings
from service.errors import SourceFailed
from service.jobs import job
from service.jobs.engine import Engine
from service.jobs.job import Every, Job, JobContext
from service.jobs.prune import prune, refund_expired
from service.jobs.timetable import timetable
from service.market.instants import DAY, HOUR, MINUTE, WorldClock, iso, unix
from service.market.prices import PricesDocument
from service.notifications.events import Attempt, Message
from service.sources.feeds import FetchedBars
from service.store import keys, notifications, quotas, snapshots
from service.store.pages import fits
from service.store.quotas import LEASE_S
from service.store.tables import rate_window
from tests.forecasting.made import panel_of
from tests.jobs.contexts import context_of
from tests.jobs.mortal import work_all
from tests.jobs.track_record import document
from tests.market.coverages import whole
from tests.receiver import endpoint

SCHEDULES = (Every(60), Every(300, 10), Every(3600), Every(DAY), Every(DAY, 3600))
SLOT = 1_800_000_000
DOCUMENTS = ("predictions", "streaks", "shadow", "ai-vs-market", "forecasters")
DOCUMENTS += ("apex", "apex-fund", "news-pulse", "widget")
NOW = 1_800_000_000 - 1_800_000_000 % DAY + 10 * HOUR + 7 * MINUTE
STEP = 300
every_world = pytest.mark.parametrize("world", ["simulated", "replay", "live"])


@pytest.mark.parametrize(("engine", "count"), [("embedded", 1), ("nowhere:some-model", 8)])
def test_only_models_are_asked_several_questions_at_once(engine, count):
    panel = panel_of([SimpleNamespace(name="trend", kind="seat", engine=engine)])
    context = JobContext(Settings(), None, None, WorldClock("simulated"), 0, panel)
    assert context.at_once == count
    assert not context.embedded.has_models


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


@given(schedule=st.sampled_from(SCHEDULES), now=st.integers(10**9, 3 * 10**9), later=st.integers(0, 40 * 86400))
def test_a_slot_is_never_in_the_future_and_never_goes_back(schedule, now, later):
    slot = schedule.slot_at(now)
    assert slot <= now
    assert schedule.slot_at(slot) == slot
    assert schedule.slot_at(slot - 1) < slot
    assert schedule.slot_at(now + later) >= slot


@pytest.mark.parametrize(
    ("schedule", "now", "slot"),
    [
        (Every(300), "2025-01-01 00:04:59", "2025-01-01 00:00:00"),
        (Every(300), "2025-01-01 00:05:00", "2025-01-01 00:05:00"),
        (Every(300, 10), "2025-01-01 00:05:09", "2025-01-01 00:00:10"),
        (Every(DAY), "2025-01-01 00:00:00", "2025-01-01 00:00:00"),
        (Every(DAY, 3600), "2025-01-02 00:59:59", "2025-01-01 01:00:00"),
    ],
)
def test_the_latest_slot(schedule, now, slot):
    assert schedule.slot_at(at(now)) == at(slot)


@pytest.mark.parametrize("zone", ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "UTC"])
@pytest.mark.parametrize("day", ["2025-03-09", "2025-03-30", "2025-11-02", "2025-10-26", "2025-04-06"])
def test_daylight_saving_moves_no_slot(zone, day, monkeypatch):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        midnight = at(day)
        minutes = range(midnight, midnight + DAY, MINUTE)
        hours, days = ({Every(seconds).slot_at(minute) for minute in minutes} for seconds in (HOUR, DAY))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert (hours, days) == (set(range(midnight, midnight + DAY, HOUR)), {midnight})


@pytest.fixture
def job_context(database) -> JobContext:
    return context_of(database, step=5 * MINUTE)


def publish_prices(database, as_of: int) -> None:
    at = iso(as_of)
    document = PricesDocument("prices/1", at, at, at, "simulated", False, {"btc": "a file"}, 0, ())
    with database.writing() as db:
        snapshots.publish(db, as_of, {"prices": document})


@pytest.mark.parametrize(("prices", "seen_at", "as_of"), [(0, None, 0), (-HOUR, None, -HOUR), (0, -HOUR, -HOUR)])
def test_as_of_is_the_oldest_input(database, job_context, prices: int, seen_at: int | None, as_of: int):
    publish_prices(database, SLOT + prices)
    header = job.header(job_context, SLOT, HOUR, seen_at=None if seen_at is None else SLOT + seen_at)
    assert (header.timestamp, header.as_of) == (iso(SLOT), iso(SLOT + as_of))
    assert header.stale_after == iso(SLOT + as_of + HOUR + 15 * MINUTE)


def test_further_sources_are_added_to_those_of_the_prices(database, job_context):
    publish_prices(database, SLOT)
    header = job.header(job_context, SLOT, HOUR, sources={"headlines": "a feed"})
    assert header.sources == {"btc": "a file", "headlines": "a feed"}


def test_without_prices_a_job_is_retried(job_context):
    with pytest.raises(SourceFailed, match="no price"):
        job.header(job_context, SLOT, HOUR)


def test_before_the_first_tick_bars_have_no_source(job_context):
    header = job.bar_header(job_context, SLOT, SLOT - HOUR, HOUR, pools="assumed")
    assert (header.as_of, header.sources) == (iso(SLOT - HOUR), {"pools": "assumed"})


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("age", ["house", pytest.param("old_house", marks=pytest.mark.slow)])
def test_every_document_has_its_time_and_the_end_of_its_data(age, name, request):
    service = request.getfixturevalue(age)
    page = document(service, name)
    hour, minute = (int(service.wall) // seconds * seconds for seconds in (HOUR, MINUTE))
    assert (page["timestamp"], page["as_of"]) == (iso(minute if name == "predictions" else hour), iso(hour))
    assert unix(page["timestamp"]) < unix(page["stale_after"])
    assert (page["world"], page["sources"]["btc"]) == ("simulated", "simulated (seed 42)")


def test_documents_show_that_their_feed_has_stopped(house, monkeypatch):
    """An hour without bars: the list is made every minute and says that it saw nothing since."""

    def silent(*_) -> FetchedBars:
        raise SourceFailed("no response")

    before = document(house, "predictions")
    monkeypatch.setattr(type(house.runtime.feed), "fetch", silent)
    house.move(HOUR)
    after = document(house, "predictions")
    assert unix(after["timestamp"]) == unix(before["timestamp"]) + HOUR
    assert after["as_of"] == before["as_of"]
    assert unix(after["stale_after"]) < unix(after["timestamp"])


def jobs(world: str) -> dict[str, Job]:
    return {job.name: job for job in timetable(world, STEP)}


def after(timetable_jobs: dict[str, Job], name: str) -> set[str]:
    """Every job that a job waits for, directly or not."""
    needs = timetable_jobs[name].needs
    return set(needs).union(*(after(timetable_jobs, dependency) for dependency in needs))


@every_world
def test_no_job_waits_for_itself_and_each_has_one_name(world):
    """What a job needs is a job of its own clock."""
    by_name = jobs(world)
    assert len(by_name) == len(timetable(world, STEP))
    assert not [name for name in by_name if name in after(by_name, name)]
    assert all(by_name[need].clock == job.clock for job in by_name.values() for need in job.needs)


@every_world
@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("predict", {"tick", "observe", "backfill"}),
        ("settle", {"tick", "predict", "backfill"}),
        ("score", {"predict", "settle", "backfill"}),
        ("apex", {"predict", "news", "rank", "backfill"}),
        ("seal", {"settle", "battle", "backfill"}),
        ("news", {"backfill"}),
        ("backfill", {"refit"}),
    ],
)
def test_votes_follow_prices_and_scores_follow_settlements(world, name: str, needs: set[str]):
    """Nothing is opened, called or printed before the past was backfilled."""
    assert needs <= after(jobs(world), name)


def test_only_the_live_world_asks_outside_markets():
    """Once its own markets were opened."""
    assert not {"import_markets", "settle_imported", "history"} & {*jobs("simulated"), *jobs("replay")}
    assert all("predict" in after(jobs("live"), name) for name in ("import_markets", "settle_imported"))


def test_only_what_computes_nothing_from_prices_runs_before_history():
    """All else would be published or committed from a part of it."""
    names = {job.name for job in timetable("live", STEP) if not job.needs_history}
    assert names == {"tick", "history", "refund_expired", "prune"}


def test_jobs_that_callers_wait_for_follow_the_wall_clock():
    """A challenge is answered and votes are counted in seconds, however fast a replay runs."""
    of_callers = {"answer", "audit", "list_markets", "rates", "refund_expired", "prune", "stamp", "witness"}
    assert {entry.name for entry in timetable("replay", STEP) if entry.clock == "wall"} == of_callers
    assert jobs("replay")["answer"].schedule.seconds == 2
    assert jobs("replay")["list_markets"].schedule.seconds == MINUTE


@every_world
def test_every_job_runs_after_its_needs(world, sqlite_database):
    """The real timetable with jobs that do nothing: after one look each has run, none before its needs."""
    done: list[tuple[str, int]] = []
    all_jobs = timetable(world, STEP)
    context = SimpleNamespace(clock=WorldClock(world), histories=lambda _db, now: whole(("btc",), now))
    engine = Engine(sqlite_database, [_watched(job, done) for job in all_jobs], context, now=lambda: NOW)
    work_all(engine)
    engine.stop()
    order = [name for name, _ in done]
    assert sorted(order) == sorted(job.name for job in all_jobs)
    for entry in all_jobs:
        assert all(order.index(dependency) < order.index(entry.name) for dependency in entry.needs)
    hourly = ("predict", "settle", "score", "news", "apex", "seal", "import_markets")
    assert {slot for name, slot in done if name in hourly} == {NOW // HOUR * HOUR}
    assert max(slot for _, slot in done) <= NOW


def _watched(job: Job, done: list[tuple[str, int]]) -> Job:
    def work(_job_context, slot: int):
        done.append((job.name, slot))
        return lambda _: None

    return Job(job.name, job.schedule, work, job.clock, job.needs)


def test_what_has_expired_is_deleted(sqlite_database):
    """Windows that have ended, old deliveries, webhooks of revoked keys, and fits but for the last two.

    A request may still be reading the fits before those in use.
    """
    old = SLOT - 31 * DAY
    live_row, revoked_row = (endpoint(sqlite_database, "https://example.com/", old) for _ in range(2))
    with sqlite_database.writing() as db:
        for number in range(5):
            fits.save(db, number, {"slot": number})
        quotas.take_hits(db, "ended", SLOT - 1)
        quotas.take_hits(db, "open", SLOT + DAY)
        for row in (live_row, revoked_row):
            for at in (old, SLOT):
                message = Message(f"{row.id}_{at}", 1, "lane.trade", "{}")
                notifications.record_attempt(db, row.id, Attempt(message, at, 5, 204, None))
        keys.revoke_key(db, revoked_row.key, old)
        prune(context_of(sqlite_database), SLOT)(db)
        assert list(fits.every(db)) == [3, 4]
        assert db.scalar(select(func.count()).select_from(rate_window)) == 1
        assert quotas.open_window(db, "open", SLOT).hits == 1
        assert [delivery.last_at for delivery in notifications.find_deliveries(db, live_row.id, None, 10)] == [SLOT]
        assert notifications.key_webhooks(db, revoked_row.key) == []


def test_a_charge_is_refunded_once_its_lease_is_over(database):
    is_wanted = next(job.is_wanted for job in timetable("live", STEP) if job.name == "refund_expired")
    with database.writing() as db:
        assert not is_wanted(db, None)
        quotas.reserve(db, "a", "k", SLOT + DAY, 10, SLOT)
        for slot, hits in ((SLOT + LEASE_S - 1, 1), (SLOT + LEASE_S, 0)):
            refund_expired(None, slot)(db)
            assert quotas.open_window(db, "k", SLOT).hits == hits
            assert is_wanted(db, None) is bool(hits)
