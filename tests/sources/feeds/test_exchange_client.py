"""A client of one exchange: its pages, its time limit, and the rest after a timeout."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from service.config import Settings, SettingsError
from service.sources import sessions
from service.sources.feeds import exchange_client
from service.sources.feeds.exchange import ExchangeFeed, open_exchanges
from service.sources.feeds.exchange_client import BarFolder, Request
from service.sources.feeds.feed import AssetUnlisted
from tests.sources.faults import (
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
    answer = feed.fetch("btc", SINCE, SINCE + 3 * STEP)
    assert (answer.bars.rows(), answer.source) == (rows(3), "kraken BTC/USDT")


@pytest.mark.parametrize(("bars", "pages"), [(rows(1000), 4), (rows(5) + rows(5, SINCE + 900 * STEP), 5)])
def test_a_long_window_is_asked_for_in_pages(feed, coinbase, bars, pages):
    """They go on behind a long silence."""
    coinbase.bars = listing(bars)
    feed = replace(feed, clients=feed.clients[1:])
    assert feed.fetch("btc", SINCE, SINCE + 1000 * STEP).bars.rows() == bars
    assert sum("candles" in path for path in coinbase.requests) == pages


def test_an_answer_of_ten_megabytes_is_read(feed, kraken):
    kraken.bars = listing(rows(10))
    kraken.fault, kraken.fault_at = padded_with(10 * 2**20), "OHLC"
    assert len(feed.fetch("btc", SINCE, SINCE + 10 * STEP).bars) == 10


def test_an_answer_beyond_the_cap_is_not_kept(feed, kraken, coinbase, monkeypatch):
    monkeypatch.setattr(sessions.BoundedSession, "most_bytes", 2**20)
    kraken.bars = coinbase.bars = listing(rows(10))
    kraken.fault, kraken.fault_at = padded_with(2**20), "OHLC"
    assert feed.fetch("btc", SINCE, SINCE + 10 * STEP).source == "coinbase BTC/USD"


@pytest.mark.slow
def test_an_exchange_that_timed_out_rests_for_a_while(hasty, kraken, coinbase):
    kraken.bars = coinbase.bars = listing(rows(10))
    kraken.fault = drip
    fetch_in_time(hasty)
    kraken.fault = None
    count, start = len(kraken.requests), time.monotonic()
    assert hasty.fetch("btc", SINCE, SINCE + 10 * STEP).source == "coinbase BTC/USD"
    assert time.monotonic() - start < SHORT_S / 2
    assert len(kraken.requests) == count


@pytest.mark.parametrize("fault", [drip, pytest.param(drip_headers, marks=pytest.mark.slow)])
def test_an_exchange_that_was_slow_is_usable_again(hasty, kraken, coinbase, monkeypatch, fault):
    """A body that drips is dropped at once; one whose headers drip is passed over until it ends."""
    monkeypatch.setattr(exchange_client, "RESTS", 0)
    kraken.bars = coinbase.bars = listing(rows(10))
    kraken.fault, kraken.fault_at = fault, "OHLC" if fault is drip else "/"
    assert fetch_in_time(hasty).source == "coinbase BTC/USD"
    kraken.fault = None
    if fault is drip_headers:
        assert fetch_in_time(hasty).source == "coinbase BTC/USD"
        kraken.closing.set()
    until_it_is(lambda: fetch_in_time(hasty).source == "kraken BTC/USD")


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


HEADER = "time,open,high,low,close,volume"
HOUR = 3600


def write(folder, bars, name="silver.csv", end="\n"):
    lines = [HEADER, *(",".join(map(str, row)) for row in bars)]
    (folder / name).write_text("\n".join(lines) + end)


def ask(folder, step=STEP, count=24, asset="silver"):
    return BarFolder(folder).ask(Request(asset, (), step), SINCE, SINCE + count * STEP, 1.0)


def test_the_bars_of_a_span_come_from_its_file(tmp_path):
    """Also as hours, which are built from them."""
    write(tmp_path, rows(24))
    assert ask(tmp_path).rows == [list(row) for row in rows(24)]
    assert [row[0] for row in ask(tmp_path, HOUR).rows] == [SINCE, SINCE + HOUR]
    assert ask(tmp_path).source == "silver.csv in BARS_DIR"


def test_a_line_that_is_being_written_is_left_out(tmp_path):
    """A number cut short would be a wrong one."""
    write(tmp_path, rows(3), end="")
    assert len(ask(tmp_path).rows) == 2


def test_a_file_that_grew_is_read_again(tmp_path):
    """The operator appends to it while the service runs."""
    folder = BarFolder(tmp_path)
    request = Request("silver", (), STEP)
    for count in (3, 5):
        write(tmp_path, rows(count))
        assert len(folder.ask(request, SINCE, SINCE + HOUR, 1.0).rows) == count


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a,b\n1,2\n", "silver.csv, line 1: it is no bar and names no columns of time"),
        (
            f"{HEADER}\n{SINCE},1,1,1,1,1\n{SINCE + HOUR},1,1,1,1,1\n",
            "silver.csv needs bars of five minutes or a part of them, not of 3600 s",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_a_fault(tmp_path, text, fault):
    """It says what is allowed."""
    (tmp_path / "silver.csv").write_text(text)
    assert fault in ask(tmp_path).fault


def test_a_wrong_row_is_reported_with_its_reason(tmp_path):
    """The operator sees how many were left out; the others are used."""
    lines = [*rows(3), (SINCE + 3 * STEP, 9.0, 1.0, 99.0, 9.0, 1.0), *rows(2, SINCE + 4 * STEP)]
    write(tmp_path, lines)
    feed = ExchangeFeed((BarFolder(tmp_path),), 0, 5.0)
    answer = feed.fetch("silver", SINCE, SINCE + 6 * STEP)
    assert len(answer.bars) == 5
    assert answer.refused == ((SINCE + 3 * STEP, "BARS_DIR: its high is below its low"),)


@pytest.mark.parametrize("step", [STEP, HOUR])
def test_a_row_that_cannot_be_read_is_reported_with_its_line(tmp_path, step):
    """In the span of its time, or in each where it has none."""
    write(tmp_path, [*rows(24), (SINCE + HOUR, "", 1, 1, 1, 1), ("soon", 1, 1, 1, 1, 1)])
    feed = ExchangeFeed((BarFolder(tmp_path),), 0, 5.0)
    reasons = {
        SINCE + HOUR: "BARS_DIR: silver.csv, line 26: '' is not a number",
        -1: "BARS_DIR: silver.csv, line 27: 'soon' is not a time",
    }
    assert dict(feed.fetch("silver", SINCE, SINCE + 2 * HOUR, step).refused) == reasons
    del reasons[SINCE + HOUR]
    assert dict(feed.fetch("silver", SINCE, SINCE + HOUR, step).refused) == reasons


def test_the_folder_has_files_in_every_form(tmp_path):
    """As those of freqtrade, under their own names."""
    (tmp_path / "BTC_USDT-5m.json").write_text(json.dumps([[time * 1000, *values] for time, *values in rows(24)]))
    answer = ask(tmp_path, asset="btc")
    assert (len(answer.rows), answer.source) == (24, "BTC_USDT-5m.json in BARS_DIR")


def test_exchanges_come_before_the_folder(tmp_path, kraken, coinbase):
    """It adds the asset that none of them lists, and fills the others."""
    kraken.bars = coinbase.bars = listing(rows(10))
    write(tmp_path, rows(20))
    write(tmp_path, rows(20, price=7.0), "btc.csv")
    addresses = (f"kraken={kraken.address}", f"coinbase={coinbase.address}")
    feed = open_exchanges(Settings(world="live", exchanges=addresses, bars_dir=tmp_path), 0)
    assert feed.fetch("silver", SINCE, SINCE + 20 * STEP).source == "silver.csv in BARS_DIR"
    answer = feed.fetch("btc", SINCE, SINCE + 20 * STEP)
    assert answer.source == "kraken BTC/USD, then btc.csv in BARS_DIR for 10 bars"
    with pytest.raises(AssetUnlisted, match="kraken, coinbase, BARS_DIR list none"):
        feed.fetch("gold", SINCE, SINCE + 20 * STEP)
