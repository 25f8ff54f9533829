"""The best of many forecasters without skill is not called better than the pool."""

from __future__ import annotations

import numpy as np
import pytest

from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.forecasters import CountedMarkets, counted_markets
from service.market.instants import HOUR
from tests.forecasting.markets import days, settled
from tests.forecasting.predictions.puppets import PUPPETS, has_better, of_skill, outcomes_of, with_outcomes

ENTRANTS, TOURNAMENTS = 30, 20
WEEKS, A_WEEK = 12, 60
WEEKLY_CAUSE = 0.1  # of the moves of prices in one week


def markets_of(weeks: int, a_week: int, callers: int) -> CountedMarkets:
    """Live markets whose pool says 3 to 97%."""
    chances = np.random.default_rng(1).uniform(0.03, 0.97, weeks * a_week).tolist()
    times = [days(7 * week) + place * HOUR for week in range(weeks) for place in range(a_week)]
    markets = [settled(f"{at}", p=p, votes={"vol": 0.5}, opened=at) for p, at in zip(chances, times, strict=True)]
    return counted_markets(columns_of(markets), callers)


MARKETS = markets_of(WEEKS, A_WEEK, ENTRANTS)
DIRECTIONS = np.random.default_rng(2).choice([-1.0, 1.0], len(MARKETS.columns))


def drawn(dice: np.random.Generator, markets: CountedMarkets, directions: np.ndarray = DIRECTIONS) -> CountedMarkets:
    pool, weeks = markets.columns.pool, markets.evidence.weeks
    return with_outcomes(markets, outcomes_of(dice, pool, directions, weeks, WEEKLY_CAUSE))


def better_share(kind: str, markets: CountedMarkets, *, is_stopping: bool = False) -> float:
    """The share of tournaments in which the best of 30 puppets is called better than the pool."""
    dice, puppet = np.random.default_rng(3), PUPPETS[kind]
    count = 0
    for _ in range(TOURNAMENTS):
        tournament = drawn(dice, markets)
        arguments = dice, markets.columns.pool, DIRECTIONS, markets.evidence.weeks
        count += has_better([puppet(*arguments) for _ in range(ENTRANTS)], tournament, is_stopping=is_stopping)
    return count / TOURNAMENTS


@pytest.mark.parametrize("kind", PUPPETS)
def test_the_best_of_thirty_puppets_is_not_called_better(kind: str):
    """In at most 5% of tournaments, whatever the puppets bet on."""
    assert better_share(kind, MARKETS) <= 0.05


@pytest.mark.parametrize("kind", ["a direction of each week", "sure markets"])
def test_a_puppet_that_stops_ahead_is_not_called_better(kind: str):
    """Its master watches all records every week, and lets each that is ahead rest as it is."""
    assert better_share(kind, MARKETS, is_stopping=True) <= 0.05


def test_a_skilled_forecaster_is_found_among_thirty():
    """One whose Brier score is about 0.02 below the pool's, after 60 markets a week for half a year."""
    markets = markets_of(26, 60, ENTRANTS)
    dice, pool = np.random.default_rng(4), markets.columns.pool
    directions = dice.choice([-1.0, 1.0], len(pool))
    count = 0
    for _ in range(20):
        tournament = drawn(dice, markets, directions)
        expert = of_skill(dice, pool, tournament.evidence.outcomes, 0.72)
        noise = [PUPPETS["noise"](dice, pool, directions, tournament.evidence.weeks) for _ in range(ENTRANTS - 1)]
        count += has_better([expert, *noise], tournament)
    assert count >= 19
