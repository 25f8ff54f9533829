"""The folder BARS_DIR: bars of what no exchange lists, appended while the service runs."""

from __future__ import annotations

import pytest

from service.config import Settings, SettingsError
from service.sources.feeds.bar_folder import BarFolder
from service.sources.feeds.exchange import ExchangeFeed, open_exchanges
from service.sources.feeds.exchange_client import Request
from service.sources.feeds.feed import AssetUnlisted
from tests.sources.feeds.faults import SINCE, STEP, listing, rows

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
        ("a,b\n1,2\n", "the first line of silver.csv must be"),
        (f"{HEADER}\n0,1,1,1,1,1\n3600,1,1,1,1,1\n", "silver.csv needs bars of five minutes or a part of them"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_fault(tmp_path, text, fault):
    """It says what is allowed."""
    (tmp_path / "silver.csv").write_text(text)
    assert fault in ask(tmp_path).fault


def test_a_wrong_row_is_reported_with_its_reason(tmp_path):
    """The operator sees how many were left out; the others are used."""
    wrong = [*rows(3), (SINCE + 3 * STEP, 9.0, 1.0, 99.0, 9.0, 1.0), *rows(2, SINCE + 4 * STEP)]
    write(tmp_path, wrong)
    feed = ExchangeFeed((BarFolder(tmp_path),), 0, 5.0)
    fetched = feed.fetch("silver", SINCE, SINCE + 6 * STEP)
    assert len(fetched.bars) == 5
    assert fetched.refused == ((SINCE + 3 * STEP, "BARS_DIR: its high is below its low"),)


def test_exchanges_come_before_the_folder(tmp_path, kraken, coinbase):
    """It adds the asset that none of them lists, and fills the others."""
    kraken.bars = coinbase.bars = listing(rows(10))
    write(tmp_path, rows(20))
    write(tmp_path, rows(20, price=7.0), "btc.csv")
    addresses = (f"kraken={kraken.address}", f"coinbase={coinbase.address}")
    feed = open_exchanges(Settings(world="live", exchanges=addresses, bars_dir=tmp_path), 0)
    assert feed.fetch("silver", SINCE, SINCE + 20 * STEP).source == "silver.csv in BARS_DIR"
    fetched = feed.fetch("btc", SINCE, SINCE + 20 * STEP)
    assert fetched.source == "kraken BTC/USD, then btc.csv in BARS_DIR for 10 bars"
    with pytest.raises(AssetUnlisted, match="kraken, coinbase, BARS_DIR list none"):
        feed.fetch("gold", SINCE, SINCE + 20 * STEP)


def test_a_folder_that_is_none_is_a_wrong_setting(tmp_path):
    """Before anything is fetched."""
    with pytest.raises(SettingsError, match=r"BARS_DIR: .* is not a folder"):
        open_exchanges(Settings(world="live", bars_dir=tmp_path / "absent"), 0)
