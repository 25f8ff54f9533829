"""Concentrated liquidity: the amounts, the value and the fees of a position in a price range.

`price` is quote per base (USD per unit of the asset), a range is [low, high] in the same unit. Liquidity is
L = sqrt(base x quote) of a position without a range; with one, base = L (1 / s - 1 / sqrt(high)) and
quote = L (s - sqrt(low)) where s is sqrt(price) clipped to the range. Adams et al. (2021), Uniswap v3 Core.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt


@dataclass(frozen=True)
class Range:
    """The prices between which a position is active, 0 < low < high."""

    low: float
    high: float

    def holds(self, price: float) -> bool:
        """Whether a position earns fees at `price`."""
        return self.low <= price < self.high


def around(price: float, factor: float) -> Range:
    """From `price` / `factor` to `price` x `factor`, `factor` > 1: half its value is base, half quote."""
    return Range(price / factor, price * factor)


def amounts(liquidity: float, price: float, span: Range) -> tuple[float, float]:
    """Units of base and of quote of `liquidity` in `span` at `price`: only base below the range, only quote above.

    Uniswap v3 Core (2021), equations 6.29 and 6.30.
    """
    low, high = sqrt(span.low), sqrt(span.high)
    root = min(max(sqrt(price), low), high)
    return liquidity * (1 / root - 1 / high), liquidity * (root - low)


def unit_value(price: float, span: Range) -> float:
    """The value in quote of one unit of liquidity in `span` at `price`."""
    base, quote = amounts(1.0, price, span)
    return base * price + quote


def liquidity_of_value(value: float, price: float, span: Range) -> float:
    """The liquidity of `value` (quote) in `span`, split into base and quote as the range requires."""
    return value / unit_value(price, span)


def base_share(price: float, span: Range) -> float:
    """The fraction of a position's value that is base, 0 to 1; one half in the geometric middle of its range."""
    base, quote = amounts(1.0, price, span)
    return base * price / (base * price + quote)


def share_inside(start: float, end: float, span: Range) -> float:
    """The fraction of the log move from `start` to `end` within `span`, 0 to 1; without a move 0 or 1."""
    bottom, top = min(start, end), max(start, end)
    if bottom == top:
        return float(span.holds(end))
    inside = log(min(top, span.high) / max(bottom, span.low)) if top > span.low and bottom < span.high else 0.0
    return min(inside / log(top / bottom), 1.0)


def fees(volume: float, rate: float, inside: float, mine: float, others: float) -> float:
    """The fees in quote of a position from `volume` (quote) traded at the fee `rate`, a fraction of the volume.

    `inside` is the fraction of the trading within its range; there it earns in proportion to its liquidity, `mine` of
    `mine` + `others`. Fees stay outside the position and do not compound.
    """
    return volume * rate * inside * mine / (mine + others)


def efficiency(factor: float) -> float:
    """The liquidity of a value in [price / factor, price x factor] relative to that of the full range.

    1 / (1 - 1 / sqrt(factor)); fees and loss to arbitrage both grow by it. Uniswap v3 Core (2021), section 2.
    """
    return 1 / (1 - 1 / sqrt(factor))


def loss_versus_rebalancing(volatility: float) -> float:
    """The fraction of its value that a full-range position loses to arbitrage in a year: sigma^2 / 8.

    `volatility` is sigma, the standard deviation of log returns over a year. Milionis, Moallemi, Roughgarden
    and Zhang (2022), Automated Market Making and Loss-Versus-Rebalancing.
    """
    return volatility**2 / 8
