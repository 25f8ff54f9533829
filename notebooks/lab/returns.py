"""Daily returns of any series of values, and their statistics, as quantstats and empyrical compute them.

A year has 365 days, weekends included: where those libraries are told so (`periods`, `annualization`), their numbers
on the same returns are the same to 1e-9. Their default of 252 days, meant for shares, would make a volatility and a
Sharpe ratio smaller by a factor of 0.83. Returns are simple, not logarithmic; no interest is subtracted.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from service.trading.performance import DAYS_A_YEAR, max_drawdown, sharpe, sharpe_interval

TAIL = 0.05  # of the days, whose best return is the value at risk
STATISTICS = {
    "days": "days",
    "return_pct": "return, %",
    "cagr_pct": "return a year (CAGR), %",
    "volatility_pct": "volatility a year, %",
    "sharpe": "Sharpe ratio",
    "sharpe_low": "its 95% interval, from",
    "sharpe_high": "to",
    "sortino": "Sortino ratio",
    "max_drawdown_pct": "maximum drawdown, %",
    "drawdown_days": "longest drawdown, days",
    "calmar": "CAGR over maximum drawdown",
    "var_pct": "value at risk of a day, 5%",
    "var_normal_pct": "the same, of a normal distribution",
    "shortfall_pct": "mean of the worst 5% of days, %",
    "best_day_pct": "best day, %",
    "worst_day_pct": "worst day, %",
    "days_above_pct": "days above zero, %",
}


def daily_values(values: pd.Series) -> pd.Series:
    """The first value, and the last one of each UTC day, from the first day to the last.

    Parameters
    ----------
    values : values above 0, such as USD in an account or a price, by instant in order of time; without a zone it is UTC

    Returns
    -------
    The values by day, without a zone; a day without a value has the one before. The first row is the starting capital:
    the day before, where the first day has several values. ValueError where there is no such series.
    """
    index = values.index
    if not isinstance(index, pd.DatetimeIndex) or not index.is_monotonic_increasing or not len(index):
        raise ValueError("The series needs an index of instants in order of time, and a value.")
    if not (np.isfinite(values) & (values > 0)).all():
        raise ValueError("The values must be above 0: an equity or a price, not returns or gains.")
    days = (index.tz_convert(None) if index.tz is not None else index).normalize()
    closes = values.astype("float64").groupby(days).last().asfreq("D").ffill()
    if len(days) > 1 and days.asi8[1] == days.asi8[0]:
        first = pd.Series([float(values.iloc[0])], days[:1] - pd.Timedelta(days=1))
        closes = pd.concat([first, closes])
    return closes.rename(values.name)


def daily_returns(values: pd.Series) -> pd.Series:
    """The simple return of each day, as a fraction; `values` are those of `daily_values`."""
    return values.pct_change().iloc[1:]


def statistics(series: pd.Series | Mapping[str, pd.Series]) -> pd.DataFrame:
    """The statistics of the daily returns of a series, or of several by name.

    Parameters
    ----------
    series : what `daily_values` takes, or several by name, such as the equity of lanes

    Returns
    -------
    One row per series, index `name`. `_pct` are percentages, ratios are annual; a number that takes more days, such as
    a Sharpe ratio of one, is missing. `var_pct` is the return that 5% of the days were below (negative: a loss),
    `var_normal_pct` that of a normal distribution with the same mean and deviation, as quantstats shows it;
    `sharpe_low` and `sharpe_high` are the 95% interval of independent days (Lo 2002).
    """
    series_by_name = series if isinstance(series, Mapping) else {str(series.name or "series"): series}
    rows = [{"name": name, **_statistics(daily_values(values))} for name, values in series_by_name.items()]
    table = pd.DataFrame(rows, columns=["name", *STATISTICS]).set_index("name")
    return table.astype({"days": "int64", "drawdown_days": "Int64"})


def _statistics(values: pd.Series) -> dict[str, Any]:
    equity, returns = values.to_numpy(), daily_returns(values).to_numpy()
    days = len(returns)
    if not days:
        return {"days": 0}
    growth, drawdown = float(equity[-1] / equity[0]), max_drawdown(equity[1:], float(equity[0]))
    cagr = growth ** (DAYS_A_YEAR / days) - 1
    ratio, downside = sharpe(returns), float(np.sqrt(np.square(np.minimum(returns, 0)).mean()))
    deviation = float(returns.std(ddof=1)) if days > 1 else np.nan
    tail = np.sort(returns)[: int((days - 1) * TAIL) + 1]
    low, high = (np.nan, np.nan) if ratio is None else sharpe_interval(ratio, days)
    return {
        "days": days,
        "return_pct": 100 * (growth - 1),
        "cagr_pct": 100 * cagr,
        "volatility_pct": 100 * deviation * np.sqrt(DAYS_A_YEAR),
        "sharpe": ratio,
        "sharpe_low": low,
        "sharpe_high": high,
        "sortino": returns.mean() / downside * np.sqrt(DAYS_A_YEAR) if downside > 0 else np.nan,
        "max_drawdown_pct": -100 * drawdown,
        "drawdown_days": _longest_drawdown(equity),
        "calmar": cagr / drawdown if drawdown > 0 else np.nan,
        "var_pct": 100 * np.percentile(returns, 100 * TAIL),
        "var_normal_pct": 100 * NormalDist(returns.mean(), deviation).inv_cdf(TAIL) if deviation > 0 else np.nan,
        "shortfall_pct": 100 * tail.mean(),
        "best_day_pct": 100 * returns.max(),
        "worst_day_pct": 100 * returns.min(),
        "days_above_pct": 100 * np.mean(returns > 0),
    }


def _longest_drawdown(equity: np.ndarray) -> int:
    """The most days in a row that end below an earlier value."""
    is_below = np.append(equity < np.maximum.accumulate(equity), False)
    ends = np.flatnonzero(~is_below)
    return int(np.diff(ends, prepend=-1).max()) - 1
