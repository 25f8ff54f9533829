"""The document of the news pulse, as it goes out."""

from __future__ import annotations

import json

from pydantic import TypeAdapter

from service.forecasting.news.document import NewsDocument, news_document
from service.forecasting.news.headline import ScoredHeadline, headline
from service.forecasting.news.pulse import pulse
from service.forecasting.predictions import Made
from service.market.instants import HOUR, iso
from tests.forecasting.news.made import NOON, apart

MADE = Made(iso(NOON), iso(NOON), iso(NOON + 2 * HOUR), "simulated", {"news": "Ninefold simulated desk"})


def document(*headlines: ScoredHeadline) -> dict:
    made = news_document(pulse(headlines, NOON), MADE, {"a.example": "it answered 500"})
    return json.loads(TypeAdapter(NewsDocument).dump_json(made))


def test_it_says_what_the_contract_names():
    told = headline("Bitcoin surges", "a.example", NOON - HOUR, "https://a.example/1")
    found = document(ScoredHeadline(told, 0.612345, ("btc",)))
    assert list(found) == [
        *("schema", "timestamp", "as_of", "stale_after", "world", "sources"),
        *("direction", "score", "n", "half_life_h", "by_asset", "topics", "headlines", "failed"),
    ]
    assert (found["schema"], found["half_life_h"], found["n"]) == ("news-pulse/1", 6, 1)
    assert found["failed"] == {"a.example": "it answered 500"}
    assert found["headlines"] == [
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
    assert found["by_asset"][0] == {"asset": "btc", "direction": "NEUTRAL", "score": found["score"], "n": 1}


def test_the_direction_is_that_of_the_published_score():
    """.55 / 5.5 is .1 and bullish; a tone that makes .09996 is published as .1 and bullish too."""
    told = apart(1, 0.59976)
    found = document(*told)
    assert (found["score"], found["direction"]) == (0.1, "BULLISH")


def test_without_news_it_is_whole():
    found = document()
    assert (found["direction"], found["score"], found["n"], found["headlines"], found["topics"]) == (
        *("NEUTRAL", 0.0, 0),
        *([], []),
    )
