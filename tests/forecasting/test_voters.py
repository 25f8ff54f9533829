"""What every one of the nine must do with every kind of question."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.forecasting import training, walk_forward
from service.forecasting.context import build_all
from service.forecasting.oracle import voters
from service.forecasting.panel import survey
from service.forecasting.past import ask_past
from service.forecasting.situation import situate
from service.forecasting.votes import Abstention
from service.market.instants import DAY, HOUR, utc
from tests.forecasting.made import NOW

NINE = {voter.name: voter for voter in voters()}
EVERY_KIND = (
    ("close_above", {"at": 1.02}),
    ("close_below", {"at": 0.98}),
    ("touch_above", {"at": 1.03}),
    ("touch_below", {"at": 0.97}),
    ("between", {"at": 0.98, "upper_at": 1.03}),
    ("up", {}),
    ("down", {}),
    ("relative", {"other_asset": "gold"}),
    ("open", {}),
)


@pytest.fixture(params=NINE, scope="module")
def voter(request):
    return NINE[request.param]


@pytest.fixture(scope="module")
def say(contexts, fits):
    """P(YES) of a voter."""

    def p(voter, question):
        return voter.forecast(question, situate(question, NOW, contexts, fits)).p

    return p


def test_the_nine_are_six_seats_and_three_brains_in_a_fixed_order():
    assert list(NINE) == ["momentum", "reversion", "breadth", "regime", "trend", "news", "vol", "logit", "forest"]
    assert [voter.kind for voter in voters()] == ["seat"] * 6 + ["brain"] * 3
    assert {voter.engine for voter in voters()} == {"embedded"}


def test_each_seat_looks_at_something_of_its_own():
    seats = [set(voter.inputs) for voter in voters() if voter.kind == "seat"]
    assert all(2 <= len(inputs) <= 4 for inputs in seats)
    assert sum(map(len, seats)) == len(set().union(*seats))


@pytest.mark.parametrize(("comparator", "fields"), EVERY_KIND)
@pytest.mark.parametrize("asset", ["btc", "silver"])
def test_everyone_answers_every_kind_and_the_contrary_gets_the_rest(voter, asking, say, asset, comparator, fields):
    question = asking(comparator, asset, **fields)
    p = say(voter, question)
    assert 0.005 <= p <= 0.995
    assert say(voter, replace(question, negated=True)) == pytest.approx(1 - p, abs=1e-15)


def test_up_and_down_are_contraries(voter, asking, say):
    assert say(voter, asking("up")) + say(voter, asking("down")) == pytest.approx(1)


def test_above_and_below_are_contraries(voter, asking, say):
    p = say(voter, asking("close_above", at=1.02)) + say(voter, asking("close_below", at=1.02))
    assert p == pytest.approx(1)


def test_below_between_and_above_are_all_there_is(voter, asking, say):
    parts = (asking("close_below", at=0.98), asking("between", at=0.98, upper_at=1.03), asking("close_above", at=1.03))
    assert sum(say(voter, part) for part in parts) == pytest.approx(1)


def test_one_of_two_assets_does_better(voter, asking, say):
    forth = say(voter, asking("relative", "btc", other_asset="gold"))
    back = say(voter, asking("relative", "gold", other_asset="btc"))
    assert forth + back == pytest.approx(1)


@settings(max_examples=40)
@given(at=st.floats(0.9, 1.1), further=st.floats(1.0001, 1.05), hours=st.floats(1, 2000))
def test_a_higher_level_is_never_more_likely_and_touching_never_less_than_closing(asking, say, at, further, hours):
    for voter in (NINE["vol"], NINE["logit"], NINE["forest"]):
        near, far = (say(voter, asking("close_above", hours=hours, at=level)) for level in (at, at * further))
        assert far <= near + 1e-12
        assert say(voter, asking("touch_above", hours=hours, at=at)) >= near
        assert say(voter, asking("touch_below", hours=hours, at=at)) >= 1 - near - 1e-12


def test_a_level_that_is_passed_already_is_as_good_as_touched(voter, asking, say, contexts, fits):
    question = asking("touch_above", at=0.99)
    assert say(voter, question) == 0.995
    forecast = voter.forecast(question, situate(question, NOW, contexts, fits))
    assert forecast.reasoning.endswith("is reached already.")


def test_a_market_that_stays_closed_keeps_its_price(voter, asking, hourly, fits):
    """Asked on a Saturday with a deadline on Sunday noon, gold will be where it is."""
    saturday = 1_745_625_600  # 2025-04-26T00:00:00Z
    contexts = build_all(hourly, saturday)
    closed = replace(
        asking("up", "gold", 36.0), deadline=utc(saturday + 36 * HOUR), spot=contexts["gold"].spot, horizon_hours=36.0
    )
    situation = situate(closed, saturday, contexts, fits)
    assert voter.forecast(closed, situation).p == pytest.approx(0.005)
    inside = replace(closed, comparator="between", level=closed.spot * 0.99, upper_level=closed.spot * 1.01)
    assert voter.forecast(inside, situation).p == 0.995
    assert "stays closed" in voter.forecast(inside, situation).reasoning


def test_volatility_gives_direction_even_odds(asking, say):
    assert say(NINE["vol"], asking("up")) == 0.5
    assert say(NINE["vol"], asking("open")) == 0.5


def test_a_request_says_what_the_walk_forward_scores(hourly, fits, asking):
    """The evaluation runs over many questions at a time; each of them gets the very same probability when asked."""
    panel = survey(hourly)
    sample = ask_past(panel, NOW - 5 * DAY, NOW, every_h=19, horizons_h=(12, 72), levels=(-1.0, 0.0, 1.5))
    together = walk_forward.forecast_all(fits, sample)
    for place in range(0, len(sample), 29):
        asset, now = sample.assets[sample.asset[place]], int(sample.asked[place])
        contexts = build_all(hourly, now)
        hours = (int(sample.deadline[place]) - now) / HOUR
        plain = replace(
            asking("close_above", asset, hours, at=1.0),
            deadline=utc(int(sample.deadline[place])),
            spot=contexts[asset].spot,
        )
        situation = situate(plain, now, contexts, fits)
        assert situation.view.hours == sample.hours[place]
        level = plain.spot * np.exp(sample.z[place] * situation.view.sigma)
        question = replace(plain, level=float(level))
        alone = [voter.forecast(question, situation).p for voter in voters()]
        np.testing.assert_allclose(alone, together[place], atol=1e-9)


@pytest.mark.parametrize(("comparator", "fields"), EVERY_KIND)
def test_reasoning_is_true_readable_and_each_voters_own(asking, contexts, fits, comparator, fields):
    """The percentages said are those of the forecast, and no two of the nine say the same."""
    question = asking(comparator, **fields)
    situation = situate(question, NOW, contexts, fits)
    said = {name: voter.forecast(question, situation) for name, voter in NINE.items()}
    base = f"{100 * said['vol'].p:.1f} %"
    for name, forecast in said.items():
        assert f"{100 * forecast.p:.1f} %" in forecast.reasoning
        assert name == "vol" or forecast.reasoning.startswith(f"Base rate from volatility {base}.")
        assert not re.search(r"nan|inf|None|\{|\d{12}", forecast.reasoning)
        assert len(forecast.reasoning) < 400
    assert len({forecast.reasoning for forecast in said.values()}) == 9


def test_the_points_of_a_term_are_what_leaving_it_out_changes(asking, contexts, fits):
    """One input of momentum set to its neutral value takes away just the points that its reasoning names."""
    question = asking("up")
    pushed = {**contexts["btc"].inputs, "move_24h": 3.0, "move_72h": 0.0, "move_168h": 0.0}
    momentum = NINE["momentum"]

    def forecast(move: float):
        inputs = {**pushed, "move_24h": move}
        here = {**contexts, "btc": replace(contexts["btc"], inputs=inputs)}
        return momentum.forecast(question, situate(question, NOW, here, fits))

    points = 100 * (forecast(3.0).p - forecast(0.0).p)
    verb = "adds" if points > 0 else "takes"
    assert f"24-hour move +3.0 sigma {verb} {abs(points):.1f} points" in forecast(3.0).reasoning


def reason(voter, question, now, contexts, fits) -> str:
    with pytest.raises(Abstention) as caught:
        voter.forecast(question, situate(question, now, contexts, fits))
    return caught.value.reason


def test_before_the_first_fit_everyone_but_volatility_abstains(voter, asking, contexts):
    question = asking("up")
    if voter.name == "vol":
        assert voter.forecast(question, situate(question, NOW, contexts, None)).p == 0.5
    else:
        assert reason(voter, question, NOW, contexts, None) == "is not fitted yet"


def test_an_unfitted_voter_says_what_it_needs(hourly, asking, contexts):
    unfitted = training.fit(hourly, int(hourly["btc"].time[0]) + 12 * DAY)
    assert reason(NINE["trend"], asking("up"), NOW, contexts, unfitted) == "needs 60 days of hourly bars, 12 are stored"


def test_an_asset_with_too_short_a_history_is_left_to_volatility(asking, contexts, fits):
    young = replace(
        contexts["btc"], history_days=30.0, inputs=dict.fromkeys(contexts["btc"].inputs), as_of=contexts["btc"].as_of
    )
    here = {**contexts, "btc": young}
    said = "needs 50 days of hourly bars of btc, 30 are stored"
    assert reason(NINE["momentum"], asking("up"), NOW, here, fits) == said
    assert NINE["vol"].forecast(asking("up"), situate(asking("up"), NOW, here, fits)).p == 0.5


def test_an_input_that_is_unknown_is_named(asking, contexts, fits):
    alone = replace(contexts["btc"], inputs={**contexts["btc"].inputs, "leader_4h": None})
    assert reason(NINE["breadth"], asking("up"), NOW, {"btc": alone}, fits) == "leader_4h of btc is unknown"


def test_without_bars_or_with_stale_ones_nobody_speaks(voter, asking, contexts, fits):
    assert reason(voter, asking("up"), NOW, {}, fits) == "no bars of btc are stored"
    late = NOW + 31 * HOUR
    assert reason(voter, asking("up", hours=200), late, contexts, fits) == "the last bar of btc is 31 open hours old"


def test_two_assets_without_common_hours_cannot_be_compared(voter, asking, contexts, fits):
    apart = replace(contexts["btc"], correlations={"gold": None})
    question = asking("relative", other_asset="gold")
    assert reason(voter, question, NOW, {**contexts, "btc": apart}, fits) == "too few hours in which both assets traded"
