"""What quantstats and empyrical say of series of daily values: `make referee` keeps it for the tests of the tearsheet.

With a CSV file of daily values, a column for each series, it prints what they say of those instead. Runs in the
environment of the referees, from the project's root; it imports nothing of ours.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import empyrical
import numpy as np
import pandas as pd
import quantstats

GOLDEN = Path(__file__).parents[1] / "notebooks" / "lab" / "tearsheets.json"
YEAR = 365
DAYS = 240


def main() -> None:
    warnings.simplefilter("ignore")
    if len(sys.argv) > 1:
        table = pd.read_csv(sys.argv[1], index_col=0, parse_dates=True)
        print(json.dumps({str(name): numbers(table[name].dropna()) for name in table}, indent=1))
        return
    golden = {
        name: {"values": values.tolist(), "statistics": numbers(values)} for name, values in planted_series().items()
    }
    GOLDEN.write_text(json.dumps(golden) + "\n")
    print(f"quantstats and empyrical: kept the statistics of {len(golden)} series in {GOLDEN.name}")


def planted_series() -> dict[str, pd.Series]:
    """A walk, one with closed weekends, one with heavy tails, one that only rises, and one of six days."""
    generator = np.random.default_rng(39)
    days = pd.date_range("2025-01-01", periods=DAYS + 1, freq="D")
    steps = {
        "walk": generator.normal(0.001, 0.02, DAYS),
        "weekends": np.where(days[1:].dayofweek < 5, generator.normal(0, 0.01, DAYS), 0.0),
        "tails": 0.015 * generator.standard_t(3, DAYS),
        "rise": np.abs(generator.normal(0, 0.01, DAYS)),
        "short": generator.normal(0, 0.02, 5),
    }
    return {
        name: pd.Series((10_000 * np.exp(np.cumsum([0.0, *moves]))).round(4), days[: len(moves) + 1])
        for name, moves in steps.items()
    }


def numbers(values: pd.Series) -> dict[str, float | None]:
    """Both libraries on the simple returns of daily values, by the names of our statistics, the libraries' before."""
    returns = values.pct_change().iloc[1:]
    results = {
        "quantstats sharpe": quantstats.stats.sharpe(returns, periods=YEAR),
        "quantstats sortino": quantstats.stats.sortino(returns, periods=YEAR),
        "quantstats cagr_pct": 100 * quantstats.stats.cagr(returns, periods=YEAR),
        "quantstats volatility_pct": 100 * quantstats.stats.volatility(returns, periods=YEAR),
        "quantstats max_drawdown_pct": 100 * quantstats.stats.max_drawdown(values),
        "quantstats var_normal_pct": 100 * quantstats.stats.value_at_risk(returns, prepare_returns=False),
        "empyrical sharpe": empyrical.sharpe_ratio(returns, annualization=YEAR),
        "empyrical sortino": empyrical.sortino_ratio(returns, annualization=YEAR),
        "empyrical cagr_pct": 100 * empyrical.cagr(returns, annualization=YEAR),
        "empyrical volatility_pct": 100 * empyrical.annual_volatility(returns, annualization=YEAR),
        "empyrical max_drawdown_pct": 100 * empyrical.max_drawdown(returns),
        "empyrical var_pct": 100 * empyrical.value_at_risk(returns),
        "empyrical shortfall_pct": 100 * empyrical.conditional_value_at_risk(returns),
        "empyrical return_pct": 100 * empyrical.cum_returns_final(returns),
    }
    return {name: _plain(number) for name, number in results.items()}


def _plain(number: Any) -> float | None:
    return float(number) if np.isfinite(number) else None


if __name__ == "__main__":
    main()
