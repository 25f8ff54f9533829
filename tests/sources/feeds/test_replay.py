"""A folder of bars as a market that runs: history before the start, then bar after bar."""

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

HEADER = "time,open,high,low,close,volume"
SINCE = 1_767_571_200  # 2026-01-05T00:00:00Z


WALL = int(datetime(2026, 11, 21, 8, 30, tzinfo=UTC).timestamp())
WEEK = 7 * 24


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
    """Each once it is over, and on closed days too: real bars decide when a market traded."""
    feed = replay(folder(gold=hours(WEEK)))
    answer = feed.fetch("gold", SINCE + HOUR, SINCE + 3 * HOUR)
    assert answer.bars.rows() == [
        (SINCE + HOUR, 101.0, 103.0, 100.0, 102.0, 5.0),
        (SINCE + 2 * HOUR, 102.0, 104.0, 101.0, 103.0, 5.0),
    ]
    assert (answer.refused, answer.source) == ((), "replay of gold.csv")
    for until, count in ((HOUR - 1, 0), (HOUR, 1), (WEEK * HOUR, WEEK)):
        assert len(feed.fetch("gold", SINCE, SINCE + until).bars) == count


@pytest.mark.parametrize("step", [60, 300, 900, 1800, 3600])
def test_the_length_of_the_bars_is_detected(folder, step):
    feed = replay(folder(btc=hours(100, step=step)), start=SINCE + 50 * step)
    assert feed.step == feed.fetch("btc", SINCE, SINCE + DAY).bars.step == step


def test_a_hole_stays_absent_and_bars_off_the_grid_are_refused(folder):
    lines = hours(WEEK)
    lines[10:12] = []
    lines[20] = row(SINCE + 22 * HOUR + 1800)
    answer = replay(folder(btc=lines)).fetch("btc", SINCE, SINCE + 2 * DAY)
    assert len(answer.bars) == 48 - 3
    assert answer.refused == ((SINCE + 22 * HOUR + 1800, "it opens off the 3600-second grid"),)


def test_a_row_that_cannot_be_read_is_refused_and_the_rest_kept(folder):
    lines = hours(WEEK)
    lines[1] = f"{SINCE + HOUR},,2,1,2,5"
    answer = replay(folder(btc=lines)).fetch("btc", SINCE, SINCE + WEEK * HOUR)
    assert len(answer.bars) == WEEK - 1
    assert answer.refused == ((SINCE + HOUR, "btc.csv, line 3: '' is not a number"),)


def test_files_of_exchanges_are_replayed_as_they_are(tmp_path):
    """Archives of a month each, in milliseconds and in microseconds."""
    for month, (unit, first) in enumerate(((1000, 0), (10**6, 100)), 1):
        rows = [row((SINCE + HOUR * (first + number)) * unit) for number in range(100)]
        (tmp_path / f"BTCUSDT-1h-2026-0{month}.csv").write_text("\n".join(rows))
    feed = replay(tmp_path)
    answer = feed.fetch("btc", SINCE, SINCE + 200 * HOUR)
    assert (len(answer.bars), answer.refused, feed.step) == (200, (), HOUR)
    assert answer.source == "replay of BTCUSDT-1h-2026-01.csv to BTCUSDT-1h-2026-02.csv"


def test_a_refused_bar_is_reported_in_its_window_alone(folder):
    lines = hours(WEEK)
    lines[5], lines[30] = row(SINCE + 5 * HOUR, -1), row("soon")
    feed = replay(folder(btc=lines))
    assert [len(feed.fetch("btc", SINCE + day * DAY, SINCE + (day + 1) * DAY).refused) for day in range(3)] == [2, 0, 0]


def test_assets_without_a_file_are_not_in_that_world(folder):
    feed = replay(folder(eth=hours(WEEK), xrp=hours(WEEK), pepe=hours(WEEK)))
    assert feed.assets == ("eth", "xrp")
    with pytest.raises(SourceFailed, match="the replay has no btc: its folder holds eth, xrp"):
        feed.fetch("btc", SINCE, SINCE + DAY)


def test_everything_before_the_start_is_history_and_the_rest_runs(folder):
    feed = replay(folder(btc=hours(WEEK), eth=hours(10)), start=SINCE + DAY + 1234, world_speed=120)
    clock = feed.clock(WALL)
    assert feed.history_from == SINCE
    assert clock.at(WALL) == SINCE + DAY
    assert clock.at(WALL + 60) == SINCE + DAY + 2 * HOUR
    assert clock.at(WALL + 10**6) == SINCE + WEEK * HOUR
    assert clock.has_ended(clock.at(WALL + 10**6))


LENGTH = "REPLAY_DIR: the length of bars must be an hour or divide it evenly"
SPAN = "REPLAY_START: .* runs from 2026-01-05T00:00:00Z to 2026-01-12T00:00:00Z"


def test_a_file_without_bars_is_refused(folder):
    with pytest.raises(SettingsError, match=r"REPLAY_DIR: btc\.csv, line 1: it is no bar and names no columns of time"):
        replay(folder(header="a,b", btc=["1,2"]))


@pytest.mark.parametrize(
    ("files", "start", "complaint"),
    [
        *(({"btc": hours(WEEK)}, start, SPAN) for start in (SINCE - DAY, SINCE, SINCE + 7 * DAY, SINCE + 30 * DAY)),
        ({"btc": hours(WEEK)}, None, r"REPLAY_START: .* \(60 days before the end, the default\)"),
        ({"pepe": hours(WEEK)}, SINCE + DAY, "REPLAY_DIR: .* holds none of btc.csv, eth.csv, .*silver.csv"),
        *(
            ({"btc": hours(100, step=step)}, SINCE + DAY, f"{LENGTH}, not {step} s as in btc.csv")
            for step in (2 * HOUR, 2400)
        ),
        ({"btc": hours(1)}, SINCE + DAY, "REPLAY_DIR: btc.csv contains fewer than two bars$"),
        (
            {"btc": ["05.01.2026 00:00,1,1,1,1,1"]},
            SINCE + DAY,
            "REPLAY_DIR: btc.csv contains fewer than two bars: btc.csv, line 2: '05.01.2026 00:00' is not a time",
        ),
        ({"btc": ["1,2"], "eth": hours(WEEK)}, SINCE + DAY, "btc.csv, line 2: it has 2 columns, not 6"),
        (
            {"btc": hours(WEEK), "eth": hours(WEEK, step=300)},
            SINCE + DAY,
            "REPLAY_DIR: its files must hold bars of one length, not btc.csv 3600 s, eth.csv 300 s",
        ),
        (
            {"btc": hours(WEEK), "eth": [f"{SINCE + HOUR * number},1,1,0,1,1" for number in range(10)]},
            SINCE + DAY,
            "REPLAY_DIR: eth.csv contains no usable bar: a price is not positive",
        ),
    ],
)
def test_a_folder_that_cannot_be_replayed_is_refused(folder, files, start, complaint):
    """The sentence says what is allowed."""
    with pytest.raises(SettingsError, match=complaint):
        replay(folder(**files), start)


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(SettingsError, match=r"REPLAY_DIR: .*nowhere is not a folder"):
        replay(tmp_path / "nowhere")


def test_another_past_has_another_fingerprint(folder):
    prints = {
        replay(folder(btc=hours(WEEK))).fingerprint,
        replay(folder(btc=hours(WEEK - 1))).fingerprint,
        replay(folder(btc=hours(WEEK - 1), eth=hours(WEEK))).fingerprint,
    }
    assert len(prints) == 3
    assert replay(folder(btc=hours(WEEK - 1), eth=hours(WEEK))).fingerprint in prints


@pytest.fixture(scope="module")
def recording(shared_data) -> Feed:
    """The hourly bars of seven assets, 2024-02 to 2025-04."""
    return open_feed(Settings(world="replay", replay_dir=shared_data / "candles" / "1h"), WALL)


def test_all_seven_assets_have_a_past_of_hours(recording):
    assert recording.assets == tuple(ASSETS)
    assert recording.step == HOUR
    assert recording.history_from == int(datetime(2024, 2, 1, tzinfo=UTC).timestamp())
    assert recording.clock(WALL).at(WALL) == int(datetime(2025, 3, 2, tzinfo=UTC).timestamp())
    assert recording.clock(WALL).ends == int(datetime(2025, 5, 1, tzinfo=UTC).timestamp())


@pytest.mark.parametrize("asset", ASSETS)
def test_crypto_has_every_hour_and_metals_twelve_odd_bars(recording, asset):
    answer = recording.fetch(asset, recording.history_from, recording.clock(WALL).ends)
    odd = ASSETS[asset].calendar == "comex"
    assert len(answer.bars) == (7131 if odd else 455 * 24)
    assert [bar.reason for bar in answer.refused] == ["it opens off the 3600-second grid"] * (12 * odd)
