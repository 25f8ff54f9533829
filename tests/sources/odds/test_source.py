"""Requests for open and settled markets of every source, and the values that their answers hold."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import pytest

from service.errors import SourceFailed
from service.sources.odds import SOURCES as BY_NAME
from service.sources.odds import source
from service.sources.odds.kalshi import KALSHI
from service.sources.odds.polymarket import POLYMARKET
from service.sources.odds.source import instant, listed, number, price
from tests.sources.faults import body

SOURCES = pytest.mark.parametrize("source", [POLYMARKET, KALSHI], ids=["polymarket", "kalshi"])
NO_LISTS = (b"[]", b"null", b'{"markets": null}', b'{"markets": {"a": 1}}')


def test_settled_markets_are_asked_for(server, resolved_row, kalshi_row):
    """Polymarket would leave finished ones out without `closed=true`; Kalshi gets tickers."""
    flags, batches = [], []
    server.routes = lambda _, path, query: flags.append(query["closed"]) or {"markets": [resolved_row]}
    assert list(POLYMARKET.settled(server.address, 5, ["1460332", *map(str, range(60))])) == ["1460332"]
    assert flags == ["true", "true"]
    row = kalshi_row | {"status": "finalized", "result": "yes"}
    server.routes = lambda _, path, query: batches.append(query["tickers"]) or {"markets": [row], "cursor": ""}
    settlements = KALSHI.settled(server.address, 5, [row["ticker"], "KXETH-1"])
    assert {ticker: settlement.outcome for ticker, (settlement, _) in settlements.items()} == {row["ticker"]: "yes"}
    assert batches == [f"{row['ticker']},KXETH-1"]


@SOURCES
@pytest.mark.parametrize(
    ("fault", "why"),
    [
        *((body(b'{"markets": []}', status), f"it answered {status}") for status in (500, 404, 302)),
        (body(b"", 429, Retry_After="30"), "it answered 429, retry after 30 s"),
        *((body(text), "InvalidJSONError") for text in (b"<html>busy</html>", b'{"markets": [', b"[" * 100_000)),
        *((body(text), "no list of markets") for text in NO_LISTS),
        (body(json.dumps({"markets": ["x" * (10 * 2**20)]}).encode()), "it is larger than 8 MB"),
        (lambda handler: handler.connection.close(), "ConnectionError"),
    ],
)
def test_an_answer_without_a_market_list_is_a_failed_source(server, source, fault, why):
    """Its name is that of its imports."""
    assert source is BY_NAME[source.name]
    server.fault = fault
    with pytest.raises(SourceFailed) as failure:
        source.list_open(server.address, 5)
    assert failure.value.detail.startswith(f"{source.name}: ")
    assert why in failure.value.detail
    assert len(failure.value.detail) < 100


@SOURCES
def test_a_row_of_the_wrong_type_is_counted_and_others_are_read(server, source, bitcoin_row, kalshi_row):
    """An empty request sends nothing, and an empty list of markets is valid."""
    assert source.settled(server.address, 5, []) == {}
    assert server.requests == []
    assert source.list_open(server.address, 5) == ([], 0), "an empty list of markets is valid"
    row = bitcoin_row if source is POLYMARKET else kalshi_row
    server.routes = lambda *_: {"markets": [None, "x", [], {}, {source.key: []}, row]}
    markets, refusals = source.list_open(server.address, 5)
    assert len(markets) == 1
    assert refusals >= 5


def test_polymarket_is_read_to_its_last_page(server, bitcoin_row):
    """Page 2 lies behind the cursor of page 1; its rows of page 1 are not ids twice."""
    first, second = bitcoin_row | {"id": "1"}, bitcoin_row | {"id": "2"}
    pages = {None: {"markets": [first], "next_cursor": "abc"}, "abc": {"markets": [first, second]}}
    server.routes = lambda _, path, query: pages[query.get("after_cursor")]
    markets, refusals = POLYMARKET.list_open(server.address, 5)
    assert [market.odds.market_id for market in markets] == ["1", "2"]
    assert refusals == 0
    assert server.requests == ["/markets/keyset"] * 2


@pytest.mark.parametrize(
    ("short", "parameters"),
    [
        (False, {"tag_id": "1312", "order": "volumeNum", "ascending": "false"}),
        (True, {"tag_id": "102127", "order": "endDate", "ascending": "true"}),
    ],
)
def test_open_markets_on_crypto_prices_are_asked_for(server, short, parameters):
    """Short ones with the soonest end first, of every volume, which is low when they begin, up to two hours ahead."""
    query = {}
    server.routes = lambda _, path, values: query.update(values) or {"markets": []}
    POLYMARKET.list_open(server.address + "/", 5, short=short)
    assert query | parameters | {"closed": "false", "limit": "100"} == query
    start, end = (datetime.fromisoformat(query[name]) for name in ("end_date_min", "end_date_max"))
    assert end - start == timedelta(hours=2) if short else end > start
    assert short != ("volume_num_min" in query)


def test_each_kalshi_series_is_read_until_its_cursor_is_empty(server, kalshi_row):
    """Those of a quarter of an hour are asked for alone."""
    series = []
    server.routes = lambda _, path, query: series.append(query["series_ticker"]) or {"markets": [], "cursor": ""}
    KALSHI.list_open(server.address, 5, short=True)
    assert series == ["KXBTC15M", "KXETH15M", "KXSOL15M", "KXBNB15M", "KXXRP15M"]

    def routes(_, path, query):
        assert (path, query["status"]) == ("/markets", "open")
        is_first = "cursor" not in query
        ticker = f"{query['series_ticker']}-{1 if is_first else 2}"
        goes_on = is_first and query["series_ticker"] == "KXBTC"
        return {"markets": [kalshi_row | {"ticker": ticker}], "cursor": "abc" if goes_on else ""}

    server.routes = routes
    markets, _ = KALSHI.list_open(server.address, 5)
    ids = [market.odds.market_id for market in markets]
    assert ids == ["KXBTCD-1", "KXETHD-1", "KXSOLD-1", "KXXRPD-1", "KXBTC-1", "KXBTC-2", "KXETH-1"]


def test_a_cursor_that_leads_back_to_the_first_page_ends_the_list(server, bitcoin_row):
    """As a server does that does not know the name the cursor is sent under. No call asks for more than ten pages."""
    server.routes = lambda *_: {"markets": [bitcoin_row], "next_cursor": "abc"}
    markets, _ = POLYMARKET.list_open(server.address, 5)
    assert (len(markets), len(server.requests)) == (1, 2)
    server.requests.clear()

    def endless(*_):
        place = len(server.requests)
        return {"markets": [bitcoin_row | {"id": str(place)}], "next_cursor": str(place)}

    server.routes = endless
    markets, _ = POLYMARKET.list_open(server.address, 5)
    assert len(markets) == len(server.requests) == source.MOST_PAGES == 10


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *(("0.4100", 0.41), (0.41, 0.41), (7, 7.0), ("-1", -1.0)),
        *((value, None) for value in (True, None, "", "nan", "1e999", float("inf"), 10**400, "1" * 100, [])),
    ],
)
def test_a_number_is_one_as_itself_or_as_a_string(value, expected):
    """A price of zero or one is no price."""
    assert number(value) == expected
    prices = {"0.5": 0.5, 0: None, "1.0000": None, -0.1: None, 2: None}
    assert {value: price(value) for value in prices} == prices


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((f"1970-01-01T00:01:00{zone}", 60) for zone in ("Z", ".999999Z", "")),
        ("1970-01-01 00:01:00+00", 60),
        ("1970-01-02", 86400),
        ("0001-01-01T00:00:00+23:59", -62135683140),
        *((value, None) for value in ("tomorrow", 60, None)),
    ],
)
def test_an_instant_is_iso_8601_and_utc_without_an_offset(value, expected):
    assert instant(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [('["a", 1]', ["a", 1]), ("{}", []), ("[", []), ("[" * 100_000, []), (["a"], ["a"]), (None, []), (5, [])],
)
def test_a_list_may_stand_inside_a_string(value, expected):
    assert listed(value) == expected
