"""Eight layers fused into one call."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.apex.call import FIXED, Call, Thresholds, fuse, thresholds_of
from service.forecasting.apex.layers import LAYERS
from service.forecasting.voters.track_record import BandRecord
from tests.forecasting.apex.made import BRAINS, FITTED_TIME, SEATS, call_of, inputs_of, proven
from tests.forecasting.made import NOW

NOTHING = BandRecord()
SILENT = ("news", "market", "swarm")


def votes_of(call: Call) -> dict[str, tuple[float | None, float]]:
    return {layer.name: (layer.p, layer.weight) for layer in call.layers}


def strong(p: float = 0.9, agreeing: int = 9) -> dict:
    """`agreeing` of the nine at `p`, the rest at even odds; the market far on the same side."""
    votes = dict.fromkeys((*SEATS, *BRAINS), 0.5) | dict.fromkeys((*SEATS, *BRAINS)[:agreeing], p)
    return {"seats": {name: votes[name] for name in SEATS}, "brains": {name: votes[name] for name in BRAINS}}


def test_a_call_lists_all_layers_silent_ones_with_reasons():
    call = fuse(inputs_of(), NOTHING)
    assert [layer.name for layer in call.layers] == list(LAYERS)
    silent = {layer.name: layer.silent for layer in call.layers if layer.silent}
    assert set(silent) == {"oracles", "brains", "news", "market", "swarm"}
    assert silent["news"] == "No headlines."
    assert all((layer.p is None) == (layer.weight == 0) == (layer.silent is not None) for layer in call.layers)


def test_a_call_by_hand():
    """Three even layers, oracles at .8, the market, at half weight, at .9, volatility at Phi(-.0122) = .49511."""
    call = fuse(inputs_of(seats={"trend": 0.8}, odds_p=0.9, swarm=0.0), NOTHING)
    assert call.p_up == pytest.approx((3 * 0.5 + 0.8 + 0.9 / 2 + 0.49511) / 5.5, abs=1e-5)
    assert call.agreement == pytest.approx(1.5 / 5.5)
    assert call.confidence == pytest.approx((2 * call.p_up - 1) * 1.5 / 5.5)


def test_a_call_is_the_mean_by_the_weights_of_the_record():
    """The outside market is silent."""
    record = proven(60, oracles=1.6, news=0.8)
    call = fuse(inputs_of(seats={"trend": 0.8}, swarm=0.4, news_score=-0.3, news_n=4), record)
    spoken = {name: vote for name, vote in votes_of(call).items() if vote[0] is not None}
    assert {name: weight for name, (_, weight) in spoken.items()} == dict.fromkeys(spoken, 1.0) | {
        "oracles": 1.6,
        "news": 0.8,
    }
    p, weights = zip(*spoken.values(), strict=True)
    assert call.p_up == pytest.approx(np.average(p, weights=weights))


@pytest.mark.parametrize(("n", "trusted"), [(0, 0.5), (30, 0.5), (50, 0.5), (150, 0.75), (950, 0.95)])
def test_the_weight_of_the_outside_market_grows(n: int, trusted: float):
    """It is n / (n + 50) of a full weight, at least one half."""
    call = fuse(inputs_of(odds_p=0.6), proven(n))
    assert votes_of(call)["market"][1] == pytest.approx(trusted)
    assert {weight for name, (_, weight) in votes_of(call).items() if weight and name != "market"} == {1.0}


def test_without_votes_a_call_is_even():
    call = fuse(inputs_of(seats={}, brains={}, asset="gold", at=1_735_948_800), NOTHING)
    assert all(layer.silent for layer in call.layers if layer.name != "regime")
    assert call.p_up == 0.5
    assert call.confidence == 0


@given(
    st.lists(st.floats(0.0, 1.0), min_size=6, max_size=6),
    st.one_of(st.none(), st.floats(0, 1)),
    st.one_of(st.none(), st.floats(-1, 1)),
    st.floats(-1, 1),
)
def test_a_call_lies_between_its_layers_and_confidence_in_0_1(seats, odds, swarm, mood):
    call = fuse(
        inputs_of(seats=dict(zip(SEATS, seats, strict=True)), odds_p=odds, swarm=swarm, news_score=mood, news_n=3),
        NOTHING,
    )
    spoken = [layer.p for layer in call.layers if layer.p is not None]
    assert min(spoken) - 1e-9 <= call.p_up <= max(spoken) + 1e-9
    assert 0 <= call.confidence <= call.agreement <= 1


LOUD = strong(0.95) | {"odds_p": 0.99, "news_score": 1.0, "news_n": 9, "swarm": 1.0}


def test_the_special_mode_needs_all_three_conditions():
    """More than .15 from even, three quarters of the weight on one side, and thirty resolved calls of every layer."""
    call = fuse(inputs_of(**LOUD), proven(30), replace(FIXED, agreement=0.5))
    assert call.p_up > 0.65
    assert call.conditions == {
        "distance_exceeds_threshold": True,
        "agreement_reaches_threshold": True,
        "every_voting_layer_has_30_calls": True,
    }
    assert call.special


@pytest.mark.parametrize(
    ("thresholds", "record", "fails"),
    [
        (Thresholds(distance=0.45, agreement=0.0), proven(30), "distance_exceeds_threshold"),
        (Thresholds(distance=0.1, agreement=1.0), proven(30), "agreement_reaches_threshold"),
        (Thresholds(agreement=0.0), proven(29), "every_voting_layer_has_30_calls"),
        (
            Thresholds(agreement=0.0),
            BandRecord(proven(30).standings[:-1]),
            "every_voting_layer_has_30_calls",
        ),
        (Thresholds(agreement=0.0), proven(30, engine="apex/0"), "every_voting_layer_has_30_calls"),
    ],
)
def test_the_special_mode_is_off_where_a_condition_fails(thresholds, record, fails):
    call = fuse(inputs_of(**LOUD), record, thresholds)
    assert [name for name, holds in call.conditions.items() if not holds] == [fails]
    assert not call.special


def test_a_silent_layer_needs_no_calls():
    """News, market and swarm are silent, so their missing calls do not matter."""
    spoken = BandRecord(tuple(each for each in proven(30).standings if each.voter not in SILENT))
    assert fuse(inputs_of(), spoken).conditions["every_voting_layer_has_30_calls"]


def test_thresholds_are_quantiles_of_earlier_calls():
    """Of 101 calls .000 to .100 from even 95% are at most .095; of agreements 0 to 1 half are at most .5."""
    past = [replace(call_of(NOW, 0.5 + (-1) ** at * at / 1000), agreement=at / 100) for at in range(101)]
    thresholds = thresholds_of(past)
    assert (thresholds.distance, thresholds.agreement) == pytest.approx((0.095, 0.5))
    assert (thresholds.past_calls, thresholds.fixed) == (101, False)


def test_with_fewer_than_sixty_calls_thresholds_are_fixed():
    assert thresholds_of([call_of(NOW, 0.5)] * 59) == Thresholds(0.15, 0.75, 59, fixed=True)
    assert thresholds_of([call_of(NOW, 0.5)] * 60) == Thresholds(0.0, 1.0, 60, fixed=False)


def test_the_special_mode_is_rare_and_reachable():
    """Of 400 calls near even, as real ones are, each against those before it: 1% to 8% are special."""
    dice, past, special = np.random.default_rng(7), [], 0
    for _ in range(400):
        p = float(0.5 + dice.normal(0, 0.01))
        voices = {"seats": dict.fromkeys(SEATS, p), "brains": dict.fromkeys(BRAINS, p), "swarm": dice.uniform(-1, 1)}
        past.append(fuse(inputs_of(**voices, odds_p=float(dice.uniform(0.4, 0.6))), proven(30), thresholds_of(past)))
    special = [call.special for call in past[60:]]
    assert 0.01 <= np.mean(special) <= 0.08


def test_an_in_sample_layer_is_shown_and_has_no_weight():
    """January 2025 is in the months on which `breadth` and `regime` were fitted."""
    inside, outside = (fuse(inputs_of(at=at, odds_p=0.7), NOTHING) for at in (FITTED_TIME, NOW))
    for name in ("breadth", "regime"):
        assert votes_of(inside)[name][0] == votes_of(outside)[name][0] is not None
        assert (votes_of(inside)[name][1], votes_of(outside)[name][1]) == (0, 1)
    assert votes_of(inside)["market"] == votes_of(outside)["market"]
    assert inside.p_up > outside.p_up, "two even layers fewer"


def test_a_call_survives_json_without_loss():
    call = fuse(inputs_of(odds_p=0.6, swarm=0.1), proven(), backfilled=True)
    assert call.backfilled
    assert Call.from_plain(json.loads(json.dumps(call.to_plain(), allow_nan=False))) == call
