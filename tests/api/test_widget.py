"""The widget, for pages of any origin."""

from __future__ import annotations

import numpy as np
import pytest
from flask.testing import FlaskClient

from service.forecasting.news.pulse import pulse
from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.versus import ai_vs_market_document
from service.forecasting.widget import WidgetDocument, widget_document
from service.market.instants import iso
from service.market.prices import AssetPrice
from tests.api.conftest import NOON
from tests.api.opened import header
from tests.api.public import hold
from tests.forecasting.made import call_of
from tests.forecasting.markets import many

PATH = "/api/widget/consensus"


@pytest.fixture
def document() -> WidgetDocument:
    price = AssetPrice("btc", "Bitcoin", 50_000.0, 2.0, 51_000.0, 49_000.0, True, iso(NOON), "made")
    books = ai_vs_market_document(columns_of(many(80)), header(), np.random.default_rng(1)).books
    return widget_document(price, call_of(NOON, 0.6, volatility=0.6), pulse([], NOON), books, header())


def test_it_is_public_and_says_which_record_it_shows(client: FlaskClient, publish, as_described, document):
    shown = hold(client, publish, as_described, PATH, "widget", document)
    assert (shown["schema"], shown["btc"]["price"]) == ("widget/1", 50_000.0)
    assert (shown["consensus"]["direction"], shown["news"]["direction"]) == ("BULLISH", "NEUTRAL")
    assert (shown["accuracy"]["backfilled"], shown["accuracy"]["n"]) == (False, 40)
