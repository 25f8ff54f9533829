"""The documents of the jobs that everybody may read, as their makers made them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from flask.testing import FlaskClient
from pydantic import TypeAdapter

from service.documents import Document
from service.forecasting.apex.call import Thresholds
from service.forecasting.apex.document import ApexDocument, ResolvedCall, apex_document, score
from service.forecasting.apex.layers import LAYERS
from service.forecasting.news.headline import headline, read
from service.forecasting.news.pulse import NewsDocument, asset_pulse, news_document
from service.forecasting.predictions.scores.betting import shadow_document
from service.forecasting.predictions.scores.columns import columns_of, counted_questions
from service.forecasting.predictions.scores.forecasters import (
    ForecastersDocument,
    counted_markets,
    forecasters_document,
    own_entries,
    record_of,
)
from service.forecasting.predictions.scores.streaks import streaks_document
from service.forecasting.predictions.scores.versus import AiVsMarketDocument, ai_vs_market_document
from service.forecasting.widget import WidgetDocument, widget_document
from service.market.instants import DAY, HOUR, iso
from service.market.prices import AssetPrice
from tests.api.conftest import NOON
from tests.api.opened import fund, header, record_header
from tests.forecasting.made import call_of
from tests.forecasting.markets import many

COLUMNS = columns_of(many(80))


def apex() -> ApexDocument:
    """Of all layers but that of the outside market."""
    layers = {name: 0.6 for name in LAYERS if name != "market"}
    past = [
        ResolvedCall(call_of(NOON - day * DAY, 0.6, backfilled=day > 3, **layers), day % 2 == 0)
        for day in range(40, 1, -1)
    ]
    return apex_document(call_of(NOON, 0.6, **layers), Thresholds(), score(past), header())


def news() -> NewsDocument:
    titles = ("Bitcoin surges to a record high", "Ether <b>plunges</b> after a sell-off")
    headlines = [headline(title, "desk", NOON - HOUR, simulated=True) for title in titles]
    return news_document(read(headlines), NOON, header(), {"https://feed.example/rss": "timed out"})


def comparison() -> AiVsMarketDocument:
    return ai_vs_market_document(COLUMNS, record_header(), np.random.default_rng(1))


def widget() -> WidgetDocument:
    price = AssetPrice("btc", "Bitcoin", 50_000.0, 2.0, 51_000.0, 49_000.0, True, iso(NOON), "made")
    call = call_of(NOON, 0.6, volatility=0.6)
    return widget_document(price, call, asset_pulse("btc", [], NOON), comparison().books, header())


def forecasters() -> ForecastersDocument:
    markets = counted_markets(COLUMNS)
    record = record_of({}, markets)
    return forecasters_document([("owl", "0af3", record)], 1, own_entries(markets), record_header())


@pytest.mark.parametrize(
    ("path", "name", "make"),
    [
        ("/api/apex/status", "apex", apex),
        ("/api/apex/fund", "apex-fund", fund),
        ("/api/predictions/news-pulse", "news-pulse", news),
        ("/api/predictions/shadow", "shadow", lambda: shadow_document(COLUMNS, record_header())),
        ("/api/predictions/ai-vs-market", "ai-vs-market", comparison),
        ("/api/v1/forecasters", "forecasters", forecasters),
        (
            "/api/streaks",
            "streaks",
            lambda: streaks_document(counted_questions(COLUMNS), record_header()),
        ),
        ("/api/widget/consensus", "widget", widget),
    ],
)
def test_a_document_is_public_and_served_as_it_was_made(
    client: FlaskClient, publish, check_schema, path: str, name: str, make: Callable[[], Document]
):
    """It is unavailable until it was made, and may be kept for a while."""
    refusal = client.get(path)
    assert (refusal.status_code, refusal.json["code"]) == (503, "unavailable")
    document = make()
    publish(name, NOON, document)
    answer = client.get(path)
    assert (answer.status_code, answer.mimetype) == (200, "application/json")
    assert answer.json == TypeAdapter(type(document)).dump_python(document, mode="json")
    assert list(answer.json)[:6] == ["schema", "timestamp", "as_of", "stale_after", "world", "sources"]
    check_schema(path, answer.json)
    assert answer.headers["Cache-Control"] == "public, max-age=30, stale-while-revalidate=30"
    assert answer.headers["X-RateLimit-Limit"] == "120"
    revalidation = client.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert (revalidation.status_code, revalidation.data) == (304, b"")
