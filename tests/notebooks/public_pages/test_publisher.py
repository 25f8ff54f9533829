"""The charts of the public pages as files, from documents that need no key."""

from __future__ import annotations

import gzip
import json
from html import unescape

import pytest

from notebooks.public_pages import publisher as module
from notebooks.public_pages.catalogue import TOPICS, PageTopic
from notebooks.public_pages.publisher import PLOTLY, Publisher, Site
from notebooks.widgets.base.theme import PALETTES
from service.client import (
    ConnectionFailed,
    HistoryPending,
    NotFound,
    RateLimited,
    ServerFault,
    TimedOut,
    Unavailable,
)
from tests.processes import wait_until

# The bars of the seeded service are too few for the forecast of a metal.
PAGES = [page for topic in TOPICS for page in topic.pages if page.link not in ("gold", "silver")]
FORECASTS, HOSPITAL = (next(topic for topic in TOPICS if topic.heading == name) for name in ("Forecasts", "Hospital"))


def text(site: Site, name: str) -> str:
    file = site.find(name)
    assert file, name
    return file.body.decode()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_has_its_chart_in_both_themes(published: tuple[Publisher, Site], page):
    """With its data, its status and its conclusion, all from documents that need no key."""
    publisher, site = published
    state = publisher.states[page.name]
    assert not state.is_alarm
    assert state.status.startswith("SIMULATED market")
    html = unescape(text(site, f"{page.name}.html"))
    assert state.conclusion in html
    assert state.status in html
    papers = [json.loads(text(site, f"{page.name}.{theme}.json"))["layout"]["template"] for theme in PALETTES]
    assert [paper["layout"]["paper_bgcolor"] for paper in papers] == [palette.paper for palette in PALETTES.values()]
    assert len(text(site, f"{page.name}.csv").splitlines()) > 2
    assert "<td>" in state.table


def test_the_home_page_has_the_conclusion_of_each_topic(published: tuple[Publisher, Site]):
    publisher, site = published
    home = unescape(text(site, "index.html"))
    for topic in TOPICS:
        assert f'href="{topic.pages[0].name}.html"' in home
        assert publisher.states[topic.pages[0].name].conclusion in home


def test_the_pages_of_a_topic_show_different_documents(published: tuple[Publisher, Site]):
    publisher, _site = published
    conclusions = {publisher.states[page.name].conclusion for page in PAGES if page in FORECASTS.pages}
    assert len(conclusions) == 5
    assert all("after 7d: 90% between" in conclusion for conclusion in conclusions)
    assert {publisher.panels[name].span.value for name in ("battle", "battle-30")} == {7, 30}


def test_plotly_comes_from_the_installed_package(published: tuple[Publisher, Site]):
    _publisher, site = published
    assert len(text(site, PLOTLY)) > 1_000_000
    assert f'src="{PLOTLY}"' in text(site, "battle.html")


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (ConnectionFailed("No route to 10.0.0.1."), "the service does not respond"),
        (TimedOut("After 75 s."), "the service does not respond"),
        (Unavailable(503, {}), "the service has no data for it yet"),
        (HistoryPending(503, {"retry_after_s": 40}), "the price history is arriving, about 40 s left"),
        (HistoryPending(503, {}), "the service has no data for it yet"),
        (RateLimited(429, {}), "the service is busy"),
        (ServerFault(500, {}), "the service reports an error"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_missing_chart_is_explained_to_a_visitor(build_publisher, fault: Exception, reason: str):
    """In a sentence without an address or advice that is for the owner."""
    publisher, site, _client = build_publisher([HOSPITAL], fault)
    sentence = f"This chart is not available yet: {reason}. This page tries again by itself."
    for name in ("hospital.html", "index.html"):
        assert f'<p class="alarm" role=status>{sentence}</p>' in text(site, name)
    assert "id=chart" not in text(site, "hospital.html")
    assert publisher.pause_s("hospital") == module.RETRY_S


def test_a_chart_stays_while_the_service_is_down(build_publisher):
    """And its page says since when there is no new data."""
    publisher, site, client = build_publisher([HOSPITAL])
    before = publisher.states["hospital"]
    assert publisher.pause_s("hospital") == publisher.panels["hospital"].EVERY_S
    client.fault = ConnectionFailed("No connection.")
    publisher.panels["hospital"].refresh()
    publisher.publish("hospital")
    after = publisher.states["hospital"]
    as_of = before.status.partition("as of ")[2]
    assert after.status == (f"No new data since {as_of}: the service does not respond. This page continues by itself.")
    assert (after.conclusion, after.version) == (before.conclusion, before.version)
    assert after.status in text(site, "hospital.html")


def test_a_new_document_is_a_new_version_of_the_chart(build_publisher):
    """By the version a page that is open knows that it has to draw."""
    publisher, site, client = build_publisher([HOSPITAL])
    before, etag = publisher.states["hospital"].version, site.find("hospital.html").etag
    publisher.panels["hospital"].refresh()
    publisher.publish("hospital")
    assert (publisher.states["hospital"].version, site.find("hospital.html").etag) == (before, etag)
    client.changes["hospital"] = lambda document: {**document, "strategies": document["strategies"][:9]}
    publisher.panels["hospital"].refresh()
    publisher.publish("hospital")
    assert publisher.states["hospital"].version != before
    assert f'data-version="{publisher.states["hospital"].version}"' in text(site, "hospital.html")


def test_an_asset_that_the_world_lacks_has_no_link(build_publisher):
    """And a topic without any page is not listed."""
    publisher, site, client = build_publisher([PageTopic("Gold", "", FORECASTS.pages[-2:-1]), HOSPITAL])
    assert "forecast-gold.html" in text(site, "index.html")
    client.fault = NotFound(404, {})
    publisher.panels["forecast-gold"].refresh()
    publisher.publish("forecast-gold")
    assert "forecast-gold.html" not in text(site, "index.html")
    assert "hospital.html" in text(site, "index.html")


def test_a_page_that_cannot_be_drawn_stops_no_other(build_publisher, monkeypatch, caplog):
    """The error is logged, and the thread goes on with the next page until it is closed."""
    publisher, _site, _client = build_publisher([FORECASTS, HOSPITAL])
    publish, names = publisher.publish, []

    def failing(name: str) -> None:
        names.append(name)
        if name.startswith("forecast"):
            raise ValueError(name)
        publish(name)

    monkeypatch.setattr(publisher, "publish", failing)
    publisher.start()
    wait_until(lambda: "hospital" in names)
    publisher.close()
    assert "the page forecast-btc cannot be published" in caplog.text
    assert not publisher._thread.is_alive()


def test_an_unchanged_file_is_the_same_object():
    """It keeps its ETag and is not compressed again."""
    site = Site()
    site.put("a.html", "text", "text/html")
    before = site.find("a.html")
    site.put("a.html", "text", "text/html")
    assert site.find("a.html") is before


def test_a_changed_file_has_another_etag():
    site = Site()
    site.put("a.html", "text", "text/html")
    before = site.find("a.html")
    site.put("a.html", "other", "text/html")
    assert site.find("a.html").etag != before.etag
    assert gzip.decompress(site.find("a.html").gzip_body) == b"other"
