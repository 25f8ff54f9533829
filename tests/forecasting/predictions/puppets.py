"""Tournaments of puppets: forecasters without skill, of which their master shows the best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit
from scipy.stats import norm

from service.forecasting.predictions.scores.forecasters import CountedMarkets, TimeWeightedScores, peers_of, skill_of
from service.scores.intervals import LEAST_N
from service.scores.proper import log_score

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


def of_skill(dice: np.random.Generator, pool: Array, outcomes: Array, skill: float) -> Array:
    """As often as `skill` says on the right side of the pool: by 10 percentage points where that is even."""
    sides = np.where(outcomes > pool, 1, -1) * np.where(dice.random(len(pool)) < skill, 1, -1)
    return expit(logit(pool) + 0.4 * sides)


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
    evidence = replace(markets.evidence, outcomes=outcomes)
    return replace(markets, evidence=evidence, pool=log_score(markets.columns.pool, outcomes))


def has_better(forecasts: Sequence[Array], markets: CountedMarkets, *, is_stopping: bool = False) -> bool:
    """Whether any of these ranks above the pool after the last week, or after any if they stop then.

    Each forecasts all the markets from the opening on, as the peer of the others.
    """
    weeks, losses = markets.evidence.weeks, log_score(np.array(forecasts), markets.evidence.outcomes)
    peers = peers_among(forecasts, markets)
    ends = np.flatnonzero(np.diff(weeks, append=weeks[-1] + 1)) + 1
    return any(
        is_above_pool(peer[:end], loss[:end], markets)
        for end in (ends[ends >= LEAST_N] if is_stopping else ends[-1:])
        for peer, loss in zip(peers, losses, strict=True)
    )


def peers_among(forecasts: Sequence[Array], markets: CountedMarkets) -> Array:
    """The peer score of each on each market, shape (forecasters, markets)."""
    losses = log_score(np.array(forecasts), markets.evidence.outcomes)
    return (markets.pool + losses.sum(axis=0) - losses) / len(losses) - losses


def is_above_pool(peer: Array, losses: Array, markets: CountedMarkets) -> bool:
    n = len(losses)
    intervals = peers_of(peer, losses, np.ones(n), np.arange(n), markets)
    scores = TimeWeightedScores(
        n=n, n_eff=n, brier=None, brier_low=None, brier_high=None, log_score=None, coverage_pct=100.0, **intervals
    )
    return (skill_of(scores) or 0.0) > 0
