"""The live world with two exchanges of this machine."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.config import Settings
from service.sources.feeds.exchange import ExchangeFeed, open_exchanges
from tests.sources.faults import SHORT_S


@pytest.fixture
def feed(kraken, coinbase) -> ExchangeFeed:
    """Kraken first, then Coinbase."""
    options = {
        "kraken": {"urls": {"api": {"public": kraken.address}}, "enableRateLimit": False},
        "coinbase": {"urls": {"api": {"rest": coinbase.address}}, "enableRateLimit": False},
    }
    settings = Settings(world="live", exchanges=("kraken", "coinbase"), source_timeout_s=10)
    return open_exchanges(settings, history_from=0, options=options)


@pytest.fixture
def hasty(feed) -> ExchangeFeed:
    """The same feed with little time."""
    return replace(feed, timeout_s=SHORT_S)
