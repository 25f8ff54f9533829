"""Markets as they are compared with the outside market."""

from __future__ import annotations

import numpy as np

from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.versus import ai_vs_market_document
from tests.forecasting.markets import HEADER, days, settled


def document(markets, seed=0):
    return ai_vs_market_document(columns_of(markets), HEADER, np.random.default_rng(seed))


def live(markets):
    """The live book."""
    return document(markets).books[0]


def pair(id: str, outcome: str, p: float, market: float, day: int = 0, **fields):
    return settled(id, outcome, p=p, odds=(market - 0.01, market, market + 0.01), opened=days(day), **fields)


TWO = [pair("a", "yes", 0.8, 0.6), pair("b", "no", 0.4, 0.1, day=7)]
