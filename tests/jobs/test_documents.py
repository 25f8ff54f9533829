"""The header of a job's documents."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from service.errors import SourceFailed
from service.jobs import job
from service.market.instants import HOUR, MINUTE, WorldClock, iso, unix
from service.market.prices import PricesDocument
from service.sources.feeds import FetchedBars
from service.store import snapshots
from tests.jobs.track_record import document

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


@pytest.mark.parametrize(("prices", "seen", "as_of"), [(0, None, 0), (-HOUR, None, -HOUR), (0, -HOUR, -HOUR)])
def test_as_of_is_the_oldest_input(database, job_context, prices: int, seen: int | None, as_of: int):
    publish_prices(database, SLOT + prices)
    header = job.header(job_context, SLOT, HOUR, seen=None if seen is None else SLOT + seen)
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
@pytest.mark.parametrize("age", ["house", pytest.param("aged", marks=pytest.mark.slow)])
def test_every_document_has_its_time_and_the_end_of_its_data(age, name, request):
    running = request.getfixturevalue(age)
    page, hour = document(running, name), int(running.wall) // HOUR * HOUR
    minute = int(running.wall) // MINUTE * MINUTE
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
