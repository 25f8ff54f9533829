"""The fund: a virtual 1,000 USD, held in bitcoin or in cash according to the calls of apex; and its documents.

Its trades and equity are recomputed from the first bar on; only its document is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Literal, NamedTuple

import numpy as np

from service.documents import Document, DocumentHeader, percent, usd
from service.market.bars import Bars, Prices, Times
from service.market.instants import HOUR, iso
from service.tabular import Table, table_of
from service.trading.battle_history import spacing, thinned
from service.trading.performance import daily_returns, day_ends, max_drawdown, sharpe_fields

Side = Literal["buy", "sell"]

POINT_S = 6 * HOUR  # between two points of the curve; more when that gives too many


@dataclass(frozen=True)
class FundTerms:
    """The starting capital and the costs of the fund, and how it follows a call.

    `capital` is USD; `fee` is a fraction of the traded value and `slippage` of the price. The exposure wanted on a call
    is `middle` at even odds and changes by `steepness` for each unit of probability. The fund trades when it differs by
    more than `tolerance` from the present exposure.
    """

    capital: float = 1_000.0
    fee: float = 0.001
    slippage: float = 0.0002
    middle: float = 0.5
    steepness: float = 8.0
    tolerance: float = 0.1

    def wanted(self, p_up: Prices) -> Prices:
        """The wanted share of bitcoin in the fund on each call, in [0, 1]: no debt and no short sales."""
        return np.clip(self.middle + self.steepness * (p_up - 0.5), 0.0, 1.0)


TERMS = FundTerms()


@dataclass(frozen=True)
class Rebalancing:
    """A trade at the open of the bar of the unix second `time`, on the call `p_up`.

    `quantity` is in units of the asset, `price` USD after slippage, `fee` USD. Exposures are shares of the fund at that
    open, before slippage.
    """

    time: int
    side: Side
    quantity: float
    price: float
    fee: float
    exposure_before: float
    exposure_after: float
    p_up: float

    @property
    def value(self) -> float:
        """The traded value in USD, without the fee."""
        return self.quantity * self.price


@dataclass(frozen=True)
class FundHistory:
    """The fund: `times` (n + 1,) are the unix seconds of its start and of the ends of n bars.

    `equity` and `benchmark` (n + 1,) are USD at these times, of the fund and of one whose every call is at even odds: a
    constant exposure of `middle`, at the same instants, costs and tolerance. `cash` is USD now, `quantity` units of the
    asset now.
    """

    terms: FundTerms
    times: Times
    equity: Prices
    benchmark: Prices
    trades: tuple[Rebalancing, ...]
    cash: float
    quantity: float


def run(calls: Sequence[tuple[int, float]], bars: Bars, anchor: int, terms: FundTerms = TERMS) -> FundHistory:
    """The fund since the unix second `anchor`, on the calls of apex and the hourly bars of the asset.

    A call is a unix second and P(higher), ascending. It is filled at the open of the first bar that opens at or after
    it; of several calls for the same bar the last one counts. A call without a later bar has no effect yet, so more
    bars and calls never change the past.
    """
    bars, at = bars.since(anchor), np.array([at for at, _ in calls], dtype=np.int64)
    states, trades = _follow(at, np.array([p_up for _, p_up in calls], dtype=float), bars, anchor, terms)
    benchmark_states, _ = _follow(at, np.full(len(at), 0.5), bars, anchor, terms)
    return FundHistory(
        terms=terms,
        times=np.append(anchor, bars.time + bars.step),
        equity=_equity(states, bars.close, terms),
        benchmark=_equity(benchmark_states, bars.close, terms),
        trades=tuple(trades),
        cash=states[-1].cash,
        quantity=states[-1].quantity,
    )


class _Holdings(NamedTuple):
    """USD and units of the asset from the bar with the index `bar` on."""

    bar: int
    cash: float
    quantity: float

    def exposure(self, price: float) -> float:
        """The share of the asset at a price in USD."""
        holding = self.quantity * price
        return holding / (self.cash + holding)


def _follow(
    at: Times, p_up: Prices, bars: Bars, anchor: int, terms: FundTerms
) -> tuple[list[_Holdings], list[Rebalancing]]:
    """The holdings over time, and the trades that changed them; `at` and `p_up` are of the calls, ascending."""
    bar_of = bars.time.searchsorted(at)
    # The last call before a bar opens is filled there, one without a later bar nowhere.
    is_filled = (at >= anchor) & (np.diff(bar_of, append=len(bars)) > 0)
    open_bars, p_up = bar_of[is_filled], p_up[is_filled]
    columns = (open_bars, bars.open[open_bars], bars.time[open_bars], p_up, terms.wanted(p_up))
    held, trades = _Holdings(0, terms.capital, 0.0), []
    states = [held]
    for bar, price, time, p, wanted in zip(*(column.tolist() for column in columns), strict=True):
        if abs(wanted - held.exposure(price)) <= terms.tolerance:
            continue
        trade = _rebalance(held, price, time, p, wanted, terms)
        sign = 1 if trade.side == "buy" else -1
        cash, quantity = held.cash - sign * trade.value - trade.fee, held.quantity + sign * trade.quantity
        # Without the maximum, rounding could leave a tiny debt.
        held = _Holdings(bar, max(0.0, cash), max(0.0, quantity))
        states.append(held)
        trades.append(trade)
    return states, trades


def _rebalance(held: _Holdings, price: float, time: int, p_up: float, wanted: float, terms: FundTerms) -> Rebalancing:
    """The trade at `price` USD that gives exactly the wanted share.

    A trade of d USD costs c d. With the equity E, of which h is in the asset, the share is w after a purchase of
    d = (w E - h) / (1 + w c) or a sale of d = (h - w E) / (1 - w c).
    """
    holding = held.quantity * price
    equity = held.cash + holding
    buys = wanted * equity > holding
    sign = 1 if buys else -1
    fill = price * (1 + sign * terms.slippage)
    cost = sign * ((1 + sign * terms.slippage) * (1 + sign * terms.fee) - 1)
    quantity = sign * (wanted * equity - holding) / (1 + sign * wanted * cost) / price
    return Rebalancing(
        time=time,
        side="buy" if buys else "sell",
        quantity=quantity,
        price=fill,
        fee=terms.fee * quantity * fill,
        exposure_before=held.exposure(price),
        exposure_after=wanted,
        p_up=p_up,
    )


def _equity(states: Sequence[_Holdings], closes: Prices, terms: FundTerms) -> Prices:
    """The equity in USD at the start and at each of `closes` (n,), shape (n + 1,)."""
    firsts, cash, quantity = np.array(states).T
    row = firsts.searchsorted(np.arange(len(closes)), side="right") - 1
    return np.append(terms.capital, cash[row] + quantity[row] * closes)


@dataclass(frozen=True)
class Performance:
    """Hourly maximum drawdown, and the annual Sharpe ratio of daily returns with its 95% interval."""

    equity_usd: float
    pnl_pct: float
    sharpe: float | None
    sharpe_low: float | None
    sharpe_high: float | None
    max_drawdown_pct: float


def _days(times: Times) -> Times:
    """The ends of the UTC days that are complete at the last of `times` (n,), shape (days,)."""
    return day_ends(int(times[0]), int(times[-1]))


def performance(times: Times, equity: Prices) -> Performance:
    """The performance of `equity` (n,), USD at the ascending `times` (n,); the first is the starting capital.

    The Sharpe ratio and its interval are None with fewer than two complete days or constant returns.
    """
    capital = float(equity[0])
    returns = daily_returns(equity[times.searchsorted(_days(times), side="right") - 1], capital)
    return Performance(
        equity_usd=usd(equity[-1]),
        pnl_pct=percent(equity[-1] / capital - 1),
        **sharpe_fields(returns),
        max_drawdown_pct=percent(max_drawdown(equity, capital)),
    )


@dataclass(frozen=True)
class FundPoint:
    """The equity of the fund and of the benchmark at an instant, in USD."""

    time: str
    equity_usd: float
    benchmark_usd: float
    backfilled: bool


@dataclass(frozen=True)
class FundTrade:
    """A trade on the call `p_up`: `price` is USD after slippage, `value_usd` the traded value without the fee."""

    time: str
    side: Side
    quantity_btc: float
    price: float
    value_usd: float
    fee_usd: float
    exposure_before_pct: float
    exposure_after_pct: float
    p_up: float
    backfilled: bool


@dataclass(frozen=True)
class FundBook:
    """The time of the backfilled calls or that of the live ones; fund and benchmark start with their equity then."""

    backfilled: bool
    days: int
    trades: int
    fund: Performance
    benchmark: Performance
    versus_benchmark_pct: float


@dataclass(frozen=True)
class FundDocument(Document):
    """A virtual fund that follows apex, beside one that keeps half in bitcoin; before `live_since` it is backfilled.

    `days` is the number of complete UTC days since `started_at`, and of the returns in `sharpe`. Where its 95% interval
    contains 0, luck may explain the result. The `benchmark` rebalances to a constant 50% at the same instants and
    costs; `versus_benchmark_pct` is `pnl_pct` less that of it. The points of `equity` are hourly marks, never averages;
    `trades` are all of them, newest first.
    """

    initial_capital: float
    equity_usd: float
    pnl_usd: float
    pnl_pct: float
    cash_usd: float
    quantity_btc: float
    exposure_pct: float
    fees_usd: float
    sharpe: float | None
    sharpe_low: float | None
    sharpe_high: float | None
    max_drawdown_pct: float
    benchmark: Performance
    versus_benchmark_pct: float
    days: int
    started_at: str
    live_since: str | None
    books: tuple[FundBook, ...]
    equity: tuple[FundPoint, ...]
    trades: tuple[FundTrade, ...]


def fund_table(document: FundDocument) -> Table:
    return table_of(FundPoint, document.equity, world=document.world)


def fund_document(fund: FundHistory, live_since: int | None, header: DocumentHeader) -> FundDocument:
    """The document of the fund; `live_since` is the unix second of the first live call, None without one."""
    result, comparison = _compared(fund, slice(None))
    capital, equity = fund.terms.capital, float(fund.equity[-1])
    live_from = inf if live_since is None else live_since
    return FundDocument(
        schema="apex-fund/1",
        **vars(header),
        initial_capital=usd(capital),
        pnl_usd=usd(equity - capital),
        cash_usd=usd(fund.cash),
        quantity_btc=round(fund.quantity, 8),
        exposure_pct=percent(1 - fund.cash / equity),
        fees_usd=usd(sum(trade.fee for trade in fund.trades)),
        **vars(result),
        **comparison,
        started_at=iso(int(fund.times[0])),
        live_since=None if live_since is None else iso(live_since),
        books=_books(fund, live_from),
        equity=_curve(fund, live_from),
        trades=tuple(_published(trade, live_from) for trade in reversed(fund.trades)),
    )


def _compared(fund: FundHistory, span: slice) -> tuple[Performance, dict[str, Any]]:
    """The performance of the fund in a span of its times, and the fields that put it beside that of the benchmark."""
    times = fund.times[span]
    result, benchmark = performance(times, fund.equity[span]), performance(times, fund.benchmark[span])
    versus = round(result.pnl_pct - benchmark.pnl_pct, 4)
    return result, {"benchmark": benchmark, "versus_benchmark_pct": versus, "days": len(_days(times))}


def _books(fund: FundHistory, live_from: float) -> tuple[FundBook, ...]:
    """The live book, then the backfilled one; a book without a bar is left out."""
    start = max(0, int(fund.times.searchsorted(live_from, side="right")) - 1)
    books = []
    for backfilled, span in ((False, slice(start, None)), (True, slice(None, start + 1))):
        if len(fund.times[span]) > 1:
            result, comparison = _compared(fund, span)
            trades = sum((trade.time < live_from) == backfilled for trade in fund.trades)
            books.append(FundBook(backfilled, trades=trades, fund=result, **comparison))
    return tuple(books)


def _curve(fund: FundHistory, live_from: float) -> tuple[FundPoint, ...]:
    """The last mark of every six hours, or of a longer time that leaves about 500 points."""
    step = spacing(int(fund.times[-1] - fund.times[0]), POINT_S)
    rows = thinned(zip(fund.times.tolist(), fund.equity.tolist(), fund.benchmark.tolist(), strict=True), step)
    return tuple(FundPoint(iso(time), usd(equity), usd(held), time < live_from) for time, equity, held in rows)


def _published(trade: Rebalancing, live_from: float) -> FundTrade:
    return FundTrade(
        time=iso(trade.time),
        side=trade.side,
        quantity_btc=round(trade.quantity, 8),
        price=round(trade.price, 8),
        value_usd=usd(trade.value),
        fee_usd=usd(trade.fee),
        exposure_before_pct=percent(trade.exposure_before),
        exposure_after_pct=percent(trade.exposure_after),
        p_up=round(trade.p_up, 4),
        backfilled=trade.time < live_from,
    )
