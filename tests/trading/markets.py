"""Bars to trade on: recorded ones from the shared data, and simulated ones."""

from __future__ import annotations

import csv
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from service.market.assets import ASSETS
from service.market.bars import Bars, check, resample
from service.market.instants import DAY, HOUR
from service.sources.feeds import simulated

NEW_YEAR = 1735689600  # 2025-01-01T00:00:00Z
SEED = 7


def real(folder: Path, step: int) -> dict[str, Bars]:
    """The bars of every file in `folder`; some bars of the metals are not on the hour and are refused."""
    return {file.stem: _read(file, step) for file in sorted(folder.glob("*.csv"))}


def _read(file: Path, step: int) -> Bars:
    with file.open() as lines:
        rows = [(_seconds(row.pop("time")), *map(float, row.values())) for row in csv.DictReader(lines)]
    return check(rows, step)[0]


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def simulated_bars(days: int) -> dict[str, Bars]:
    """Simulated five-minute bars of all assets, of this many days from 2025-01-01 on."""
    return {asset: simulated.bars(SEED, asset, NEW_YEAR, NEW_YEAR + days * DAY) for asset in ASSETS}


def by_the_hour(marks: dict[str, Bars]) -> dict[str, Bars]:
    """The complete hours of shorter bars."""
    return {asset: resample(bars, HOUR) for asset, bars in marks.items()}


def digest(bars: dict[str, Bars]) -> str:
    """A short hash of the bars."""
    whole = sha256()
    for asset, history in sorted(bars.items()):
        whole.update(f"{asset} {history.rows()}".encode())
    return whole.hexdigest()[:16]
