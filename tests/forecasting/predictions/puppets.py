"""Tournaments of puppets: forecasters without skill, of which their master shows the best."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from service.forecasting.predictions.scores.forecasters import CountedMarkets, peers_of
from service.scores.intervals import LEAST_N
from service.scores.proper import brier

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
# P(YES) of a puppet from its dice, the pool's, the sign of the price's move that makes each market YES, and the weeks.
Puppet = Callable[[np.random.Generator, Array, Array, Rows], Array]

SLIGHTLY = 0.01  # so near the pool that noise costs next to nothing
LEAST_CERTAINTY = 0.4  # of a sure market, from one half on


def on_a_side_of_each_market(dice: np.random.Generator, pool: Array, _directions: Array, _weeks: Rows) -> Array:
    return pool + SLIGHTLY * dice.choice([-1, 1], len(pool))


def on_a_direction_of_each_week(dice: np.random.Generator, pool: Array, directions: Array, weeks: Rows) -> Array:
    return pool + SLIGHTLY * directions * dice.choice([-1, 1], int(np.ptp(weeks)) + 1)[weeks - weeks.min()]


def on_sure_markets(dice: np.random.Generator, pool: Array, _directions: Array, _weeks: Rows) -> Array:
    """Surer than the pool of the likelier side: a loss is rare, and a record without one looks certain."""
    chosen = (np.abs(pool - 0.5) > LEAST_CERTAINTY) & (dice.random(len(pool)) < 0.5)
    return np.where(chosen, np.where(pool > 0.5, 0.999, 0.001), pool)


def of_noise(dice: np.random.Generator, pool: Array, _directions: Array, _weeks: Rows) -> Array:
    return pool + dice.normal(0, 0.1, len(pool))


PUPPETS: Mapping[str, Puppet] = MappingProxyType(
    {
        "noise": of_noise,
        "a side of each market": on_a_side_of_each_market,
        "a direction of each week": on_a_direction_of_each_week,
        "sure markets": on_sure_markets,
    }
)


def outcomes_of(dice: np.random.Generator, pool: Array, directions: Array, weeks: Rows, correlation: float) -> Array:
    """Outcomes as likely as the pool says, of which the moves of prices in one week have a common cause."""
    factor = dice.normal(size=int(np.ptp(weeks)) + 1)[weeks - weeks.min()]
    causes = np.sqrt(correlation) * directions * factor + np.sqrt(1 - correlation) * dice.normal(size=len(pool))
    return (causes < norm.ppf(pool)).astype(float)


def with_outcomes(markets: CountedMarkets, outcomes: Array) -> CountedMarkets:
    """The same markets that came out otherwise."""
    nine = brier(np.nanmean(markets.columns.of_voters, axis=1), outcomes)
    evidence = replace(markets.evidence, outcomes=outcomes)
    return replace(markets, evidence=evidence, pool=brier(markets.columns.pool, outcomes), nine=nine)


def is_called_better(p: Array, markets: CountedMarkets, *, is_stopping: bool = False) -> bool:
    """Whether forecasts of all the markets rank above the pool after the last week, or after any if they stop then."""
    weeks, losses = markets.evidence.weeks, brier(np.clip(p, 0.001, 0.999), markets.evidence.outcomes)
    ends = np.flatnonzero(np.diff(weeks, append=weeks[-1] + 1)) + 1
    for end in ends[ends >= LEAST_N] if is_stopping else ends[-1:]:
        low = peers_of(losses[:end], np.ones(end), np.arange(end), markets)["peer_pool_low"]
        if low is not None and low > 0:
            return True
    return False
