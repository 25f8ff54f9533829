"""The trades and the equity of the fund, recomputed from the first bar on, so that nothing of it is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from service.market.bars import Bars, Prices, Times

Side = Literal["buy", "sell"]


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
    """The fund since the unix second `anchor`.

    `times` (n + 1,) are the anchor and the ends of the n bars; `equity` and `benchmark` (n + 1,) are USD at these
    times, of the fund and of one whose every call is at even odds: a constant exposure of `middle`, at the same
    instants, costs and tolerance. `cash` is USD now, `quantity` units of the asset
    now, `price` the last close (None before the first).
    """

    terms: FundTerms
    anchor: int
    times: Times
    equity: Prices
    benchmark: Prices
    trades: tuple[Rebalancing, ...]
    cash: float
    quantity: float
    price: float | None


def run(calls: Sequence[tuple[int, float]], bars: Bars, anchor: int, terms: FundTerms = TERMS) -> FundHistory:
    """The fund on the calls of apex.

    Parameters
    ----------
    calls : sequence of (int, float)
        Unix second and P(higher), ascending. A call is filled at the open of the first bar that opens at or after it;
        of several calls for the same bar the last one counts. A call without a later bar has no effect yet, so more
        bars and calls never change the past.
    bars : Bars (n,)
        The hourly bars of the asset.
    anchor : int
        The unix second at which the fund starts.
    """
    bars, at = bars.since(anchor), np.array([at for at, _ in calls], dtype=np.int64)
    states, trades = _follow(at, np.array([p_up for _, p_up in calls], dtype=float), bars, anchor, terms)
    even, _ = _follow(at, np.full(len(at), 0.5), bars, anchor, terms)
    return FundHistory(
        terms=terms,
        anchor=anchor,
        times=np.append(anchor, bars.time + bars.step),
        equity=_equity(states, bars.close, terms),
        benchmark=_equity(even, bars.close, terms),
        trades=tuple(trades),
        cash=states[-1].cash,
        quantity=states[-1].quantity,
        price=float(bars.close[-1]) if len(bars) else None,
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
    opened, p_up = bar_of[is_filled], p_up[is_filled]
    columns = (opened, bars.open[opened], bars.time[opened], p_up, terms.wanted(p_up))
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
    traded = sign * (wanted * equity - holding) / (1 + sign * wanted * cost) / price
    return Rebalancing(
        time=time,
        side="buy" if buys else "sell",
        quantity=traded,
        price=fill,
        fee=terms.fee * traded * fill,
        exposure_before=held.exposure(price),
        exposure_after=wanted,
        p_up=p_up,
    )


def _equity(states: Sequence[_Holdings], closes: Prices, terms: FundTerms) -> Prices:
    """The equity in USD at the start and at each of `closes` (n,), shape (n + 1,)."""
    firsts, cash, quantity = np.array(states).T
    row = firsts.searchsorted(np.arange(len(closes)), side="right") - 1
    return np.append(terms.capital, cash[row] + quantity[row] * closes)
