"""How fast the arena is: part of `make bench`. Ratios hold from machine to machine, times do not.

The same moving-average cross by three engines, from bars to equity at every bar, and the cost of the whole arena
over more and more days. Runs in the referee's environment (referee.txt), from the project's root, on one core.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from service.market.assets import ASSETS
from service.market.bars import Bars
from service.market.headers import header
from service.trading.accounts import trade
from service.trading.arena import Arena, run
from service.trading.leaderboard import (
    LeaderboardDocument,
    LeaderboardEntry,
    StrategyDocument,
    leaderboard,
    strategy_page,
)
from service.trading.rules import moving_average_cross
from service.trading.strategies import STRATEGIES
from tests.measure.referee import FEE_ALONE, TERMS, FractionalBacktest, backtesting, index_of, vectorbt
from tests.trading import markets

HEADER = header(0, 0, step=3600, world="simulated", sources={})

DAYS = (90, 180, 365, 1095)
CROSSES = [(fast, 4 * fast) for fast in (6, 12, 18, 24, 36, 48, 60, 72, 96, 120, 144, 168, 192)]


def main() -> None:
    warnings.simplefilter("ignore")
    hours = markets.by_the_hour(markets.simulated_bars(max(DAYS)))
    compare_engines(hours["btc"][: 365 * 24])
    measure_arena(hours)


def compare_engines(bars: Bars) -> None:
    """Print how many strategy-bars a second each engine makes of the same crosses of a year of bars."""
    backtesting.backtesting._tqdm = lambda steps, **_: steps
    count = len(bars) * len(CROSSES)
    first = seconds(lambda: by_vectorbt(bars), 1)
    ours, theirs = by_us(bars), by_vectorbt(bars)
    print(f"the same {len(CROSSES)} moving-average crosses on {len(bars)} hourly bars, equity at every bar")
    print(f"  largest relative difference between ours and vectorbt's: {np.max(np.abs(ours / theirs - 1)):.1e}")
    us = count / seconds(lambda: by_us(bars), 20)
    print(f"  ours           {us:12,.0f} strategy-bars/s")
    rate = count / seconds(lambda: by_vectorbt(bars), 10)
    print(f"  vectorbt       {rate:12,.0f} strategy-bars/s   ours is {us / rate:.1f} times it", end=" ")
    print(f"(after a first call of {first:.1f} s)")
    rate = len(bars) * 3 / seconds(lambda: by_backtesting(bars), 1)
    print(f"  backtesting.py {rate:12,.0f} strategy-bars/s   ours is {us / rate:.0f} times it")


def by_us(bars: Bars) -> np.ndarray:
    histories = [trade(moving_average_cross(bars, fast=fast, slow=span), bars, TERMS) for fast, span in CROSSES]
    return np.array([history.equity(bars.time, bars.close) for history in histories])


def by_vectorbt(bars: Bars) -> np.ndarray:
    """All crosses in one call, as its users do; the signals are those of its own averages, one bar late."""
    close = pd.Series(bars.close, index=index_of(bars))
    fast = vectorbt.MA.run(close, [fast for fast, _ in CROSSES], short_name="fast").ma.to_numpy()
    slow = vectorbt.MA.run(close, [slow for _, slow in CROSSES], short_name="slow").ma.to_numpy()
    above, below = np.zeros_like(fast, bool), np.zeros_like(fast, bool)
    above[1:], below[1:] = (fast > slow)[:-1], (fast < slow)[:-1]
    portfolio = vectorbt.Portfolio.from_signals(
        close,
        entries=above,
        short_entries=below,
        price=bars.open[:, None],
        size=np.inf,
        fees=TERMS.fee,
        slippage=TERMS.slippage,
        init_cash=TERMS.capital,
        upon_opposite_entry="reverse",
        accumulate=False,
        freq="1h",
    )
    return portfolio.value().to_numpy().T


class Cross(backtesting.Strategy):
    """The cross as its manual writes it."""

    fast, slow = CROSSES[0]

    def init(self) -> None:
        close = pd.Series(self.data.Close)
        self.quick = self.I(lambda: close.rolling(self.fast).mean())
        self.steady = self.I(lambda: close.rolling(self.slow).mean())

    def next(self) -> None:
        target = np.sign(self.quick[-1] - self.steady[-1])
        if target != np.sign(self.position.size):
            self.position.close()
            (self.buy if target > 0 else self.sell)()


def by_backtesting(bars: Bars) -> None:
    """Three crosses, for it takes seconds for all."""
    names = {"Open": bars.open, "High": bars.high, "Low": bars.low, "Close": bars.close, "Volume": bars.volume}
    frame = pd.DataFrame(names, index=index_of(bars))
    for fast, slow in CROSSES[1::5]:
        FractionalBacktest(frame, Cross, cash=FEE_ALONE.capital, commission=FEE_ALONE.fee).run(fast=fast, slow=slow)


def measure_arena(hours: dict[str, Bars]) -> None:
    """Print what all 378 accounts cost over more and more days, and what is made of them."""
    print("all 378 accounts and two ghosts, hourly bars")
    start = markets.NEW_YEAR
    for days in DAYS:
        windows = {asset: bars.until(start + days * 86400) for asset, bars in hours.items()}
        cost = seconds(lambda windows=windows: run(windows, {}, start), 5)
        bars = sum(map(len, windows.values())) * len(STRATEGIES)
        print(f"  {days:5} days {1000 * cost:7.1f} ms  {1e9 * cost / bars:5.1f} ns a strategy-bar")
        if days == 365:
            arena = run(windows, {}, start)
    entries = leaderboard(arena, HEADER).entries
    print("a live tick on 365 days is that, and what is published of it:")
    print(f"  leaderboards of all assets and of each {1000 * seconds(lambda: leaderboards(arena), 5):7.1f} ms")
    print(f"  pages of all strategies                {1000 * seconds(lambda: profiles(arena, entries), 3):7.1f} ms")


def leaderboards(arena: Arena) -> list[LeaderboardDocument]:
    return [leaderboard(arena, HEADER, asset) for asset in (None, *ASSETS)]


def profiles(arena: Arena, entries: Sequence[LeaderboardEntry]) -> list[StrategyDocument]:
    return [strategy_page(arena, entry, HEADER) for entry in entries]


def seconds(work: Callable[[], object], times: int) -> float:
    """The shortest of so many runs."""
    durations = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        durations.append(time.perf_counter() - began)
    return min(durations)


if __name__ == "__main__":
    main()
