"""News sources of the live world: a failed one changes nothing but the freshness."""

from __future__ import annotations

import pytest

from service.jobs import prices
from service.market.instants import HOUR, iso
from tests.jobs.live import (
    BIG,
    HEADLINES,
    SLOT,
    an_hour_later,
    answering,
    do,
    printing,
    rss,
)
from tests.jobs.track_record import document
from tests.running_service import copied, running_service
from tests.sources.faults import hang

pytestmark = pytest.mark.slow

PAPER_FAULTS = {
    "hangs": (hang, "no complete response in time"),
    "answers 500": (answering(b"", 500), "it answered 500"),
    "answers 429": (
        answering(b"", 429, Retry_After="7200"),
        f"it answered 429; the next request is at {iso(SLOT + 3 * HOUR)}",
    ),
    "answers broken XML": (answering(rss(*HEADLINES)[:-9], kind="text/xml"), "it is not well-formed XML"),
    "answers 10 MB": (answering(BIG, kind="text/xml"), "it is larger than 2 MB"),
}


@pytest.mark.parametrize("fault", PAPER_FAULTS)
def test_a_failed_news_source_changes_only_the_freshness(live, world, fault):
    """The headlines stay, and the document says which source failed and since when it has seen nothing."""
    before = document(live, "news-pulse")
    assert (before["failed"], before["as_of"]) == ({}, iso(SLOT))
    assert [row["title"] for row in before["headlines"]] == [title for title, _ in HEADLINES]
    world.servers["paper"].fault, reason = PAPER_FAULTS[fault]
    an_hour_later(live)
    after = document(live, "news-pulse")
    assert after["failed"] == {"127.0.0.1": reason}
    assert after["headlines"] == before["headlines"]
    assert (after["timestamp"], after["as_of"]) == (iso(SLOT + HOUR), iso(SLOT))
    assert after["stale_after"] == before["stale_after"]


def test_a_paper_with_retry_after_is_skipped_and_named(live, world):
    paper = world.servers["paper"]
    paper.fault = PAPER_FAULTS["answers 429"][0]
    an_hour_later(live)
    paper.fault = printing(("Gold rises", SLOT + HOUR))
    paper.requests.clear()
    an_hour_later(live, 2)
    page = document(live, "news-pulse")
    assert (paper.requests, page["failed"]) == (
        [],
        {"127.0.0.1": f"paused until {iso(SLOT + 3 * HOUR)} at its request"},
    )
    assert page["as_of"] == iso(SLOT)
    do(live, prices.tick, SLOT + 3 * HOUR + prices.LIVE_DELAY_S)
    an_hour_later(live, 3)
    page = document(live, "news-pulse")
    assert (page["failed"], page["as_of"], page["headlines"][0]["title"]) == ({}, iso(SLOT + 3 * HOUR), "Gold rises")


def test_one_of_two_news_sources_may_fail(live, live_data, world, tmp_path):
    """The other one is read, and the news are as fresh as that."""
    options = world.options
    options["news_feeds"] = ("http://localhost:1/rss", *options["news_feeds"])
    world.servers["paper"].fault = printing(*HEADLINES, ("Gold rises", SLOT + 60))
    with running_service(copied(live_data, tmp_path / "two"), **options) as service:
        do(service, prices.tick, SLOT + HOUR + prices.LIVE_DELAY_S)
        an_hour_later(service)
        page = document(service, "news-pulse")
    assert set(page["failed"]) == {"localhost"}
    assert (page["as_of"], page["headlines"][0]["title"]) == (iso(SLOT + HOUR), "Gold rises")
