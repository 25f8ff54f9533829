"""Paper accounts: from targets to fills, capital and equity, exact and without a loop over bars.

A target decided at the close of a bar is filled at the open of the next one. A position takes all the capital, long
or short, with a fixed quantity from entry to exit. A short owes the units it sold and interest on them, which accrues
in units too, so that it is known without the prices in between. So the equity within a position is affine in the
price, and each closed position multiplies the capital by a factor (`_fill`): the capital before each position is a
running product. An account is carried on over later bars from where it stood, with the same result to the bit as over
all bars at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.market.bars import Bars, Prices, Times
from service.market.instants import HOUR

Indices = NDArray[np.int64]
Targets = NDArray[np.int8]  # -1 short, 0 flat, 1 long after each bar

HOURS_A_YEAR = 24 * 365


@dataclass(frozen=True)
class AccountTerms:
    """The starting capital and the costs of an account.

    `capital` is USD; `fee` is a fraction of the notional and `slippage` of the price, both on entry and exit;
    `floor` is the fraction of `capital` below which a short is closed and the account ends: an all-in short can lose
    more than the account holds. `borrow` is the interest on the units that a short owes, a fraction a year. It is
    simple interest for each hour that has begun, as spot exchanges charge it; the default is 0.02% a day, the rate of
    the example in the rules of Binance Margin ("Daily Interest Rate for Binance Margin Trading", 2019).
    """

    capital: float = 10_000.0
    fee: float = 0.0005
    slippage: float = 0.0002
    floor: float = 0.2
    borrow: float = 0.073

    @property
    def floor_usd(self) -> float:
        return self.floor * self.capital

    @property
    def invested(self) -> float:
        """The fraction of the capital that an entry buys; the rest is its fee."""
        return 1 / (1 + self.fee)

    def interest(self, side: NDArray[np.int8], seconds: Times) -> Prices:
        """The interest on the units of each position after `seconds` (n,), as a fraction of them; 0 of a long."""
        hours: Prices = -(-np.where(side < 0, seconds, 0) // HOUR).astype(np.float64)
        return hours * (self.borrow / HOURS_A_YEAR)


TERMS = AccountTerms()


@dataclass(frozen=True)
class TradeHistory:
    """Every position of one account, oldest first, as columns.

    Of shape (positions,): `side` int8 (1 long, -1 short), `quantity` in units of the asset, `entry_time` in unix
    seconds, `entry_price` in USD after slippage. Of shape (closed,): `exit_time` and `exit_price`; `closed` is one
    less while the last position is open. `capital`, shape (closed + 1,), is USD before each position, and in its last
    element USD after the last exit. `decided` is the last target, which the open after the last bar fills,
    and `has_ended` says that the account follows no further target.
    """

    terms: AccountTerms
    side: NDArray[np.int8]
    quantity: Prices
    entry_time: Times
    entry_price: Prices
    exit_time: Times
    exit_price: Prices
    capital: Prices
    decided: int = 0
    has_ended: bool = False

    @property
    def closed(self) -> int:
        return len(self.exit_time)

    @property
    def is_open(self) -> bool:
        return len(self.side) > self.closed

    @property
    def pnl(self) -> Prices:
        """The result of each closed position in USD, net of both fees, shape (closed,)."""
        return np.diff(self.capital)

    @property
    def fees(self) -> Prices:
        """The fees of each closed position in USD, shape (closed,)."""
        notional = self.quantity[: self.closed] * (self.entry_price[: self.closed] + self.exit_price)
        return self.terms.fee * (notional + self.interest)

    @property
    def interest(self) -> Prices:
        """The interest of each closed position in USD, shape (closed,): the units owed, at the price of the exit."""
        units = self.terms.interest(self.side[: self.closed], self.exit_time - self.entry_time[: self.closed])
        return units * self.quantity[: self.closed] * self.exit_price

    def equity(self, times: Times, prices: Prices) -> Prices:
        """USD in the account at the closes `prices` (n,) of bars that open at `times` (n,), in any order.

        An open position is marked without exit costs; the interest of a short includes the hour in which the bar opens.
        The bars may be shorter than those decided on, and any of them may be absent.
        """
        left = np.searchsorted(self.exit_time, times, side="right")
        cash = self.capital[left]
        held = np.searchsorted(self.entry_time, times, side="right") > left
        if not held.any():
            return cash
        row = np.minimum(left, len(self.side) - 1)
        value = cash * self.terms.invested + (self.side * self.quantity)[row] * (prices - self.entry_price[row])
        side = self.side[row]
        if np.any(side < 0):
            value -= self.terms.interest(side, times + 1 - self.entry_time[row]) * self.quantity[row] * prices
        return np.where(held, value, cash)


COLUMNS = ("side", "quantity", "entry_time", "entry_price", "exit_time", "exit_price", "capital")


def unused_account(terms: AccountTerms = TERMS) -> TradeHistory:
    """An account without a position yet."""
    prices, times = np.zeros(0), np.zeros(0, np.int64)
    return TradeHistory(terms, np.zeros(0, np.int8), prices, times, prices, times, prices, np.array([terms.capital]))


def trade(targets: Targets, bars: Bars, terms: AccountTerms = TERMS) -> TradeHistory:
    """The account that follows `targets` on `bars`, all from the first one on: `carry_on` of an unused account."""
    return carry_on(unused_account(terms), targets, bars)


def carry_on(before: TradeHistory, targets: Targets, bars: Bars) -> TradeHistory:
    """The account `before`, which is that at the open of the first of `bars` (n,), after them.

    `targets` are -1, 0 or 1, the decisions at the closes: (n,), or (n - 1,) when the last bar is still running and only
    its open fills the last decision. The first open fills what was decided before.
    """
    if not len(bars):
        return before
    positions = np.append(np.int8(before.decided), np.zeros_like(targets) if before.has_ended else targets)
    spans = _spans(positions[: len(bars)], before)
    later = _fill(spans, bars, before)
    spans_to_ruin = _until_ruin(spans, later, bars)
    if spans_to_ruin is not None:
        later = _fill(spans_to_ruin, bars, before)
    has_ended = before.has_ended or spans_to_ruin is not None
    # Both as one account: the later columns begin with the position that was open.
    columns: dict[str, Any] = {
        name: np.append(getattr(before, name)[: before.closed], getattr(later, name)) for name in COLUMNS
    }
    return replace(later, **columns, decided=0 if has_ended else int(positions[-1]), has_ended=has_ended)


@dataclass(frozen=True)
class _Spans:
    """The bars of each position: `side`, the index of the bar of its entry and that of its exit.

    The position that was open before the first bar has the entry -1 and may have the exit 0.
    """

    side: NDArray[np.int8]
    entry: Indices
    exit: Indices

    @property
    def first(self) -> Indices:
        """The first of the bars in which each position is held."""
        return np.maximum(self.entry, 0)


def _spans(held: Targets, before: TradeHistory) -> _Spans:
    """The runs of equal position in `held` (n,), without the flat ones. The exit of an open position is n."""
    side = before.side[-1] if before.is_open else np.int8(0)
    starts = np.flatnonzero(np.diff(held, prepend=side))
    ends = np.append(starts[1:], len(held))
    is_position = held[starts] != 0
    spans = _Spans(held[starts[is_position]], starts[is_position], ends[is_position])
    if not before.is_open:
        return spans
    end = starts[0] if len(starts) else len(held)
    return _Spans(np.append(side, spans.side), np.append(-1, spans.entry), np.append(end, spans.exit))


def _fill(spans: _Spans, bars: Bars, before: TradeHistory) -> TradeHistory:
    """Fill each position at the opens of its entry and exit bars; what was open `before` comes first.

    Of capital C, C / (1 + fee) buys the position and the rest is the entry fee. With the price ratio m of exit to
    entry, the exit adds side x (m - 1) and costs fee x m of what was bought. The interest, a fraction of the units, is
    bought back as well: (1 + fee) x interest x m.
    """
    terms, held = before.terms, slice(before.closed, None)
    entries, exits = spans.entry[spans.entry >= 0], spans.exit[spans.exit < len(bars)]
    fills = bars.open[entries] * (1 + spans.side[len(spans.side) - len(entries) :] * terms.slippage)
    entry_price = np.append(before.entry_price[held], fills)
    entry_time = np.append(before.entry_time[held], bars.time[entries])
    side, exit_time = spans.side[: len(exits)], bars.time[exits]
    exit_price = bars.open[exits] * (1 - side * terms.slippage)
    interest = terms.interest(side, exit_time - entry_time[: len(exits)])
    move = exit_price / entry_price[: len(exits)]
    growth = 1 + terms.invested * (side * (move - 1) - terms.fee * (1 + move) - (1 + terms.fee) * interest * move)
    capital: Prices = np.cumprod(np.append(before.capital[-1], growth), dtype=np.float64)
    quantity = capital[: len(spans.side)] * terms.invested / entry_price
    return TradeHistory(terms, spans.side, quantity, entry_time, entry_price, exit_time, exit_price, capital)


def _until_ruin(spans: _Spans, history: TradeHistory, bars: Bars) -> _Spans | None:
    """The spans up to the first short that took the account below its floor; None if no short did.

    When a close shows less than the floor, the short is closed at the next open. A short that falls below the floor
    only by its exit price ends the account as well.
    """
    is_short, terms = history.side < 0, history.terms
    if not is_short.any():
        return None
    # The price, with the interest on the units owed, above which each short is worth less than the floor.
    spare = history.capital[: len(history.side)] * terms.invested - terms.floor_usd
    limit = np.where(is_short, history.entry_price + spare / history.quantity, np.inf)
    position = np.searchsorted(spans.first, np.arange(len(bars)), side="right") - 1
    seconds = bars.time + 1 - history.entry_time[position]
    prices = bars.close * (1 + terms.interest(history.side[position], seconds))
    # The highest in each position, which has none where it left at the first open.
    edges = np.column_stack([spans.first, spans.exit]).ravel()
    highest = np.maximum.reduceat(prices, edges[edges < len(bars)])[::2]
    capital_after = np.append(history.capital[1:], np.inf)[: len(limit)]
    fell_at_exit = is_short & (capital_after < terms.floor_usd)
    fell_within = (spans.exit > spans.first) & (highest > limit)
    is_ruined = fell_at_exit | fell_within
    if not is_ruined.any():
        return None
    last = int(np.argmax(is_ruined))
    first = spans.first[last]
    ruinous = np.flatnonzero(prices[first : spans.exit[last]] > limit[last])
    end = first + ruinous[0] + 1 if len(ruinous) else spans.exit[last]
    return _Spans(spans.side[: last + 1], spans.entry[: last + 1], np.append(spans.exit[:last], end))
