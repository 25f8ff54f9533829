"""Files of bars as ccxt, freqtrade, yfinance, the Binance archives and pandas write them."""

from __future__ import annotations

import gzip
import io
import json
import os
import time
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from service import bar_files
from service.bar_files import content_of, find_files, read_bars, read_files

HOUR = 3600
SINCE = 1_767_571_200  # 2026-01-05T00:00:00Z
# Unix second, open, high, low, close, volume.
BARS = [(SINCE + HOUR * place, 100.5 + place, 103.25 + place, 99.0 + place, 102.0 + place, 7.5) for place in range(5)]
NAMES = ["open", "high", "low", "close", "volume"]


def frame(unit: str = "ms", *, offset: str | None = "UTC", columns: list[str] | None = None) -> pd.DataFrame:
    """The bars as pandas holds them, by instants of a unit."""
    index = pd.DatetimeIndex(pd.to_datetime([bar[0] for bar in BARS], unit="s")).as_unit(unit).tz_localize(offset)
    return pd.DataFrame([bar[1:] for bar in BARS], columns=columns or NAMES, index=index)


def counts(unit: int = 1000) -> list[list[float]]:
    """The bars as ccxt and exchanges hold them, times in parts of a second."""
    return [[time * unit, *values] for time, *values in BARS]


def binance(unit: int) -> str:
    """Lines of an archive: twelve columns, the time of the close among them."""
    rows = [[*row, row[0] + HOUR * unit - 1, 5.0, 3, 1.0, 2.0, 0] for row in counts(unit)]
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def yahoo(*rows: str, time: str = "Datetime") -> str:
    """A frame of `yfinance.download` in CSV: three header lines, or those of `history`."""
    lines = [f"{time}Z,{close},{high},{low},{start},{volume}" for time, start, high, low, close, volume in iso_bars()]
    names = ["Price,Close,High,Low,Open,Volume", "Ticker,BTC-USD,BTC-USD,BTC-USD,BTC-USD,BTC-USD", f"{time},,,,,"]
    return "\n".join([*(rows or names), *lines])


def iso_bars() -> list[list[object]]:
    return [[np.datetime_as_string(np.datetime64(time, "s")), *values] for time, *values in BARS]


def stored(table: pd.DataFrame, form: str, **options) -> bytes:
    sink = io.BytesIO()
    getattr(table, f"to_{form}")(sink, **options)
    return sink.getvalue()


def in_zip(**files: str) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return sink.getvalue()


CCXT = pd.DataFrame(counts(), columns=["timestamp", *NAMES])
LINES = [",".join(map(str, row)) for row in iso_bars()]
HEADER = "time,open,high,low,close,volume"
YAHOO_PAIRS = pd.MultiIndex.from_product([["Open", "High", "Low", "Close", "Volume"], ["BTC-USD"]])
FORMS = {
    "ours": "\n".join([HEADER, *LINES]),
    "ccxt": CCXT.to_csv(index=False),
    "ccxt with numbered rows": CCXT.to_csv(),
    "ccxt with naive instants": frame(offset=None).to_csv(index_label="timestamp"),
    "ccxt as JSON": json.dumps(counts()),
    "ccxt as seconds in floats": CCXT.assign(timestamp=CCXT["timestamp"] / 1000).to_csv(index=False),
    "freqtrade feather": stored(frame().reset_index(names="date"), "feather", compression="lz4"),
    "freqtrade JSON": frame().reset_index(names="date").astype({"date": "int64"}).to_json(orient="values"),
    "freqtrade gzip": gzip.compress(json.dumps(counts()).encode(), mtime=0),
    "freqtrade parquet": stored(frame().reset_index(names="date"), "parquet"),
    "Binance": binance(1000),
    "Binance since 2025": binance(10**6),
    "Binance in both units": "".join(binance(1000).splitlines(keepends=True)[:2])
    + "".join(binance(10**6).splitlines(keepends=True)[2:]),
    "Binance futures": "open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,"
    "taker_buy_quote_volume,ignore\n" + binance(1000),
    "Binance in zip": in_zip(**{"BTCUSDT-1h-2026-01.csv": binance(10**6)}),
    "yfinance": yahoo(),
    "yfinance by ticker": yahoo("Ticker,A,A,A,A,A", "Price,Close,High,Low,Open,Volume", "Datetime,,,,,"),
    "yfinance history": frame(columns=["Open", "High", "Low", "Close", "Volume"])
    .assign(**{"Adj Close": 1.0, "Dividends": 0.0})
    .tz_convert("America/New_York")
    .to_csv(index_label="Datetime"),
    "yfinance by date": yahoo("Date,Close,High,Low,Open,Volume"),
    "yfinance parquet": stored(frame("s").set_axis(YAHOO_PAIRS, axis=1).rename_axis("Datetime"), "parquet"),
    "pandas": frame("ns").to_csv(),
    "pandas with naive nanoseconds": stored(frame("ns", offset=None), "parquet"),
    "semicolons": "\n".join([HEADER, *LINES]).replace(",", ";"),
    "tabs": "\n".join([HEADER, *LINES]).replace(",", "\t"),
    "descending": "\n".join([HEADER, *LINES[::-1]]),
    "mark": "\ufeff" + "\n".join([HEADER.title(), *LINES]),
    "wide mark": "\n".join([HEADER, *LINES]).encode("utf-16"),
    "Windows": "\r\n".join([HEADER, *LINES, ""]),
    "a vendor": "https://www.CryptoDataDownload.com\nUnix,Date,Symbol,Open,High,Low,Close,Volume BTC,Volume USDT\n"
    + "\n".join(f"{row[0]},x,BTC,{','.join(map(str, row[1:]))},9" for row in counts()[::-1]),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_file_is_read_as_it_was_written(form: str):
    """Its instants, and the columns of a bar among all others, with every digit."""
    content = FORMS[form]
    file = read_bars("btc", content.encode() if isinstance(content, str) else content)
    assert (file.rows.tolist(), file.faults, file.spacing) == ([list(bar) for bar in BARS], [], HOUR)


@pytest.mark.parametrize(
    "text",
    [
        *("2026-01-05T00:00:00Z", "2026-01-05T01:00:00+01:00", "2026-01-05 00:00", "2026-01-05 00:00:00.000"),
        *("2026-01-05 00:00:00 UTC", "2026-01-05", "20260105", str(SINCE), f"{SINCE}.0", f" {SINCE}000 "),
        *(f"{SINCE}000000", f"{SINCE}000000000"),
    ],
)
def test_a_time_is_utc_or_a_count(text: str):
    """ISO 8601 with any offset, naive as UTC; seconds, milliseconds, microseconds and nanoseconds."""
    assert read_bars("btc.csv", f"{HEADER}\n{text},1,3,0.5,2,7".encode()).rows.tolist() == [[SINCE, 1, 3, 0.5, 2, 7]]


def test_a_naive_time_is_utc_on_every_machine(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "America/New_York")
        time.tzset()
        rows = read_bars("btc.csv", f"{HEADER}\n2026-01-05,1,3,0.5,2,7".encode()).rows
    time.tzset()
    assert rows[0, 0] == SINCE


@pytest.mark.parametrize(
    ("line", "second", "reason"),
    [
        (f"{SINCE},1,2", -1, "it has 3 columns, not 6"),
        (f"{SINCE},1,2,1,2,5,6", -1, "it has 7 columns, not 6"),
        ("yesterday,1,2,1,2,5", -1, "'yesterday' is not a time"),
        ("01/05/2026,1,2,1,2,5", -1, "'01/05/2026' is not a time"),
        ("1.76757E+12,1,2,1,2,5", -1, "'1.76757E+12' is not a time"),
        ("46027.041667,1,2,1,2,5", -1, "'46027.041667' is not a time"),
        (f"{'9' * 400},1,2,1,2,5", -1, f"'{'9' * 40}' is not a time"),
        ("\0,1,2,1,2,5", -1, "'\\x00' is not a time"),
        (f"{SINCE},,2,1,2,5", SINCE, "'' is not a number"),
        (f"{SINCE},nan,2,1,2,5", SINCE, "'nan' is not a number"),
        (f'{SINCE},"1,5",2,1,2,5', SINCE, "'1,5' is not a number"),
        (f"{SINCE},1_0_3,2,1,2,5", SINCE, "'1_0_3' is not a number"),
    ],
)
def test_a_row_that_cannot_be_read_has_a_reason(line: str, second: int, reason: str):
    """The file and the line too; the other rows are read."""
    file = read_bars("btc.csv", "\n".join([HEADER, LINES[1], line, LINES[2]]).encode())
    assert file.faults == [(second, f"btc.csv, line 3: {reason}")]
    assert file.rows.tolist() == [list(bar) for bar in BARS[1:3]]


def test_a_row_of_no_text_is_counted():
    """Feather, Parquet and JSON have no lines."""
    table = frame().reset_index(names="date")
    table.loc[3, "low"] = np.nan
    assert read_bars("btc.feather", stored(table, "feather")).faults[0][1] == "btc.feather, row 4: '' is not a number"
    rows = [*counts(), [1, 2]]
    assert read_bars("btc.json", json.dumps(rows).encode()).faults == [(-1, "btc.json, row 6: it has 2 columns, not 6")]


TWO_TICKERS = "Price,Close,Close,High,High,Low,Low,Open,Open,Volume,Volume\n"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "btc is empty"),
        (b"\n\n", "btc is empty"),
        (b"date,a,b\n1,2,3\n", "btc, line 1: it is no bar and names no columns of open, no columns of high"),
        (b"open,high,low,close,volume\n1,1,1,1,1\n", "btc, line 1: it is no bar and names no columns of time"),
        (b"\ntime,open,high,low,close\n", "btc, line 2: it is no bar and names no columns of volume"),
        (TWO_TICKERS.encode(), "btc, line 1: it is no bar and names no columns of time"),
        (f"Datetime,{TWO_TICKERS}".encode(), "btc, line 1: it is no bar and names 2 columns of open, 2 columns"),
        (b"\xff\xfe\x00time", "btc cannot be read: 'utf-16-le' codec"),
        (b"\x80", "btc cannot be read: 'utf-8' codec"),
        (f"{HEADER}\n{'x' * 200_000}".encode(), "btc cannot be read: line 2: field larger than field limit"),
        (
            f'{HEADER}\n{LINES[0]}\n"{LINES[1]}\n{LINES[2]}'.encode(),
            "btc cannot be read: line 3: unexpected end of data",
        ),
        (f'{HEADER}\n{LINES[0]},"\n{LINES[1]},"\n'.encode(), "btc cannot be read: line 2: a cell does not end in its"),
        (f'{HEADER}\n{LINES[0][:-3]}"7.5'.encode(), "btc cannot be read: line 2: unexpected end of data"),
        (b"x," * 1_000_000, "btc cannot be read: it has 1,000,001 columns, more than 1,000"),
        (
            stored(pd.DataFrame([range(2000)]).rename(columns=str), "feather"),
            "btc cannot be read: it has 2,000 columns, more than 1,000",
        ),
        (b"ARROW1 and no more", "btc cannot be read: "),
        (b"PAR1", "btc cannot be read: "),
        (b"[[1,", "btc cannot be read: "),
        (b"[1, 2]", "btc, row 1: it is no bar"),
        (b"[{}, [1, 2]]", "btc, row 2: it is no bar"),
        (gzip.compress(b"time", mtime=0)[:-9], "btc cannot be read: Compressed file ended"),
        (b"PK\x03\x04", "btc cannot be read: File is not a zip file"),
        (in_zip(a="1", b="2"), "btc cannot be read: it holds 2 files, not one"),
    ],
)
def test_a_file_without_bars_is_refused_in_a_sentence(content: bytes, sentence: str):
    with pytest.raises(ValueError, match=sentence):
        read_bars("btc", content)


@pytest.mark.parametrize("form", ["ours", "freqtrade gzip", "Binance in zip", "freqtrade feather", "freqtrade parquet"])
def test_a_file_is_of_bounded_size_when_it_is_unpacked(monkeypatch, form: str):
    monkeypatch.setattr(bar_files, "MOST_BYTES", 200)
    content = FORMS[form]
    with pytest.raises(ValueError, match="btc cannot be read: it has more than 0 MB; it may be split"):
        read_bars("btc", content.encode() if isinstance(content, str) else content)


def test_a_large_file_is_not_read(tmp_path: Path, monkeypatch):
    (tmp_path / "btc.csv").write_bytes(b"time")
    assert content_of(tmp_path / "btc.csv") == b"time"
    monkeypatch.setattr(bar_files, "MOST_BYTES", 3)
    with pytest.raises(ValueError, match=r"btc\.csv cannot be read: it has more than 0 MB"):
        content_of(tmp_path / "btc.csv")


def test_what_is_no_file_is_not_opened(tmp_path: Path):
    """A named pipe would be waited for."""
    os.mkfifo(tmp_path / "btc.csv")
    (tmp_path / "btc.json").mkdir()
    assert find_files(tmp_path, "btc") == []


def test_a_header_alone_has_no_bars():
    file = read_bars("btc.csv", HEADER.encode())
    assert (file.rows.shape, file.faults, file.spacing) == ((0, 6), [], 0)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_line_that_is_being_written_is_no_row(encoding: str):
    content = "\n".join([HEADER, *LINES]).encode(encoding)
    assert len(read_bars("btc.csv", content, is_growing=True).rows) == len(BARS) - 1


@pytest.mark.parametrize(
    ("names", "matches"),
    [
        (["btc.csv", "eth.csv", "btc.txt", "wbtc.csv"], ["btc.csv"]),
        (["BTC.CSV.GZ"], ["BTC.CSV.GZ"]),
        (["btc.csv.zip"], ["btc.csv.zip"]),
        (["btc.parquet", "BTC-USD.csv"], ["btc.parquet"]),
        (["BTC_USDT-1h.feather", "BTC_USDT_USDT-8h-funding_rate.feather"], ["BTC_USDT-1h.feather"]),
        (["BTC_USDT-5m.json.gz", "BTC_EUR-5m.json.gz", "btcusdt.csv"], ["BTC_USDT-5m.json.gz", "btcusdt.csv"]),
        (["BTCUSDT-1h-2025-02.zip", "BTCUSDT-1h-2025-01.zip"], ["BTCUSDT-1h-2025-01.zip", "BTCUSDT-1h-2025-02.zip"]),
    ],
)
def test_an_asset_has_files_by_its_name_or_its_pair(tmp_path: Path, names: list[str], matches: list[str]):
    """Its own name comes first."""
    for name in names:
        (tmp_path / name).touch()
    assert [file.name for file in find_files(tmp_path, "btc")] == matches


def test_files_of_one_asset_are_one_history():
    """In any order, where their bars are of one length."""
    parts = {"b": "\n".join([HEADER, *LINES[:2], "x"]), "a": "\n".join([HEADER, *LINES[2:]])}
    file = read_files({name: text.encode() for name, text in parts.items()})
    assert file.rows.tolist() == [list(bar) for bar in BARS]
    assert (file.name, file.faults) == ("a to b", [(-1, "b, line 4: it has 1 columns, not 6")])
    parts["c"] = "\n".join([HEADER, *LINES[::2]])
    with pytest.raises(ValueError, match="bars of one asset must be of one length, not a 3600 s, c 7200 s"):
        read_files({name: text.encode() for name, text in parts.items()})
