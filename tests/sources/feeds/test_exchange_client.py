"""A client of one exchange: its pages, its time limit, and the rest after a timeout."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from service.config import Settings, SettingsError
from service.sources import bounded_session
from service.sources.feeds import exchange_client
from service.sources.feeds.exchange import open_exchanges
from tests.sources.feeds.faults import (
    SHORT_S,
    SINCE,
    STEP,
    drip,
    drip_headers,
    fetch_in_time,
    listing,
    padded_with,
    rows,
    until_it_is,
)


def test_a_market_that_is_closed_down_is_passed_over(feed, kraken):
    kraken.bars = {"BTC/USD": rows(3, price=1), "BTC/USDT": rows(3)}
    kraken.stopped = {"BTC/USD"}
    fetched = feed.fetch("btc", SINCE, SINCE + 3 * STEP)
    assert (fetched.bars.rows(), fetched.source) == (rows(3), "kraken BTC/USDT")


def test_a_long_window_is_asked_for_in_pages(feed, kraken, coinbase):
    coinbase.bars = listing(rows(1000))
    feed = replace(feed, clients=feed.clients[1:])
    assert feed.fetch("btc", SINCE, SINCE + 1000 * STEP).bars.rows() == rows(1000)
    assert sum("candles" in path for path in coinbase.requests) == 4


def test_pages_go_on_behind_a_long_silence(feed, coinbase):
    coinbase.bars = listing(rows(5) + rows(5, SINCE + 900 * STEP))
    feed = replace(feed, clients=feed.clients[1:])
    assert len(feed.fetch("btc", SINCE, SINCE + 1000 * STEP).bars) == 10


def test_an_answer_of_ten_megabytes_is_read(feed, kraken):
    kraken.bars = listing(rows(10))
    kraken.fault, kraken.fault_at = padded_with(10 * 2**20), "OHLC"
    assert len(feed.fetch("btc", SINCE, SINCE + 10 * STEP).bars) == 10


def test_an_answer_beyond_the_cap_is_not_kept(feed, kraken, coinbase, monkeypatch):
    monkeypatch.setattr(bounded_session.BoundedSession, "most_bytes", 2**20)
    kraken.bars = coinbase.bars = listing(rows(10))
    kraken.fault, kraken.fault_at = padded_with(2**20), "OHLC"
    assert feed.fetch("btc", SINCE, SINCE + 10 * STEP).source == "coinbase BTC/USD"


@pytest.mark.slow
def test_an_exchange_that_timed_out_rests_for_a_while(hasty, kraken, coinbase):
    kraken.bars = coinbase.bars = listing(rows(10))
    kraken.fault = drip
    fetch_in_time(hasty)
    kraken.fault = None
    count, started = len(kraken.requests), time.monotonic()
    assert hasty.fetch("btc", SINCE, SINCE + 10 * STEP).source == "coinbase BTC/USD"
    assert time.monotonic() - started < SHORT_S / 2
    assert len(kraken.requests) == count


@pytest.mark.slow
def test_an_exchange_that_hangs_is_passed_over_until_it_ends(hasty, kraken, coinbase, monkeypatch):
    monkeypatch.setattr(exchange_client, "RESTS", 0)
    kraken.bars = coinbase.bars = listing(rows(10))
    kraken.fault = drip_headers
    fetch_in_time(hasty)
    kraken.fault = None
    assert fetch_in_time(hasty).source == "coinbase BTC/USD"
    kraken.closing.set()
    until_it_is(lambda: fetch_in_time(hasty).source == "kraken BTC/USD")


def test_a_slow_answer_is_dropped_and_its_exchange_usable_again(hasty, kraken, coinbase, monkeypatch):
    monkeypatch.setattr(exchange_client, "RESTS", 0)
    kraken.bars = coinbase.bars = listing(rows(10))
    kraken.fault, kraken.fault_at = drip, "OHLC"
    assert fetch_in_time(hasty).source == "coinbase BTC/USD"
    kraken.fault = None
    until_it_is(lambda: fetch_in_time(hasty).source == "kraken BTC/USD")


@pytest.mark.parametrize(
    ("exchanges", "complaint"),
    [((), "name at least one"), (("kraken", "krakken"), "no exchange called 'krakken'"), (("paymium",), "no 5m bars")],
)
def test_an_exchange_that_cannot_be_asked_is_a_wrong_setting(exchanges, complaint):
    with pytest.raises(SettingsError, match=f"EXCHANGES: .*{complaint}"):
        open_exchanges(Settings(world="live", exchanges=exchanges), history_from=0)


def test_a_page_that_is_cut_is_continued(feed, monkeypatch):
    """Some exchanges give fewer bars at a time than ccxt knows of."""

    def cut(_symbol, _timeframe, since, limit):
        return [[since + 1000 * STEP * place, 1.0, 1.0, 1.0, 1.0, 1.0] for place in range(min(limit, 500))]

    client = feed.clients[0]
    monkeypatch.setattr(client, "_page", 1000)
    monkeypatch.setattr(client._client, "fetch_ohlcv", cut)
    monkeypatch.setattr(client._client, "load_markets", lambda _: {"BTC/USD": {"active": True}})
    assert len(feed.fetch("btc", SINCE, SINCE + 1440 * STEP).bars) == 1440
