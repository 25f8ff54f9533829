"""Bars to trade on, recorded, simulated and by hand, and the Bot Battle document for given states of the lanes."""

from __future__ import annotations

import csv
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import numpy as np

from service.market.assets import ASSETS
from service.market.bars import Bars, check, from_rows, resample
from service.market.headers import header
from service.market.instants import DAY, HOUR
from service.sources.feeds import simulated
from service.trading.battle import BattleDocument, RateLimit, describe

NEW_YEAR = 1735689600  # 2025-01-01T00:00:00Z
SEED = 7


def real(folder: Path, step: int) -> dict[str, Bars]:
    """The bars of every file in `folder`; some bars of the metals are not on the hour and are refused."""
    return {file.stem: _read(file, step) for file in sorted(folder.glob("*.csv"))}


def _read(file: Path, step: int) -> Bars:
    with file.open() as lines:
        _, *rows = csv.reader(lines)
    return check([(datetime.fromisoformat(time).timestamp(), *map(float, row)) for time, *row in rows], step)[0]


def simulated_bars(days: int) -> dict[str, Bars]:
    """Simulated five-minute bars of all assets, of this many days from 2025-01-01 on."""
    return {asset: simulated.bars(SEED, asset, NEW_YEAR, NEW_YEAR + days * DAY) for asset in ASSETS}


def by_the_hour(marks: dict[str, Bars]) -> dict[str, Bars]:
    """The complete hours of shorter bars."""
    return {asset: resample(bars, HOUR) for asset, bars in marks.items()}


def span_of(bars: dict[str, Bars], *, since: int = 0, until: int = 2**40) -> dict[str, Bars]:
    """The bars of each asset between two instants."""
    return {asset: history.since(since).until(until) for asset, history in bars.items()}


def bars_of(opens: list[float], closes: list[float], times: list[int] | None = None, step: int = HOUR) -> Bars:
    """Bars whose high and low are their open and close, one after the other unless `times` are given."""
    columns = zip(times or range(0, step * len(opens), step), opens, closes, strict=True)
    return from_rows([(time, o, max(o, c), min(o, c), c, 1) for time, o, c in columns], step)


def closing(closes: list[float], volumes: list[float] | None = None, start: int = 0) -> Bars:
    """Hourly bars that open at the previous close."""
    bars = bars_of([*closes[:1], *closes[:-1]], closes, [start + HOUR * at for at in range(len(closes))])
    return replace(bars, volume=np.array(volumes, float)) if volumes else bars


def digest(bars: dict[str, Bars]) -> str:
    hasher = sha256()
    for asset, history in sorted(bars.items()):
        hasher.update(f"{asset} {history.rows()}".encode())
    return hasher.hexdigest()[:16]


def battle_of(states, benchmarks=None) -> BattleDocument:
    """The document computed seven seconds after the last bar, with bars of five minutes; holding won 10% everywhere."""
    as_of = max(state.as_of for state in states.values())
    sources = {"bars": "a file", "pools": "assumed"}
    battle_header = header(as_of + 7, as_of, step=300, world="simulated", sources=sources)
    limit = RateLimit(limit=120, window_s=60, scope="address")
    return describe(states, benchmarks or dict.fromkeys(states, 11_000.0), battle_header, limit, as_of - DAY)
