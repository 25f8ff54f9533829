"""Events counted on paths: they agree with the closed forms, and with what is known of simple cases."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import numpy as np
import pytest

from service.forecasting.densities.density import Density
from service.forecasting.densities.paths import joint_paths
from service.forecasting.voters import outcomes
from service.forecasting.voters.context import Knowledge, build_all
from service.forecasting.voters.embedded import voters
from service.forecasting.voters.forecast_inputs import build_inputs, p_yes
from service.forecasting.voters.outcomes import (
    SimulatedPaths,
    odds_ratio,
    p_both,
    p_event,
    shares_of,
)
from service.market.instants import DAY, HOUR, utc
from service.questions.kinds import KINDS, Kind
from tests.forecasting.made import EVERY_KIND, NOW, panel_of

MONTE_CARLO = 0.025  # three standard errors of 4,096 paths
LEANS = (0.5, 0.57, 0.36)  # P(higher)
COUNTED = {name for name, kind in KINDS.items() if type(kind).probability is Kind.probability} - {"topic"}


@pytest.fixture(scope="module")
def inputs(asking, knowledge):
    return build_inputs(asking("up"), NOW, knowledge)


@pytest.fixture(params=["vol", "trend", "plain"])
def own(request, inputs) -> Density:
    return inputs.state.plain if request.param == "plain" else inputs.densities(request.param)[0]


@pytest.fixture
def reader(inputs, own) -> SimulatedPaths:
    state = inputs.state
    return SimulatedPaths(inputs._paths, own, state.spot, state.now, state.until)


@pytest.fixture
def counted(reader):
    """P(event) of an event given as a function of the reader, in a distribution that may lean."""

    def count(event, p_up=0.5):
        question = SimpleNamespace(kind=SimpleNamespace(event=lambda _, path: event(path)))
        return p_event(reader.own.leaning(p_up), shares_of(question, reader))

    return count


@pytest.mark.parametrize("p_up", LEANS)
@pytest.mark.parametrize("z", [-1.6, -0.7, 0.0, 0.4, 1.2])
def test_closes_counted_on_paths_agree(counted, asking, reader, z, p_up):
    """P(close above a level) by counting is that of the distribution."""
    question = asking("close_above", level=float(asking("up").spot * np.exp(z * reader.sigma)))
    p = counted(lambda reader: reader.paths.closes[-1] > reader.level(question.threshold), p_up)
    assert p == pytest.approx(reader.own.leaning(p_up).above(z * reader.sigma), abs=MONTE_CARLO)


@pytest.mark.parametrize("p_up", LEANS)
@pytest.mark.parametrize("z", [0.2, 0.8, 1.6, 2.2])
def test_touches_counted_on_paths_agree(counted, asking, reader, z, p_up):
    """P(touch) by counting is that of the reflection principle with drift."""
    spot = asking("up").spot
    level = float(spot * np.exp(z * reader.sigma))
    p = counted(lambda reader: reader.paths.highest[-1] >= reader.extreme(level), p_up)
    assert p == pytest.approx(reader.own.leaning(p_up).touch(z * reader.sigma), abs=0.035)


def test_a_level_far_away_is_never_reached(counted, reader, asking):
    """Beyond the last quantile the sizes go on in proportion."""
    spot = asking("up").spot
    assert counted(lambda reader: reader.paths.highest[-1] >= reader.extreme(100 * spot)) == 0


def test_sizes_translate_there_and_back(reader):
    sizes = np.linspace(0.05, 5, 40)
    there = reader.reached(sizes) / reader.sigma
    back = outcomes._translated(there, reader.own.maximum, reader.paths.maximum_sizes)
    inside = sizes > reader.paths.maximum_sizes[1]
    assert back[inside] == pytest.approx(sizes[inside], rel=1e-5)


def plain_p(question, knowledge) -> float:
    """P(YES) by plain volatility."""
    inputs = build_inputs(question, NOW, knowledge)
    return p_yes(question, inputs, [state.plain for state in inputs.states])


def test_the_nearer_level_is_reached_first(asking, contexts):
    """Gambler's ruin: without drift the chance of the upper level is the lower one's share of the distance."""
    spot, knowledge = contexts["btc"].spot, Knowledge(contexts)
    sigma = build_inputs(asking("up", hours=720), NOW, knowledge).state.sigma
    for up, down in ((0.2, 0.2), (0.1, 0.3), (0.4, 0.2)):
        bounds = {"level": spot * np.exp(-down * sigma), "upper_level": spot * np.exp(up * sigma)}
        question = asking("upper_first", hours=720, **bounds)
        p = plain_p(question, knowledge)
        assert p == pytest.approx(down / (up + down), abs=0.05)
        other = plain_p(replace(question, comparator="lower_first"), knowledge)
        assert 0.97 < p + other <= 1.0 + 1e-9


def test_days_up_are_coin_flips(asking, contexts):
    """Two of three days up: (3 + 1) / 8; two in a row: 3 / 8. Asked at midnight, three days end in 72 hours."""
    for in_a_row, p in ((False, 0.5), (True, 3 / 8)):
        question = asking("days_up", days=2, in_a_row=in_a_row)
        assert plain_p(question, Knowledge(contexts)) == pytest.approx(p, abs=0.025)


def test_days_are_counted_from_a_later_start(asking, contexts):
    """Both days after the first one up: 1 / 4; the first day, before the start, is not counted."""
    question = asking("days_up", days=2, earlier=utc(NOW + DAY))
    p = plain_p(question, Knowledge(contexts))
    assert p == pytest.approx(0.25, abs=0.025)


def test_an_average_moves_less_than_the_close(asking, contexts):
    """The mean of a Brownian path over its time has a third of the variance of its end."""
    knowledge = Knowledge(contexts)
    sigma = build_inputs(asking("up"), NOW, knowledge).state.sigma
    level = contexts["btc"].spot * float(np.exp(sigma / np.sqrt(3)))
    question = asking("average_above", level=level)
    assert plain_p(question, knowledge) == pytest.approx(0.1587, abs=0.03)


@pytest.mark.parametrize("p_up", LEANS)
@pytest.mark.parametrize("hours", [6, 24, 48])
def test_a_later_rise_agrees_with_the_closed_form(counted, asking, inputs, reader, hours, p_up):
    """P(the price at the deadline above that at an earlier instant), with a lean that is spread over the horizon."""
    at = reader.now + hours * HOUR
    p = counted(lambda reader: reader.paths.closes[-1] > reader.paths.at(np.array([at]))[0], p_up)
    question = asking("above_earlier", earlier=utc(at))
    assert p == pytest.approx(p_yes(question, inputs, [reader.own.leaning(p_up)]), abs=0.03)


@pytest.mark.parametrize(("comparator", "days"), [("above_moving_average", 50), ("days_above", 1)])
def test_a_single_close_to_come_is_the_close(asking, knowledge, comparator, days):
    """The price is above the mean of all where it is above the mean of those known; one day is the last."""
    close = asking("close_above", hours=24, at=1.01)
    for voter in voters():
        closing, counted = (
            voter.forecast(question, build_inputs(question, NOW, knowledge)).p
            for question in (close, replace(close, comparator=comparator, days=days))
        )
        assert closing == pytest.approx(counted, abs=MONTE_CARLO), voter.name


def test_a_moving_average_of_future_days_is_even(asking, contexts):
    """Without a known close, the last price is above the mean of its last three closes as often as below."""
    question = asking("above_moving_average", days=3)
    assert plain_p(question, Knowledge(contexts)) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("asset", ["btc", "xrp", "gold"])
def test_a_price_of_zero_has_the_smallest_probability(asking, knowledge, asset):
    """Every voter says that it does not happen, as of any level that is out of reach."""
    zero, low = (asking("touch_below", asset, 240, at=share) for share in (0.0105, 0.02))
    for voter in voters():
        assert voter.forecast(zero, build_inputs(zero, NOW, knowledge)).p == 0, voter.name
        assert voter.forecast(low, build_inputs(low, NOW, knowledge)).p < 0.001, voter.name


@pytest.mark.parametrize(("comparator", "fields"), [kind for kind in EVERY_KIND if kind[0] in COUNTED])
def test_a_lean_moves_an_event_to_its_side(asking, knowledge, comparator, fields):
    question = asking(comparator, **fields)
    inputs = build_inputs(question, NOW, knowledge)
    (own,) = inputs.densities("vol")
    bear, even, bull = (p_yes(question, inputs, [own.leaning(p_up)]) for p_up in (0.4, 0.5, 0.6))
    if comparator in ("upper_first", "days_above", "days_up", "average_above", "above_moving_average"):
        assert bear < even < bull
    elif comparator != "range":
        assert bear > even > bull


def test_a_path_question_on_a_closed_market_does_not_happen(asking, hourly, fits):
    saturday = 1_745_625_600  # 2025-04-26T00:00:00Z
    contexts = build_all(hourly, saturday)
    spot = contexts["gold"].spot
    question = asking("upper_first", "gold", 36.0, at=0.97, upper_at=1.02)
    question = replace(question, deadline=utc(saturday) + timedelta(hours=36), spot=spot)
    inputs = build_inputs(question, saturday, Knowledge(contexts, fits))
    assert inputs.state.hours == 0
    assert p_yes(question, inputs, [inputs.state.plain]) == 0


@pytest.mark.parametrize(("negated", "p"), [(False, 0.0), (True, 1.0)])
def test_the_consensus_on_zero_is_the_least_published(asking, knowledge, negated, p):
    question = asking("touch_below", hours=240, at=0.0105, negated=negated)
    assert panel_of().ask(question, NOW, knowledge).pooled.p == pytest.approx(p)


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
