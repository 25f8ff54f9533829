"""Outside prediction markets: their questions, odds and outcomes."""

from __future__ import annotations

from service.sources.odds.kalshi import KALSHI
from service.sources.odds.polymarket import POLYMARKET

SOURCES = {source.name: source for source in (POLYMARKET, KALSHI)}
