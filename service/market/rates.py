"""Exchange rates: what one unit of a currency costs in USD."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

# A rate that is older than this is not used.
FRESH_FOR = timedelta(hours=2)


@dataclass(frozen=True)
class Rate:
    """The USD price of one unit of a currency: quoted by `source` at the aware datetime `as_of`, or assumed (None)."""

    usd: float
    source: str = ""
    as_of: datetime | None = None

    def is_fresh(self, now: datetime) -> bool:
        """Whether the rate may be used at `now`; an assumed one always may."""
        return self.as_of is None or now - self.as_of <= FRESH_FOR


Rates = Mapping[str, Rate]
NO_RATES: Rates = MappingProxyType({})
# For worlds without a market of currencies, by their ISO codes.
ASSUMED: Rates = MappingProxyType({"EUR": Rate(1.084), "GBP": Rate(1.268), "JPY": Rate(0.0066)})
