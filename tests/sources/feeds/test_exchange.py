"""The live world against exchanges on this machine: whatever they do, it is in time, sound and said."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest

from service.config import Settings, SettingsError
from service.errors import SourceFailed
from service.market.assets import is_open
from service.market.prices import Rate
from service.sources import sessions
from service.sources.feeds import exchange_client
from service.sources.feeds.exchange import ExchangeFeed, open_exchanges
from service.sources.feeds.feed import AssetUnlisted
from tests.processes import wait_until
from tests.sources import faults
from tests.sources.conftest import ccxt_options
from tests.sources.faults import SHORT_S, SINCE, STEP, drip, drip_headers, hang, listing, rows, status

NOW = datetime(2026, 1, 7, 12, 2, tzinfo=UTC)
CLOSE = datetime(2026, 1, 7, 12, tzinfo=UTC)


@pytest.fixture
def feed(kraken, coinbase) -> ExchangeFeed:
    """Kraken first, then Coinbase."""
    settings = Settings(world="live", exchanges=("kraken", "coinbase"), source_timeout_s=10)
    return open_exchanges(settings, history_from=0, options=ccxt_options(kraken, coinbase))


@pytest.fixture
def hasty(feed) -> ExchangeFeed:
    """The same feed with little time."""
    return replace(feed, timeout_s=SHORT_S)


def test_the_bars_of_a_window_come_from_the_first_exchange(feed, kraken, coinbase):
    """None is used before its end, neither beyond the window nor beyond the clock."""
    kraken.bars = coinbase.bars = listing(rows(30))
    answer = feed.fetch("btc", SINCE + 5 * STEP, SINCE + 15 * STEP)
    assert answer.bars.rows() == rows(30)[5:15]
    assert (answer.refused, answer.source) == ((), "kraken BTC/USD")
    assert not coinbase.requests
    assert feed.fetch("btc", SINCE, SINCE + 10 * STEP - 1).bars.as_of == SINCE + 9 * STEP
    at_four = replace(feed, now=lambda: SINCE + 4 * STEP + 17.5)
    assert at_four.fetch("btc", SINCE, SINCE + 10 * STEP).bars.as_of == SINCE + 4 * STEP


def test_a_stand_in_is_named_and_its_bars_at_the_weekend_are_taken(feed, kraken, coinbase):
    """A calendar refuses no bar. A market that is closed down is passed over."""
    friday = int(datetime(2026, 1, 9, 21, tzinfo=UTC).timestamp())
    kraken.bars = {"PAXG/USD": rows(20, friday), "BTC/USD": rows(3, price=1), "BTC/USDT": rows(3)}
    kraken.stopped = {"BTC/USD"}
    answer = feed.fetch("gold", friday, friday + 36 * STEP)
    assert not is_open("gold", friday + 12 * STEP)
    assert answer.source == "kraken PAXG/USD (tokenised gold)"
    assert answer.bars.rows() == rows(20, friday)
    assert not coinbase.requests
    answer = feed.fetch("btc", SINCE, SINCE + 3 * STEP)
    assert (answer.bars.rows(), answer.source) == (rows(3), "kraken BTC/USDT")


def test_a_gap_is_filled_by_the_next_exchange_and_reported(feed, kraken, coinbase):
    """An invalid bar is replaced by the next source."""
    first, second = rows(20, price=100), rows(20, price=200)
    kraken.bars, coinbase.bars = listing(first[:7] + first[10:]), listing(second)
    answer = feed.fetch("btc", SINCE, SINCE + 20 * STEP)
    assert answer.bars.rows() == first[:7] + second[7:10] + first[10:]
    assert answer.source == "kraken BTC/USD, then coinbase BTC/USD for 3 bars"
    low_high = (SINCE + STEP, 100.0, 90.0, 99.0, 101.0, 5.0)
    no_number = (SINCE + 2 * STEP, "NaN", 102.0, 99.0, 101.0, 5.0)
    kraken.bars, coinbase.bars = listing([*rows(1), low_high, no_number]), listing(rows(3))
    answer = feed.fetch("btc", SINCE, SINCE + 3 * STEP)
    assert answer.bars.rows() == rows(3)
    reasons = ("kraken: its high is below its low", "kraken: a value is not a finite number")
    assert answer.refused == ((SINCE + STEP, reasons[0]), (SINCE + 2 * STEP, reasons[1]))


@pytest.mark.parametrize(
    ("bars", "window", "expected", "source"),
    [
        ([], 20, [], "kraken BTC/USD"),
        (rows(20)[:5] + rows(20)[8:], 20, rows(20)[:5] + rows(20)[8:], "kraken BTC/USD"),
        (rows(1500), 288, rows(288), "coinbase BTC/USD"),
    ],
    ids=["quiet", "a hole in both", "expired in one"],
)
def test_what_two_exchanges_list_alike(feed, kraken, coinbase, bars, window, expected, source):
    kraken.bars = coinbase.bars = listing(bars)
    answer = feed.fetch("btc", SINCE, SINCE + window * STEP)
    assert (answer.bars.rows(), answer.source) == (expected, source)


@pytest.mark.parametrize("place", ["AssetPairs", "OHLC"])
@pytest.mark.parametrize(
    "fault",
    [
        *(status(code) for code in (451, 500, 429)),
        *(faults.body(text) for text in (b'{"error": [], "result": {', b"<html>maintenance</html>", b"[1, 2, 3]")),
        *(faults.cut_short, faults.flood),
    ],
    ids=["451", "500", "429", "broken", "html", "odd", "cut", "flood"],
)
def test_when_an_exchange_fails_in_any_way_the_next_one_answers(feed, kraken, coinbase, fault, place):
    kraken.bars = coinbase.bars = listing(rows(10))
    kraken.fault, kraken.fault_at = fault, place
    answer = feed.fetch("btc", SINCE, SINCE + 10 * STEP)
    assert (answer.bars.rows(), answer.source) == (rows(10), "coinbase BTC/USD")


@pytest.mark.slow
@pytest.mark.parametrize("fault", [hang, drip, drip_headers])
def test_an_exchange_that_hangs_leaves_the_next_one_its_time(hasty, kraken, coinbase, fault):
    kraken.bars = coinbase.bars = listing(rows(10))
    kraken.fault, kraken.fault_at = fault, "OHLC"
    assert hasty.fetch("btc", SINCE, SINCE + 10 * STEP).source == "coinbase BTC/USD"


@pytest.mark.slow
@pytest.mark.parametrize("fault", [hang, drip_headers])
def test_when_all_hang_the_deadline_holds_and_each_is_named(hasty, kraken, coinbase, fault):
    kraken.fault = coinbase.fault = fault
    with pytest.raises(SourceFailed, match=r"no bars of btc: kraken: .+; coinbase: "):
        hasty.fetch("btc", SINCE, SINCE + 10 * STEP)


def test_when_all_fail_each_has_a_short_reason(feed, kraken, coinbase):
    """An unlisted asset fails with the names that were looked for."""
    kraken.bars = coinbase.bars = listing(rows(10))
    with pytest.raises(AssetUnlisted, match=r"kraken, coinbase list none of XAG/USD, "):
        feed.fetch("silver", SINCE, SINCE + 10 * STEP)
    kraken.fault, coinbase.fault = status(451), faults.body(b"x" * 100_000)
    with pytest.raises(SourceFailed) as failure:
        feed.fetch("btc", SINCE, SINCE + 10 * STEP)
    assert "kraken: it does not serve this country or network (451): take it out of EXCHANGES" in failure.value.detail
    assert "; coinbase: ExchangeError: " in failure.value.detail
    assert len(failure.value.detail) < 300


def test_an_exchange_that_refuses_this_place_rests(feed, kraken, coinbase):
    """It is final: the others decide what is listed and how far history goes back, and it is not asked each time."""
    kraken.fault, coinbase.bars = status(451), listing(rows(10))
    with pytest.raises(AssetUnlisted):
        feed.fetch("silver", SINCE, SINCE + 10 * STEP)
    assert len(feed.fetch("btc", SINCE - 20 * STEP, SINCE).bars) == 0
    assert len(kraken.requests) == 1


def test_a_passing_fault_leaves_open_what_there_is(feed, kraken, coinbase):
    """It is waited for, and never taken for an empty answer."""
    kraken.fault, coinbase.bars = status(500), listing(rows(10))
    with pytest.raises(SourceFailed, match="no bars of btc: kraken: ") as failure:
        feed.fetch("btc", SINCE - 20 * STEP, SINCE - 10 * STEP)
    assert not isinstance(failure.value, AssetUnlisted)
    assert feed.fetch("btc", SINCE, SINCE + 20 * STEP).fault.startswith("kraken: ")


def test_an_exchange_with_a_short_history_is_asked_for_more_once(feed, kraken, coinbase):
    """Older bars are left to the next exchange; the history of the live world is hourly."""
    kraken.bars, coinbase.bars = listing(rows(800)), listing(rows(800))
    for place in range(4):
        feed.fetch("btc", SINCE - 720 * (place + 1) * STEP, SINCE - 720 * place * STEP)
    assert sum("OHLC" in path for path in kraken.requests) == 1
    kraken.bars = {"BTC/USD": []}
    kraken.hours = listing([(SINCE + 3600 * place, 9.0, 9.0, 9.0, 9.0, 1.0) for place in range(5)])
    assert feed.fetch("btc", SINCE, SINCE + 5 * 3600, 3600).bars.step == 3600


@pytest.mark.slow
def test_waiting_for_another_fetch_ends_at_the_own_deadline(feed, hasty, kraken, coinbase):
    kraken.bars = listing(rows(10))
    kraken.fault = hang
    patient = Thread(target=feed.fetch, args=("btc", SINCE, SINCE + STEP))
    patient.start()
    while not kraken.requests:
        patient.join(0.01)
    with pytest.raises(SourceFailed, match="another fetch from the exchanges is still in progress"):
        hasty.fetch("btc", SINCE, SINCE + 10 * STEP)
    coinbase.bars = kraken.bars
    kraken.closing.set()
    patient.join()


def quotes(price: float, until: datetime = CLOSE) -> list[tuple]:
    """An hour of bars that end at `until`, the last of them at `price`."""
    first = int((until - timedelta(hours=1)).timestamp())
    return [(first + STEP * place, *[price if place == 11 else 1.0] * 4, 5.0) for place in range(12)]


COINS_IN_TWO_CURRENCIES = {"BTC/EUR": quotes(80_000.0), "BTC/USD": quotes(92_000.0)}


@pytest.fixture
def rates_feed(feed) -> ExchangeFeed:
    """The same feed at two minutes past twelve."""
    return replace(feed, now=NOW.timestamp)


@pytest.mark.parametrize(
    ("first", "second", "rates"),
    [
        (
            {"EUR/USD": quotes(1.084), "USD/JPY": quotes(160.0)},
            {"GBP/USD": quotes(1.268), "EUR/USD": quotes(9.0)},
            {"EUR": (1.084, "kraken EUR/USD"), "GBP": (1.268, "coinbase GBP/USD"), "JPY": (0.00625, "kraken USD/JPY")},
        ),
        ({}, COINS_IN_TWO_CURRENCIES, {"EUR": (1.15, "coinbase BTC/EUR and coinbase BTC/USD")}),
        ({"EUR/USD": quotes(1.084, CLOSE - timedelta(hours=3))}, {}, {}),
    ],
    ids=["pairs", "by bitcoin", "no recent trade"],
)
def test_a_rate_is_the_last_price_of_the_pair(rates_feed, kraken, coinbase, first, second, rates):
    """The dollar in yen is turned into the yen in dollars; without a pair the prices of bitcoin give the rate."""
    kraken.bars, coinbase.bars = first, second
    assert rates_feed.rates() == {currency: Rate(*rate, CLOSE) for currency, rate in rates.items()}


@pytest.mark.parametrize(("bars", "pages"), [(rows(1000), 4), (rows(5) + rows(5, SINCE + 900 * STEP), 5)])
def test_a_long_window_is_asked_for_in_pages(feed, coinbase, bars, pages):
    """They go on behind a long silence."""
    coinbase.bars = listing(bars)
    feed = replace(feed, clients=feed.clients[1:])
    assert feed.fetch("btc", SINCE, SINCE + 1000 * STEP).bars.rows() == bars
    assert sum("candles" in path for path in coinbase.requests) == pages


def test_an_answer_of_ten_megabytes_is_read(feed, kraken, coinbase, monkeypatch):
    """One beyond the cap is not kept."""
    kraken.bars = coinbase.bars = listing(rows(10))
    kraken.fault, kraken.fault_at = faults.padded_with(10 * 2**20), "OHLC"
    assert feed.fetch("btc", SINCE, SINCE + 10 * STEP).source == "kraken BTC/USD"
    monkeypatch.setattr(sessions.BoundedSession, "most_bytes", 2**20)
    kraken.fault = faults.padded_with(2**20)
    assert feed.fetch("btc", SINCE, SINCE + 10 * STEP).source == "coinbase BTC/USD"


@pytest.mark.slow
def test_an_exchange_that_timed_out_rests_for_a_while(hasty, kraken, coinbase):
    kraken.bars = coinbase.bars = listing(rows(10))
    kraken.fault = drip
    hasty.fetch("btc", SINCE, SINCE + 10 * STEP)
    kraken.fault = None
    count = len(kraken.requests)
    assert hasty.fetch("btc", SINCE, SINCE + 10 * STEP).source == "coinbase BTC/USD"
    assert len(kraken.requests) == count


@pytest.mark.parametrize("fault", [drip, pytest.param(drip_headers, marks=pytest.mark.slow)])
def test_an_exchange_that_was_slow_is_usable_again(hasty, kraken, coinbase, monkeypatch, fault):
    """A body that drips is dropped at once; one whose headers drip is passed over until it ends."""
    monkeypatch.setattr(exchange_client, "RESTS", 0)
    kraken.bars = coinbase.bars = listing(rows(10))
    kraken.fault, kraken.fault_at = fault, "OHLC" if fault is drip else "/"
    assert hasty.fetch("btc", SINCE, SINCE + 10 * STEP).source == "coinbase BTC/USD"
    kraken.fault = None
    if fault is drip_headers:
        assert hasty.fetch("btc", SINCE, SINCE + 10 * STEP).source == "coinbase BTC/USD"
        kraken.closing.set()
    wait_until(lambda: hasty.fetch("btc", SINCE, SINCE + 10 * STEP).source == "kraken BTC/USD")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"exchanges": ()}, "EXCHANGES: .*name at least one"),
        ({"exchanges": ("kraken", "krakken")}, "EXCHANGES: .*no exchange called 'krakken'"),
        ({"exchanges": ("paymium",)}, "EXCHANGES: .*no 5m bars"),
        ({"bars_dir": Path("/nowhere")}, "BARS_DIR: .* is not a folder"),
    ],
)
def test_a_source_that_cannot_be_asked_is_a_wrong_setting(options, complaint):
    """Before anything is fetched."""
    with pytest.raises(SettingsError, match=complaint):
        open_exchanges(Settings(world="live", **options), history_from=0)


def test_a_page_that_is_cut_is_continued(feed, monkeypatch):
    """Some exchanges give fewer bars at a time than ccxt knows of."""

    def cut(_symbol, _timeframe, since, limit):
        return [[since + 1000 * STEP * place, 1.0, 1.0, 1.0, 1.0, 1.0] for place in range(min(limit, 500))]

    client = feed.clients[0]
    monkeypatch.setattr(client, "_page", 1000)
    monkeypatch.setattr(client._client, "fetch_ohlcv", cut)
    monkeypatch.setattr(client._client, "load_markets", lambda _: {"BTC/USD": {"active": True}})
    assert len(feed.fetch("btc", SINCE, SINCE + 1440 * STEP).bars) == 1440
