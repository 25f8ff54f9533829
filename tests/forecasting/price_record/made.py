"""Forecasts put together by hand."""

from __future__ import annotations

from statistics import NormalDist

from service.forecasting.price_record.committed import SHARES, PriceForecast
from tests.forecasting.made import NOW

HALF_WIDTHS = tuple(NormalDist().inv_cdf((1 + share / 100) / 2) for share in SHARES)


def price_forecast(
    asset: str = "btc", horizon: str = "1h", at: int = NOW, sigma: float = 1.0, vol: float = 1.0, usual: float = 1.0
) -> PriceForecast:
    """A normal law of `sigma` percent around 100 USD."""
    law = (sigma, vol, usual, *(sigma * width for width in HALF_WIDTHS))
    return PriceForecast(at, asset, horizon, 100.0, at, law)
