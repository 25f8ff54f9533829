"""The widget, for pages of any origin."""

from __future__ import annotations

import numpy as np
import pytest
from flask.testing import FlaskClient

from service.access.quota import TELEMETRY_CALLS
from service.forecasting.news.pulse import pulse
from service.forecasting.predictions.scores.versus import ai_vs_market_document
from service.forecasting.widget import WidgetDocument, widget_document
from service.market.instants import iso
from service.market.prices import AssetPrice
from tests.api.conftest import NOON
from tests.api.opened import header
from tests.api.public import hold
from tests.forecasting.apex.made import call_of
from tests.forecasting.markets import many

PATH = "/api/widget/consensus"
PAGE = {"Origin": "https://blog.example"}


@pytest.fixture
def document() -> WidgetDocument:
    price = AssetPrice("btc", "Bitcoin", 50_000.0, 2.0, 51_000.0, 49_000.0, True, iso(NOON), "made")
    books = ai_vs_market_document(many(80), header(), np.random.default_rng(1)).books
    return widget_document(price, call_of(NOON, 0.6, volatility=0.6), pulse([], NOON), books, header())


def test_it_is_public_and_says_which_record_it_shows(client: FlaskClient, publish, as_described, document):
    shown = hold(client, publish, as_described, PATH, "widget", document)
    assert (shown["schema"], shown["btc"]["price"]) == ("widget/1", 50_000.0)
    assert (shown["consensus"]["direction"], shown["news"]["direction"]) == ("BULLISH", "NEUTRAL")
    assert (shown["accuracy"]["backfilled"], shown["accuracy"]["n"]) == (False, 40)


class TestFromAnotherOrigin:
    def test_a_page_may_read_the_answer_and_its_headers(self, client: FlaskClient, publish, document):
        publish("widget", 1, document)
        answer = client.get(PATH, headers=PAGE)
        assert answer.headers.getlist("Access-Control-Allow-Origin") == ["*"]
        assert answer.headers["Access-Control-Expose-Headers"] == "*"
        assert "Access-Control-Allow-Credentials" not in answer.headers
        unchanged = client.get(PATH, headers=PAGE | {"If-None-Match": answer.headers["ETag"]})
        assert (unchanged.status_code, unchanged.headers["Access-Control-Allow-Origin"]) == (304, "*")

    def test_a_page_may_read_why_it_is_refused(self, client: FlaskClient):
        unavailable = client.get(PATH, headers=PAGE)
        assert (unavailable.status_code, unavailable.headers["Access-Control-Allow-Origin"]) == (503, "*")
        for _ in range(TELEMETRY_CALLS):
            limited = client.get(PATH, headers=PAGE)
        assert (limited.status_code, limited.headers["Access-Control-Allow-Origin"]) == (429, "*")

    def test_a_preflight_request_is_allowed(self, client: FlaskClient):
        asks = PAGE | {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "if-none-match"}
        answer = client.options(PATH, headers=asks)
        assert (answer.status_code, answer.data) == (200, b"")
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert answer.headers["Access-Control-Allow-Methods"] == "GET"
        assert answer.headers["Access-Control-Allow-Headers"] == "*"
        assert "X-RateLimit-Limit" not in answer.headers

    def test_nothing_else_may_be_read_from_another_origin(self, client: FlaskClient):
        for rule in client.application.url_map.iter_rules():
            if rule.rule == PATH:
                continue
            for method in ("OPTIONS", "GET"):
                answer = client.open(rule.rule, method=method, headers=PAGE)
                assert not [name for name, _ in answer.headers if name.startswith("Access-Control")], rule.rule
