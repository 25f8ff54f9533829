"""The open position and the closed trades of an account as they are published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from service.market.instants import iso
from service.trading.accounts import TradeHistory

Side = Literal["long", "short"]


@dataclass(frozen=True)
class AccountPosition:
    """An open position: prices in USD, `pnl_usd` at the mark net of the entry fee and of the interest of a short."""

    asset: str
    side: Side
    quantity: float
    entry_price: float
    mark_price: float
    pnl_usd: float
    opened_at: str


@dataclass(frozen=True)
class AccountTrade:
    """A closed position: prices in USD after slippage, `pnl_usd` net of both fees and of the interest of a short."""

    asset: str
    side: Side
    quantity: float
    entry_price: float
    exit_price: float
    opened_at: str
    closed_at: str
    pnl_usd: float
    pnl_pct: float
    fee_usd: float
    borrow_usd: float


def position_of(history: TradeHistory, asset: str, mark_price: float, equity: float) -> AccountPosition | None:
    """The open position of an account that is worth `equity` USD at `mark_price` USD; None without one."""
    if not history.is_open:
        return None
    return AccountPosition(
        asset=asset,
        side=_side(history.side[-1]),
        quantity=_exact(history.quantity[-1]),
        entry_price=_exact(history.entry_price[-1]),
        mark_price=_exact(mark_price),
        pnl_usd=usd(equity - history.capital[-1]),
        opened_at=iso(int(history.entry_time[-1])),
    )


def trades_of(history: TradeHistory, asset: str, since: int = 0) -> list[AccountTrade]:
    """The trades closed at or after the unix second `since`, oldest first."""
    first = int(np.searchsorted(history.exit_time, since))
    pnl, fees, interest = history.pnl, history.fees, history.interest
    return [
        AccountTrade(
            asset=asset,
            side=_side(history.side[row]),
            quantity=_exact(history.quantity[row]),
            entry_price=_exact(history.entry_price[row]),
            exit_price=_exact(history.exit_price[row]),
            opened_at=iso(int(history.entry_time[row])),
            closed_at=iso(int(history.exit_time[row])),
            pnl_usd=usd(pnl[row]),
            pnl_pct=percent(pnl[row] / history.capital[row]),
            fee_usd=usd(fees[row]),
            borrow_usd=usd(interest[row]),
        )
        for row in range(first, history.closed)
    ]


def usd(amount: float) -> float:
    """USD to the cent."""
    return round(float(amount), 2)


def percent(fraction: float) -> float:
    """A fraction as percent, to four decimals."""
    return round(100 * float(fraction), 4)


def _exact(value: float) -> float:
    return round(float(value), 8)


def _side(side: int) -> Side:
    return "long" if side > 0 else "short"
