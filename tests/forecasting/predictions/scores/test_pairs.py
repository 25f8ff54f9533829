"""Resolved markets that have both probabilities."""

from __future__ import annotations

import pytest

from tests.forecasting.markets import settled
from tests.forecasting.predictions.scores.compared import document, pair


@pytest.mark.parametrize("fields", [{"outcome": "void"}, {"odds": None}, {"comparator": "open"}])
def test_only_resolved_pairs_are_compared(fields):
    assert document([settled(**fields)]).count == 0


def test_a_row_holds_both_probabilities_and_their_scores():
    (row,) = document([pair("a", "yes", 0.8, 0.6)]).markets
    assert (row.id, row.asset, row.outcome, row.p_ai, row.p_market) == ("a", "btc", "yes", 0.8, 0.6)
    assert (row.brier_ai, row.brier_market, row.difference) == (0.04, 0.16, -0.12)
    assert (row.log_ai, row.log_market) == (0.22314, 0.51083)
    assert (row.resolved_at, row.source, row.simulated) == ("2025-11-25T00:00:00Z", "simulated", True)


def test_the_latest_forty_are_listed_and_all_counted():
    rows = [pair(f"m{day:04}", "yes", 0.8, 0.6, day=day) for day in range(60)]
    versus = document(rows)
    assert (versus.count, len(versus.markets)) == (60, 40)
    assert (versus.markets[0].id, versus.markets[-1].id) == ("m0059", "m0020")
    assert versus.books[0].n == 60
