"""What a resolved market is scored against: the rate of its template and the vote of vol."""

from __future__ import annotations

import math

import numpy as np
import pytest

from service.forecasting.predictions import by_resolution
from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.evidence import evidence_of, template_rates
from service.scores.dependence import weeks_of
from tests.forecasting.markets import days, many, settled


def rates(*markets) -> list[float]:
    return template_rates(columns_of(markets)).tolist()


def test_a_rate_counts_what_had_resolved_at_the_vote():
    """Daily markets: 15/30 before any, 16/31 after a yes, 16/32 after a no."""
    rows = [settled(f"m{day}", "no" if day == 1 else "yes", opened=days(day)) for day in range(3)]
    assert rates(*rows) == pytest.approx([15 / 30, 16 / 31, 16 / 32])


@pytest.mark.parametrize("other", [{"comparator": "close_above"}, {"backfilled": True}])
def test_another_template_or_book_says_nothing(other):
    assert rates(settled("a"), settled("b", opened=days(2), **other)) == [1 / 2, 1 / 2]


def test_every_asset_has_the_same_template():
    assert rates(settled("a"), settled("b", opened=days(2), asset="gold")) == pytest.approx([1 / 2, 16 / 31])


def test_a_later_outcome_changes_no_earlier_rate():
    rows = by_resolution(many(120, seed=3))
    cut = template_rates(columns_of(rows[:60]))
    assert template_rates(columns_of(rows))[:60].tolist() == cut.tolist()


def test_the_vote_of_vol_is_the_committed_one():
    rows = by_resolution([settled("a", votes={"vol": 0.3, "trend": 0.9}), settled("b", "no", opened=days(9))])
    evidence = evidence_of(columns_of(rows))
    assert evidence.vol[0] == 0.3
    assert math.isnan(evidence.vol[1])
    assert evidence.happened.tolist() == [1, 0]
    assert evidence.weeks.tolist() == weeks_of([row.settlement.resolved_at for row in rows]).tolist()
    assert evidence.where(np.array([False, True])).happened.tolist() == [0]
