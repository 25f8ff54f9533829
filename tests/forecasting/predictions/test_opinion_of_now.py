"""The question of now is the same event, seen from the present price."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.densities.density import normal, outperforms
from service.forecasting.predictions.opinion_of_now import lead_of, of_now
from service.market.instants import HOUR
from service.questions.question import Question, happened
from tests.forecasting.predictions.listed import ENDS, QUESTION

NOW = ENDS + 1 - 24 * HOUR
prices = st.floats(20_000, 120_000)


def opened(comparator: str, **changes) -> Question:
    return replace(QUESTION, comparator=comparator, level=None, **changes)


EVENTS = [
    opened("up"),
    opened("down", negated=True),
    opened("move", level_pct=4.0),
    opened("move", level_pct=4.0, negated=True),
    replace(QUESTION, comparator="close_above"),
    replace(QUESTION, comparator="between", upper_level=60_000.0),
]


@pytest.mark.parametrize("question", EVENTS, ids=lambda question: question.comparator)
@given(spot=prices, final=prices)
def test_the_event_is_the_one_of_the_opening(question: Question, spot: float, final: float):
    """A move is measured from the price of the opening, whatever the price is by now."""
    present = of_now(question, NOW, spot)
    outcomes = [happened(event, final=final, high=final, low=final) for event in (question, present)]
    assert (outcomes[0] != question.negated) == (outcomes[1] != present.negated)


def test_it_has_the_present_price_and_the_hours_left():
    present = of_now(QUESTION, NOW, 54_000.0)
    assert (present.spot, present.level, present.comparator) == (54_000.0, 55_000.0, "touch_above")
    assert present.horizon_hours == pytest.approx(24, abs=0.001)


@pytest.mark.parametrize("kind", ["range", "days_above", "days_up", "average_above", "open"])
def test_a_kind_that_counts_the_past_has_no_question_of_now(kind: str):
    assert of_now(opened(kind), NOW, 50_000.0) is None


def test_the_lead_is_the_difference_of_log_returns():
    question = opened("relative", other_asset="eth")
    lead = lead_of(question, {"btc": 110.0, "eth": 21.0}, {"btc": 100.0, "eth": 20.0})
    assert lead == pytest.approx(math.log(1.1) - math.log(1.05))
    assert lead_of(QUESTION, {}, {}) == 0


def test_an_asset_that_leads_is_likelier_to_outperform():
    """One standard deviation ahead: Phi(1). With no time left, the leader has won."""
    moving, still, spread = normal(0.02), normal(0.0), 0.02 * math.sqrt(2)
    assert outperforms(moving, moving, 0.0, spread) == pytest.approx(0.841345, abs=1e-6)
    assert outperforms(moving, moving, 0.0, -spread) == pytest.approx(0.158655, abs=1e-6)
    assert [outperforms(still, still, 0.0, lead) for lead in (-0.01, 0.0, 0.01)] == [0.0, 0.5, 1.0]
