"""What averaging voters that differ gains."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.diversity import diversity_of
from service.forecasting.predictions.scores.evidence import evidence_of
from tests.forecasting.markets import days, many, settled
from tests.forecasting.predictions.scores.compared import live, pair


def of(rows):
    columns = columns_of(rows)
    return diversity_of(columns, evidence_of(columns))


def rows(n: int, **votes: float):
    return [settled(f"m{week:02}", votes=votes, opened=days(7 * week)) for week in range(n)]


def test_a_diversity_by_hand():
    """YES at .9 and .5: voters (.01 + .25) / 2 = .13, their mean .7 has .09; difference .04, the variance of .9, .5."""
    diversity = of(rows(30, vol=0.9, trend=0.5, swarm=0.1))
    assert (diversity.voters_brier, diversity.linear_pool_brier, diversity.diversity) == (0.13, 0.09, 0.04)
    assert (diversity.n, diversity.low, diversity.high) == (30, 0.04, 0.04)


def test_voters_that_agree_have_none():
    assert of(rows(30, vol=0.6, trend=0.6)).diversity == 0


def test_it_is_null_with_fewer_than_thirty_markets():
    assert of(rows(29, vol=0.9, trend=0.5)) is None
    assert of(rows(40, vol=0.9)) is None, "one voter cannot differ"


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000))
def test_it_is_the_variance_of_the_votes(seed):
    """(mean of squares) - (square of mean): the outcome drops out, so it is never negative."""
    own = many(40, seed)
    expected = np.mean([np.var([vote.p for vote in market.votes]) for market in own])
    assert of(own).diversity == pytest.approx(expected, abs=1e-5)


def test_each_book_publishes_its_own():
    votes = {"vol": 0.9, "trend": 0.5}
    book = live([pair(f"m{day}", "yes", 0.7, 0.6, day=day, votes=votes) for day in range(30)])
    assert book.diversity.diversity == 0.04
    assert live([]).diversity is None
