"""Jobs follow the world's or the wall's clock; the context says how many questions run at once."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.config import Settings
from service.errors import SourceFailed
from service.jobs import job
from service.jobs.job import Every, Job, JobContext, Monthly
from service.market.instants import DAY, HOUR, MINUTE, WorldClock, iso, unix
from service.market.prices import PricesDocument
from service.sources.feeds import FetchedBars
from service.store import snapshots
from service.trading.accounts import AccountTerms
from tests.forecasting.made import panel_of
from tests.jobs.track_record import document

WALL = 1_800_000_000


@pytest.mark.parametrize(("clock", "instant"), [("world", 3_600), ("wall", WALL + 60)])
def test_a_job_reads_its_own_clock(clock, instant):
    """A replay that runs sixty times as fast, a minute after its start."""
    replay = WorldClock("replay", world_origin=0, wall_origin=WALL, speed=60.0)
    assert Job("a", Every(60), lambda *_: lambda _: None, clock).instant(replay, WALL + 60.5) // 60 * 60 == instant


def test_the_default_rate_of_shorts_is_that_of_accounts():
    """An account computed without the settings, as in measurements, pays the same."""
    context = JobContext(Settings(), None, None, WorldClock("simulated"), 0, panel_of([]))
    assert context.account_terms == AccountTerms()


@pytest.mark.parametrize(("engine", "count"), [("embedded", 1), ("nowhere:some-model", 8)])
def test_only_models_are_asked_several_questions_at_once(engine, count):
    panel = panel_of([SimpleNamespace(name="trend", kind="seat", engine=engine)])
    context = JobContext(Settings(), None, None, WorldClock("simulated"), 0, panel)
    assert context.at_once == count
    assert not context.embedded.has_models


SCHEDULES = (Every(60), Every(300, 10), Every(3600), Every(DAY), Every(DAY, 3600), Monthly(), Monthly(7200))


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
        (Monthly(), "2024-02-29 23:59:59", "2024-02-01 00:00:00"),
        (Monthly(), "2024-03-01 00:00:00", "2024-03-01 00:00:00"),
        (Monthly(), "2025-12-31 23:59:59", "2025-12-01 00:00:00"),
        (Monthly(7200), "2026-01-01 01:59:59", "2025-12-01 02:00:00"),
        (Monthly(7200), "2026-01-01 02:00:00", "2026-01-01 02:00:00"),
    ],
)
def test_the_latest_slot(schedule, now, slot):
    assert schedule.slot_at(at(now)) == at(slot)


@pytest.mark.parametrize(("days_of", "slots"), [(range(28), 1), (range(366), 12), (range(365 * 4 + 1), 48)])
def test_a_month_has_one_slot_however_long_it_is(days_of, slots):
    first = at("2024-01-01 12:00:00")
    assert len({Monthly().slot_at(first + 86400 * day) for day in days_of}) == slots


@pytest.mark.parametrize("zone", ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "UTC"])
@pytest.mark.parametrize("day", ["2025-03-09", "2025-03-30", "2025-11-02", "2025-10-26", "2025-04-06"])
def test_daylight_saving_moves_no_slot(zone, day, monkeypatch):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        midnight = at(day)
        hours = {Every(3600).slot_at(midnight + 60 * minute) for minute in range(1440)}
        days = {Every(DAY).slot_at(midnight + 60 * minute) for minute in range(1440)}
        months = {Monthly().slot_at(midnight + 60 * minute) for minute in range(1440)}
    finally:
        monkeypatch.undo()
        time.tzset()
    assert sorted(hours) == [midnight + 3600 * hour for hour in range(24)]
    assert days == {midnight}
    assert months == {at(day[:8] + "01")}


SLOT = 1_800_000_000


@pytest.fixture
def job_context(database) -> SimpleNamespace:
    clock, feed = WorldClock("simulated"), SimpleNamespace(step=5 * MINUTE)
    return SimpleNamespace(database=database, clock=clock, feed=feed)


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
    assert job.header(job_context, SLOT, HOUR, sources={"headlines": "a feed"}).sources == {
        "btc": "a file",
        "headlines": "a feed",
    }


def test_without_prices_a_job_is_retried(job_context):
    with pytest.raises(SourceFailed, match="no price"):
        job.header(job_context, SLOT, HOUR)


def test_before_the_first_tick_bars_have_no_source(job_context):
    header = job.bar_header(job_context, SLOT, SLOT - HOUR, HOUR, pools="assumed")
    assert (header.as_of, header.sources) == (iso(SLOT - HOUR), {"pools": "assumed"})


DOCUMENTS = (
    "predictions",
    "streaks",
    "shadow",
    "ai-vs-market",
    "forecasters",
    "apex",
    "apex-fund",
    "news-pulse",
    "widget",
)


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("age", ["house", pytest.param("old_house", marks=pytest.mark.slow)])
def test_every_document_has_its_time_and_the_end_of_its_data(age, name, request):
    service = request.getfixturevalue(age)
    page, hour = document(service, name), int(service.wall) // HOUR * HOUR
    minute = int(service.wall) // MINUTE * MINUTE
    assert page["timestamp"] == iso(minute if name == "predictions" else hour)
    assert page["as_of"] == iso(hour)
    assert unix(page["as_of"]) <= unix(page["timestamp"]) < unix(page["stale_after"])
    assert page["world"] == "simulated"
    assert page["sources"]["btc"] == "simulated (seed 42)"


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
