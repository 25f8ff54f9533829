"""The live world against exchanges on this machine: whatever they do, it is in time, sound and said."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Thread

import pytest

from service.config import Settings
from service.errors import SourceFailed
from service.market.assets import is_open
from service.market.prices import Rate
from service.sources.feeds.exchange import ExchangeFeed, open_exchanges
from service.sources.feeds.feed import AssetUnlisted
from tests.sources.feeds.faults import (
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
    fetched = feed.fetch("btc", SINCE + 5 * STEP, SINCE + 15 * STEP)
    assert fetched.bars.rows() == rows(30)[5:15]
    assert (fetched.refused, fetched.source) == ((), "kraken BTC/USD")
    assert not coinbase.requests


def test_a_bar_still_in_progress_is_left_out(feed, kraken):
    kraken.bars = listing(rows(10))
    fetched = feed.fetch("btc", SINCE, SINCE + 10 * STEP - 1)
    assert fetched.bars.as_of == SINCE + 9 * STEP


def test_no_bar_is_used_before_its_end(feed, kraken):
    kraken.bars = listing(rows(10))
    early = replace(feed, now=lambda: SINCE + 4 * STEP + 17.5)
    assert early.fetch("btc", SINCE, SINCE + 10 * STEP).bars.as_of == SINCE + 4 * STEP


def test_a_stand_in_is_named_and_its_bars_at_the_weekend_are_taken(feed, kraken, coinbase):
    """A calendar refuses no bar; it only says where one that is missing is asked for elsewhere."""
    friday = int(datetime(2026, 1, 9, 21, tzinfo=UTC).timestamp())
    kraken.bars = {"PAXG/USD": rows(20, friday)}
    fetched = feed.fetch("gold", friday, friday + 36 * STEP)
    assert not is_open("gold", friday + 12 * STEP)
    assert fetched.source == "kraken PAXG/USD (tokenised gold)"
    assert fetched.bars.rows() == rows(20, friday)
    assert not coinbase.requests


def test_a_gap_is_filled_by_the_next_exchange_and_reported(feed, kraken, coinbase):
    own, other = rows(20, price=100), rows(20, price=200)
    kraken.bars, coinbase.bars = listing(own[:7] + own[10:]), listing(other)
    fetched = feed.fetch("btc", SINCE, SINCE + 20 * STEP)
    assert fetched.bars.rows() == own[:7] + other[7:10] + own[10:]
    assert fetched.source == "kraken BTC/USD, then coinbase BTC/USD for 3 bars"


def test_expired_history_is_filled_by_the_next_exchange(feed, kraken, coinbase):
    kraken.bars = coinbase.bars = listing(rows(1500))
    fetched = feed.fetch("btc", SINCE, SINCE + 288 * STEP)
    assert fetched.bars.rows() == rows(288)
    assert fetched.source == "coinbase BTC/USD"


def test_a_hole_in_every_exchange_stays_a_hole(feed, kraken, coinbase):
    kraken.bars = coinbase.bars = listing(rows(20)[:5] + rows(20)[8:])
    assert len(feed.fetch("btc", SINCE, SINCE + 20 * STEP).bars) == 17


def test_a_quiet_window_of_a_listed_asset_is_an_answer_without_bars(feed, kraken, coinbase):
    kraken.bars = coinbase.bars = listing([])
    fetched = feed.fetch("btc", SINCE, SINCE + 20 * STEP)
    assert (len(fetched.bars), fetched.source) == (0, "kraken BTC/USD")


def test_an_invalid_bar_is_reported_and_replaced_by_the_next_source(feed, kraken, coinbase):
    good = rows(3)
    wrong = (good[1][0], 100.0, 90.0, 99.0, 101.0, 5.0)
    unreadable = (good[2][0], "NaN", 102.0, 99.0, 101.0, 5.0)
    kraken.bars, coinbase.bars = listing([good[0], wrong, unreadable]), listing(good)
    fetched = feed.fetch("btc", SINCE, SINCE + 3 * STEP)
    assert fetched.bars.rows() == good
    assert fetched.refused == (
        (good[1][0], "kraken: its high is below its low"),
        (good[2][0], "kraken: a value is not a finite number"),
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
    fetched = feed.fetch("btc", SINCE, SINCE + 10 * STEP)
    assert fetched.bars.rows() == rows(10)
    assert fetched.source == "coinbase BTC/USD"


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


def test_the_live_world_keeps_the_time_of_the_wall(feed):
    assert feed.clock(SINCE).at(SINCE + 3600) == SINCE + 3600
    assert (feed.world, feed.step) == ("live", STEP)


NOW = datetime(2026, 1, 7, 12, 2, tzinfo=UTC)
CLOSED = datetime(2026, 1, 7, 12, tzinfo=UTC)


def quotes(price: float, until: datetime = CLOSED) -> list[tuple]:
    """An hour of bars that end at `until`, the last of them at `price`."""
    first = int((until - timedelta(hours=1)).timestamp())
    return [(first + STEP * place, *[price if place == 11 else 1.0] * 4, 5.0) for place in range(12)]


@pytest.fixture
def rates_feed(kraken, coinbase) -> ExchangeFeed:
    """Kraken first, then Coinbase, at two minutes past twelve."""
    options = {
        "kraken": {"urls": {"api": {"public": kraken.address}}, "enableRateLimit": False},
        "coinbase": {"urls": {"api": {"rest": coinbase.address}}, "enableRateLimit": False},
    }
    settings = Settings(world="live", exchanges=("kraken", "coinbase"), source_timeout_s=10)
    opened = open_exchanges(settings, history_from=0, options=options)
    return ExchangeFeed(opened.clients, 0, opened.timeout_s, now=NOW.timestamp)


def test_a_rate_is_the_last_price_of_the_pair(rates_feed, kraken):
    """The dollar in yen is turned into the yen in dollars."""
    kraken.bars = {"EUR/USD": quotes(1.084), "GBP/USD": quotes(1.268), "USD/JPY": quotes(160.0)}
    assert rates_feed.rates() == {
        "EUR": Rate(1.084, "kraken EUR/USD", CLOSED),
        "GBP": Rate(1.268, "kraken GBP/USD", CLOSED),
        "JPY": Rate(0.00625, "kraken USD/JPY", CLOSED),
    }


def test_without_a_pair_the_prices_of_bitcoin_give_the_rate(rates_feed, coinbase):
    coinbase.bars = {"BTC/EUR": quotes(80_000.0), "BTC/USD": quotes(92_000.0)}
    assert rates_feed.rates() == {"EUR": Rate(1.15, "coinbase BTC/EUR and coinbase BTC/USD", CLOSED)}


def test_another_exchange_quotes_what_the_first_one_lacks(rates_feed, kraken, coinbase):
    kraken.bars = {"EUR/USD": quotes(1.084)}
    coinbase.bars = {"GBP/USD": quotes(1.268), "EUR/USD": quotes(9.0)}
    assert {currency: rate.source for currency, rate in rates_feed.rates().items()} == {
        "EUR": "kraken EUR/USD",
        "GBP": "coinbase GBP/USD",
    }


def test_a_pair_without_recent_trades_gives_no_rate(rates_feed, kraken):
    kraken.bars = {"EUR/USD": quotes(1.084, CLOSED - timedelta(hours=3))}
    assert rates_feed.rates() == {}
