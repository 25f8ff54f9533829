"""The published document of the news pulse."""

from __future__ import annotations

import json

from pydantic import TypeAdapter

from service.documents import DocumentHeader
from service.forecasting.news.document import NewsDocument, news_document
from service.forecasting.news.headline import ScoredHeadline, headline
from service.forecasting.news.pulse import pulse
from service.market.instants import HOUR, iso
from tests.forecasting.news.made import NOON, apart

HEADER = DocumentHeader(iso(NOON), iso(NOON), iso(NOON + 2 * HOUR), "simulated", {"news": "Ninefold simulated desk"})


def document(*headlines: ScoredHeadline) -> dict:
    published = news_document(pulse(headlines, NOON), HEADER, {"a.example": "it answered 500"})
    return json.loads(TypeAdapter(NewsDocument).dump_json(published))


def test_it_has_the_fields_of_the_contract():
    surge = headline("Bitcoin surges", "a.example", NOON - HOUR, "https://a.example/1")
    body = document(ScoredHeadline(surge, 0.612345, ("btc",)))
    assert list(body) == [
        *("schema", "timestamp", "as_of", "stale_after", "world", "sources"),
        *("direction", "score", "n", "half_life_h", "by_asset", "topics_basis", "topics", "headlines", "failed"),
    ]
    assert (body["schema"], body["half_life_h"], body["n"]) == ("news-pulse/1", 6, 1)
    assert body["failed"] == {"a.example": "it answered 500"}
    assert body["headlines"] == [
        {
            "title": "Bitcoin surges",
            "url": "https://a.example/1",
            "source": "a.example",
            "published_at": "2025-03-12T11:00:00Z",
            "score": 0.6123,
            "assets": ["btc"],
            "simulated": False,
        }
    ]
    assert body["by_asset"][0] == {"asset": "btc", "direction": "NEUTRAL", "score": body["score"], "n": 1}


def test_the_direction_is_that_of_the_published_score():
    """.55 / 5.5 is .1 and bullish; a tone that makes .09996 is published as .1 and bullish too."""
    body = document(*apart(1, 0.59976))
    assert (body["score"], body["direction"]) == (0.1, "BULLISH")


def test_without_rising_terms_the_named_assets_are_listed():
    """From the first day on, and labelled: the most stories first."""
    body = document(*apart(1, assets=("btc",)), *apart(2, at=NOON - HOUR, assets=("eth", "xrp")))
    assert body["topics_basis"] == "frequent"
    assert [(each["term"], each["mentions"]) for each in body["topics"]] == [
        ("Ethereum", 2),
        ("XRP", 2),
        ("Bitcoin", 1),
    ]
    assert {each["lift"] for each in body["topics"]} == {None}


def test_without_news_it_is_complete():
    body = document()
    assert (body["direction"], body["score"], body["n"], body["headlines"], body["topics"]) == (
        *("NEUTRAL", 0.0, 0),
        *([], []),
    )
