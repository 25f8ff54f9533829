"""Concentrated liquidity: what a position in a price range holds, is worth and earns.

`price` is quote per base (USD per unit of the asset), a range is [low, high] in the same unit, liquidity is
L = sqrt(base x quote) of the pool that has no range. Adams et al. (2021), Uniswap v3 Core; engine.md, section 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt


@dataclass(frozen=True)
class Range:
    """Prices between which a position is at work, 0 < low < high."""

    low: float
    high: float

    def holds(self, price: float) -> bool:
        """Whether a position earns fees at `price`."""
        return self.low <= price < self.high


def around(price: float, factor: float) -> Range:
    """From `price` / `factor` to `price` x `factor`, `factor` > 1: half its value is base, half quote."""
    return Range(price / factor, price * factor)


def amounts(liquidity: float, price: float, span: Range) -> tuple[float, float]:
    """Units of base and of quote that `liquidity` in `span` holds at `price`: only base below it, only quote above.

    Uniswap v3 Core (2021), equations 6.29 and 6.30.
    """
    root, low, high = _clamped_root(price, span), sqrt(span.low), sqrt(span.high)
    return liquidity * (1 / root - 1 / high), liquidity * (root - low)


def unit_value(price: float, span: Range) -> float:
    """Quote that one unit of liquidity in `span` is worth at `price`."""
    base, quote = amounts(1.0, price, span)
    return base * price + quote


def liquidity_of_value(value: float, price: float, span: Range) -> float:
    """The liquidity that `value` (quote) makes in `span` when it is split as the range asks."""
    return value / unit_value(price, span)


def liquidity_of_amounts(base: float, quote: float, price: float, span: Range) -> float:
    """The most liquidity that `base` and `quote` units make in `span`; inside it the scarcer of the two decides.

    LiquidityAmounts.getLiquidityForAmounts of v3-periphery.
    """
    root, low, high = _clamped_root(price, span), sqrt(span.low), sqrt(span.high)
    if root == low:
        return base * low * high / (high - low)
    if root == high:
        return quote / (high - low)
    return min(base * root * high / (high - root), quote / (root - low))


def base_share(price: float, span: Range) -> float:
    """The part of a position's value that is base, 0 to 1; one half in the (geometric) middle of its range."""
    base, quote = amounts(1.0, price, span)
    return base * price / (base * price + quote)


def share_inside(opened: float, closed: float, span: Range) -> float:
    """The share of the log move from `opened` to `closed` that lies in `span`, 0 to 1; of no move, whether it is in."""
    bottom, top = min(opened, closed), max(opened, closed)
    if bottom == top:
        return float(span.holds(closed))
    inside = log(min(top, span.high) / max(bottom, span.low)) if top > span.low and bottom < span.high else 0.0
    return min(inside / log(top / bottom), 1.0)


def fees(volume: float, rate: float, inside: float, own: float, others: float) -> float:
    """Quote that a position earns of `volume` (quote) traded at the fee `rate`, a fraction of the volume.

    `inside` is the share of the trading at prices where it is at work; there it gets its part of the liquidity:
    `own` over `own` and `others`. Fees lie beside the position and do not compound.
    """
    return volume * rate * inside * own / (own + others)


def efficiency(factor: float) -> float:
    """How many times the liquidity of a full range the same value makes in [price / factor, price x factor].

    1 / (1 - 1 / sqrt(factor)); both the fees and the loss to arbitrage grow by it. Uniswap v3 Core (2021), 2.
    """
    return 1 / (1 - 1 / sqrt(factor))


def loss_versus_rebalancing(volatility: float) -> float:
    """Fraction of its value that a full-range position loses to arbitrage in a year: sigma^2 / 8.

    `volatility` is sigma, the standard deviation of log returns over a year. Milionis, Moallemi, Roughgarden
    and Zhang (2022), Automated Market Making and Loss-Versus-Rebalancing.
    """
    return volatility**2 / 8


def _clamped_root(price: float, span: Range) -> float:
    return min(max(sqrt(price), sqrt(span.low)), sqrt(span.high))
