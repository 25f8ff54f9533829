"""The two who only tell up from down, apex and the swarm, on every kind of question."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.forecasting import apex
from service.forecasting.brains import VOL
from service.forecasting.situation import situate
from service.forecasting.swarm import NetView, vote
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
def situation_of(contexts):
    return lambda question: situate(question, NOW, contexts, None)


def odds_of(p: float):
    return call_of(NOW, p)


def test_without_a_lean_both_say_what_volatility_says(question, situation_of):
    situation = situation_of(question)
    base = VOL.forecast(question, situation).p
    assert vote(question, situation, NetView(10, 10, 34)).p == pytest.approx(base, abs=1e-12)
    assert apex.vote(question, situation, odds_of(0.5)).p == pytest.approx(base, abs=1e-12)


def test_a_bullish_lean_helps_every_bullish_question_and_hurts_every_bearish_one(question, situation_of):
    situation = situation_of(question)
    base = VOL.forecast(question, situation).p
    up, down = (apex.vote(question, situation, odds_of(p)).p for p in (0.6, 0.4))
    if question.comparator != "between":
        assert (up > base > down) if question.polarity == "bull" else (up < base < down)
    long, short = (vote(question, situation, NetView(*sides)).p for sides in ((54, 0, 0), (0, 54, 0)))
    if question.comparator != "between":
        assert (long > base > short) if question.polarity == "bull" else (long < base < short)


def test_apex_gives_up_what_it_called(asking, situation_of):
    question = asking("up", hours=24)
    assert apex.vote(question, situation_of(question), odds_of(0.5731)).p == pytest.approx(0.5731)


def test_the_swarm_leans_by_a_fifth_of_its_net_position(asking, situation_of):
    """All long: sigmoid(.2) = .549834; 27 long and 13 short of 54: sigmoid(.2 x 14 / 54) = .512960."""
    question = asking("up")
    situation = situation_of(question)
    assert vote(question, situation, NetView(54, 0, 0)).p == pytest.approx(0.549834, abs=1e-6)
    assert vote(question, situation, NetView(27, 13, 14)).p == pytest.approx(0.512960, abs=1e-6)


def test_the_contrary_question_gets_the_rest(question, situation_of):
    situation = situation_of(question)
    contrary = replace(question, negated=True)
    for cast in (
        lambda asked: vote(asked, situation, NetView(30, 4, 20)).p,
        lambda asked: apex.vote(asked, situation, odds_of(0.62)).p,
    ):
        assert cast(question) + cast(contrary) == pytest.approx(1)


@settings(max_examples=60)
@given(st.floats(0.02, 0.98), st.floats(0.9, 1.1), st.floats(1.0001, 1.05), st.floats(1, 2000))
def test_touching_is_never_less_likely_than_closing_nor_a_higher_level_more(
    asking, situation_of, p, at, further, hours
):
    near, far, touch = (
        apex.vote(question, situation_of(question), odds_of(p)).p
        for question in (
            asking("close_above", hours=hours, at=at),
            asking("close_above", hours=hours, at=at * further),
            asking("touch_above", hours=hours, at=at),
        )
    )
    assert far <= near + 1e-12
    assert touch >= near - 1e-12


def test_ballots_say_who_how_and_why(asking, situation_of):
    question = asking("close_above", at=1.02)
    situation = situation_of(question)
    ballot = vote(question, situation, NetView(30, 6, 18))
    assert (ballot.voter, ballot.engine) == ("swarm", "54-strategies")
    assert "Of 54 strategies 30 are long btc, 6 short and 18 flat: net +0.44." in ballot.reasoning
    fused = apex.vote(question, situation, odds_of(0.55))
    assert (fused.voter, fused.engine) == ("apex", "apex/1")
    assert "gives 55.0 % to a higher price in a day. That adds" in fused.reasoning
    assert fused.reasoning.endswith(f"{100 * fused.p:.1f} % in all.")


def test_what_is_as_good_as_known_is_said_to_be(asking, situation_of):
    question = asking("touch_above", at=0.99)
    assert vote(question, situation_of(question), NetView(0, 54, 0)).reasoning.endswith("is reached already.")


def test_no_strategies_have_no_position():
    assert NetView(0, 0, 0).net == 0
