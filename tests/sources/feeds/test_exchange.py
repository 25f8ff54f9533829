"""The live world against exchanges on this machine: whatever they do, it is in time, sound and said."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Thread

import pytest

from service.errors import SourceFailed
from service.market.assets import is_open
from service.market.prices import Rate
from service.sources.feeds.exchange import ExchangeFeed
from service.sources.feeds.feed import AssetUnlisted
from tests.sources.faults import (
    SINCE,
    STEP,
    body,
    cut_short,
    drip,
    drip_headers,
    fetch_in_time,
    flood,
    hang,
    listing,
    rows,
    status,
)


def test_the_bars_of_a_window_come_from_the_first_exchange(feed, kraken, coinbase):
    kraken.bars = coinbase.bars = listing(rows(30))
    answer = feed.fetch("btc", SINCE + 5 * STEP, SINCE + 15 * STEP)
    assert answer.bars.rows() == rows(30)[5:15]
    assert (answer.refused, answer.source) == ((), "kraken BTC/USD")
    assert not coinbase.requests


def test_no_bar_is_used_before_its_end(feed, kraken):
    """Neither beyond the window nor beyond the clock."""
    kraken.bars = listing(rows(10))
    assert feed.fetch("btc", SINCE, SINCE + 10 * STEP - 1).bars.as_of == SINCE + 9 * STEP
    at_four = replace(feed, now=lambda: SINCE + 4 * STEP + 17.5)
    assert at_four.fetch("btc", SINCE, SINCE + 10 * STEP).bars.as_of == SINCE + 4 * STEP


def test_a_stand_in_is_named_and_its_bars_at_the_weekend_are_taken(feed, kraken, coinbase):
    """A calendar refuses no bar; it only says where one that is missing is asked for elsewhere."""
    friday = int(datetime(2026, 1, 9, 21, tzinfo=UTC).timestamp())
    kraken.bars = {"PAXG/USD": rows(20, friday)}
    answer = feed.fetch("gold", friday, friday + 36 * STEP)
    assert not is_open("gold", friday + 12 * STEP)
    assert answer.source == "kraken PAXG/USD (tokenised gold)"
    assert answer.bars.rows() == rows(20, friday)
    assert not coinbase.requests


def test_a_gap_is_filled_by_the_next_exchange_and_reported(feed, kraken, coinbase):
    first, second = rows(20, price=100), rows(20, price=200)
    kraken.bars, coinbase.bars = listing(first[:7] + first[10:]), listing(second)
    answer = feed.fetch("btc", SINCE, SINCE + 20 * STEP)
    assert answer.bars.rows() == first[:7] + second[7:10] + first[10:]
    assert answer.source == "kraken BTC/USD, then coinbase BTC/USD for 3 bars"


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


def test_an_invalid_bar_is_reported_and_replaced_by_the_next_source(feed, kraken, coinbase):
    sound_rows = rows(3)
    low_high = (sound_rows[1][0], 100.0, 90.0, 99.0, 101.0, 5.0)
    no_number = (sound_rows[2][0], "NaN", 102.0, 99.0, 101.0, 5.0)
    kraken.bars, coinbase.bars = listing([sound_rows[0], low_high, no_number]), listing(sound_rows)
    answer = feed.fetch("btc", SINCE, SINCE + 3 * STEP)
    assert answer.bars.rows() == sound_rows
    assert answer.refused == (
        (sound_rows[1][0], "kraken: its high is below its low"),
        (sound_rows[2][0], "kraken: a value is not a finite number"),
    )


@pytest.mark.parametrize("place", ["AssetPairs", "OHLC"])
@pytest.mark.parametrize(
    "fault",
    [
        status(451),
        status(500),
        status(429),
        body(b'{"error": [], "result": {'),
        body(b"<html>down for maintenance</html>"),
        body(b"[1, 2, 3]"),
        cut_short,
        flood,
    ],
    ids=["451", "500", "429", "broken", "html", "odd", "cut", "flood"],
)
def test_when_an_exchange_fails_in_any_way_the_next_one_answers(feed, kraken, coinbase, fault, place):
    kraken.bars = coinbase.bars = listing(rows(10))
    kraken.fault, kraken.fault_at = fault, place
    answer = feed.fetch("btc", SINCE, SINCE + 10 * STEP)
    assert answer.bars.rows() == rows(10)
    assert answer.source == "coinbase BTC/USD"


@pytest.mark.slow
@pytest.mark.parametrize("fault", [hang, drip, drip_headers])
def test_an_exchange_that_hangs_leaves_the_next_one_its_time(hasty, kraken, coinbase, fault):
    kraken.bars = coinbase.bars = listing(rows(10))
    kraken.fault, kraken.fault_at = fault, "OHLC"
    assert fetch_in_time(hasty).source == "coinbase BTC/USD"


@pytest.mark.slow
@pytest.mark.parametrize("fault", [hang, drip_headers])
def test_when_all_hang_the_deadline_holds_and_each_is_named(hasty, kraken, coinbase, fault):
    kraken.fault = coinbase.fault = fault
    with pytest.raises(SourceFailed, match=r"no bars of btc: kraken: .+; coinbase: "):
        fetch_in_time(hasty)


def test_when_all_fail_each_has_a_short_reason(feed, kraken, coinbase):
    kraken.fault, coinbase.fault = status(451), body(b"x" * 100_000)
    with pytest.raises(SourceFailed) as failure:
        feed.fetch("btc", SINCE, SINCE + 10 * STEP)
    assert "kraken: it does not serve this country or network (451): take it out of EXCHANGES" in failure.value.detail
    assert "; coinbase: ExchangeError: " in failure.value.detail
    assert len(failure.value.detail) < 300


def test_an_unlisted_asset_fails_with_the_names_it_looked_for(feed, kraken, coinbase):
    kraken.bars = coinbase.bars = listing(rows(10))
    with pytest.raises(AssetUnlisted, match=r"kraken, coinbase list none of XAG/USD, "):
        feed.fetch("silver", SINCE, SINCE + 10 * STEP)


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
    """Its answer begins behind the window: older ones are left to the next exchange."""
    kraken.bars, coinbase.bars = listing(rows(800)), listing(rows(800))
    for place in range(4):
        feed.fetch("btc", SINCE - 720 * (place + 1) * STEP, SINCE - 720 * place * STEP)
    assert sum("OHLC" in path for path in kraken.requests) == 1


def test_hours_are_fetched_as_well_as_short_bars(feed, kraken):
    """The history of the live world is hourly."""
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
        fetch_in_time(hasty)
    coinbase.bars = kraken.bars
    kraken.closing.set()
    patient.join()


NOW = datetime(2026, 1, 7, 12, 2, tzinfo=UTC)
CLOSE = datetime(2026, 1, 7, 12, tzinfo=UTC)


def quotes(price: float, until: datetime = CLOSE) -> list[tuple]:
    """An hour of bars that end at `until`, the last of them at `price`."""
    first = int((until - timedelta(hours=1)).timestamp())
    return [(first + STEP * place, *[price if place == 11 else 1.0] * 4, 5.0) for place in range(12)]


@pytest.fixture
def rates_feed(feed) -> ExchangeFeed:
    """The same feed at two minutes past twelve."""
    return replace(feed, now=NOW.timestamp)


@pytest.mark.parametrize(
    ("first", "second", "rates"),
    [
        (
            {"EUR/USD": quotes(1.084), "GBP/USD": quotes(1.268), "USD/JPY": quotes(160.0)},
            {},
            {
                "EUR": Rate(1.084, "kraken EUR/USD", CLOSE),
                "GBP": Rate(1.268, "kraken GBP/USD", CLOSE),
                "JPY": Rate(0.00625, "kraken USD/JPY", CLOSE),
            },
        ),
        (
            {},
            {"BTC/EUR": quotes(80_000.0), "BTC/USD": quotes(92_000.0)},
            {"EUR": Rate(1.15, "coinbase BTC/EUR and coinbase BTC/USD", CLOSE)},
        ),
        (
            {"EUR/USD": quotes(1.084)},
            {"GBP/USD": quotes(1.268), "EUR/USD": quotes(9.0)},
            {"EUR": Rate(1.084, "kraken EUR/USD", CLOSE), "GBP": Rate(1.268, "coinbase GBP/USD", CLOSE)},
        ),
        ({"EUR/USD": quotes(1.084, CLOSE - timedelta(hours=3))}, {}, {}),
    ],
    ids=["pairs", "by bitcoin", "two exchanges", "no recent trade"],
)
def test_a_rate_is_the_last_price_of_the_pair(rates_feed, kraken, coinbase, first, second, rates):
    """The dollar in yen is turned into the yen in dollars; without a pair the prices of bitcoin give the rate."""
    kraken.bars, coinbase.bars = first, second
    assert rates_feed.rates() == rates
