"""What an account says of itself: the position it holds and the trades it closed, as they are published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from service.market.instants import iso
from service.trading.accounts import Ledger

Side = Literal["long", "short"]


@dataclass(frozen=True)
class Position:
    """A position that is held: prices in USD, `pnl_usd` at the mark net of the fee that was paid to enter."""

    asset: str
    side: Side
    quantity: float
    entry_price: float
    mark_price: float
    pnl_usd: float
    opened_at: str


@dataclass(frozen=True)
class Trade:
    """A closed position: prices in USD after slippage, `pnl_usd` net of the fees of both sides."""

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


def position_of(ledger: Ledger, asset: str, mark_price: float) -> Position | None:
    """The open position marked at `mark_price` USD; None when there is none."""
    if not ledger.is_open:
        return None
    moved = ledger.side[-1] * ledger.quantity[-1] * (mark_price - ledger.entry_price[-1])
    fee = ledger.terms.fee * ledger.quantity[-1] * ledger.entry_price[-1]
    return Position(
        asset=asset,
        side=_side(ledger.side[-1]),
        quantity=_exact(ledger.quantity[-1]),
        entry_price=_exact(ledger.entry_price[-1]),
        mark_price=_exact(mark_price),
        pnl_usd=usd(moved - fee),
        opened_at=iso(int(ledger.entry_time[-1])),
    )


def trades_of(ledger: Ledger, asset: str, since: int = 0) -> list[Trade]:
    """The trades closed at or after the unix second `since`, oldest first."""
    first = int(np.searchsorted(ledger.exit_time, since))
    pnl, fees = ledger.pnl, ledger.fees
    return [
        Trade(
            asset=asset,
            side=_side(ledger.side[row]),
            quantity=_exact(ledger.quantity[row]),
            entry_price=_exact(ledger.entry_price[row]),
            exit_price=_exact(ledger.exit_price[row]),
            opened_at=iso(int(ledger.entry_time[row])),
            closed_at=iso(int(ledger.exit_time[row])),
            pnl_usd=usd(pnl[row]),
            pnl_pct=percent(pnl[row] / ledger.capital[row]),
            fee_usd=usd(fees[row]),
        )
        for row in range(first, ledger.closed)
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
