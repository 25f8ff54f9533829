"""What everybody may read of the jobs: documents as their makers made them, calls, headlines, and the widget."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable

import numpy as np
import pytest
from flask.testing import FlaskClient
from pydantic import TypeAdapter

from service.api.responses import STATIC
from service.documents import Document
from service.forecasting.apex.call import Thresholds
from service.forecasting.apex.document import ApexDocument, ResolvedCall, apex_document, score
from service.forecasting.apex.layers import LAYERS
from service.forecasting.news.headline import headline, read
from service.forecasting.news.pulse import NewsDocument, asset_pulse, news_document
from service.forecasting.predictions.scores.betting import shadow_document
from service.forecasting.predictions.scores.columns import columns_of, counted_questions
from service.forecasting.predictions.scores.streaks import streaks_document
from service.forecasting.predictions.scores.versus import AiVsMarketDocument, ai_vs_market_document
from service.forecasting.widget import WidgetDocument, widget_document
from service.market.instants import DAY, HOUR, iso
from service.market.prices import AssetPrice
from service.store import bars
from service.store import knowledge as stored
from service.store.pages import apex_calls
from tests.api.conftest import NOON
from tests.api.opened import forecasters_table, fund, header, record_header, walk
from tests.api.web import refusal_of
from tests.forecasting.made import call_of, made_bars
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


@pytest.mark.parametrize(
    ("path", "name", "make"),
    [
        ("/api/apex/status", "apex", apex),
        ("/api/apex/fund", "apex-fund", fund),
        ("/api/predictions/news-pulse", "news-pulse", news),
        ("/api/predictions/shadow", "shadow", lambda: shadow_document(COLUMNS, record_header())),
        ("/api/predictions/ai-vs-market", "ai-vs-market", comparison),
        ("/api/v1/forecasters", "forecasters", lambda: forecasters_table(many(80), "owl")),
        ("/api/streaks", "streaks", lambda: streaks_document(counted_questions(COLUMNS), record_header())),
        ("/api/widget/consensus", "widget", widget),
    ],
)
def test_a_document_is_public_and_served_as_it_was_made(
    client: FlaskClient, publish, check_schema, path: str, name: str, make: Callable[[], Document]
):
    """It is unavailable until it was made, and may be kept for a while."""
    assert refusal_of(client.get(path)) == (503, "unavailable")
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


def test_every_call_is_listed_with_its_outcome(client: FlaskClient, sqlite, check_schema):
    """Two pages, newest first; the call of today is not resolved."""
    start = NOON - 60 * HOUR
    hours = made_bars("btc", 10, 1, NOON - 10 * DAY)
    closes = dict(zip((hours.time + HOUR).tolist(), hours.close.tolist(), strict=True))
    calls = [call_of(at, 0.6, closes[at], backfilled=at < start + DAY, oracles=0.7) for at in range(start, NOON, DAY)]
    with sqlite.writing() as db:
        bars.add_bars(db, "btc", hours)
        for call in calls:
            apex_calls.add(db, call.at, call.to_plain(), p_up=call.p_up, backfilled=call.backfilled)
    rows = walk(client, "/api/apex/calls?limit=2", "calls")
    assert [call["called_at"] for call in rows] == [iso(call.at) for call in reversed(calls)]
    outcomes = ["yes" if closes[call.at + DAY] > call.spot else "no" for call in reversed(calls[:-1])]
    assert [call["outcome"] for call in rows] == [None, *outcomes]
    assert [call["backfilled"] for call in rows] == [False, False, True]
    assert {layer["name"]: layer["p_up"] for layer in rows[0]["layers"] if layer["p_up"]} == {"oracles": 0.7}
    check_schema("/api/apex/calls", client.get("/api/apex/calls").json)


def test_every_headline_is_listed_newest_first(client: FlaskClient, sqlite, check_schema):
    titles = [f"Bitcoin surges for the {number}th day" for number in range(5)]
    headlines = [headline(title, "desk", NOON - max(number, 1) * HOUR) for number, title in enumerate(titles)]
    with sqlite.writing() as db:
        stored.add_headlines(db, read([*headlines, headline("Too early", "desk", NOON + HOUR)]))
    rows = walk(client, "/api/v1/headlines?limit=1", "headlines")
    by_key = sorted(headlines, key=lambda item: (item.published_at, item.id), reverse=True)
    assert [row["title"] for row in rows] == [item.title for item in by_key]
    plain = {"title": titles[4], "url": None, "source": "desk", "published_at": iso(NOON - 4 * HOUR)}
    assert rows[-1] | {"score": 0} == plain | {"score": 0, "assets": ["btc"], "simulated": False}
    check_schema("/api/v1/headlines", client.get("/api/v1/headlines").json)
    assert client.get(f"/api/v1/headlines?until={iso(NOON - 3 * HOUR)}").json["count"] == 2


def test_the_policy_of_the_widget_lets_any_page_frame_it(client: FlaskClient):
    """It runs its own script alone, which calls its own service alone; a page that isolates itself may load it."""
    page = client.get("/embed?asset=eth&theme=dark")
    policy = dict(part.strip().split(" ", 1) for part in page.headers["Content-Security-Policy"].split(";"))
    assert policy["frame-ancestors"] == "*"
    assert "X-Frame-Options" not in page.headers
    (code,) = re.findall("<script>(.*?)</script>", page.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    assert (policy["default-src"], policy["connect-src"]) == ("'none'", "'self'")
    assert policy["script-src"] == f"'sha256-{digest}'"
    assert client.get("/embed.js").headers["Cross-Origin-Resource-Policy"] == "cross-origin"


def test_the_widget_has_10_kb_and_names_no_other_host():
    files = [STATIC / "embed.html", STATIC / "embed.js"]
    assert sum(file.stat().st_size for file in files) <= 10_000
    assert not [file.name for file in files if re.search(r"https?://(?!…)", file.read_text())]
