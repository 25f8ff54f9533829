"""Bars from CSV files, and the replay world: the last days of one file per asset are played back.

The columns are `time,open,high,low,close,volume`; the time is ISO 8601 or unix seconds.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import ClassVar

import numpy as np

from service.config import Settings, SettingsError
from service.market.assets import ASSETS
from service.market.bars import Bar, Bars, Prices, RefusedBar, check, resample
from service.market.instants import DAY, HOUR, World, WorldClock, iso
from service.market.prices import ASSUMED_RATES, Rates
from service.sources.feeds.feed import AssetUnlisted, FetchedBars

NO_ROW = (np.nan,) * len(Bar._fields)


def read_rows(name: str, content: bytes) -> Prices:
    """The rows of a file in their order, shape (n, 6), times in unix seconds; an unreadable row is NaN.

    Raises SettingsError, which mentions the file as `name`, if the file is not text or has another header.
    """
    try:
        rows = [row for row in csv.reader(StringIO(content.decode("utf-8-sig"), newline="")) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise SettingsError(f"{name} is not a readable CSV file: {error}") from None
    if not rows or tuple(column.strip().lower() for column in rows[0]) != Bar._fields:
        raise SettingsError(f"the first line of {name} must be {','.join(Bar._fields)}")
    return np.array([_numbers(row) for row in rows[1:]], dtype=np.float64).reshape(-1, len(Bar._fields))


def commonest_spacing(times: Prices) -> int:
    """The most common spacing in seconds; 0 for fewer than two bars in ascending order."""
    spacings = np.diff(times[np.isfinite(times)])
    lengths, counts = np.unique(spacings[spacings >= 1], return_counts=True)
    return int(lengths[np.argmax(counts)]) if len(lengths) else 0


def _numbers(row: list[str]) -> tuple[float, ...]:
    if len(row) != len(Bar._fields):
        return NO_ROW
    try:
        return (_unix_second(row[0]), *map(float, row[1:]))
    except ValueError:
        return NO_ROW


def _unix_second(text: str) -> float:
    """An instant in unix seconds; without an offset it is UTC."""
    if text.isdecimal():
        return float(text)
    instant = datetime.fromisoformat(text)
    return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).timestamp()


RUNS_BY_DEFAULT = 60 * DAY


@dataclass(frozen=True)
class ReplayFeed:
    """The bars of a folder, all in memory.

    The replay runs from `starts` to `ends`, where its last bar is complete; both are unix seconds of world time.
    `speed` is the number of world seconds per wall second.
    """

    bars: Mapping[str, Bars]
    refusals: Mapping[str, tuple[RefusedBar, ...]]
    step: int
    fingerprint: str
    history_from: int
    starts: int
    ends: int
    speed: float
    world: ClassVar[World] = "replay"

    @property
    def coins(self) -> None:
        """A replay has the bars of its folder alone."""

    @property
    def assets(self) -> tuple[str, ...]:
        return tuple(self.bars)

    def clock(self, wall: int) -> WorldClock:
        return WorldClock("replay", world_origin=self.starts, wall_origin=wall, speed=self.speed, ends=self.ends)

    def fetch(self, asset: str, since: int, until: int, step: int | None = None) -> FetchedBars:
        if asset not in self.bars:
            raise AssetUnlisted(f"the replay has no {asset}: its folder holds {', '.join(self.bars)}")
        # A row without a readable time is reported with the first bars.
        refusals = tuple(bar for bar in self.refusals[asset] if since <= max(bar.time, self.history_from) < until)
        bars = self.bars[asset].since(since).until(until)
        return FetchedBars(resample(bars, step or self.step), refusals, f"replay of {asset}.csv")

    def rates(self) -> Rates:
        return ASSUMED_RATES


def open_replay(settings: Settings) -> ReplayFeed:
    """The feed of REPLAY_DIR; raises SettingsError, which says what is allowed, if it cannot be replayed."""
    if settings.replay_dir is None:
        raise SettingsError("WORLD=replay needs REPLAY_DIR, a folder of CSV files named for their assets")
    contents = _contents(settings.replay_dir)
    rows = {asset: read_rows(f"REPLAY_DIR: {asset}.csv", content) for asset, content in contents.items()}
    step = _step(rows)
    pairs = {asset: _sound(asset, table, step) for asset, table in rows.items()}
    bars = {asset: pair[0] for asset, pair in pairs.items()}
    history_from = min(int(series.time[0]) for series in bars.values())
    ends = max(series.as_of for series in bars.values())
    return ReplayFeed(
        bars=bars,
        refusals={asset: pair[1] for asset, pair in pairs.items()},
        step=step,
        fingerprint=_fingerprint(contents),
        history_from=history_from,
        starts=_start(settings, step, history_from, ends),
        ends=ends,
        speed=settings.world_speed,
    )


def _contents(folder: Path) -> dict[str, bytes]:
    if not folder.is_dir():
        raise SettingsError(f"REPLAY_DIR: {folder} is not a folder")
    files = {asset: folder / f"{asset}.csv" for asset in ASSETS}
    try:
        contents = {asset: file.read_bytes() for asset, file in files.items() if file.is_file()}
    except OSError as error:
        raise SettingsError(f"REPLAY_DIR: {error}") from None
    if not contents:
        names = ", ".join(file.name for file in files.values())
        raise SettingsError(f"REPLAY_DIR: {folder} holds none of {names}; at least one is needed")
    return contents


def _step(rows: Mapping[str, Prices]) -> int:
    """The length of the bars in seconds: the most common spacing, which must be the same in every file."""
    steps = {asset: commonest_spacing(table[:, 0]) for asset, table in rows.items()}
    step = next(iter(steps.values()))
    if len(set(steps.values())) > 1:
        lengths = ", ".join(f"{asset}.csv {spacing} s" for asset, spacing in steps.items())
        raise SettingsError(f"REPLAY_DIR: its files must hold bars of one length, not {lengths}")
    if not 0 < step <= HOUR or HOUR % step:
        raise SettingsError(f"REPLAY_DIR: the length of bars must be an hour or divide it evenly, not {step} s")
    return step


def _sound(asset: str, rows: Prices, step: int) -> tuple[Bars, tuple[RefusedBar, ...]]:
    bars, refusals = check(rows, step)
    if not len(bars):
        raise SettingsError(f"REPLAY_DIR: {asset}.csv contains no usable bar")
    return bars, tuple(sorted(refusals))


def _start(settings: Settings, step: int, first: int, ends: int) -> int:
    """The unix second at which the replay starts, on the grid of `step`."""
    start = int(settings.replay_start.timestamp()) if settings.replay_start else ends - RUNS_BY_DEFAULT
    start -= start % step
    if first < start < ends:
        return start
    default = "" if settings.replay_start else " (60 days before the end, the default)"
    raise SettingsError(
        f"REPLAY_START: {iso(start)}{default} is not inside the data, which runs from {iso(first)} to {iso(ends)}"
    )


def _fingerprint(contents: Mapping[str, bytes]) -> str:
    digest = sha256()
    for asset, content in contents.items():
        digest.update(f"{asset} {len(content)}\n".encode() + content)
    return digest.hexdigest()
