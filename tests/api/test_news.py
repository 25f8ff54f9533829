"""The mood of the news, for everybody."""

from __future__ import annotations

from flask.testing import FlaskClient

from service.forecasting.news.document import news_document
from service.forecasting.news.headline import headline
from service.forecasting.news.pulse import pulse
from service.forecasting.news.stories import read
from service.market.instants import HOUR
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
