"""From calls to trades and equity: recomputed whole from the first bar, so that nothing of it is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from service.market.bars import Bars, Prices, Times

Side = Literal["buy", "sell"]


@dataclass(frozen=True)
class Terms:
    """What the fund starts with, what it pays, and how it follows a call.

    `capital` is USD; `fee` is a fraction of what is traded and `slippage` of the price. The exposure that a call asks
    for is `middle` at even odds and moves by `steepness` for each unit of probability; it is traded for when it differs
    by more than `tolerance` from what is held.
    """

    capital: float = 1_000.0
    fee: float = 0.001
    slippage: float = 0.0002
    middle: float = 0.5
    steepness: float = 8.0
    tolerance: float = 0.1

    def exposure(self, p_up: float) -> float:
        """The share of the fund that shall be in bitcoin, in [0, 1]: no debt and nothing short."""
        return min(1.0, max(0.0, self.middle + self.steepness * (p_up - 0.5)))


TERMS = Terms()


@dataclass(frozen=True)
class Trade:
    """A rebalancing at the open of the bar of the unix second `time`, on the call `p_up`.

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
        """USD that changed hands, without the fee."""
        return self.quantity * self.price


@dataclass(frozen=True)
class Fund:
    """The fund since the unix second `anchor`.

    `times` (n + 1,) are the anchor and the ends of the n bars, `equity` and `held` (n + 1,) USD at them: in the fund,
    and where all was spent on the asset at the first open. `cash` is USD now, `quantity` what is held now, `price` the
    last close (None before the first).
    """

    terms: Terms
    anchor: int
    times: Times
    equity: Prices
    held: Prices
    trades: tuple[Trade, ...]
    cash: float
    quantity: float
    price: float | None


def run(calls: Sequence[tuple[int, float]], bars: Bars, anchor: int, terms: Terms = TERMS) -> Fund:
    """The fund on hourly `bars` of the asset from the unix second `anchor` on.

    `calls` are (unix second, P(higher)), rising; one is filled at the open of the first bar that opens at or after it,
    and of several that wait for the same bar the last one counts. One that no bar has followed yet has done nothing,
    so more bars and calls never change what was.
    """
    bars = bars.since(anchor)
    states, trades = _follow(calls, bars, anchor, terms)
    return Fund(
        terms=terms,
        anchor=anchor,
        times=np.append(anchor, bars.time + bars.step),
        equity=_equity(states, bars.close, terms),
        held=_held(bars, terms),
        trades=tuple(trades),
        cash=states[-1].cash,
        quantity=states[-1].quantity,
        price=float(bars.close[-1]) if len(bars) else None,
    )


class _State(NamedTuple):
    """USD and units of the asset from a bar on, by its place."""

    bar: int
    cash: float
    quantity: float


def _follow(
    calls: Sequence[tuple[int, float]], bars: Bars, anchor: int, terms: Terms
) -> tuple[list[_State], list[Trade]]:
    """What was held from which bar on, and the trades that led to it."""
    opened = bars.time.searchsorted([at for at, _ in calls]).tolist()
    waiting = {bar: p_up for (at, p_up), bar in zip(calls, opened, strict=True) if at >= anchor and bar < len(bars)}
    states, trades = [_State(0, terms.capital, 0.0)], []
    for bar, p_up in waiting.items():
        held = states[-1]
        trade = _rebalance(held, float(bars.open[bar]), int(bars.time[bar]), p_up, terms)
        if trade is None:
            continue
        sign = 1 if trade.side == "buy" else -1
        cash, quantity = held.cash - sign * trade.value - trade.fee, held.quantity + sign * trade.quantity
        # Rounding must not leave a debt of a quadrillionth.
        states.append(_State(bar, max(0.0, cash), max(0.0, quantity)))
        trades.append(trade)
    return states, trades


def _rebalance(held: _State, price: float, time: int, p_up: float, terms: Terms) -> Trade | None:
    """The trade at `price` USD after which exactly the wanted share is held; None where the present one is near enough.

    To trade d USD costs c d. So the wanted share w is left where d = (w E - h) / (1 + w c) is bought or
    (h - w E) / (1 - w c) sold, of the equity E of which h is in the asset.
    """
    holding = held.quantity * price
    equity, wanted = held.cash + holding, terms.exposure(p_up)
    if abs(wanted - holding / equity) <= terms.tolerance:
        return None
    buys = wanted * equity > holding
    sign = 1 if buys else -1
    fill = price * (1 + sign * terms.slippage)
    cost = sign * ((1 + sign * terms.slippage) * (1 + sign * terms.fee) - 1)
    traded = sign * (wanted * equity - holding) / (1 + sign * wanted * cost) / price
    return Trade(
        time=time,
        side="buy" if buys else "sell",
        quantity=traded,
        price=fill,
        fee=terms.fee * traded * fill,
        exposure_before=holding / equity,
        exposure_after=wanted,
        p_up=p_up,
    )


def _equity(states: Sequence[_State], closes: Prices, terms: Terms) -> Prices:
    """USD at the start and at each of `closes` (n,), shape (n + 1,)."""
    firsts, cash, quantity = np.array(states).T
    row = firsts.searchsorted(np.arange(len(closes)), side="right") - 1
    return np.append(terms.capital, cash[row] + quantity[row] * closes)


def _held(bars: Bars, terms: Terms) -> Prices:
    """The same where all was spent at the first open, with the same costs."""
    paid = bars.open[:1] * (1 + terms.slippage) * (1 + terms.fee)
    return np.append(terms.capital, terms.capital / paid * bars.close) if len(bars) else np.array([terms.capital])
