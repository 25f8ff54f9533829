"""The nine voters with their embedded engines."""

from __future__ import annotations

import pytest

from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.embedded import voters
from service.forecasting.voters.forecast_inputs import build_inputs, density_of
from tests.forecasting.made import EVERY_KIND, NOW

NINE = {voter.name: voter for voter in voters()}
SATURDAY = 1_745_625_600  # 2025-04-26T00:00:00Z


@pytest.fixture(params=NINE, scope="module")
def voter(request):
    return NINE[request.param]


@pytest.mark.parametrize(("comparator", "fields"), EVERY_KIND)
def test_every_voter_answers_every_kind(voter, asking, knowledge, comparator, fields):
    """With a probability, and no view of the direction: a rise is as likely as a fall."""
    question = asking(comparator, **fields)
    forecast = voter.forecast(question, build_inputs(question, NOW, knowledge))
    assert 0 <= forecast.p <= 1
    assert forecast.p_up == pytest.approx(0.5, abs=1e-9)
    assert "sigma" in forecast.reasoning


def test_the_reason_names_sizes_and_distances(asking, knowledge):
    question = asking("close_above", at=1.02)
    inputs = build_inputs(question, NOW, knowledge)
    sigma = density_of("garch", inputs.state, knowledge.fits).sigma
    reasoning = NINE["garch"].forecast(question, inputs).reasoning
    assert reasoning.startswith(f"From a GARCH process: one sigma until the deadline is {100 * sigma:.1f}% for btc")
    assert "is +2.0% away, " in reasoning


def test_before_the_first_fit_all_nine_use_plain_volatility(voter, asking, contexts):
    question = asking("close_above", at=1.02)
    inputs = build_inputs(question, NOW, Knowledge(contexts))
    forecast = voter.forecast(question, inputs)
    assert forecast.p == inputs.state.plain.above(inputs.state.distance(question.level))
    assert forecast.reasoning.startswith("From plain volatility: ")
