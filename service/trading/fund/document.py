"""The published document of the fund, in two books; every number is rounded here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from service.documents import Document, DocumentHeader, World
from service.market.instants import HOUR, iso
from service.tabular import Table, table_of
from service.trading.battle_history import spacing
from service.trading.fund.book import FundHistory, Rebalancing, Side
from service.trading.fund.results import Performance, days_over, performance
from service.trading.statements import percent, usd

POINT_S = 6 * HOUR  # between two points of the curve; more when that gives too many
RECENT_TRADES = 100


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
class FundTradesDocument:
    """A page of trades, newest first; `next` is the cursor of the next page, null on the last."""

    schema: str
    world: World
    count: int
    next: str | None
    trades: tuple[FundTrade, ...]


@dataclass(frozen=True)
class FundBook:
    """The time of the backfilled calls or that of the live ones; fund and benchmark start with their equity then."""

    backfilled: bool
    days: int
    trades_count: int
    fund: Performance
    benchmark: Performance
    versus_benchmark_pct: float


@dataclass(frozen=True)
class FundDocument(Document):
    """A virtual fund that follows apex, beside one that keeps half in bitcoin; before `live_since` it is backfilled.

    `days` is the number of complete UTC days since `started_at`, and of the returns in `sharpe`. Where its 95% interval
    contains 0, luck may explain the result. The `benchmark` rebalances to a constant 50% at the same instants and
    costs; `versus_benchmark_pct` is `pnl_pct` less that of it. The points of `equity` are hourly marks, never averages;
    `trades` are the last 100, newest first; `/api/apex/fund/trades` has all of them.
    """

    initial_capital: float
    equity_usd: float
    pnl_usd: float
    pnl_pct: float
    cash_usd: float
    quantity_btc: float
    exposure_pct: float
    fees_usd: float
    trades_count: int
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
    """The points of the equity curve."""
    return table_of(FundPoint, document.equity, world=document.world)


def fund_document(fund: FundHistory, live_since: int | None, header: DocumentHeader) -> FundDocument:
    """The document of the fund; `live_since` is the unix second of the first live call, None without one."""
    own, benchmark = performance(fund.times, fund.equity), performance(fund.times, fund.benchmark)
    capital, equity = fund.terms.capital, float(fund.equity[-1])
    return FundDocument(
        schema="apex-fund/1",
        **vars(header),
        initial_capital=usd(capital),
        pnl_usd=usd(equity - capital),
        cash_usd=usd(fund.cash),
        quantity_btc=round(fund.quantity, 8),
        exposure_pct=percent(1 - fund.cash / equity),
        fees_usd=usd(sum(trade.fee for trade in fund.trades)),
        trades_count=len(fund.trades),
        **vars(own),
        benchmark=benchmark,
        versus_benchmark_pct=round(own.pnl_pct - benchmark.pnl_pct, 4),
        days=len(days_over(fund.times)),
        started_at=iso(fund.anchor),
        live_since=None if live_since is None else iso(live_since),
        books=_books(fund, live_since),
        equity=_curve(fund, live_since),
        trades=tuple(published_trade(trade, live_since) for trade in fund.trades[: -RECENT_TRADES - 1 : -1]),
    )


def _is_backfilled(time: int, live_since: int | None) -> bool:
    return live_since is None or time < live_since


def _books(fund: FundHistory, live_since: int | None) -> tuple[FundBook, ...]:
    """The live book, then the backfilled one; a book without a bar is left out."""
    start = len(fund.times)
    if live_since is not None:
        start = max(0, int(fund.times.searchsorted(live_since, side="right")) - 1)
    spans = ((False, slice(start, None)), (True, slice(None, start + 1)))
    return tuple(_book(fund, live_since, backfilled, span) for backfilled, span in spans if len(fund.times[span]) > 1)


def _book(fund: FundHistory, live_since: int | None, backfilled: bool, span: slice) -> FundBook:
    times = fund.times[span]
    own, benchmark = performance(times, fund.equity[span]), performance(times, fund.benchmark[span])
    return FundBook(
        backfilled=backfilled,
        days=len(days_over(times)),
        trades_count=sum(_is_backfilled(trade.time, live_since) == backfilled for trade in fund.trades),
        fund=own,
        benchmark=benchmark,
        versus_benchmark_pct=round(own.pnl_pct - benchmark.pnl_pct, 4),
    )


def _curve(fund: FundHistory, live_since: int | None) -> tuple[FundPoint, ...]:
    """The last mark of every six hours, or of a longer time that leaves about 500 points."""
    step = spacing(int(fund.times[-1] - fund.times[0]), POINT_S)
    cells = -(-fund.times // step)
    taken = np.flatnonzero(np.diff(cells, append=cells[-1] + 1))
    rows = zip(*(column[taken].tolist() for column in (fund.times, fund.equity, fund.benchmark)), strict=True)
    return tuple(
        FundPoint(iso(time), usd(equity), usd(held), _is_backfilled(time, live_since)) for time, equity, held in rows
    )


def published_trade(trade: Rebalancing, live_since: int | None) -> FundTrade:
    """A trade as it is published; `live_since` is the unix second of the first live call, None without one."""
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
        backfilled=_is_backfilled(trade.time, live_since),
    )
