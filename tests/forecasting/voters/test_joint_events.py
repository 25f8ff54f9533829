"""Events of two assets counted on joint paths: they agree with the closed forms of two correlated normals."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from service.forecasting.densities.paths import joint_paths
from service.forecasting.voters.embedded import voters
from service.forecasting.voters.forecast_inputs import build_inputs, p_yes
from service.forecasting.voters.joint_events import odds_ratio, p_both
from service.forecasting.voters.knowledge import Knowledge
from service.market.instants import DAY
from tests.forecasting.made import NOW

MONTE_CARLO = 0.02  # two and a half standard errors of 4,096 paths
CORRELATIONS = [-0.6, 0.0, 0.5, 0.9]


@pytest.fixture
def joint(asking, contexts):
    """P of a joint question about bitcoin and ether by plain volatility, with a correlation of choice."""

    def ask(kind: str, first: tuple, second: tuple, correlation: float, negated: bool = False) -> float:
        question = asking(kind, other_asset="eth", legs=(("btc", *first), ("eth", *second)), negated=negated)
        context = replace(contexts["btc"], correlations={**contexts["btc"].correlations, "eth": correlation})
        inputs = build_inputs(question, NOW, Knowledge({**contexts, "btc": context}))
        return p_yes(question, inputs, [state.plain for state in inputs.states])

    return ask


@pytest.mark.parametrize("correlation", CORRELATIONS)
def test_both_up_agrees_with_the_normal_quadrant(joint, correlation):
    """Two normals with the correlation r are both positive with 1/4 + asin(r) / (2 pi) (Sheppard 1899)."""
    expected = 0.25 + math.asin(correlation) / (2 * math.pi)
    assert joint("both", ("up", None), ("up", None), correlation) == pytest.approx(expected, abs=MONTE_CARLO)
    assert joint("both", ("up", None), ("down", None), correlation) == pytest.approx(0.5 - expected, abs=MONTE_CARLO)


@pytest.mark.parametrize("correlation", CORRELATIONS)
def test_joint_increments_have_their_correlation(correlation):
    """The last prices of two assets on the paths are correlated as their steps are."""
    first, second = joint_paths(("btc", "eth"), NOW, NOW + 3 * DAY, (None, None), correlation)
    assert np.corrcoef(first.closes[-1], second.closes[-1])[0, 1] == pytest.approx(correlation, abs=0.05)


def test_the_paths_of_a_closed_market_stand_still():
    """Only the steps in which an asset trades move it; the steps of both assets stay aligned."""
    coins, metals = joint_paths(("btc", "gold"), NOW, NOW + 7 * DAY, (None, None), 0.9)
    assert len(metals.times) < len(coins.times)
    assert set(metals.times) <= set(coins.times)


def test_independent_touches_multiply(joint):
    touch = ("touch_above", 1.03)
    alone = joint("either", touch, ("touch_above", 90.0), 0.0)
    other = joint("either", ("touch_above", 90.0), touch, 0.0)
    assert joint("both", touch, touch, 0.0) == pytest.approx(alone * other, abs=MONTE_CARLO)


def test_correlation_makes_touches_go_together(joint):
    chances = [joint("both", ("touch_above", 1.03), ("touch_above", 1.03), each) for each in CORRELATIONS]
    assert chances == sorted(chances)


@pytest.mark.parametrize("correlation", CORRELATIONS)
def test_both_and_either_add_up_to_the_two_alone(joint, correlation):
    """P(A and B) + P(A or B) = P(A) + P(B), each as likely as if it were asked alone."""
    first, second, never = ("close_above", 1.01), ("touch_below", 0.98), ("close_above", 90.0)
    alone = joint("either", first, never, correlation) + joint("either", never, second, correlation)
    both, either = (joint(kind, first, second, correlation) for kind in ("both", "either"))
    assert both + either == pytest.approx(alone, abs=0.011)
    assert joint("either", first, second, correlation, negated=True) == pytest.approx(1 - either)


@pytest.mark.parametrize("ratio", [0.01, 0.5, 1.0, 3.0, 200.0])
def test_p_both_has_the_odds_ratio(ratio):
    p, q = 0.3, 0.6
    x = p_both(p, q, ratio)
    assert max(0.0, p + q - 1) <= x <= min(p, q)
    assert x * (1 - p - q + x) / ((p - x) * (q - x)) == pytest.approx(ratio)


@pytest.mark.parametrize("certain", [0.0, 1.0])
def test_a_certain_event_leaves_the_other(certain):
    assert p_both(certain, 0.4, 25.0) == pytest.approx(0.4 * certain)


def test_an_odds_ratio_is_finite_without_a_common_path():
    flags = np.array([True, False, False, False])
    assert 0 < odds_ratio(flags, ~flags) < 1 < odds_ratio(flags, flags) < math.inf


def test_every_voter_answers_and_explains_a_joint_question(asking, knowledge):
    """Each of the nine forecasts both assets, and says what its forecast rests on."""
    legs = [(asset, "close_above", 1.0) for asset in ("btc", "gold")]
    question = asking("both", other_asset="gold", legs=legs)
    inputs = build_inputs(question, NOW, knowledge)
    for voter in voters():
        forecast = voter.forecast(question, inputs)
        assert 0.05 < forecast.p < 0.6, voter.name
        assert "btc" in forecast.reasoning, voter.name
        assert "gold" in forecast.reasoning, voter.name
