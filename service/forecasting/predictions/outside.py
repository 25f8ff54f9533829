"""The simulated outside market: what plain volatility makes of a question, with noise and a spread around it.

Nobody trades on it. It knows what the `vol` brain knows, so to be better than it shows nothing about a real market.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

import numpy as np

from service.forecasting import law
from service.forecasting.context import Context
from service.forecasting.predictions import Odds, PredictionMarket
from service.forecasting.situation import p_yes, situate

SOURCE = "simulated"

# All assumed. The noise is the standard deviation in log-odds, the spread is in points of probability.
NOISE = 0.18
LEAST_SPREAD, MOST_SPREAD = 0.01, 0.04
MEDIAN_VOLUME_USD, VOLUME_SPREAD = 20_000, 1.2
CHEAPEST, DEAREST = 0.01, 0.99


def quote(market: PredictionMarket, contexts: Mapping[str, Context], now: int, seed: int) -> Odds:
    """The simulated price of YES at the unix second `now`.

    The same market under the same `seed` has the same noise, spread and volume. The bid lies below and the ask above
    `p_yes`, all in [0.01, 0.99]. Raises Abstention, as voters do, where an asset has no usable context.
    """
    generator = np.random.default_rng([seed, *sha256(market.id.encode()).digest()])
    situation = situate(market.question, now, contexts, None)
    fair = p_yes(market.question, situation, law.normal_log_odds, law.normal_log_odds)
    odds = np.log(fair / (1 - fair)) + generator.normal(0, NOISE)
    half = generator.uniform(LEAST_SPREAD, MOST_SPREAD) / 2
    least = LEAST_SPREAD / 2
    p = float(np.clip(law.probability(odds), CHEAPEST + least, DEAREST - least))
    return Odds(
        source=SOURCE,
        market_id=f"sim-{market.id}",
        url=None,
        p_yes=p,
        bid=max(CHEAPEST, p - half),
        ask=min(DEAREST, p + half),
        volume_usd=float(generator.lognormal(np.log(MEDIAN_VOLUME_USD), VOLUME_SPREAD)),
        fetched_at=now,
    )
