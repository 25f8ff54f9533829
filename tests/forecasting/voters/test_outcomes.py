"""Events counted on paths: they agree with the closed forms, and with what is known of simple cases."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from service.forecasting.densities.paths import joint_paths
from service.forecasting.voters.context import Knowledge, build_all
from service.forecasting.voters.forecast_inputs import build_inputs, p_yes
from service.forecasting.voters.outcomes import SimulatedPaths, odds_ratio, p_both, p_event
from service.forecasting.voters.panel import VOTERS
from service.market.instants import DAY, HOUR, utc
from service.questions.kinds import KINDS, Kind
from service.questions.kinds.path import takes_place_at
from tests.forecasting.made import EVERY_KIND, NOW

MONTE_CARLO = 0.025  # three standard errors of 4,096 paths
LEANS = (0.5, 0.57, 0.36)  # P(higher)
PATH_KINDS = {name for name, kind in KINDS.items() if type(kind).probability is Kind.probability} - {"topic"}


@pytest.fixture(scope="module")
def inputs(query, knowledge):
    return build_inputs(query("up"), NOW, knowledge)


@pytest.fixture(params=["vol", "trend", "plain"])
def reader(request, inputs) -> SimulatedPaths:
    state = inputs.state
    density = state.plain if request.param == "plain" else inputs.densities(request.param)[0]
    return SimulatedPaths(inputs.single_paths, density, state.spot, state.now, state.until)


@pytest.fixture
def p_of(reader):
    """P(event) of an event given as a function of the reader, in a distribution that may lean."""

    def count(event, p_up=0.5):
        question = SimpleNamespace(kind=SimpleNamespace(event=lambda _, path: event(path)))
        return p_event(question, replace(reader, density=reader.density.leaning(p_up)))

    return count


@pytest.mark.parametrize("p_up", LEANS)
@pytest.mark.parametrize("z", [-1.6, -0.7, 0.0, 0.4, 1.2])
def test_closes_counted_on_paths_agree(p_of, query, reader, z, p_up):
    """P(close above a level) by counting is that of the distribution."""
    question = query("close_above", level=float(reader.spot * np.exp(z * reader.sigma)))
    p = p_of(lambda reader: reader.paths.closes[-1] > reader.level(question.threshold), p_up)
    assert p == pytest.approx(reader.density.leaning(p_up).above(z * reader.sigma), abs=MONTE_CARLO)


@pytest.mark.parametrize("p_up", LEANS)
@pytest.mark.parametrize("z", [0.2, 0.8, 1.6, 2.2])
def test_touches_counted_on_paths_agree(p_of, reader, z, p_up):
    """P(touch) by counting is that of the reflection principle with drift."""
    level = float(reader.spot * np.exp(z * reader.sigma))
    p = p_of(lambda reader: reader.paths.highest[-1] >= reader.extreme(level, 1), p_up)
    assert p == pytest.approx(reader.density.leaning(p_up).touch(z * reader.sigma), abs=0.035)


def test_sizes_translate_there_and_back(p_of, reader):
    """Beyond the last quantile the sizes go on in proportion, so a level far away is never reached."""
    spot, sizes = reader.spot, np.linspace(0.05, 5, 40)
    back = np.array([reader.extreme(spot * np.exp(reach), 1) for reach in reader.reached(sizes)])
    inside = sizes > reader.paths.maximum_sizes[1]
    assert back[inside] == pytest.approx(sizes[inside], rel=1e-5)
    assert p_of(lambda reader: reader.paths.highest[-1] >= reader.extreme(100 * spot, 1)) == 0


def plain_p(question, knowledge) -> float:
    """P(YES) by plain volatility."""
    inputs = build_inputs(question, NOW, knowledge)
    return p_yes(question, inputs, [state.plain for state in inputs.states])


def test_the_nearer_level_is_reached_first(query, contexts):
    """Gambler's ruin: without drift the chance of the upper level is the lower one's share of the distance."""
    spot, knowledge = contexts["btc"].spot, Knowledge(contexts)
    sigma = build_inputs(query("up", hours=720), NOW, knowledge).state.sigma
    for up, down in ((0.2, 0.2), (0.1, 0.3), (0.4, 0.2)):
        bounds = {"level": spot * np.exp(-down * sigma), "upper_level": spot * np.exp(up * sigma)}
        question = query("upper_first", hours=720, **bounds)
        p, other = (plain_p(replace(question, comparator=f"{side}_first"), knowledge) for side in ("upper", "lower"))
        assert p == pytest.approx(down / (up + down), abs=0.05)
        assert 0.97 < p + other <= 1.0 + 1e-9


@pytest.mark.parametrize(
    ("comparator", "fields", "p"),
    [
        ("days_up", {"days": 2}, 0.5),  # two of three days: (3 + 1) / 8
        ("days_up", {"days": 2, "in_a_row": True}, 3 / 8),
        ("days_up", {"days": 2, "earlier": utc(NOW + DAY)}, 0.25),  # both days after the first one
        ("above_moving_average", {"days": 3}, 0.5),  # of its last three closes, none of them known
    ],
)
def test_days_to_come_are_coin_flips(query, contexts, comparator, fields, p):
    """Asked at midnight: three days end in 72 hours."""
    assert plain_p(query(comparator, **fields), Knowledge(contexts)) == pytest.approx(p, abs=0.025)


def test_an_average_moves_less_than_the_close(query, contexts):
    """The mean of a Brownian path over its time has a third of the variance of its end."""
    knowledge = Knowledge(contexts)
    sigma = build_inputs(query("up"), NOW, knowledge).state.sigma
    level = contexts["btc"].spot * float(np.exp(sigma / np.sqrt(3)))
    assert plain_p(query("average_above", level=level), knowledge) == pytest.approx(0.1587, abs=0.03)


@pytest.mark.parametrize("p_up", LEANS)
@pytest.mark.parametrize("hours", [6, 24, 48])
def test_a_later_rise_agrees_with_the_closed_form(p_of, query, inputs, reader, hours, p_up):
    """P(the price at the deadline above that at an earlier instant), with a lean that is spread over the horizon."""
    at = reader.now + hours * HOUR
    p = p_of(lambda reader: reader.paths.closes[-1] > reader.paths.at(np.array([at]))[0], p_up)
    question = query("above_earlier", earlier=utc(at))
    assert p == pytest.approx(p_yes(question, inputs, [reader.density.leaning(p_up)]), abs=0.03)


@pytest.mark.parametrize(("comparator", "days"), [("above_moving_average", 50), ("days_above", 1)])
def test_a_single_close_to_come_is_the_close(query, knowledge, comparator, days):
    """The price is above the mean of all where it is above the mean of those known; one day is the last."""
    close = query("close_above", hours=24, at=1.01)
    paths = replace(close, comparator=comparator, days=days)
    for voter in VOTERS:
        p_close, p_paths = (voter.forecast(each, build_inputs(each, NOW, knowledge)).p for each in (close, paths))
        assert p_close == pytest.approx(p_paths, abs=MONTE_CARLO), voter.name


@pytest.mark.parametrize("asset", ["btc", "xrp", "gold"])
def test_a_price_of_zero_has_the_smallest_probability(query, knowledge, asset):
    """Every voter says that it does not happen, as of any level that is out of reach."""
    zero, low = (query("touch_below", asset, 240, at=share) for share in (0.0105, 0.02))
    for voter in VOTERS:
        assert voter.forecast(zero, build_inputs(zero, NOW, knowledge)).p == 0, voter.name
        assert voter.forecast(low, build_inputs(low, NOW, knowledge)).p < 0.001, voter.name


@pytest.mark.parametrize(("comparator", "fields"), [kind for kind in EVERY_KIND if kind[0] in PATH_KINDS])
def test_a_lean_moves_an_event_to_its_side(query, knowledge, comparator, fields):
    question = query(comparator, **fields)
    inputs = build_inputs(question, NOW, knowledge)
    (density,) = inputs.densities("vol")
    bear, even, bull = (p_yes(question, inputs, [density.leaning(p_up)]) for p_up in (0.4, 0.5, 0.6))
    if comparator in ("upper_first", "days_above", "days_up", "average_above", "above_moving_average"):
        assert bear < even < bull
    elif comparator not in ("range", "leave"):
        assert bear > even > bull


def test_a_path_question_on_a_closed_market_does_not_happen(query, hourly, fits):
    saturday = 1_745_625_600  # 2025-04-26T00:00:00Z
    contexts = build_all(hourly, saturday)
    spot, deadline = contexts["gold"].spot, utc(saturday + 36 * HOUR)
    question = query("upper_first", "gold", 36.0, level=0.97 * spot, upper_level=1.02 * spot)
    question = replace(question, deadline=deadline, spot=spot)
    inputs = build_inputs(question, saturday, Knowledge(contexts, fits))
    assert (inputs.state.hours, p_yes(question, inputs, [inputs.state.plain])) == (0, 0)


@pytest.mark.parametrize(
    ("comparator", "fields"),
    [
        ("leave", {"at": 0.7, "upper_at": 0.95, "polarity": "none"}),
        ("leave", {"at": 1.05, "upper_at": 1.3, "polarity": "none"}),
        ("upper_first", {"at": 0.7, "upper_at": 0.95}),
        ("lower_first", {"at": 1.05, "upper_at": 1.3}),
        ("touch_above", {"at": 0.95}),
        ("touch_below", {"at": 1.05}),
    ],
)
def test_a_level_that_is_passed_has_been_reached(query, knowledge, comparator, fields):
    """As settlement has it: the present price counts, on whichever side of both levels it is."""
    question = query(comparator, **fields)
    inputs = build_inputs(question, NOW, knowledge)
    assert takes_place_at(question, inputs.state.spot)
    assert p_yes(question, inputs, inputs.densities("vol")) == 1
    assert p_yes(replace(question, negated=True), inputs, inputs.densities("vol")) == 0


@pytest.fixture
def joint(query, contexts):
    """P of a joint question about bitcoin and ether by plain volatility, with a correlation of choice."""

    def ask(kind: str, first: tuple, second: tuple, correlation: float, negated: bool = False) -> float:
        question = query(kind, other_asset="eth", legs=(("btc", *first), ("eth", *second)), negated=negated)
        context = replace(contexts["btc"], correlations={**contexts["btc"].correlations, "eth": correlation})
        inputs = build_inputs(question, NOW, Knowledge({**contexts, "btc": context}))
        return p_yes(question, inputs, [state.plain for state in inputs.states])

    return ask


@pytest.mark.parametrize("correlation", [-0.6, 0.0, 0.5, 0.9])
def test_both_up_agrees_with_the_normal_quadrant(joint, correlation):
    """Two normals with the correlation r are both positive with 1/4 + asin(r) / (2 pi) (Sheppard 1899)."""
    expected = 0.25 + math.asin(correlation) / (2 * math.pi)
    assert joint("both", ("up", None), ("up", None), correlation) == pytest.approx(expected, abs=MONTE_CARLO)
    assert joint("both", ("up", None), ("down", None), correlation) == pytest.approx(0.5 - expected, abs=MONTE_CARLO)


def test_the_steps_of_a_closed_market_are_left_out():
    coins, metals = joint_paths(("btc", "gold"), NOW, NOW + 7 * DAY, (None, None), 0.9)
    assert set(metals.times) < set(coins.times)


def test_independent_touches_multiply(joint):
    """And the opposite of either is what it leaves."""
    touch, never = ("touch_above", 1.03), ("touch_above", 90.0)
    first, other = joint("either", touch, never, 0.0), joint("either", never, touch, 0.0)
    assert joint("both", touch, touch, 0.0) == pytest.approx(first * other, abs=MONTE_CARLO)
    assert joint("either", touch, never, 0.0, negated=True) == pytest.approx(1 - first)


@pytest.mark.parametrize("ratio", [0.01, 0.5, 1.0, 3.0, 200.0])
def test_p_both_has_the_odds_ratio(ratio):
    p, q = 0.3, 0.6
    x = p_both(p, q, ratio)
    assert max(0.0, p + q - 1) <= x <= min(p, q)
    assert x * (1 - p - q + x) / ((p - x) * (q - x)) == pytest.approx(ratio)
    for certain in (0.0, 1.0):
        assert p_both(certain, q, ratio) == pytest.approx(q * certain)
    flags = np.array([True, False, False, False])
    assert 0 < odds_ratio(flags, ~flags) < 1 < odds_ratio(flags, flags) < math.inf, "finite without a common path"
