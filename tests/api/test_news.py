"""The mood of the news, for everybody."""

from __future__ import annotations

from flask.testing import FlaskClient

from service.forecasting.news.headline import headline, read
from service.forecasting.news.pulse import news_document, pulse
from service.market.instants import HOUR, iso
from service.store import headlines as stored
from tests.api.conftest import NOON
from tests.api.opened import header
from tests.api.public import hold

PATH = "/api/predictions/news-pulse"


def test_the_pulse_is_public_and_says_which_headlines_are_simulated(client: FlaskClient, publish, as_described):
    titles = ("Bitcoin surges to a record high", "Ether <b>plunges</b> after a sell-off")
    headlines = [headline(title, "desk", NOON - HOUR, simulated=True) for title in titles]
    document = news_document(pulse(read(headlines), NOON), header(), {"https://feed.example/rss": "timed out"})
    shown = hold(client, publish, as_described, PATH, "news-pulse", document)
    assert (shown["schema"], shown["n"], shown["half_life_h"]) == ("news-pulse/1", 2, 6)
    assert {item["title"] for item in shown["headlines"]} == {titles[0], "Ether plunges after a sell-off"}
    assert all(item["simulated"] for item in shown["headlines"])
    assert shown["failed"] == {"https://feed.example/rss": "timed out"}


def test_every_headline_is_listed_newest_first(client: FlaskClient, sqlite, as_described):
    titles = [f"Bitcoin surges for the {number}th day" for number in range(5)]
    printed = [headline(title, "desk", NOON - max(number, 1) * HOUR) for number, title in enumerate(titles)]
    with sqlite.writing() as db:
        stored.add(db, read([*printed, headline("Too early", "desk", NOON + HOUR)]))
    path, listed = "/api/v1/headlines?limit=1", []
    while path:
        answer = client.get(path)
        listed += answer.json["headlines"]
        path = answer.headers["Link"].split(">")[0][1:] if answer.json["next"] else ""
    by_key = sorted(printed, key=lambda each: (each.published_at, each.id), reverse=True)
    assert [row["title"] for row in listed] == [each.title for each in by_key]
    assert listed[-1] | {"score": 0} == {
        "title": titles[4],
        "url": None,
        "source": "desk",
        "published_at": iso(NOON - 4 * HOUR),
        "score": 0,
        "assets": ["btc"],
        "simulated": False,
    }
    as_described("/api/v1/headlines", client.get("/api/v1/headlines").json)
    assert client.get(f"/api/v1/headlines?until={iso(NOON - 3 * HOUR)}").json["count"] == 2
