"""Strategies of one's own in the arena: the accounts, costs, hospital and luck of the service, over bars of anyone.

They are pure functions of the service over numpy arrays, so neither a service nor its packages are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from html import escape
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd

from notebooks.lab.foresight import refuse_strategy_foresight, targets_of
from notebooks.lab.pages import with_progress
from notebooks.lab.returns import statistics
from notebooks.widgets import frames
from notebooks.widgets.frames.market import OHLC
from service.documents import DocumentHeader
from service.market.bars import Bars
from service.market.instants import DAY, iso
from service.market.months import closed_months, ends
from service.scores.luck import independent_trials, luckiest_of
from service.trading.accounts import TERMS, AccountTerms, TradeHistory, trade
from service.trading.health import probability_above, return_statistics
from service.trading.hospital import PROMOTED_ABOVE, EarlierEntry, Patient, past, snapshot
from service.trading.performance import daily_equity, day_ends, trade_statistics

# Targets -1, 0 or 1 at the close of each bar of one asset, from a frame with the columns of `frames.candles`.
StrategyFunction = Callable[[pd.DataFrame], Any]
BarsByAsset = Mapping[str, pd.DataFrame]

CLASS = "own"  # the class of one's own strategies in the hospital
BENCHMARK = "buy and hold"
WORLD = "replay"


@dataclass(frozen=True, repr=False)
class ArenaReport:
    """What strategies made of bars, on paper.

    `histories` are the accounts by strategy and asset, `equity` USD in all accounts of a strategy at each 24:00 UTC,
    a column for each and one for buying and holding the same assets. The strategies are compared with each other; they
    are in no ranking of the service.
    """

    terms: AccountTerms
    histories: Mapping[str, Mapping[str, TradeHistory]]
    equity: pd.DataFrame

    @cached_property
    def table(self) -> pd.DataFrame:
        """The statistics of each strategy, index `strategy`, the best Sharpe ratio first; buying and holding is last.

        The columns of `lab.statistics`, then the closed `trades`, their `win_rate_pct`, fees and interest in USD, and
        `beyond_luck`: the probability that the Sharpe ratio is above that of the luckiest of as many strategies without
        skill (deflated Sharpe ratio, Bailey and López de Prado 2014).
        """
        rows = statistics({str(name): values for name, values in self.equity.items()}).rename_axis("strategy")
        trades_of = {name: trade_statistics([*accounts.values()]) for name, accounts in self.histories.items()}
        fields = {"trades": "count", "win_rate_pct": "win_rate_pct", "fees_usd": "fees_usd", "borrow_usd": "borrow_usd"}
        for column, field in fields.items():
            rows[column] = [getattr(trades_of[name], field) for name in rows.index]
        rows["beyond_luck"] = [self._beyond_luck(name) for name in rows.index]
        ranking = rows.drop(index=BENCHMARK).sort_values("sharpe", ascending=False)
        return pd.concat([ranking, rows.loc[[BENCHMARK]]])

    @cached_property
    def hospital(self) -> pd.DataFrame:
        """Every closed month in the hospital of the service, in the columns of `frames.hospital_months`.

        One's own strategies are one class, to whose mean Sharpe ratio each is drawn.
        """
        documents: list[dict[str, Any]] = []
        before: dict[str, dict[str, EarlierEntry]] = {}
        for month in closed_months(self._since, self._days[-1] if len(self._days) else self._since):
            header = DocumentHeader(iso(ends(month)), iso(ends(month)), iso(ends(month)), WORLD, {})
            patients = [self.patient(name, ends(month)) for name in self.histories if name != BENCHMARK]
            document = asdict(snapshot(month, patients, before, header))
            before[month] = past(document)
            documents.append(document)
        return frames.hospital_months(documents)

    @property
    def verdict(self) -> str:
        """Whether the best strategy is better than luck alone, in a sentence."""
        best = self.table.drop(index=BENCHMARK)
        if best.loc[:, "sharpe"].isna().all():
            return "No strategy has two days with different results: nothing to judge."
        name, count = str(best.index[0]), len(best)
        ratio, skill = best["sharpe"].iloc[0], best["beyond_luck"].iloc[0]
        luckiest = self._luckiest / sqrt(len(self._days) / 365)
        group = f"the best of {count} without skill" if count > 1 else "a strategy without skill"
        trials = f", which trade like {independent_trials(self._luckiest):.1f} independent ones," if count > 1 else ""
        says = "better than luck" if skill > PROMOTED_ABOVE else "NO different from luck"
        return (
            f"{name}: Sharpe ratio {ratio:.2f} over {len(self._days)} days. Luck alone brings {group}{trials} to "
            f"{luckiest:.2f}: it is {says} (probability of skill {100 * skill:.1f}%, promoted above "
            f"{100 * PROMOTED_ABOVE:.0f}%). Hindsight: what was tried before and left out counts too."
        )

    @property
    def returns(self) -> pd.DataFrame:
        """The simple return of each day as a fraction, a column for each strategy."""
        return self.equity.pct_change().iloc[1:]

    def patient(self, name: str, until: int) -> Patient:
        """What the hospital knows of a strategy at the unix second `until`, the end of a month."""
        histories = self.histories[name]
        days = self._days <= until
        exits = np.concatenate([history.exit_time for history in histories.values()])
        trades = np.concatenate([history.pnl / history.capital[:-1] for history in histories.values()])
        return Patient(
            key=name,
            name=name,
            category=CLASS,
            assets=tuple(histories),
            returns=self.returns[name].to_numpy()[days],
            held=self.returns[BENCHMARK].to_numpy()[days],
            exits=exits[exits < until],
            trades=trades[exits < until],
        )

    @property
    def _since(self) -> int:
        return int(self.equity.index[0].timestamp())

    @property
    def _days(self) -> np.ndarray:
        return pd.DatetimeIndex(self.equity.index[1:]).as_unit("s").asi8

    @cached_property
    def _luckiest(self) -> float:
        return luckiest_of(self.returns.drop(columns=BENCHMARK).to_numpy().T)

    def _beyond_luck(self, name: str) -> float:
        distribution = return_statistics(self.returns[name].to_numpy())
        return probability_above(distribution, self._luckiest / sqrt(max(distribution.days - 1, 1)))

    def __repr__(self) -> str:
        return f"{self.verdict}\n{self.table.round(2)}"

    def _repr_html_(self) -> str:
        table = self.table.to_html(float_format="{:.2f}".format)
        return f"<div><p>{escape(self.verdict)}</p>{table}</div>"


def run_arena(
    strategies: StrategyFunction | Mapping[str, StrategyFunction],
    bars: pd.DataFrame | BarsByAsset,
    *,
    terms: AccountTerms = TERMS,
    progress: bool = True,
) -> ArenaReport:
    """Trade strategies on bars with the accounts of the service, see `backtest`."""
    functions = strategies if isinstance(strategies, Mapping) else {_name_of(strategies): strategies}
    if not functions or BENCHMARK in functions:
        raise ValueError(f"Give at least one strategy, and none the name {BENCHMARK!r}.")
    tables = bars_by_asset(bars)
    arrays = {asset: as_bars(asset, table) for asset, table in tables.items()}
    anchor = min(int(array.time[0]) for array in arrays.values())
    days = day_ends(anchor, max(array.as_of for array in arrays.values()))
    histories: dict[str, dict[str, TradeHistory]] = {}
    tasks = [(name, asset) for name in functions for asset in tables]
    for name, asset in with_progress(tasks, "arena", unit="accounts", progress=progress):
        targets = targets_of(name, functions[name], tables[asset])
        refuse_strategy_foresight(name, functions[name], asset, tables[asset], targets)
        histories.setdefault(name, {})[asset] = trade(targets, arrays[asset], terms)
    accounts = {asset: trade(np.ones(len(array), np.int8), array, terms) for asset, array in arrays.items()}
    histories[BENCHMARK] = accounts
    equity = {name: _equity(accounts, arrays, days, terms) for name, accounts in histories.items()}
    index = pd.DatetimeIndex(pd.to_datetime([days[0] - DAY, *days], unit="s", utc=True), name="time")
    return ArenaReport(terms, histories, pd.DataFrame(equity, index))


def _equity(
    accounts: Mapping[str, TradeHistory], arrays: Mapping[str, Bars], days: np.ndarray, terms: AccountTerms
) -> np.ndarray:
    daily = sum(daily_equity(history, arrays[asset], days) for asset, history in accounts.items())
    return np.append(terms.capital * len(accounts), daily)


def bars_by_asset(bars: pd.DataFrame | BarsByAsset) -> dict[str, pd.DataFrame]:
    """Bars of each asset: of a mapping, of `archive.candles()` with several, or of one without a column `asset`."""
    if isinstance(bars, Mapping):
        return dict(bars)
    if "asset" not in bars:
        return {"asset": bars}
    return {str(asset): table for asset, table in bars.groupby("asset", sort=False, observed=True)}


def as_bars(asset: str, table: pd.DataFrame) -> Bars:
    """A frame with the columns of `frames.candles`, or of `frames.as_ohlcv`, as the arrays of the service.

    ValueError where a price or its time is missing, no time follows another, or a price is not above 0.
    """
    names = {name: next((c for c in (f"{name}_usd", name.title(), name) if c in table), None) for name in OHLC}
    index = table.index
    if None in names.values() or not isinstance(index, pd.DatetimeIndex) or len(table) < 2:
        raise ValueError(f"The bars of {asset} need an index of instants and the columns of frames.candles.")
    time = index.as_unit("s").asi8
    prices = {name: table[column].to_numpy("float64") for name, column in names.items()}
    if not (np.diff(time) > 0).all() or not all((np.isfinite(p) & (p > 0)).all() for p in prices.values()):
        raise ValueError(f"The bars of {asset} must be in order of time, with prices above 0.")
    volume = next((table[c].to_numpy("float64") for c in ("volume", "Volume") if c in table), np.zeros(len(time)))
    return Bars(time, *prices.values(), volume=volume, step=int(np.median(np.diff(time))))


def _name_of(strategy: StrategyFunction) -> str:
    return getattr(strategy, "__name__", type(strategy).__name__)


def service_strategies() -> dict[str, StrategyFunction]:
    """The strategies of the service by key, to run beside one's own; ImportError without TA-Lib and pydantic.

    Those of relative strength, which compare an asset with others, are left out.
    """
    try:
        from service.trading.strategies import STRATEGIES
    except ImportError as absent:
        needs = "The strategies of the service need TA-Lib and pydantic: pip install TA-Lib pydantic"
        raise ImportError(f"{needs} ({absent})") from absent

    def function(key: str) -> StrategyFunction:
        return lambda table: STRATEGIES[key].decide(as_bars(key, table), np.zeros((0, len(table))))

    return {key: function(key) for key, strategy in STRATEGIES.items() if strategy.category != "relative"}
