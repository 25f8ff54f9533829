"""The rules that every one of the nine voters keeps on every kind of question."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.forecasting.voters.forecast_inputs import build_inputs
from service.forecasting.voters.panel import voters
from tests.forecasting.made import EVERY_KIND, NOW

NINE = {voter.name: voter for voter in voters()}


@pytest.fixture(params=NINE, scope="module")
def voter(request):
    return NINE[request.param]


@pytest.fixture(scope="module")
def say(knowledge):
    """P(YES) of a voter."""

    def p(voter, question):
        return voter.forecast(question, build_inputs(question, NOW, knowledge)).p

    return p


def test_the_nine_are_six_seats_and_three_brains_in_a_fixed_order():
    assert list(NINE) == ["momentum", "reversion", "breadth", "regime", "trend", "news", "vol", "logit", "forest"]
    assert [voter.kind for voter in voters()] == ["seat"] * 6 + ["brain"] * 3
    assert {voter.engine for voter in voters()} == {"embedded"}


def test_no_two_seats_share_an_input():
    seats = [set(voter.inputs) for voter in voters() if voter.kind == "seat"]
    assert all(2 <= len(inputs) <= 4 for inputs in seats)
    assert sum(map(len, seats)) == len(set().union(*seats))


@pytest.mark.slow
@pytest.mark.parametrize(("comparator", "fields"), EVERY_KIND)
@pytest.mark.parametrize("asset", ["btc", "silver"])
def test_every_kind_is_answered_and_its_negation_gets_the_rest(voter, asking, say, asset, comparator, fields):
    question = asking(comparator, asset, **fields)
    p = say(voter, question)
    assert 0.001 <= p <= 0.999
    assert say(voter, replace(question, negated=True)) == pytest.approx(1 - p, abs=1e-15)


def test_up_and_down_add_up_to_one(voter, asking, say):
    assert say(voter, asking("up")) + say(voter, asking("down")) == pytest.approx(1)


def test_above_and_below_add_up_to_one(voter, asking, say):
    p = say(voter, asking("close_above", at=1.02)) + say(voter, asking("close_below", at=1.02))
    assert p == pytest.approx(1)


def test_below_between_and_above_add_up_to_one(voter, asking, say):
    parts = (asking("close_below", at=0.98), asking("between", at=0.98, upper_at=1.03), asking("close_above", at=1.03))
    assert sum(say(voter, part) for part in parts) == pytest.approx(1)


def test_one_of_two_assets_returns_more(voter, asking, say):
    forth = say(voter, asking("relative", "btc", other_asset="gold"))
    back = say(voter, asking("relative", "gold", other_asset="btc"))
    assert forth + back == pytest.approx(1)


@settings(max_examples=40)
@given(at=st.floats(0.9, 1.1), further=st.floats(1.0001, 1.05), hours=st.floats(1, 2000))
def test_levels_and_touches_are_ordered(asking, say, at, further, hours):
    """A higher level is never more likely to be exceeded, and a touch never less likely than a close beyond."""
    for voter in (NINE["vol"], NINE["logit"], NINE["forest"]):
        near, far = (say(voter, asking("close_above", hours=hours, at=level)) for level in (at, at * further))
        assert far <= near + 1e-12
        assert say(voter, asking("touch_above", hours=hours, at=at)) >= near
        assert say(voter, asking("touch_below", hours=hours, at=at)) >= 1 - near - 1e-12


def test_a_level_that_is_passed_counts_as_touched(voter, asking, say, knowledge):
    question = asking("touch_above", at=0.99)
    assert say(voter, question) == 0.999
    forecast = voter.forecast(question, build_inputs(question, NOW, knowledge))
    assert forecast.reasoning.endswith("has already been reached.")


def test_volatility_gives_a_direction_even_odds(asking, say):
    assert say(NINE["vol"], asking("up")) == 0.5
    assert say(NINE["vol"], asking("open")) == 0.5
