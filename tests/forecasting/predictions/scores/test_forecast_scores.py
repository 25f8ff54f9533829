"""The scores of a forecaster and of each voter on the markets it voted on."""

from __future__ import annotations

import numpy as np
import pytest

from service.scores.dependence import LEVELS, SIDES
from service.scores.intervals import clustered_mean
from tests.forecasting.predictions.scores.compared import live, pair


def test_a_forecast_of_one_half_has_no_side():
    book = live([pair("a", "yes", 0.5, 0.6), pair("b", "yes", 0.50004, 0.4)])
    assert (book.ai.accuracy_n, book.ai.accuracy_pct, book.ai.accuracy_low_pct) == (0, None, None)
    assert (book.market.accuracy_n, book.market.accuracy_pct) == (2, 50.0)


def test_a_voter_is_scored_on_its_own_votes_and_against_vol():
    """trend .04 and .25; vol voted on the first alone, .16: there trend has the skill 1 - .04 / .16 = .75."""
    rows = [
        pair("a", "yes", 0.7, 0.6, votes={"trend": 0.8, "vol": 0.6, "swarm": 0.9}),
        pair("b", "no", 0.7, 0.6, votes={"trend": 0.5}),
    ]
    scores = live(rows).voters
    assert [(row.voter, row.kind, row.n, row.brier, row.skill_vol) for row in scores] == [
        ("trend", "seat", 2, 0.145, 0.75),
        ("vol", "brain", 1, 0.16, 0.0),
    ]
    assert (scores[0].accuracy_n, scores[0].accuracy_pct) == (1, 100.0)


def test_without_vol_there_is_no_comparison_with_it():
    assert live([pair("a", "yes", 0.7, 0.6, votes={"trend": 0.8})]).voters[0].skill_vol is None


def test_skill_is_against_the_rate_of_the_template():
    """Two daily ups come out yes, then a touch: it is asked with a rate of 15/30, not of 17/32.

    .25 + (15/31)^2 + .25 is the error of the rates, 3 x .04 that of the pool: 1 - .12 / .734131 = .836541.
    """
    rows = [pair("a", "yes", 0.8, 0.6), pair("b", "yes", 0.8, 0.6, day=7)]
    book = live([*rows, pair("c", "yes", 0.8, 0.6, day=14, comparator="touch_above")])
    assert book.ai.skill == pytest.approx(0.83654, abs=1e-5)
    assert book.base_rate.skill == 0.0


def test_intervals_are_clustered_by_week_of_resolution():
    """Ten weeks of three like questions: intervals and n_eff are those of the clustered mean."""
    rows = [
        pair(f"{week}-{asset}", "yes" if week % 3 else "no", 0.7, 0.6, day=7 * week, asset=asset)
        for week in range(10)
        for asset in ("btc", "eth", "sol")
    ]
    scores, weeks = live(rows).ai, np.repeat(np.arange(10), 3)
    happened = np.repeat([float(week % 3 > 0) for week in range(10)], 3)
    loss, right = clustered_mean((0.7 - happened) ** 2, weeks, LEVELS), clustered_mean(happened, weeks, SIDES)
    assert (scores.n, scores.n_eff) == (30, round(loss.n_eff, 1))
    assert scores.n_eff < 25
    assert (scores.brier_low, scores.brier_high) == pytest.approx(np.clip(loss.interval(), 0, 1), abs=1e-5)
    assert (scores.accuracy_low_pct, scores.accuracy_high_pct) == pytest.approx(
        [100 * bound for bound in right.share_interval()], abs=1e-4
    )
    assert scores.always_no_pct == 40.0
    assert scores.skill_low < scores.skill < scores.skill_high
