"""The behaviour of TA-Lib 0.8 that the rules depend on; older releases differ."""

from __future__ import annotations

import numpy as np
import pytest
import talib

from service.market.bars import Bars, resample
from service.market.instants import DAY, HOUR
from service.sources.feeds import simulated

INDICATORS = {
    "SMA": lambda bars: talib.SMA(bars.close, 48),
    "EMA": lambda bars: talib.EMA(bars.close, 48),
    "MACD": lambda bars: talib.MACD(bars.close, 12, 26, 9)[2],
    "ADX": lambda bars: talib.ADX(bars.high, bars.low, bars.close, 48),
    "PLUS_DI": lambda bars: talib.PLUS_DI(bars.high, bars.low, bars.close, 48),
    "MINUS_DI": lambda bars: talib.MINUS_DI(bars.high, bars.low, bars.close, 48),
    "SUPERTREND": lambda bars: talib.SUPERTREND(bars.high, bars.low, bars.close, 48, 3)[1],
    "SAR": lambda bars: talib.SAR(bars.high, bars.low, 0.02, 0.2),
    "MAX": lambda bars: talib.MAX(bars.high, 48),
    "MIN": lambda bars: talib.MIN(bars.low, 48),
    "ATR": lambda bars: talib.ATR(bars.high, bars.low, bars.close, 48),
    "STDDEV": lambda bars: talib.STDDEV(bars.close, 48),
    "CMO": lambda bars: talib.CMO(bars.close, 48),
    "ROCP": lambda bars: talib.ROCP(bars.close, 48),
    "MOM": lambda bars: talib.MOM(bars.close, 48),
    "TYPPRICE": lambda bars: talib.TYPPRICE(bars.high, bars.low, bars.close),
    "VWMA": lambda bars: talib.VWMA(bars.close, bars.volume, 48),
    "OBV": lambda bars: talib.OBV(bars.close, bars.volume),
}


@pytest.fixture(scope="module")
def hours() -> dict[str, Bars]:
    """Sixty days of simulated hourly bars of two coins."""
    start = 1735689600  # 2025-01-01
    coins = {asset: simulated.bars(7, asset, start, start + 60 * DAY) for asset in ("btc", "xrp")}
    return {asset: resample(bars, HOUR) for asset, bars in coins.items()}


def test_the_release_is_the_measured_one():
    major, minor, patch = talib.__version__.split(".")
    assert (major, minor) == ("0", "8")
    assert int(patch) >= 2


@pytest.mark.parametrize("name", INDICATORS)
def test_indicators_of_a_prefix_are_bitwise_a_prefix(name: str, hours: dict[str, Bars]):
    bars, indicator = hours["xrp"], INDICATORS[name]
    total = indicator(bars)
    for count in (0, 1, 2, 47, 48, 49, 96, 500, 997, len(bars)):
        assert indicator(bars[:count]).tobytes() == total[:count].tobytes()


def test_leading_nans_are_skipped():
    values = np.append(np.full(5, np.nan), np.arange(20.0))
    np.testing.assert_array_equal(talib.SMA(values, 4)[5:], talib.SMA(values[5:], 4))
    assert np.isnan(talib.STDDEV(np.full(9, np.nan), 4)).all()


def test_half_of_cmo_is_rsi_less_50(hours: dict[str, Bars]):
    close = hours["btc"].close
    np.testing.assert_allclose(talib.CMO(close, 14) / 2, talib.RSI(close, 14) - 50, atol=1e-9)
    assert talib.RSI(np.full(50, 3.0), 14)[-1] == talib.CMO(np.full(50, 3.0), 14)[-1] == 0
