"""Two third-party backtesters check the accounts: `make referee`.

Each is given the targets of all strategies, in seven assets, on real and on simulated bars, and must find the
same equity at every bar to 1e-9. Neither knows interest on shorts, so no account pays any here. What vectorbt finds on
the simulated bars is kept in tests/trading/golden.json, which the ordinary tests compare with. Runs in an environment
of its own (referee.txt), from the project's root.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from service.market.bars import Bars
from service.market.instants import HOUR
from service.trading.accounts import AccountTerms, Targets, TradeHistory, trade
from service.trading.arena import decide
from service.trading.strategies import STRATEGIES
from tests.trading import markets

with contextlib.redirect_stderr(io.StringIO()):  # it asks for a newer notebook on import
    import backtesting
    from backtesting.lib import FractionalBacktest
import vectorbt

ROOT = Path(__file__).parents[2]
CANDLES = ROOT.parent / "shared" / "data" / "candles" / "1h"
GOLDEN = ROOT / "tests" / "trading" / "golden.json"
GOLDEN_DAYS = 60
TOLERANCE = 1e-9

TERMS = AccountTerms(borrow=0)
# backtesting.py takes its spread on entries alone, so it judges a fee of both sides and no slippage.
FEE_ALONE = AccountTerms(fee=0.001, slippage=0, borrow=0)

Referee = Callable[[np.ndarray, Bars], np.ndarray]


def main() -> None:
    warnings.simplefilter("ignore")
    simulated = markets.by_the_hour(markets.simulated_bars(GOLDEN_DAYS))
    differences = [compare("vectorbt", by_vectorbt, TERMS, "simulated", simulated)]
    differences.append(compare("backtesting", by_backtesting, FEE_ALONE, "simulated", simulated))
    if CANDLES.is_dir():
        bars = markets.real(CANDLES, HOUR)
        differences.append(compare("vectorbt", by_vectorbt, TERMS, "real", bars))
        differences.append(compare("backtesting", by_backtesting, FEE_ALONE, "real", bars))
    if max(differences) > TOLERANCE:
        sys.exit(f"the accounts differ from a referee by more than {TOLERANCE}")
    keep(simulated)


def compare(name: str, referee: Referee, terms: AccountTerms, market: str, hours: dict[str, Bars]) -> float:
    """Print and return the largest relative difference of equity over all bars, assets and strategies."""
    worst, pairs, fills, ends = 0.0, 0, 0, 0
    for asset, targets in _targets(hours):
        bars = hours[asset]
        histories = [trade(row, bars, terms) for row in targets]
        ours = np.array([history.equity(bars.time, bars.close) for history in histories])
        orders = np.array(
            [_until_the_floor(row, history, bars) for row, history in zip(targets, histories, strict=True)]
        )
        worst = max(worst, float(np.max(np.abs(referee(orders, bars) / ours - 1))))
        ends += np.count_nonzero((orders != targets)[:, :-1].any(axis=1))
        pairs += len(targets)
        fills += sum(len(history.side) + history.closed for history in histories)
    print(f"{name:12} {market:10} {pairs} accounts ({ends} ended at the floor), {fills} fills: ", end="")
    print(f"largest relative difference {worst:.1e}", flush=True)
    return worst


def _until_the_floor(targets: Targets, history: TradeHistory, bars: Bars) -> Targets:
    """`targets` without those after the last exit, which is all that no referee can know of our floor.

    Of an account that never fell to it nothing is changed: after its last exit it wanted nothing.
    """
    orders = targets.copy()
    if history.closed and not history.is_open:
        orders[int(np.searchsorted(bars.time, history.exit_time[-1])) - 1 :] = 0
    return orders


def _targets(hours: dict[str, Bars]) -> Iterator[tuple[str, np.ndarray]]:
    """Each asset with the targets of all strategies in it, (strategies, n)."""
    decisions = decide(hours, since=min(int(bars.time[0]) for bars in hours.values()))
    for asset in hours:
        yield asset, np.array([decisions[key][asset] for key in STRATEGIES])


def by_vectorbt(targets: np.ndarray, bars: Bars) -> np.ndarray:
    """Equity (strategies, n) by vectorbt, which is told the positions one bar late and trades them at the open."""
    positions = np.zeros_like(targets)
    positions[:, 1:] = targets[:, :-1]
    before = np.zeros_like(positions)
    before[:, 1:] = positions[:, :-1]
    turns = positions != before
    portfolio = vectorbt.Portfolio.from_signals(
        pd.DataFrame(np.repeat(bars.close[:, None], len(targets), axis=1), index=index_of(bars)),
        entries=(turns & (positions == 1)).T,
        exits=(turns & (before == 1) & (positions == 0)).T,
        short_entries=(turns & (positions == -1)).T,
        short_exits=(turns & (before == -1) & (positions == 0)).T,
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


def by_backtesting(targets: np.ndarray, bars: Bars) -> np.ndarray:
    """Equity (strategies, n) by backtesting.py, one strategy at a time, with the fee alone."""
    backtesting.backtesting._tqdm = lambda steps, **_: steps
    names = {"Open": bars.open, "High": bars.high, "Low": bars.low, "Close": bars.close, "Volume": bars.volume}
    frame = pd.DataFrame(names, index=index_of(bars))
    return np.array([_backtest(row, frame) for row in targets])


def _backtest(targets: Targets, frame: pd.DataFrame) -> np.ndarray:
    wanted_sides = targets

    class Follow(backtesting.Strategy):
        def init(self) -> None:
            pass

        def next(self) -> None:
            target, side = wanted_sides[len(self.data) - 1], np.sign(self.position.size)
            if target == side:
                return
            if side:
                self.position.close()
            if target:
                (self.buy if target > 0 else self.sell)()

    result = FractionalBacktest(
        frame,
        Follow,
        cash=FEE_ALONE.capital,
        commission=FEE_ALONE.fee,
        spread=0,
        trade_on_close=False,
        exclusive_orders=False,
        hedging=False,
        finalize_trades=False,
        fractional_unit=1e-12,
    ).run()
    return result["_equity_curve"]["Equity"].to_numpy()


def index_of(bars: Bars) -> pd.DatetimeIndex:
    return pd.to_datetime(bars.time, unit="s")


def keep(hours: dict[str, Bars]) -> None:
    """Write the last equity that vectorbt finds for every account, and which bars it is of."""
    equity = {asset: by_vectorbt(targets, hours[asset])[:, -1].tolist() for asset, targets in _targets(hours)}
    rows = {key: {asset: values[at] for asset, values in equity.items()} for at, key in enumerate(STRATEGIES)}
    golden = {"bars": markets.digest(hours), "days": GOLDEN_DAYS, "equity": rows}
    GOLDEN.write_text(json.dumps(golden, indent=1) + "\n")
    print(f"kept {sum(map(len, rows.values()))} figures in {GOLDEN.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
