"""The two voters that only separate up from down, apex and the swarm, on every kind of question."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.forecasting import apex
from service.forecasting.apex.swarm import NetView, vote
from service.forecasting.voters.brains import VOL
from service.forecasting.voters.forecast_inputs import build_inputs
from service.forecasting.voters.knowledge import Knowledge
from tests.forecasting.apex.made import call_of
from tests.forecasting.made import NOW

KINDS = {
    "close_above": {"at": 1.02},
    "close_below": {"at": 0.97},
    "touch_above": {"at": 1.03},
    "touch_below": {"at": 0.96},
    "between": {"at": 0.98, "upper_at": 1.03},
    "up": {},
    "down": {},
    "open": {},
    "relative": {"other_asset": "eth"},
}


@pytest.fixture(params=KINDS)
def question(request, asking):
    return asking(request.param, **KINDS[request.param])


@pytest.fixture(scope="session")
def inputs_for(contexts):
    return lambda question: build_inputs(question, NOW, Knowledge(contexts))


def odds_of(p: float):
    return call_of(NOW, p)


def test_without_a_lean_both_give_the_base_rate(question, inputs_for):
    inputs = inputs_for(question)
    base = VOL.forecast(question, inputs).p
    assert vote(question, inputs, NetView(10, 10, 34)).p == pytest.approx(base, abs=1e-12)
    assert apex.vote(question, inputs, odds_of(0.5)).p == pytest.approx(base, abs=1e-12)


def test_a_lean_moves_a_question_towards_its_own_side(question, inputs_for):
    """A bullish lean raises every bullish question and lowers every bearish one."""
    inputs = inputs_for(question)
    base = VOL.forecast(question, inputs).p
    up, down = (apex.vote(question, inputs, odds_of(p)).p for p in (0.6, 0.4))
    if question.comparator != "between":
        assert (up > base > down) if question.polarity == "bull" else (up < base < down)
    long, short = (vote(question, inputs, NetView(*sides)).p for sides in ((54, 0, 0), (0, 54, 0)))
    if question.comparator != "between":
        assert (long > base > short) if question.polarity == "bull" else (long < base < short)


def test_apex_gives_a_day_its_fused_p(asking, inputs_for):
    question = asking("up", hours=24)
    assert apex.vote(question, inputs_for(question), odds_of(0.5731)).p == pytest.approx(0.5731)


def test_the_swarm_leans_by_a_fifth_of_its_net_position(asking, inputs_for):
    """All long: sigmoid(.2) = .549834; 27 long and 13 short of 54: sigmoid(.2 x 14 / 54) = .512960."""
    question = asking("up")
    inputs = inputs_for(question)
    assert vote(question, inputs, NetView(54, 0, 0)).p == pytest.approx(0.549834, abs=1e-6)
    assert vote(question, inputs, NetView(27, 13, 14)).p == pytest.approx(0.512960, abs=1e-6)


def test_a_negated_question_gets_the_rest(question, inputs_for):
    inputs = inputs_for(question)
    contrary = replace(question, negated=True)
    for cast in (
        lambda either: vote(either, inputs, NetView(30, 4, 20)).p,
        lambda either: apex.vote(either, inputs, odds_of(0.62)).p,
    ):
        assert cast(question) + cast(contrary) == pytest.approx(1)


@settings(max_examples=60)
@given(st.floats(0.02, 0.98), st.floats(0.9, 1.1), st.floats(1.0001, 1.05), st.floats(1, 2000))
def test_a_lean_keeps_levels_and_touches_ordered(asking, inputs_for, p, at, further, hours):
    near, far, touch = (
        apex.vote(question, inputs_for(question), odds_of(p)).p
        for question in (
            asking("close_above", hours=hours, at=at),
            asking("close_above", hours=hours, at=at * further),
            asking("touch_above", hours=hours, at=at),
        )
    )
    assert far <= near + 1e-12
    assert touch >= near - 1e-12


def test_ballots_hold_the_voter_engine_and_reasoning(asking, inputs_for):
    question = asking("close_above", at=1.02)
    inputs = inputs_for(question)
    ballot = vote(question, inputs, NetView(30, 6, 18))
    assert (ballot.voter, ballot.engine) == ("swarm", "54-strategies")
    assert "Of 54 strategies 30 are long btc, 6 short and 18 flat (net +0.44): +" in ballot.forecast.reasoning
    fused = apex.vote(question, inputs, odds_of(0.55))
    assert (fused.voter, fused.engine) == ("apex", "apex/2")
    assert "gives 55.0% to a higher price in a day: +" in fused.forecast.reasoning
    assert fused.forecast.reasoning.endswith(f" pp. Forecast: {100 * fused.p:.1f}%.")


def test_a_decided_question_is_explained_as_decided(asking, inputs_for):
    question = asking("touch_above", at=0.99)
    assert vote(question, inputs_for(question), NetView(0, 54, 0)).forecast.reasoning.endswith(
        "has already been reached."
    )


def test_no_strategies_have_no_position():
    assert NetView(0, 0, 0).net == 0
