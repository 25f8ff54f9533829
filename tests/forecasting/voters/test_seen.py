"""Voters are fitted to past questions as they see a question when it is asked."""

from __future__ import annotations

import numpy as np
import pytest

from service.forecasting.voters.context import recall
from service.forecasting.voters.distribution import normal_log_odds_of
from service.forecasting.voters.forecast_inputs import base_of, build_inputs
from service.forecasting.voters.input_history import survey
from service.forecasting.voters.knowledge import Knowledge
from service.forecasting.voters.past import ask_past
from service.forecasting.voters.seen import see
from service.market.instants import DAY, HOUR, utc
from service.questions.question import Question
from tests.forecasting.made import NOW


@pytest.fixture(scope="module")
def sample(hourly):
    return ask_past(survey(hourly), NOW - 9 * DAY, NOW, every_h=17, horizons_h=(8, 72), levels=(-2.0, 0.0, 1.5))


@pytest.mark.parametrize("voter", ["vol", "trend"])
def test_training_and_requests_see_the_same_question(hourly, fits, sample, voter):
    """Distance and log-odds of sampled past questions, against the base of a request at the same instant."""
    seen, odds = see(sample, voter, fits.densities)
    history = survey(hourly)
    for place in np.random.default_rng(5).choice(len(sample), 25, replace=False).tolist():
        asset, now, until = sample.assets[sample.asset[place]], int(sample.asked_at[place]), int(sample.deadline[place])
        knowledge = Knowledge(recall(history, hourly, now, [asset]), fits)
        spot = knowledge.contexts[asset].spot
        question = Question("?", asset, "up", utc(until), (until - now) / HOUR, spot, "bull")
        state = build_inputs(question, now, knowledge).state
        base = base_of(voter, state, fits)
        assert state.sigma == pytest.approx(sample.unit[place])
        assert seen.z[place] == pytest.approx(sample.z[place] / base.sigma_ratio)
        assert odds[place] == pytest.approx(base.log_odds(sample.z[place]), abs=1e-9)


def test_without_views_the_distribution_is_normal(sample):
    seen, odds = see(sample, "trend", {})
    assert np.array_equal(seen.z, sample.z)
    assert odds == pytest.approx(normal_log_odds_of(sample.z))


def test_levels_beyond_the_furthest_are_moved_there(fits, sample):
    """In standard deviations of the view, and with the odds that it gives there."""
    near, odds = see(sample, "forest", fits.densities, furthest=1.0)
    whole, others = see(sample, "forest", fits.densities)
    assert near.z == pytest.approx(np.clip(whole.z, -1, 1))
    inside = np.abs(whole.z) <= 1
    assert odds[inside] == pytest.approx(others[inside])
    assert (np.abs(odds[~inside]) < np.abs(others[~inside])).all()
