"""Small bars for tests of rules."""

from __future__ import annotations

import numpy as np

from service.market.bars import Bars, from_rows
from service.market.instants import HOUR


def bars_of(closes: list[float], volumes: list[float] | None = None) -> Bars:
    """Bars that open at the previous close and whose high and low are open and close."""
    opens = [closes[0], *closes[:-1]]
    volumes = volumes or [1.0] * len(closes)
    columns = zip(opens, closes, volumes, strict=True)
    rows = [(HOUR * at, o, max(o, c), min(o, c), c, v) for at, (o, c, v) in enumerate(columns)]
    return from_rows(rows, HOUR)


def wave(count: int, length: float) -> list[float]:
    return [100 + 10 * np.sin(2 * np.pi * at / length) for at in range(count)]
