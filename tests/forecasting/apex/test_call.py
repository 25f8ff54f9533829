"""Eight layers fused into one call."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.apex import Call, fuse
from service.forecasting.apex.layers import LAYERS
from service.forecasting.voters.consensus import combine, weigh
from service.forecasting.voters.track_record import ClassRecord, PoolCalibration
from tests.forecasting.apex.made import BRAINS, SEATS, inputs_of, proven

NOTHING = ClassRecord()


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
    assert set(silent) == {"news", "market", "swarm"}
    assert silent["news"] == "No headlines."
    assert all((layer.p is None) == (layer.weight == 0) == (layer.silent is not None) for layer in call.layers)


def test_a_call_by_hand():
    """Even layers but oracles at .8 and the market, at half weight, at .9, all new: (ln 4 + ln 9 / 2 - .0245) / 6.5.

    Volatility alone is at Phi(-.0122) = .49511, log-odds -.01954.
    """
    call = fuse(inputs_of(seats={"trend": 0.8}, odds_p=0.9, swarm=0.0), NOTHING)
    odds = (math.log(4) + 0.5 * math.log(9) - 0.01954) / 6.5
    assert call.p_up == pytest.approx(1 / (1 + math.exp(-odds)), abs=1e-5)
    assert call.agreement == pytest.approx(1.5 / 6.5)
    assert call.confidence == pytest.approx((2 * call.p_up - 1) * 1.5 / 6.5)


def test_the_rule_is_that_of_the_pool():
    """With the record's weights and calibration; the outside market is silent."""
    record = ClassRecord(
        calibration=PoolCalibration(n=90, n_eff=40, stretch=1.2),
        standings=proven(60, oracles=-0.045, news=0.02).standings,
    )
    call = fuse(inputs_of(seats={"trend": 0.8}, swarm=0.4, news_score=-0.3, news_n=4), record)
    spoken = [layer for layer in call.layers if layer.silent is None]
    weights = weigh([(layer.name, "apex/1") for layer in spoken], record)
    assert [layer.weight for layer in spoken] == weights.tolist()
    assert call.p_up == combine(np.array([layer.p for layer in spoken]), weights, record.calibration)
    assert votes_of(call)["oracles"][1] == weights.max() > votes_of(call)["news"][1]


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
    spoken = [min(0.99, max(0.01, layer.p)) for layer in call.layers if layer.p is not None]
    assert min(spoken) - 1e-9 <= call.p_up <= max(spoken) + 1e-9
    assert 0 <= call.confidence <= call.agreement <= 1


@pytest.mark.parametrize("agreeing", [7, 9])
def test_the_special_mode_needs_all_three_conditions(agreeing: int):
    """Seven of nine voters, fifteen points from even, and thirty resolved calls of every layer."""
    voices = strong(agreeing=agreeing) | {"odds_p": 0.99, "news_score": 1.0, "news_n": 9, "swarm": 1.0}
    call = fuse(inputs_of(**voices), proven(30))
    assert call.p_up > 0.65
    assert call.conditions == {
        "seven_of_nine_agree": True,
        "fifteen_points_from_even": True,
        "every_layer_proven": True,
    }
    assert call.special


@pytest.mark.parametrize(
    ("change", "record", "fails"),
    [
        (strong(0.99, agreeing=6) | {"odds_p": 0.99}, proven(30), "seven_of_nine_agree"),
        (strong(0.6) | {"odds_p": 0.6, "news_score": 0.0, "swarm": 0.0}, proven(30), "fifteen_points_from_even"),
        ({}, proven(29), "every_layer_proven"),
        ({}, ClassRecord(standings=proven(30).standings[:-1]), "every_layer_proven"),
        ({}, ClassRecord(standings=proven(30, engine="apex/0").standings), "every_layer_proven"),
    ],
)
def test_the_special_mode_is_off_where_a_condition_fails(change, record, fails):
    voices = strong(0.95, agreeing=9) | {"odds_p": 0.99, "news_score": 1.0, "news_n": 9, "swarm": 1.0} | change
    call = fuse(inputs_of(**voices), record)
    assert not call.conditions[fails]
    assert not call.special


def test_seven_neutral_voters_do_not_agree():
    """Less than three points from even a voter has no side."""
    call = fuse(inputs_of(**strong(0.529), odds_p=0.529), proven())
    assert call.p_up > 0.5
    assert not call.conditions["seven_of_nine_agree"]


def test_a_call_survives_json_without_loss():
    call = fuse(inputs_of(odds_p=0.6, swarm=0.1), proven(), backfilled=True)
    assert call.backfilled
    assert Call.from_plain(json.loads(json.dumps(call.to_plain(), allow_nan=False))) == call
