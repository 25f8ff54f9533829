"""The fan of a price forecast: the quantiles at every instant between its horizons."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np

from bot.charts.sheet import moment

LEVELS = ("5", "25", "50", "75", "95")
STEPS = 48


class Fan(NamedTuple):
    """Prices in USD by quantile level, each at the same `times`."""

    times: list[datetime]
    prices: dict[str, list[float]]


def fan(forecast: Mapping[str, Any], until: datetime, exact: Mapping[str, Any] | None = None) -> Fan:
    """The quantiles from the forecast's instant to `until`, at most to its longest horizon.

    Between two horizons the log return of a quantile is interpolated on the square root of time, since the spread of a
    random walk grows like it. `exact` is a further horizon, such as the deadline of a question.
    """
    begin = moment(forecast["as_of"])
    horizons: list[Mapping[str, Any]] = [*forecast["horizons"], *([exact] if exact else [])]
    ends = [horizon for horizon in horizons if moment(horizon["until"]) > begin]
    ends.sort(key=lambda horizon: horizon["until"])
    knots = np.array([0.0, *((moment(horizon["until"]) - begin).total_seconds() for horizon in ends)])
    last = min(max((until - begin).total_seconds(), 0.0), float(knots[-1]))
    seconds = np.unique([*np.linspace(0, last**0.5, STEPS) ** 2, *knots[knots < last], last])
    prices = {}
    for level in LEVELS:
        at_knots = [forecast["price"], *(horizon["quantiles"][level] for horizon in ends)]
        prices[level] = np.exp(np.interp(np.sqrt(seconds), np.sqrt(knots), np.log(at_knots))).tolist()
    return Fan([begin + timedelta(seconds=float(second)) for second in seconds], prices)
