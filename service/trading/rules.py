"""Trading rules: pure functions from the bars of an asset to a target after every bar.

Every rule takes `Bars` of shape (n,) and periods counted in bars, and returns int8 targets of shape (n,): -1 short,
0 flat, 1 long. A target depends only on bars up to its own close, and is 0 until the longest look-back is filled. A
position ends by the indicator alone; there are no stops.

Rules have the names that practitioners use; `service.trading.strategies` gives them parameters. A rule that compares
its asset with others has a second argument `peers` (assets, n): the closes of the assets with the same trading hours,
at this asset's bars, in USD, NaN before a peer's first bar.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from service.market.bars import Bars, Prices
from service.market.ta_lib import talib
from service.trading.accounts import Targets

Flags = NDArray[np.bool_]

# A value below this is a rounding error; without it a market that does not move would trade.
NOISE = 1e-9


# Trend: in the direction of past prices.


def moving_average_cross(bars: Bars, *, fast: int, slow: int) -> Targets:
    """Long while the fast simple average of the close is above the slow one, short while below."""
    return follow_sign(talib.SMA(bars.close, fast) / talib.SMA(bars.close, slow) - 1)


def macd(bars: Bars, *, fast: int, slow: int, signal: int) -> Targets:
    """Long while the MACD line is above its signal line, short while below."""
    _line, _signal, histogram = talib.MACD(bars.close, fast, slow, signal)
    return follow_sign(histogram / bars.close)


def adx_trend(bars: Bars, *, period: int, strong: float, weak: float) -> Targets:
    """In the direction of the larger directional indicator from an ADX above `strong` until one below `weak`.

    `strong` and `weak` are ADX points, 0 to 100.
    """
    strength = talib.ADX(bars.high, bars.low, bars.close, period)
    up = talib.PLUS_DI(bars.high, bars.low, bars.close, period)
    down = talib.MINUS_DI(bars.high, bars.low, bars.close, period)
    begins, ends = strength > strong, strength < weak
    return hold(begins & (up > down), ends | (up < down), begins & (up < down), ends | (up > down))


def supertrend(bars: Bars, *, period: int, width: float) -> Targets:
    """Long or short by the last band the close broke, of two at `width` average true ranges from the middle.

    TA-Lib starts every series in a rising trend; here the target is 0 until the first break.
    """
    _line, direction = talib.SUPERTREND(bars.high, bars.low, bars.close, period, width)
    turns = np.diff(direction, prepend=direction[:1])
    rose, fell = turns == 2, turns == -2
    return hold(rose, fell, fell, rose)


def parabolic_sar(bars: Bars, *, acceleration: float, maximum: float) -> Targets:
    """Long while the close is above the parabolic stop-and-reverse line, short while below.

    The line gains `acceleration` of its gap at each new extreme, at most `maximum`.
    """
    return follow_sign(bars.close / talib.SAR(bars.high, bars.low, acceleration, maximum) - 1)


# Breakout: in the direction in which the price leaves its range.


def donchian_breakout(bars: Bars, *, entry: int, leave: int) -> Targets:
    """Enter beyond the extreme of the `entry` bars before, leave beyond the opposite extreme of the `leave` before."""
    close = bars.close
    return hold(
        close > earlier(talib.MAX(bars.high, entry)),
        close < earlier(talib.MIN(bars.low, leave)),
        close < earlier(talib.MIN(bars.low, entry)),
        close > earlier(talib.MAX(bars.high, leave)),
    )


def bollinger_breakout(bars: Bars, *, period: int, width: float) -> Targets:
    """Enter outside the band of `width` standard deviations of the log price, leave at its middle."""
    return hold_beyond(z_score(log_price(bars), period), width)


def keltner_breakout(bars: Bars, *, period: int, width: float) -> Targets:
    """Enter outside the channel of `width` average true ranges about the exponential average, leave at its middle."""
    distance = bars.close - talib.EMA(bars.close, period)
    return hold_beyond(ratio(distance, talib.ATR(bars.high, bars.low, bars.close, period)), width)


# Reversion: against a price far from its mean, until it returns.


def rsi_reversion(bars: Bars, *, period: int, width: float) -> Targets:
    """Buy a relative strength index below 50 - `width`, sell one above 50 + `width`, leave at 50."""
    # RSI - 50 is half of TA-Lib's CMO. Where nothing moved CMO is 0, which is neutral; TA-Lib's RSI is 0 too: oversold.
    return fade_beyond(talib.CMO(bars.close, period) / 2, width)


def bollinger_reversion(bars: Bars, *, period: int, width: float) -> Targets:
    """Enter when the close comes back inside the band of `width` standard deviations, leave at its middle."""
    score = z_score(log_price(bars), period)
    before = earlier(score)
    came_up = (before < -width) & (score >= -width)
    came_down = (before > width) & (score <= width)
    return hold(came_up, score > 0, came_down, score < 0)


def z_score_reversion(bars: Bars, *, period: int, width: float) -> Targets:
    """Against a log price `width` standard deviations from its mean, until it returns to the mean."""
    return fade_beyond(z_score(log_price(bars), period), width)


# Momentum: long in assets that have risen, short in those that have fallen.


def rate_of_change(bars: Bars, *, period: int, width: float) -> Targets:
    """Enter in the direction of a change over `period` bars beyond `width`, a fraction; leave when its sign changes."""
    return hold_beyond(talib.ROCP(bars.close, period), width)


def time_series_momentum(bars: Bars, *, lookback: int, width: float) -> Targets:
    """Enter in the direction of a return over `lookback` bars beyond `width` volatilities; leave when it turns."""
    return hold_beyond(scaled_return(log_price(bars), lookback), width)


def scaled_return(logs: Prices, lookback: int) -> Prices:
    """The change of log prices (n,) over `lookback` bars in standard deviations of such a change; NaN until filled."""
    volatility = talib.STDDEV(logs - earlier(logs), lookback)
    return ratio(talib.MOM(logs, lookback), volatility * np.sqrt(lookback))


# Volume: prices weighted by the volume traded at them.


def vwap_deviation(bars: Bars, *, period: int, width: float) -> Targets:
    """Against a close `width` usual distances away from the volume-weighted average price, until it returns to it."""
    average = talib.VWMA(talib.TYPPRICE(bars.high, bars.low, bars.close), bars.volume, period)
    # Where nothing was traded TA-Lib divides one rounding error by another, which gives an arbitrary number.
    silent = talib.MAX(bars.volume, period) == 0
    distance = bars.close / np.where(silent, bars.close, average) - 1
    return fade_beyond(ratio(distance, np.sqrt(np.maximum(talib.SMA(distance**2, period), 0))), width)


def obv_trend(bars: Bars, *, period: int) -> Targets:
    """Long while on-balance volume is above its exponential average, short while below."""
    balance = talib.OBV(bars.close, bars.volume)
    return follow_sign(ratio(balance - talib.EMA(balance, period), talib.SMA(bars.volume, period)))


def volume_breakout(bars: Bars, *, period: int, surge: float) -> Targets:
    """Enter beyond the extreme of the `period` bars before on `surge` times their mean volume, leave at the average."""
    is_surge = bars.volume > surge * earlier(talib.SMA(bars.volume, period))
    middle = talib.SMA(bars.close, period)
    return hold(
        is_surge & (bars.close > earlier(talib.MAX(bars.high, period))),
        bars.close < middle,
        is_surge & (bars.close < earlier(talib.MIN(bars.low, period))),
        bars.close > middle,
    )


# Volatility: a trend is followed only while the market is quiet.


def volatility_regime(bars: Bars, *, period: int, quiet: float, loud: float) -> Targets:
    """In the direction of the price's side of its long average while volatility is low, flat while it is high.

    The regime is the volatility of `period` bars over that of four times as many: quiet below `quiet`, loud above
    `loud`.
    """
    returns = log_returns(bars)
    regime = ratio(talib.STDDEV(returns, period), talib.STDDEV(returns, 4 * period))
    average = talib.SMA(bars.close, 4 * period)
    above, below = bars.close > average, bars.close < average
    return hold((regime < quiet) & above, (regime > loud) | below, (regime < quiet) & below, (regime > loud) | above)


# Relative strength: an asset against the others with the same trading hours.


def relative_strength(bars: Bars, peers: Prices, *, lookback: int, width: float) -> Targets:
    """Long when the volatility-scaled return is above the peers' mean by `width`, short when below, until it crosses.

    A peer counts once its look-back is filled; without any the target is 0.
    """
    theirs = np.array([scaled_return(np.log(closes), lookback) for closes in peers]).reshape(len(peers), len(bars))
    is_known = np.isfinite(theirs)
    average = ratio(np.where(is_known, theirs, 0).sum(axis=0), is_known.sum(axis=0).astype(float))
    return hold_beyond(scaled_return(log_price(bars), lookback) - average, width)


# The arithmetic shared by the rules, from indicators to targets.


def follow_sign(values: Prices) -> Targets:
    """Long where `values` (n,), a dimensionless figure, is positive, short where negative, 0 at zero and at NaN."""
    return (values > NOISE).astype(np.int8) - (values < -NOISE).astype(np.int8)


def hold(enter_long: Flags, leave_long: Flags, enter_short: Flags, leave_short: Flags) -> Targets:
    """Hysteresis: a position is held from its entry until its own exit or the entry of the other side.

    All four are (n,). Where a bar has both the entry and the exit of a side, the exit counts.
    """
    long = _hold_one_side(enter_long, leave_long | enter_short)
    short = _hold_one_side(enter_short, leave_short | enter_long)
    return long - short


def _hold_one_side(enter: Flags, leave: Flags) -> Targets:
    """1 from an `enter` up to the next `leave`: each event holds until the next one."""
    events = np.flatnonzero(enter | leave)
    lengths = np.diff(events, append=len(enter))
    positions = np.repeat((enter & ~leave)[events].astype(np.int8), lengths)
    return np.append(np.zeros(len(enter) - len(positions), np.int8), positions)


def hold_beyond(values: Prices, width: float) -> Targets:
    """Long from above `width` until below 0, short from below `-width` until above 0; a NaN changes nothing."""
    return hold(values > width, values < 0, values < -width, values > 0)


def fade_beyond(values: Prices, width: float) -> Targets:
    """Short from above `width` until below 0, long from below `-width` until above 0: `hold_beyond` reversed."""
    return -hold_beyond(values, width)


def earlier(values: Prices) -> Prices:
    """`values` (n,) of the previous bar; NaN at the first."""
    return np.append(np.nan, values)[: len(values)]


def ratio(above: Prices, below: Prices) -> Prices:
    """`above / below`, NaN where `below` is unknown or not positive."""
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)


def log_price(bars: Bars) -> Prices:
    """Log of the close over the first close, shape (n,).

    TA-Lib's STDDEV is sqrt(E[x^2] - E[x]^2) and takes a variance below 1e-14 for zero, which loses that of a cheap
    coin's raw price. Logs relative to the first bar are near 0 at any price.
    """
    return np.log(bars.close / bars.close[:1])


def log_returns(bars: Bars) -> Prices:
    """Log return of each bar over the one before, shape (n,); NaN at the first."""
    logs = log_price(bars)
    return logs - earlier(logs)


def z_score(values: Prices, period: int) -> Prices:
    """The distance of `values` (n,) from their mean of `period` bars in standard deviations; NaN where these are 0."""
    return ratio(values - talib.SMA(values, period), talib.STDDEV(values, period))
