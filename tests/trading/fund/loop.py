"""A second implementation of the fund: a loop over bars, with the size of a trade found by bisection."""

from __future__ import annotations

from service.market.bars import Bars
from service.trading.fund import FundTerms


def follow(calls, bars: Bars, terms: FundTerms) -> tuple[list[float], list[dict[str, float]]]:
    """Equity at each close, and the trades."""
    cash, units, waiting, equity, trades = terms.capital, 0.0, list(calls), [], []
    for time, price, close in zip(bars.time.tolist(), bars.open.tolist(), bars.close.tolist(), strict=True):
        p_up = None
        while waiting and waiting[0][0] <= time:
            p_up = waiting.pop(0)[1]
        if p_up is not None:
            wanted = min(1.0, max(0.0, terms.middle + terms.steepness * (p_up - 0.5)))
            share = units * price / (cash + units * price)
            if abs(wanted - share) > terms.tolerance:
                side = 1 if wanted > share else -1
                fill, low, high = price * (1 + side * terms.slippage), 0.0, 2 * (cash / price + units)
                for _ in range(200):
                    middle = (low + high) / 2
                    left = cash - side * middle * fill - middle * fill * terms.fee
                    held = units + side * middle
                    enough = (held * price - wanted * (left + held * price)) * side >= 0
                    low, high = (low, middle) if enough else (middle, high)
                cash, units = cash - side * high * fill - high * fill * terms.fee, units + side * high
                trades.append({"time": time, "side": side, "quantity": high, "price": fill})
        equity.append(cash + units * close)
    return equity, trades
