"""A folder of bars: replayed as a market of its own, and beside the exchanges of the live world."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from service.config import Settings, SettingsError
from service.errors import SourceFailed
from service.market.assets import ASSETS
from service.market.instants import DAY, HOUR
from service.sources.feeds import Feed, open_feed
from service.sources.feeds.exchange import ExchangeFeed, open_exchanges
from service.sources.feeds.exchange_client import BarFolder, Request
from service.sources.feeds.feed import AssetUnlisted
from tests.sources import faults
from tests.sources.faults import STEP, listing, rows

HEADER = "time,open,high,low,close,volume"
SINCE = 1_767_571_200  # 2026-01-05T00:00:00Z
WALL = int(datetime(2026, 11, 21, 8, 30, tzinfo=UTC).timestamp())
WEEK = 7 * 24
ZERO_LOWS = [f"{SINCE + HOUR * number},1,1,0,1,1" for number in range(10)]
FEW = "REPLAY_DIR: btc.csv contains fewer than two bars"
TWO_LENGTHS = "REPLAY_DIR: its files must hold bars of one length, not btc.csv 3600 s, eth.csv 300 s"
LENGTH = "REPLAY_DIR: the length of bars must be an hour or divide it evenly"
SPAN = "REPLAY_START: .* runs from 2026-01-05T00:00:00Z to 2026-01-12T00:00:00Z"


def row(time: object, price: float = 100.0) -> str:
    return f"{time},{price},{price + 2},{price - 1},{price + 1},5"


def hours(count: int, since: int = SINCE, step: int = HOUR) -> list[str]:
    return [row(since + step * number, 100 + number) for number in range(count)]


@pytest.fixture
def folder(tmp_path) -> Callable[..., Path]:
    """Write files of the given lines, the usual header above them."""

    def write(header: str = HEADER, **files: list[str]) -> Path:
        for asset, lines in files.items():
            (tmp_path / f"{asset}.csv").write_text("\n".join([header, *lines]) + "\n")
        return tmp_path

    return write


def replay(folder: Path, start: int | None = SINCE + DAY, **options) -> Feed:
    instant = start and datetime.fromtimestamp(start, UTC)
    return open_feed(Settings(world="replay", replay_dir=folder, replay_start=instant, **options), WALL)


def test_the_bars_of_a_file_come_as_they_stand(folder):
    """Each once it is over, on closed days too; a hole stays absent, and bars off the grid are refused."""
    feed = replay(folder(gold=hours(WEEK)))
    answer = feed.fetch("gold", SINCE + HOUR, SINCE + 3 * HOUR)
    first, second = (101.0, 103.0, 100.0, 102.0, 5.0), (102.0, 104.0, 101.0, 103.0, 5.0)
    assert answer.bars.rows() == [(SINCE + HOUR, *first), (SINCE + 2 * HOUR, *second)]
    assert (answer.refused, answer.source) == ((), "replay of gold.csv")
    for until, count in ((HOUR - 1, 0), (HOUR, 1), (WEEK * HOUR, WEEK)):
        assert len(feed.fetch("gold", SINCE, SINCE + until).bars) == count
    lines = hours(WEEK)
    lines[10:12] = []
    lines[20] = row(SINCE + 22 * HOUR + 1800)
    answer = replay(folder(btc=lines)).fetch("btc", SINCE, SINCE + 2 * DAY)
    assert len(answer.bars) == 48 - 3
    assert answer.refused == ((SINCE + 22 * HOUR + 1800, "it opens off the 3600-second grid"),)


@pytest.mark.parametrize("step", [60, 300, 900, 1800, 3600])
def test_the_length_of_the_bars_is_detected(folder, step):
    feed = replay(folder(btc=hours(100, step=step)), start=SINCE + 50 * step)
    assert feed.step == feed.fetch("btc", SINCE, SINCE + DAY).bars.step == step


def test_a_row_that_cannot_be_read_is_refused_and_the_rest_kept(folder):
    """It is reported in its window alone."""
    lines = hours(WEEK)
    lines[1] = f"{SINCE + HOUR},,2,1,2,5"
    answer = replay(folder(btc=lines)).fetch("btc", SINCE, SINCE + WEEK * HOUR)
    assert len(answer.bars) == WEEK - 1
    assert answer.refused == ((SINCE + HOUR, "btc.csv, line 3: '' is not a number"),)
    lines = hours(WEEK)
    lines[5], lines[30] = row(SINCE + 5 * HOUR, -1), row("soon")
    feed = replay(folder(btc=lines))
    assert [len(feed.fetch("btc", SINCE + day * DAY, SINCE + (day + 1) * DAY).refused) for day in range(3)] == [2, 0, 0]


def test_everything_before_the_start_is_history_and_the_rest_runs(folder):
    """Assets without a file are not in that world, nor are others."""
    feed = replay(folder(eth=hours(WEEK), xrp=hours(10), pepe=hours(WEEK)), SINCE + DAY + 1234, world_speed=120)
    assert feed.assets == ("eth", "xrp")
    with pytest.raises(SourceFailed, match="the replay has no btc: its folder holds eth, xrp"):
        feed.fetch("btc", SINCE, SINCE + DAY)
    clock = feed.clock(WALL)
    assert feed.history_from == SINCE
    assert (clock.at(WALL), clock.at(WALL + 60)) == (SINCE + DAY, SINCE + DAY + 2 * HOUR)
    assert clock.at(WALL + 10**6) == SINCE + WEEK * HOUR
    assert clock.has_ended(clock.at(WALL + 10**6))


@pytest.mark.parametrize(
    ("files", "start", "complaint"),
    [
        *(({"btc": hours(WEEK)}, start, SPAN) for start in (SINCE - DAY, SINCE, SINCE + 7 * DAY, SINCE + 30 * DAY)),
        ({"btc": hours(WEEK)}, None, r"REPLAY_START: .* \(60 days before the end, the default\)"),
        ({"header": "a,b", "btc": ["1,2"]}, SINCE + DAY, "btc.csv, line 1: it is no bar and names no columns of time"),
        ({"pepe": hours(WEEK)}, SINCE + DAY, "REPLAY_DIR: .* holds none of btc.csv, eth.csv, .*silver.csv"),
        *(({"btc": hours(9, step=s)}, SINCE + DAY, f"{LENGTH}, not {s} s as in btc.csv") for s in (2 * HOUR, 2400)),
        ({"btc": hours(1)}, SINCE + DAY, f"{FEW}$"),
        ({"btc": ["1,2"], "eth": hours(WEEK)}, SINCE + DAY, f"{FEW}: btc.csv, line 2: it has 2 columns, not 6"),
        ({"btc": hours(WEEK), "eth": hours(WEEK, step=300)}, SINCE + DAY, TWO_LENGTHS),
        ({"btc": hours(WEEK), "eth": ZERO_LOWS}, SINCE + DAY, "eth.csv contains no usable bar: a price is not"),
    ],
)
def test_a_folder_that_cannot_be_replayed_is_refused(folder, files, start, complaint):
    """The sentence says what is allowed."""
    with pytest.raises(SettingsError, match=complaint):
        replay(folder(**files), start)
    with pytest.raises(SettingsError, match=r"REPLAY_DIR: .*nowhere is not a folder"):
        replay(folder() / "nowhere")


def test_another_past_has_another_fingerprint(folder):
    pasts = ({"btc": hours(WEEK)}, {"btc": hours(WEEK - 1)}, *[{"btc": hours(WEEK - 1), "eth": hours(WEEK)}] * 2)
    prints = [replay(folder(**files)).fingerprint for files in pasts]
    assert len(set(prints[:3])) == 3
    assert prints[2] == prints[3]


@pytest.fixture(scope="module")
def recording(shared_data) -> Feed:
    """The hourly bars of seven assets, 2024-02 to 2025-04."""
    return open_feed(Settings(world="replay", replay_dir=shared_data / "candles" / "1h"), WALL)


def test_all_recorded_assets_have_a_past_of_hours(recording, shared_data):
    """Crypto has every hour, and metals have twelve odd bars."""
    names = {path.name.partition(".")[0] for path in (shared_data / "candles" / "1h").iterdir()}
    assert (recording.assets, recording.step) == (tuple(asset for asset in ASSETS if asset in names), HOUR)
    assert {*recording.assets} == names
    assert recording.history_from == int(datetime(2024, 2, 1, tzinfo=UTC).timestamp())
    assert recording.clock(WALL).at(WALL) == int(datetime(2025, 3, 2, tzinfo=UTC).timestamp())
    assert recording.clock(WALL).ends == int(datetime(2025, 5, 1, tzinfo=UTC).timestamp())
    for asset in recording.assets:
        answer = recording.fetch(asset, recording.history_from, recording.clock(WALL).ends)
        odd = ASSETS[asset].calendar == "comex"
        assert len(answer.bars) == (7131 if odd else 455 * 24)
        assert [bar.reason for bar in answer.refused] == ["it opens off the 3600-second grid"] * (12 * odd)


def write(folder, bars, name="silver.csv", end="\n"):
    (folder / name).write_text("\n".join([HEADER, *(",".join(map(str, row)) for row in bars)]) + end)


def ask(folder, step=STEP, count=24, asset="silver"):
    return BarFolder(folder).ask(Request(asset, (), step), faults.SINCE, faults.SINCE + count * STEP, 1.0)


def test_the_bars_of_a_span_come_from_its_file(tmp_path):
    """Also as hours, which are built from them; a file of hours, or of something else, cannot be used."""
    write(tmp_path, rows(24))
    assert ask(tmp_path).rows == [list(row) for row in rows(24)]
    assert [row[0] for row in ask(tmp_path, HOUR).rows] == [faults.SINCE, faults.SINCE + HOUR]
    assert ask(tmp_path).source == "silver.csv in BARS_DIR"
    write(tmp_path, [(faults.SINCE + HOUR * number, 1, 1, 1, 1, 1) for number in range(2)])
    assert ask(tmp_path).fault.endswith("silver.csv needs bars of five minutes or a part of them, not of 3600 s")
    (tmp_path / "silver.csv").write_text("a,b\n1,2\n")
    assert "silver.csv, line 1: it is no bar and names no columns of time" in ask(tmp_path).fault


def test_a_file_that_grew_is_read_again(tmp_path):
    """The operator appends to it while the service runs; a line that is being written is left out."""
    folder, request = BarFolder(tmp_path), Request("silver", (), STEP)
    for lines, end, count in ((3, "", 2), (3, "\n", 3), (5, "\n", 5)):
        write(tmp_path, rows(lines), end=end)
        assert len(folder.ask(request, faults.SINCE, faults.SINCE + HOUR, 1.0).rows) == count


@pytest.fixture
def file_feed(tmp_path) -> ExchangeFeed:
    """The live world with a folder of bars alone."""
    return ExchangeFeed((BarFolder(tmp_path),), 0, 5.0)


def test_a_wrong_row_is_reported_with_its_reason(tmp_path, file_feed):
    lines = [*rows(3), (faults.SINCE + 3 * STEP, 9.0, 1.0, 99.0, 9.0, 1.0), *rows(2, faults.SINCE + 4 * STEP)]
    write(tmp_path, lines)
    answer = file_feed.fetch("silver", faults.SINCE, faults.SINCE + 6 * STEP)
    assert len(answer.bars) == 5
    assert answer.refused == ((faults.SINCE + 3 * STEP, "BARS_DIR: its high is below its low"),)


@pytest.mark.parametrize("step", [STEP, HOUR])
def test_a_row_that_cannot_be_read_is_reported_with_its_line(tmp_path, file_feed, step):
    """In the span of its time, or in each where it has none."""
    write(tmp_path, [*rows(24), (faults.SINCE + HOUR, "", 1, 1, 1, 1), ("soon", 1, 1, 1, 1, 1)])
    first, second = (file_feed.fetch("silver", faults.SINCE, faults.SINCE + n * HOUR, step).refused for n in (1, 2))
    no_time = {-1: "BARS_DIR: silver.csv, line 27: 'soon' is not a time"}
    assert dict(first) == no_time
    assert dict(second) == no_time | {faults.SINCE + HOUR: "BARS_DIR: silver.csv, line 26: '' is not a number"}


def test_exchanges_come_before_the_folder(tmp_path, kraken, coinbase):
    """It adds the asset that none of them lists, and fills the others."""
    kraken.bars = coinbase.bars = listing(rows(10))
    write(tmp_path, rows(20))
    write(tmp_path, rows(20, price=7.0), "btc.csv")
    addresses = (f"kraken={kraken.address}", f"coinbase={coinbase.address}")
    feed = open_exchanges(Settings(world="live", exchanges=addresses, bars_dir=tmp_path), 0)
    assert feed.fetch("silver", faults.SINCE, faults.SINCE + 20 * STEP).source == "silver.csv in BARS_DIR"
    answer = feed.fetch("btc", faults.SINCE, faults.SINCE + 20 * STEP)
    assert answer.source == "kraken BTC/USD, then btc.csv in BARS_DIR for 10 bars"
    with pytest.raises(AssetUnlisted, match="kraken, coinbase, BARS_DIR list none"):
        feed.fetch("gold", faults.SINCE, faults.SINCE + 20 * STEP)
