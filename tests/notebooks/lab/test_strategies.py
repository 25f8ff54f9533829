"""Strategies of one's own in the arena: accounts and hospital of the service, cheats refused, luck told."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from notebooks.lab import StrategyRefused, backtest, service_strategies
from notebooks.lab.foresight import prefix_ends
from notebooks.lab.strategies import BENCHMARK, as_bars
from notebooks.widgets import frames
from notebooks.widgets.frames.market import OHLC
from service.market.bars import Bars
from service.market.months import closed_months, ends
from service.trading.accounts import AccountTerms
from service.trading.arena import run
from service.trading.hospital import admit
from tests.trading import markets

DAYS = 120
TOSSES = np.random.default_rng(1)


@pytest.fixture(scope="module")
def hours() -> dict[str, Bars]:
    return markets.by_the_hour(markets.simulated_bars(DAYS))


def as_frame(bars: Bars) -> pd.DataFrame:
    """Bars in the columns of `frames.candles`."""
    columns = {f"{name}_usd": getattr(bars, name) for name in OHLC} | {"volume": bars.volume}
    return pd.DataFrame(columns, pd.DatetimeIndex(pd.to_datetime(bars.time, unit="s", utc=True), name="time"))


@pytest.fixture(scope="module")
def tables(hours: dict[str, Bars]) -> dict[str, pd.DataFrame]:
    return {asset: as_frame(hours[asset]) for asset in ("btc", "gold")}


def momentum(bars: pd.DataFrame) -> np.ndarray:
    return np.sign(bars["close_usd"].diff(24).fillna(0))


def next_bar(bars):
    return np.sign(bars["close_usd"].shift(-1).fillna(bars["close_usd"]) - bars["close_usd"])


def close_of_the_day(bars):
    close = bars["close_usd"]
    return np.sign(close.groupby(bars.index.normalize()).transform("last") - close)


def scaled(bars):
    close = bars["close_usd"]
    return np.sign(((close - close.mean()) / close.std()).round(2))


def fitted(bars):
    """The hours of the day that rose, over all months."""
    moves = bars["close_usd"].pct_change().fillna(0)
    return np.sign(moves.groupby(bars.index.hour).transform("mean"))


def needing(bars):
    return np.sign(bars["close_usd"] - bars["close_usd"].iloc[2_000])


REFUSALS = [
    (next_bar, "next_bar sees the future: it knows bars that were not complete"),
    (close_of_the_day, "close_of_the_day sees the future: it knows the rest of the day"),
    (scaled, "scaled sees the future: it knows the whole sample"),
    (fitted, "fitted sees the future: it knows the whole sample"),
    (needing, "needing needs the future"),
    (lambda bars: TOSSES.integers(-1, 2, len(bars)), "seed"),
    (lambda bars: [1], "shape"),
    (lambda bars: np.full(len(bars), 0.5), "none of"),
    (lambda bars: bars, "shape"),
]


@pytest.mark.parametrize("count", [0, 1, 2, 5, 30, 2_880, 9_999])
def test_prefixes_end_at_many_hours_of_the_day(count: int):
    """Or a strategy that knows the close of the day would be tried only at midnight."""
    ends = prefix_ends(count)
    assert all(0 < end < count for end in ends)
    assert bool(ends) == (count > 1)
    if count > 1_000:
        assert len({end % 24 for end in ends}) >= 18


@pytest.mark.parametrize(("strategy", "reason"), REFUSALS, ids=lambda part: getattr(part, "__name__", ""))
def test_a_strategy_that_cheats_or_has_no_targets_is_refused(tables, strategy: Callable[..., Any], reason: str):
    """It is said what it knows of the future, that it cannot be repeated without a seed, or what its targets are."""
    with pytest.raises(StrategyRefused, match=reason):
        backtest(strategy, tables, progress=False)


def test_accounts_are_those_of_the_service(hours):
    """Strategies of the service, run as one's own, have the daily equity of the arena to the last digit."""
    chosen = {key: service_strategies()[key] for key in ("macd_fast", "rsi_reversion_medium")}
    report = backtest(chosen, {asset: as_frame(bars) for asset, bars in hours.items()}, progress=False)
    anchor = min(int(bars.time[0]) for bars in hours.values())
    arena = run(hours, {}, anchor)
    for key in chosen:
        daily = np.sum([arena.strategies[key][asset].daily for asset in hours], axis=0)
        assert report.equity[key].iloc[1:].to_numpy() == pytest.approx(daily, rel=1e-12)
    benchmark = np.sum([arena.accounts["buy_and_hold"][asset].daily for asset in hours], axis=0)
    assert report.equity[BENCHMARK].iloc[1:].to_numpy() == pytest.approx(benchmark, rel=1e-12)
    month = closed_months(anchor, arena.as_of)[0]
    patient = report.patient("macd_fast", ends(month))
    (expected,) = [row for row in admit(arena, month) if row.key == "macd_fast"]
    for field in ("returns", "held", "exits", "trades"):
        assert getattr(patient, field) == pytest.approx(getattr(expected, field), rel=1e-9, abs=1e-12)


def test_costs_are_those_that_are_given(tables):
    """The hospital examines every closed month."""
    free = backtest(momentum, tables, terms=AccountTerms(fee=0, slippage=0, borrow=0), progress=False)
    dear = backtest(momentum, tables, progress=False)
    assert free.equity["momentum"].iloc[-1] > dear.equity["momentum"].iloc[-1]
    assert free.table.loc["momentum", "fees_usd"] == 0
    assert dear.table.loc["momentum", "borrow_usd"] > 0
    assert dear.table.index[-1] == BENCHMARK
    table = dear.hospital
    assert table.index.is_unique
    assert set(table.index.get_level_values("key")) == {"momentum"}
    assert len(table) >= 3
    assert table["health_score"].between(0, 100).all()


def test_twenty_coin_flippers_are_told_so(tables):
    """The best of them looks good; what luck brings the best of twenty to is said beside it."""

    def flipper(seed: int) -> Callable[..., Any]:
        def flip(bars: pd.DataFrame) -> np.ndarray:
            tosses = np.random.default_rng(seed).choice([-1, 1], size=2 * DAYS)
            return tosses[(bars.index - bars.index[0]).days]

        return flip

    report = backtest({f"flip {seed}": flipper(seed) for seed in range(20)}, {"btc": tables["btc"]}, progress=False)
    assert report.table["sharpe"].iloc[0] > 1
    assert "NO different from luck" in report.verdict
    assert "the best of 20 without skill" in report.verdict
    assert report.verdict in report._repr_html_().replace("&#x27;", "'")


def test_skill_is_told_from_luck(hours):
    """On bars with a planted drift, holding them is better than luck."""
    table = as_frame(hours["btc"])
    drift = np.exp(0.004 * np.arange(len(table)) / 24 * 3)
    bars_of_btc = table[[c for c in table if c.endswith("_usd")]].mul(drift, axis=0).assign(volume=1.0)
    report = backtest(lambda bars: np.ones(len(bars)), {"btc": bars_of_btc}, progress=False)
    assert "better than luck" in report.verdict


def test_bars_are_read_in_the_forms_of_the_lab(hours):
    """The columns of `frames.candles` and of `frames.as_ohlcv`, one asset or several; others are refused."""
    table = as_frame(hours["btc"])
    bars = as_bars("btc", frames.as_ohlcv(table))
    assert np.array_equal(bars.time, hours["btc"].time)
    assert np.array_equal(bars.close, hours["btc"].close)
    assert bars.step == 3600
    for faulty in (table[::-1], -table, table.drop(columns="close_usd"), table.iloc[:1]):
        with pytest.raises(ValueError, match="The bars of btc"):
            as_bars("btc", faulty)
    pair = pd.concat([table.assign(asset="a"), table.assign(asset="b")])
    assert set(backtest(momentum, pair, progress=False).histories["momentum"]) == {"a", "b"}


def test_absent_packages_of_strategies_are_named(monkeypatch):
    """The installed package has them only with its extra `arena`."""
    monkeypatch.setitem(sys.modules, "service.trading.strategies", None)
    with pytest.raises(ImportError, match="need TA-Lib and pydantic: pip install TA-Lib pydantic"):
        service_strategies()
