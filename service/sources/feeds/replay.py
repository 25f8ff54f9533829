"""The replay world: the last days of the bars in a folder are played back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from service.bar_files import BarFile, content_of, find_files, read_files
from service.config import Settings, SettingsError
from service.market.assets import ASSETS
from service.market.bars import Bars, RefusedBar, check, resample
from service.market.instants import DAY, HOUR, World, WorldClock, iso
from service.market.prices import ASSUMED_RATES, Rates
from service.sources.feeds.feed import AssetUnlisted, FetchedBars

RUNS_BY_DEFAULT = 60 * DAY


@dataclass(frozen=True)
class ReplayFeed:
    """The bars of a folder, replayed from `starts` to `ends` at `speed` world seconds per wall second.

    Both are unix seconds of world time; at `ends` the last bar is complete.
    """

    files: Mapping[str, str]  # by asset, their names
    bars: Mapping[str, Bars]
    refusals: Mapping[str, tuple[RefusedBar, ...]]
    step: int
    fingerprint: str
    history_from: int
    starts: int
    ends: int
    speed: float
    world: ClassVar[World] = "replay"
    coins = None

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
        return FetchedBars(resample(bars, step or self.step), refusals, f"replay of {self.files[asset]}")

    def rates(self) -> Rates:
        return ASSUMED_RATES


def open_replay(settings: Settings) -> ReplayFeed:
    """The feed of REPLAY_DIR; raises SettingsError, which says what is allowed, if it cannot be replayed."""
    if settings.replay_dir is None:
        raise SettingsError("WORLD=replay needs REPLAY_DIR, a folder of files of bars named for their assets")
    contents = _contents(settings.replay_dir)
    try:
        files = {asset: read_files(parts) for asset, parts in contents.items()}
    except ValueError as error:
        raise SettingsError(f"REPLAY_DIR: {error}") from None
    step = _step(files.values())
    pairs = {asset: _sound(file, step) for asset, file in files.items()}
    bars = {asset: pair[0] for asset, pair in pairs.items()}
    history_from = min(int(series.time[0]) for series in bars.values())
    ends = max(series.as_of for series in bars.values())
    return ReplayFeed(
        files={asset: file.name for asset, file in files.items()},
        bars=bars,
        refusals={asset: pair[1] for asset, pair in pairs.items()},
        step=step,
        fingerprint=_fingerprint(contents),
        history_from=history_from,
        starts=_start(settings, step, history_from, ends),
        ends=ends,
        speed=settings.world_speed,
    )


def _contents(folder: Path) -> dict[str, dict[str, bytes]]:
    """The files of each asset by name."""
    if not folder.is_dir():
        raise SettingsError(f"REPLAY_DIR: {folder} is not a folder")
    try:
        files = {asset: {file.name: content_of(file) for file in find_files(folder, asset)} for asset in ASSETS}
    except (OSError, ValueError) as error:
        raise SettingsError(f"REPLAY_DIR: {error}") from None
    if not any(files.values()):
        names = ", ".join(f"{asset}.csv" for asset in ASSETS)
        raise SettingsError(f"REPLAY_DIR: {folder} holds none of {names}; at least one is needed")
    return {asset: parts for asset, parts in files.items() if parts}


def _step(files: Collection[BarFile]) -> int:
    """The length of the bars in seconds: the most common spacing, which must be the same in every file."""
    steps = {file.name: file.spacing for file in files}
    for file in files:
        step = steps[file.name]
        if not step:
            reason = f": {file.faults[0][1]}" if file.faults else ""
            raise SettingsError(f"REPLAY_DIR: {file.name} contains fewer than two bars{reason}")
        if HOUR % step:
            problem = f"not {step} s as in {file.name}"
            raise SettingsError(f"REPLAY_DIR: the length of bars must be an hour or divide it evenly, {problem}")
    if len(set(steps.values())) > 1:
        lengths = ", ".join(f"{name} {step} s" for name, step in steps.items())
        raise SettingsError(f"REPLAY_DIR: its files must hold bars of one length, not {lengths}")
    return steps.popitem()[1]


def _sound(file: BarFile, step: int) -> tuple[Bars, tuple[RefusedBar, ...]]:
    bars, refusals = check(file.rows, step)
    refusals = sorted([*refusals, *(RefusedBar(*fault) for fault in file.faults)])
    if not len(bars):
        raise SettingsError(f"REPLAY_DIR: {file.name} contains no usable bar: {refusals[0].reason}")
    return bars, tuple(refusals)


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


def _fingerprint(contents: Mapping[str, Mapping[str, bytes]]) -> str:
    digest = sha256()
    for asset, parts in contents.items():
        content = b"".join(parts.values())
        digest.update(f"{asset} {len(content)}\n".encode() + content)
    return digest.hexdigest()
