"""The document of prices."""

from __future__ import annotations

from service.api.examples.made import AS_OF, BARS, MADE
from service.market import prices

PRICES = prices.Prices(
    schema="prices/1",
    **MADE,
    ended=False,
    count=1,
    prices=(
        prices.Price(
            asset="btc",
            name="Bitcoin",
            price=53211.85,
            change_24h_pct=2.1177,
            high_24h=53469.56,
            low_24h=51956.43,
            market_open=True,
            as_of=AS_OF,
            source=BARS,
        ),
    ),
)
