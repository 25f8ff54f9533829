"""Apex and its fund, for everybody."""

from __future__ import annotations

import base64
import hashlib
import re

import numpy as np
import pytest
from flask.testing import FlaskClient

from service.api.responses import STATIC
from service.forecasting.apex.call import Call, Thresholds
from service.forecasting.apex.document import apex_document
from service.forecasting.apex.layers import LAYERS
from service.forecasting.apex.scores import ResolvedCall, score
from service.forecasting.news.headline import headline, read
from service.forecasting.news.pulse import asset_pulse, news_document
from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.versus import ai_vs_market_document
from service.forecasting.widget import WidgetDocument, widget_document
from service.market.instants import DAY, HOUR, iso
from service.market.prices import AssetPrice
from service.store import bars
from service.store import knowledge as stored
from service.store.pages import apex_calls
from service.trading.fund import fund_document, run
from tests.api.conftest import NOON
from tests.api.opened import header, hold, record_header, walk
from tests.forecasting.made import call_of, made_bars
from tests.forecasting.markets import many

SPEAKERS = [name for name in LAYERS if name != "market"]


def call(at: int, p_up: float, *, backfilled: bool = False) -> Call:
    """A call of all layers but that of the outside market, of one mind."""
    return call_of(at, p_up, backfilled=backfilled, **dict.fromkeys(SPEAKERS, p_up))


def test_the_status_has_the_vote_its_layers_and_two_books(client: FlaskClient, publish, check_schema):
    past = [ResolvedCall(call(NOON - day * DAY, 0.52, backfilled=day > 3), day % 2 == 0) for day in range(40, 1, -1)]
    document = apex_document(call(NOON, 0.6), Thresholds(), score(past), header())
    body = hold(client, publish, check_schema, "/api/apex/status", "apex", document)
    assert (body["schema"], body["asset"], body["horizon_hours"]) == ("apex/1", "btc", 24)
    assert (body["vote"]["direction"], body["vote"]["bull_probability"]) == ("BULLISH", 60.0)
    assert [layer["name"] for layer in body["layers"]] == list(LAYERS)
    assert [layer["name"] for layer in body["layers"] if layer["silent"]] == ["market"]
    assert [(book["backfilled"], book["n"]) for book in body["record"]] == [(False, 2), (True, 37)]
    assert body["special_mode"]["active"] is False


def test_the_fund_starts_at_1000_dollars_and_marks_backfilled_points(client: FlaskClient, publish, check_schema):
    start = NOON - 20 * DAY
    calls = [(at, 0.45 if place % 2 else 0.55) for place, at in enumerate(range(start, NOON, 4 * HOUR))]
    fund = run(calls, made_bars("btc", 20, 1, start), start)
    document = fund_document(fund, NOON - 2 * DAY, header())
    body = hold(client, publish, check_schema, "/api/apex/fund", "apex-fund", document)
    assert (body["schema"], body["initial_capital"]) == ("apex-fund/1", 1000.0)
    assert {point["backfilled"] for point in body["equity"]} == {False, True}
    assert {book["backfilled"] for book in body["books"]} == {False, True}
    assert len(body["trades"]) == len(fund.trades) > 20
    signs = [(-1 if trade["side"] == "buy" else 1, trade) for trade in body["trades"]]
    cash = fund.terms.capital + sum(sign * trade["value_usd"] - trade["fee_usd"] for sign, trade in signs)
    assert abs(cash - fund.cash) < 0.01 * len(signs)


def test_every_call_is_listed_with_its_outcome(client: FlaskClient, sqlite, check_schema):
    """Two pages, newest first; the call of today is not resolved."""
    start = NOON - 60 * HOUR
    hours = made_bars("btc", 10, 1, NOON - 10 * DAY)
    closes = dict(zip((hours.time + HOUR).tolist(), hours.close.tolist(), strict=True))
    calls = [
        call_of(at, 0.6, closes[at], backfilled=at < start + DAY, **{SPEAKERS[0]: 0.7})
        for at in range(start, NOON, DAY)
    ]
    with sqlite.writing() as db:
        bars.add_bars(db, "btc", hours)
        for call in calls:
            apex_calls.add(db, call.at, call.to_plain(), p_up=call.p_up, backfilled=call.backfilled)
    rows = walk(client, "/api/apex/calls?limit=2", "calls")
    assert [call["called_at"] for call in rows] == [iso(call.at) for call in reversed(calls)]
    assert [call["outcome"] for call in rows] == [
        None,
        *("yes" if closes[call.at + DAY] > call.spot else "no" for call in reversed(calls[:-1])),
    ]
    assert [call["backfilled"] for call in rows] == [False, False, True]
    assert {layer["name"]: layer["p_up"] for layer in rows[0]["layers"] if layer["p_up"]} == {SPEAKERS[0]: 0.7}
    check_schema("/api/apex/calls", client.get("/api/apex/calls").json)


PATH = "/api/predictions/news-pulse"


def test_the_pulse_is_public_and_says_which_headlines_are_simulated(client: FlaskClient, publish, check_schema):
    titles = ("Bitcoin surges to a record high", "Ether <b>plunges</b> after a sell-off")
    headlines = [headline(title, "desk", NOON - HOUR, simulated=True) for title in titles]
    document = news_document(read(headlines), NOON, header(), {"https://feed.example/rss": "timed out"})
    body = hold(client, publish, check_schema, PATH, "news-pulse", document)
    assert (body["schema"], body["n"], body["half_life_h"]) == ("news-pulse/1", 2, 6)
    assert {item["title"] for item in body["headlines"]} == {titles[0], "Ether plunges after a sell-off"}
    assert all(item["simulated"] for item in body["headlines"])
    assert body["failed"] == {"https://feed.example/rss": "timed out"}


def test_every_headline_is_listed_newest_first(client: FlaskClient, sqlite, check_schema):
    titles = [f"Bitcoin surges for the {number}th day" for number in range(5)]
    headlines = [headline(title, "desk", NOON - max(number, 1) * HOUR) for number, title in enumerate(titles)]
    with sqlite.writing() as db:
        stored.add_headlines(db, read([*headlines, headline("Too early", "desk", NOON + HOUR)]))
    rows = walk(client, "/api/v1/headlines?limit=1", "headlines")
    by_key = sorted(headlines, key=lambda item: (item.published_at, item.id), reverse=True)
    assert [row["title"] for row in rows] == [item.title for item in by_key]
    assert rows[-1] | {"score": 0} == {
        "title": titles[4],
        "url": None,
        "source": "desk",
        "published_at": iso(NOON - 4 * HOUR),
        "score": 0,
        "assets": ["btc"],
        "simulated": False,
    }
    check_schema("/api/v1/headlines", client.get("/api/v1/headlines").json)
    assert client.get(f"/api/v1/headlines?until={iso(NOON - 3 * HOUR)}").json["count"] == 2


PAGE, SCRIPT = "/embed?asset=eth&theme=dark", "/embed.js"


def policy_of(client: FlaskClient) -> dict[str, str]:
    header = client.get(PAGE).headers["Content-Security-Policy"]
    return dict(part.strip().split(" ", 1) for part in header.split(";"))


def test_any_page_may_frame_it(client: FlaskClient):
    assert policy_of(client)["frame-ancestors"] == "*"
    assert "X-Frame-Options" not in client.get(PAGE).headers


def test_it_runs_its_own_script_and_calls_its_own_service(client: FlaskClient):
    policy = policy_of(client)
    (code,) = re.findall("<script>(.*?)</script>", client.get(PAGE).text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    assert (policy["default-src"], policy["connect-src"]) == ("'none'", "'self'")
    assert policy["script-src"] == f"'sha256-{digest}'"


def test_page_and_script_have_10_kb_and_name_no_other_host():
    files = [STATIC / "embed.html", STATIC / "embed.js"]
    assert sum(file.stat().st_size for file in files) <= 10_000
    assert not [file.name for file in files if re.search(r"https?://(?!…)", file.read_text())]


@pytest.mark.parametrize("path", [PAGE, SCRIPT])
def test_both_are_cached_and_renewed_by_their_etag(client: FlaskClient, path: str):
    answer = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert (answer.status_code, answer.headers["Content-Encoding"]) == (200, "gzip")
    assert client.get(path, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


def test_a_page_that_isolates_itself_may_load_the_script(client: FlaskClient):
    assert client.get(SCRIPT).headers["Cross-Origin-Resource-Policy"] == "cross-origin"


WIDGET = "/api/widget/consensus"


@pytest.fixture
def document() -> WidgetDocument:
    price = AssetPrice("btc", "Bitcoin", 50_000.0, 2.0, 51_000.0, 49_000.0, True, iso(NOON), "made")
    books = ai_vs_market_document(columns_of(many(80)), record_header(), np.random.default_rng(1)).books
    return widget_document(price, call_of(NOON, 0.6, volatility=0.6), asset_pulse("btc", [], NOON), books, header())


def test_it_is_public_and_says_which_record_it_shows(client: FlaskClient, publish, check_schema, document):
    body = hold(client, publish, check_schema, WIDGET, "widget", document)
    assert (body["schema"], body["btc"]["price"]) == ("widget/1", 50_000.0)
    assert (body["consensus"]["direction"], body["news"]["direction"]) == ("BULLISH", "NEUTRAL")
    assert (body["accuracy"]["backfilled"], body["accuracy"]["n"]) == (False, 40)
