"""Paper accounts: from targets to fills, capital and equity, exact and without a loop over bars.

A target decided at the close of a bar is filled at the open of the next one. A position is all the capital
there is, long or short, a fixed quantity from its entry to its exit; so inside it equity is affine in the price,
and the capital between positions is one running product. engine.md, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.market.bars import Bars, Prices, Times
from service.trading.rules.targets import Targets

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Terms:
    """What an account starts with and pays.

    `capital` is USD; `fee` is a fraction of the notional and `slippage` of the price, both on entry and exit;
    `floor` is the fraction of `capital` below which an account that is short is bought back and closed for good:
    an all-in short can lose more than it has.
    """

    capital: float = 10_000.0
    fee: float = 0.0005
    slippage: float = 0.0002
    floor: float = 0.2

    @property
    def floor_usd(self) -> float:
        """USD below which a short is bought back."""
        return self.floor * self.capital

    @property
    def invested(self) -> float:
        """The fraction of the capital that an entry buys; the rest is its fee."""
        return 1 / (1 + self.fee)


TERMS = Terms()


@dataclass(frozen=True)
class Ledger:
    """Every position of one account, oldest first, as columns.

    Of shape (positions,): `side` int8 (1 long, -1 short), `quantity` in units of the asset, `entry_time` in unix
    seconds, `entry_price` in USD after slippage. Of shape (closed,): `exit_time` and `exit_price`; `closed` is
    one less while the last position is open. `capital`, shape (closed + 1,), is USD before each position,
    and at its end what there was after the last exit.
    """

    terms: Terms
    side: NDArray[np.int8]
    quantity: Prices
    entry_time: Times
    entry_price: Prices
    exit_time: Times
    exit_price: Prices
    capital: Prices

    @property
    def closed(self) -> int:
        """How many positions have ended."""
        return len(self.exit_time)

    @property
    def is_open(self) -> bool:
        """Whether a position is held now."""
        return len(self.side) > self.closed

    @property
    def pnl(self) -> Prices:
        """USD won by each closed position net of both fees, shape (closed,)."""
        return np.diff(self.capital)

    @property
    def fees(self) -> Prices:
        """USD paid in fees by each closed position, shape (closed,)."""
        notional = self.quantity[: self.closed] * (self.entry_price[: self.closed] + self.exit_price)
        return self.terms.fee * notional

    def equity(self, times: Times, prices: Prices) -> Prices:
        """USD in the account at bars that open at `times` and close at `prices`, both (n,), in any order.

        The bars may be shorter than those decided on, and any of them may be left out. A position is marked at
        the close, without the cost of leaving it. Before the first entry it is the starting capital.
        """
        left = np.searchsorted(self.exit_time, times, side="right")
        cash = self.capital[left]
        held = np.searchsorted(self.entry_time, times, side="right") > left
        if not held.any():
            return cash
        row = np.minimum(left, len(self.side) - 1)
        marked = cash * self.terms.invested + (self.side * self.quantity)[row] * (prices - self.entry_price[row])
        return np.where(held, marked, cash)


def trade(targets: Targets, bars: Bars, terms: Terms = TERMS) -> Ledger:
    """The account that follows `targets` on `bars`, from the first bar on.

    `targets` int8 (n,) are the decisions at the closes of `bars` (n,). The last bar may be one that is still
    running and has no decision yet, with `targets` (n - 1,): its open fills the last decision.
    With fewer than two bars nothing is filled.
    """
    held = np.zeros(len(bars), np.int8)
    held[1:] = targets[: max(len(bars) - 1, 0)]
    stays = _stays(held)
    ledger = _book(stays, bars, terms)
    ruin = _ruin(stays, ledger, bars.close)
    return ledger if ruin is None else _book(ruin, bars, terms)


@dataclass(frozen=True)
class _Stays:
    """Runs of bars in one position: `side`, and the index of the bar that opens it and of the one that ends it."""

    side: NDArray[np.int8]
    entry: Indices
    exit: Indices


def _stays(held: Targets) -> _Stays:
    """The runs of equal position in `held` (n,), without the flat ones. One that lasts has exit n."""
    starts = np.flatnonzero(np.diff(held, prepend=np.int8(0)))
    ends = np.append(starts[1:], len(held))
    taken = held[starts] != 0
    return _Stays(held[starts[taken]], starts[taken], ends[taken])


def _book(stays: _Stays, bars: Bars, terms: Terms) -> Ledger:
    """Fill every stay at the opens of its first bar and of the one after its last."""
    exits = stays.exit[stays.exit < len(bars)]
    entry_price = bars.open[stays.entry] * (1 + stays.side * terms.slippage)
    exit_price = bars.open[exits] * (1 - stays.side[: len(exits)] * terms.slippage)
    capital = terms.capital * np.cumprod(np.append(1.0, _growth(stays.side, entry_price, exit_price, terms)))
    return Ledger(
        terms=terms,
        side=stays.side,
        quantity=capital[: len(stays.side)] * terms.invested / entry_price,
        entry_time=bars.time[stays.entry],
        entry_price=entry_price,
        exit_time=bars.time[exits],
        exit_price=exit_price,
        capital=capital,
    )


def _growth(side: NDArray[np.int8], entry_price: Prices, exit_price: Prices, terms: Terms) -> Prices:
    """What the capital is multiplied by from before each closed position to after it, shape (closed,)."""
    closed = len(exit_price)
    move = exit_price / entry_price[:closed]
    return 1 + terms.invested * (side[:closed] * (move - 1) - terms.fee * (1 + move))


def _ruin(stays: _Stays, ledger: Ledger, closes: Prices) -> _Stays | None:
    """The stays up to the first short that took the account below its floor; None if none did.

    A close that shows less than the floor is answered at the next open. A short that falls below it only by
    the price it is bought back at ends the account as well.
    """
    limit = _ruinous_prices(ledger)
    shown = _highest(closes, stays) > limit
    shown[: ledger.closed] |= np.isfinite(limit[: ledger.closed]) & (ledger.capital[1:] < ledger.terms.floor_usd)
    if not shown.any():
        return None
    last = int(np.argmax(shown))
    seen = np.flatnonzero(closes[stays.entry[last] : stays.exit[last]] > limit[last])
    end = stays.entry[last] + seen[0] + 1 if len(seen) else stays.exit[last]
    return _Stays(stays.side[: last + 1], stays.entry[: last + 1], np.append(stays.exit[:last], end))


def _ruinous_prices(ledger: Ledger) -> Prices:
    """The price above which each short shows less than the floor, shape (positions,); infinite for a long."""
    spare = ledger.capital[: len(ledger.side)] * ledger.terms.invested - ledger.terms.floor_usd
    return np.where(ledger.side < 0, ledger.entry_price + spare / ledger.quantity, np.inf)


def _highest(closes: Prices, stays: _Stays) -> Prices:
    """The highest close of each stay, shape (positions,)."""
    edges = np.column_stack([stays.entry, stays.exit]).ravel()
    return np.maximum.reduceat(closes, edges[edges < len(closes)])[::2]
