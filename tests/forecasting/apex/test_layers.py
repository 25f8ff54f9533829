"""The vote of each of the eight layers, by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from service.forecasting.apex.layers import (
    LAYERS,
    LayerInputs,
    NetView,
    brains,
    breadth,
    in_sample,
    market,
    news,
    odds_of_up,
    oracles,
    poll_layers,
    regime,
    swarm,
    volatility,
)
from service.forecasting.predictions import Prediction
from service.forecasting.voters.ballots import EMBEDDED, Abstention
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.inputs import INPUTS
from service.forecasting.voters.panel import VOL, VOTERS
from service.forecasting.voters.price_forecasts import up_in_a_day
from service.forecasting.voters.track_record import BandRecord, Standing, TrackRecord
from service.market.instants import DAY, HOUR
from tests.forecasting.made import NOW, Scripted, context, inputs_of, panel_of
from tests.forecasting.markets import waiting

SATURDAY = 1_735_948_800  # 2025-01-04T00:00:00Z
FEW_BARS = context(**dict.fromkeys(INPUTS))  # of less than fifty days
RECORD = TrackRecord(NOW, {"day": BandRecord((Standing("garch", EMBEDDED, 200, 20, 1.8),))})


def test_oracles_pool_the_seats_by_their_weights_in_the_consensus():
    """Voters without a view are no layer: even odds would only dilute what other layers see."""
    seats = {"momentum": 0.8, "trend": 0.5}
    with_weights, plain = (inputs_of(seats=seats, weights=weights) for weights in ({"momentum": 2.0, "trend": 1.0}, {}))
    assert oracles(with_weights).p == pytest.approx((2 * 0.8 + 0.5) / 3)
    assert oracles(plain).p == pytest.approx((0.8 + 0.5) / 2)
    assert oracles(plain).reasoning == "2 seats: momentum 80.0%, trend 50.0%."
    assert brains(inputs_of(brains={"vol": 0.5, "sv": 0.8}, seats={"trend": 0.1})).p == pytest.approx((0.5 + 0.8) / 2)
    assert brains(inputs_of(brains={"vol": 0.6})).reasoning == "1 brain: vol 60.0%."


def test_volatility_puts_down_slightly_above_up():
    """The log of a price without drift falls by half its variance: sigma = .5% sqrt 24 = 2.449%, Phi(-1.225%).

    Down by a sigma: Phi(-.98775) = .1616 at the close, and e^.0245 Phi(-1.01225) = .1596 more on the way.
    """
    forecast = volatility(inputs_of())
    assert forecast.p == pytest.approx(NormalDist().cdf(-0.005 * 24**0.5 / 2), abs=5e-5)
    assert forecast.reasoning == (
        "One sigma over 24 hours is 2.4%. Probability of such a move up: 15.6% at the close, 31.3% at any time; "
        "down: 16.2% and 32.1%."
    )
    friday = volatility(inputs_of(asset="gold", at=SATURDAY - 12 * HOUR, context=context("gold")))
    assert 0.49 < friday.p < 0.5, "although the market closes within the day"


def test_breadth_fades_a_common_move_a_little():
    """-.08 x 2 - .07 x .25 = -.1775; beyond three sigmas nothing is added."""
    forecast = breadth(inputs_of(context=context(peers_24h=2.0, peers_rising=0.25)))
    assert forecast.p == pytest.approx(expit(-0.1775))
    assert forecast.reasoning == "Other coins' 24-hour move of +2.0 sigma; 75% of the other coins up over 7 days."
    assert breadth(inputs_of(context=context(peers_24h=9.0))).p == breadth(inputs_of(context=context(peers_24h=3.0))).p


def test_a_volatile_move_reverses_and_a_calm_one_continues():
    """-.2 x ln 1.5 x 2 = -.16219."""
    volatile = regime(inputs_of(context=context(vol_ratio_180d=float(np.log(1.5)), move_24h=2.0)))
    assert volatile.p == pytest.approx(expit(-0.162186), abs=1e-6)
    assert volatile.reasoning.endswith("the 24-hour move of +2.0 sigma is expected to reverse.")
    assert volatile.reasoning.startswith("Volatility is 1.50 times its 180-day level")
    continuation = regime(inputs_of(context=context(vol_ratio_180d=-0.4, move_24h=2.0)))
    assert continuation.p > 0.5
    assert continuation.reasoning.endswith("continue.")


@pytest.mark.parametrize("layer", [breadth, regime])
@pytest.mark.parametrize("name", ["peers_24h", "move_24h"])
def test_no_price_moves_a_layer_by_twenty_points(layer, name):
    for value in (-50.0, 50.0):
        forecast = layer(inputs_of(context=context(**{name: value, "vol_ratio_180d": 4.0, "peers_rising": 0.5})))
        assert 0.3 < forecast.p < 0.7


def test_news_and_the_swarm_lean_by_their_score():
    """The swarm leans by its net position."""
    forecast = news(inputs_of(news_score=0.5, news_n=12))
    assert forecast.p == pytest.approx(expit(0.2))
    assert forecast.reasoning == "News score +0.50 over 12 stories."
    forecast = swarm(inputs_of(swarm=NetView(2, 7, 1)))
    assert forecast.p == pytest.approx(expit(-0.1))
    assert forecast.reasoning == "Net position of the 10 strategies: -0.50 (-1 is all short, 1 all long)."


@pytest.mark.parametrize(
    ("layer", "fields", "reason"),
    [
        (oracles, {"seats": {}}, "No seat voted."),
        (brains, {"brains": {}}, "No brain voted."),
        (brains, {}, "All brains say 50%."),
        (volatility, {"asset": "gold", "at": SATURDAY}, "The market of gold is closed for the next 24 hours."),
        (breadth, {"asset": "silver"}, "Not applicable to metals."),
        (breadth, {"context": FEW_BARS}, "Too little price history of btc and the other coins."),
        (regime, {"context": FEW_BARS}, "Too little price history of btc and the other coins."),
        (news, {}, "No headlines."),
        (market, {}, "No outside market prices a rise of btc."),
        (swarm, {}, "The strategies' positions in btc are not available."),
    ],
)
def test_a_layer_without_input_is_silent_with_a_reason(layer, fields, reason):
    with pytest.raises(Abstention) as silence:
        layer(inputs_of(**fields))
    assert str(silence.value) == reason


@pytest.mark.parametrize(
    ("at", "overlaps"),
    [
        *(("2024-01-31T00:00:00Z", False), ("2024-01-31T00:00:01Z", True)),
        *(("2025-04-30T23:59:59Z", True), ("2025-05-01T00:00:00Z", False)),
    ],
)
def test_a_fitted_layer_is_in_sample_on_its_own_months(at, overlaps):
    """February 2024 to April 2025; a call before them is in-sample once its day reaches into them."""
    instant = int(datetime.fromisoformat(at).timestamp())
    assert [name for name in LAYERS if in_sample(name, instant)] == (["breadth", "regime"] if overlaps else [])


@pytest.fixture
def layer_inputs(contexts, fits):
    """Polls the layers' inputs for bitcoin at NOW."""

    def poll(*, members=None, at: int = NOW, **fields) -> LayerInputs:
        outside = {"news": (0.3, 4), "odds_p": 0.55, "swarm": NetView(4, 6, 0)} | fields
        return poll_layers("btc", at, Knowledge(contexts, fits, RECORD), panel_of(members), **outside)

    return poll


def test_seats_and_brains_vote_as_on_the_oracle(layer_inputs, contexts, fits):
    """With the weights of the record of a day; outside inputs are passed on, a score only with stories."""
    result = panel_of().ask(up_in_a_day("btc", contexts["btc"].spot, NOW), NOW, Knowledge(contexts, fits, RECORD))
    inputs = layer_inputs()
    assert list(inputs.brains) == ["vol", "garch", "sv"]
    assert list(inputs.seats) == ["momentum", "reversion", "breadth", "regime", "trend", "news"]
    assert {**inputs.seats, **inputs.brains} == {ballot.voter: ballot.p for ballot in result.ballots}
    assert inputs.weights == {voter.name: 1.8 if voter.name == "garch" else 1.0 for voter in VOTERS}
    assert (inputs.news_score, inputs.news_n, inputs.odds_p, inputs.swarm) == (0.3, 4, 0.55, NetView(4, 6, 0))
    assert layer_inputs(news=(0.0, 0)).news_n == 0


def test_an_abstention_is_left_out(layer_inputs, contexts):
    """As when the last bar is older than a day and a half of trading: then there are no votes."""
    inputs = layer_inputs(members=[Scripted("trend", Abstention("nothing to say")), VOL])
    assert (inputs.seats, list(inputs.brains), list(inputs.weights)) == ({}, ["vol"], ["vol"])
    inputs = layer_inputs(at=NOW + 2 * DAY)
    assert (inputs.seats, inputs.brains, inputs.weights, inputs.context) == ({}, {}, {}, contexts["btc"])


def priced(id: str = "one", p: float = 0.6, *, age_h: float = 0, ends_h: float = 24, **fields) -> Prediction:
    """A market of bitcoin's rise that was priced so many hours before NOW and ends so many hours after it."""
    opening = int(NOW - age_h * HOUR)
    return waiting(id, opened=opening, hours=ends_h + age_h, odds=(None, p, None), **fields)


@pytest.mark.parametrize(
    "other",
    [
        *(priced(age_h=25), priced(age_h=-1), priced(ends_h=0), priced(asset="eth")),
        *(priced(comparator="down"), priced(comparator="close_above"), replace(priced(), odds=None)),
        replace(priced(), question=replace(priced().question, negated=True)),
    ],
    ids=["older than a day", "of the future", "decided", "another asset", "a fall", "a level", "unpriced", "negated"],
)
def test_no_other_price_counts(other):
    assert odds_of_up("btc", NOW, [other]) is None
    assert odds_of_up("btc", NOW, [other, priced(p=0.52, age_h=23.9)]) == 0.52


@given(st.permutations([priced(f"m{n}", 0.3 + n / 50, age_h=n % 3, ends_h=10 + n) for n in range(6)]))
def test_the_newest_price_of_a_rise_is_taken(markets):
    """Of two priced at the same instant that with the earlier deadline; the order of the markets changes nothing."""
    assert odds_of_up("btc", NOW, markets) == 0.3
    assert market(inputs_of(odds_p=0.3)).p == 0.3
