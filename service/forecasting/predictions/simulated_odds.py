"""The simulated outside market: the probability that volatility implies, with noise and a spread around it.

No trades take place at these prices. They are those of plain volatility with a normal distribution, while the `vol`
brain uses its fitted view of ranges. A better score than theirs is no evidence about a real market.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

import numpy as np

from service.forecasting.predictions import Odds, Prediction
from service.forecasting.voters import distribution
from service.forecasting.voters.context import Context
from service.forecasting.voters.distribution import PLAIN
from service.forecasting.voters.forecast_inputs import build_inputs, p_yes
from service.forecasting.voters.knowledge import Knowledge

SOURCE = "simulated"

# Assumed values. The noise is a standard deviation in log-odds; the spread is a difference of probabilities.
NOISE = 0.18
MIN_SPREAD, MAX_SPREAD = 0.01, 0.04
MEDIAN_VOLUME_USD, VOLUME_SPREAD = 20_000, 1.2
MIN_PRICE, MAX_PRICE = 0.01, 0.99


def quote(market: Prediction, contexts: Mapping[str, Context], now: int, seed: int) -> Odds:
    """The simulated price of YES at the unix second `now`.

    The same market with the same `seed` has the same noise, spread and volume. The bid is below and the ask above
    `p_yes`, all in [0.01, 0.99]. Raises Abstention, as voters do, if an asset has no usable context.
    """
    generator = np.random.default_rng([seed, *sha256(market.id.encode()).digest()])
    inputs = build_inputs(market.question, now, Knowledge(contexts))
    fair = p_yes(market.question, inputs, PLAIN, PLAIN)
    odds = np.log(fair / (1 - fair)) + generator.normal(0, NOISE)
    half = generator.uniform(MIN_SPREAD, MAX_SPREAD) / 2
    p = float(np.clip(distribution.probability(odds), MIN_PRICE + MIN_SPREAD / 2, MAX_PRICE - MIN_SPREAD / 2))
    return Odds(
        source=SOURCE,
        market_id=f"sim-{market.id}",
        url=None,
        p_yes=p,
        bid=max(MIN_PRICE, p - half),
        ask=min(MAX_PRICE, p + half),
        volume_usd=float(generator.lognormal(np.log(MEDIAN_VOLUME_USD), VOLUME_SPREAD)),
        fetched_at=now,
    )
