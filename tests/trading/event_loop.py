"""Second implementations of an account and of the fund: plain loops over bars."""

from __future__ import annotations

from service.market.bars import Bars
from service.market.instants import HOUR
from service.trading.accounts import HOURS_A_YEAR, AccountTerms
from service.trading.fund import FundTerms

Trades = list[dict[str, float]]


def follow(targets, hours: Bars, marks: Bars, terms: AccountTerms) -> tuple[list[float], Trades]:
    """Trade `targets`, decided at the closes of `hours`, at the opens of `marks`: equity at their closes, and trades.

    A short owes a little more for each hour of the clock that begins while it is held.
    """
    path, trades = [], []
    cash, units, entry = terms.capital, 0.0, {}
    debt, charge_end = 0.0, 0  # units of interest, and the end of the last hour that it was charged for
    equity, is_ruined = cash, False
    count = 0  # how many hours are over when the mark opens
    for time, price, close in zip(marks.time.tolist(), marks.open.tolist(), marks.close.tolist(), strict=True):
        before = count
        while count < len(targets) and hours.time[count] + hours.step <= time:
            count += 1
        if count > before:
            if units < 0 and equity < terms.floor * terms.capital:
                is_ruined = True
            target = 0 if is_ruined else int(targets[count - 1])
            while units < 0 and charge_end < time // HOUR * HOUR:  # a fill counts as one at the opening of its hour
                debt, charge_end = debt - units * terms.borrow / HOURS_A_YEAR, charge_end + HOUR
            if units != 0 and target != (1 if units > 0 else -1):
                side = 1 if units > 0 else -1
                fill = price * (1 - side * terms.slippage)
                fee = (abs(units) + debt) * fill * terms.fee
                cash += (units - debt) * fill - fee
                pnl = cash - entry["cash"]
                trades.append(entry | {"exit_time": time, "exit_price": fill, "pnl": pnl, "fee": entry["fee"] + fee})
                units, debt = 0.0, 0.0
                if side < 0 and cash < terms.floor * terms.capital:
                    is_ruined, target = True, 0
            if units == 0 and target != 0:
                fill = price * (1 + target * terms.slippage)
                units = target * cash / (1 + terms.fee) / fill
                fee = abs(units) * fill * terms.fee
                entry = {"side": target, "quantity": abs(units), "entry_time": time, "entry_price": fill}
                entry |= {"cash": cash, "fee": fee}
                cash -= units * fill + fee
                charge_end = time // HOUR * HOUR
        while units < 0 and charge_end <= time:
            debt, charge_end = debt - units * terms.borrow / HOURS_A_YEAR, charge_end + HOUR
        equity = cash + (units - debt) * close
        path.append(equity)
    return path, trades


def follow_calls(calls, bars: Bars, terms: FundTerms) -> tuple[list[float], Trades]:
    """The fund: equity at each close, and the trades, whose size is found by bisection."""
    cash, units, queue, equity, trades = terms.capital, 0.0, list(calls), [], []
    for time, price, close in zip(bars.time.tolist(), bars.open.tolist(), bars.close.tolist(), strict=True):
        p_up = None
        while queue and queue[0][0] <= time:
            p_up = queue.pop(0)[1]
        if p_up is not None:
            target = min(1.0, max(0.0, terms.middle + terms.steepness * (p_up - 0.5)))
            share = units * price / (cash + units * price)
            if abs(target - share) > terms.tolerance:
                side = 1 if target > share else -1
                fill, low, high = price * (1 + side * terms.slippage), 0.0, 2 * (cash / price + units)
                for _ in range(200):
                    middle = (low + high) / 2
                    rest = cash - side * middle * fill - middle * fill * terms.fee
                    amount = units + side * middle
                    is_enough = (amount * price - target * (rest + amount * price)) * side >= 0
                    low, high = (low, middle) if is_enough else (middle, high)
                cash, units = cash - side * high * fill - high * fill * terms.fee, units + side * high
                trades.append({"time": time, "side": side, "quantity": high, "price": fill})
        equity.append(cash + units * close)
    return equity, trades
