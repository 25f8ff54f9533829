"""What a forecast needs: fresh bars, enough history, and a market that is not decided."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.forecasting.voters import training
from service.forecasting.voters.ballots import Abstention
from service.forecasting.voters.context import build_all
from service.forecasting.voters.distribution import NORMAL_BASE, ViewBase
from service.forecasting.voters.forecast_inputs import base_of, build_inputs
from service.forecasting.voters.knowledge import Knowledge
from service.forecasting.voters.panel import voters
from service.market.instants import DAY, HOUR, utc
from tests.forecasting.made import NOW

NINE = {voter.name: voter for voter in voters()}


@pytest.fixture(params=NINE, scope="module")
def voter(request):
    return NINE[request.param]


def test_a_closed_market_keeps_its_price(voter, asking, hourly, fits):
    """Asked on a Saturday with a deadline on Sunday at noon."""
    saturday = 1_745_625_600  # 2025-04-26T00:00:00Z
    contexts = build_all(hourly, saturday)
    closed = replace(
        asking("up", "gold", 36.0), deadline=utc(saturday + 36 * HOUR), spot=contexts["gold"].spot, horizon_hours=36.0
    )
    inputs = build_inputs(closed, saturday, Knowledge(contexts, fits))
    assert voter.forecast(closed, inputs).p == pytest.approx(0.001)
    inside = replace(closed, comparator="between", level=closed.spot * 0.99, upper_level=closed.spot * 1.01)
    assert voter.forecast(inside, inputs).p == 0.999
    assert "is closed until the deadline" in voter.forecast(inside, inputs).reasoning


def test_a_source_that_trades_while_its_market_is_closed_is_uncertain(voter, asking, hourly, fits):
    """A token of gold at the weekend: its price moves, and the question is settled by it."""
    saturday = 1_745_625_600  # 2025-04-26T00:00:00Z
    contexts = build_all(hourly, saturday)
    now, spot = saturday + 2 * HOUR, contexts["gold"].spot
    contexts["gold"] = contexts["gold"].at_price(spot, now)
    until = utc(saturday + 30 * HOUR)
    question = replace(asking("up", "gold", 28.0), deadline=until, spot=spot, horizon_hours=28.0)
    inputs = build_inputs(question, now, Knowledge(contexts, fits))
    assert voter.forecast(question, inputs).p == pytest.approx(0.5, abs=0.1)
    assert "is closed" not in voter.forecast(question, inputs).reasoning
    ranged = replace(question, comparator="range", level_pct=1.0)
    with pytest.raises(Abstention, match="the market of gold is closed until the deadline"):
        voter.forecast(ranged, build_inputs(ranged, now, Knowledge(contexts, fits)))


def test_before_the_views_are_fitted_the_base_is_normal(asking, contexts, fits):
    """Fits of the version before hold no views; a closed market has no density either."""
    (state,) = build_inputs(asking("up"), NOW, Knowledge(contexts, fits)).states
    assert isinstance(base_of("vol", state, fits), ViewBase)
    for fallback in (None, replace(fits, densities={})):
        assert base_of("vol", state, fallback) is NORMAL_BASE
    assert base_of("vol", replace(state, until=state.now), fits) is NORMAL_BASE


def reason(voter, question, now, contexts, fits) -> str:
    with pytest.raises(Abstention) as caught:
        voter.forecast(question, build_inputs(question, now, Knowledge(contexts, fits)))
    return caught.value.reason


def test_before_the_first_fit_everyone_but_volatility_abstains(voter, asking, contexts):
    question = asking("up")
    if voter.name == "vol":
        assert voter.forecast(question, build_inputs(question, NOW, Knowledge(contexts))).p == 0.5
    else:
        assert reason(voter, question, NOW, contexts, None) == "is not fitted yet"


def test_an_unfitted_voter_publishes_what_it_needs(hourly, asking, contexts):
    unfitted = training.fit(hourly, int(hourly["btc"].time[0]) + 12 * DAY)
    assert reason(NINE["trend"], asking("up"), NOW, contexts, unfitted) == "needs 60 days of hourly bars, 12 are stored"


def test_an_asset_with_too_short_a_history_is_left_to_volatility(asking, contexts, fits):
    young = replace(
        contexts["btc"], history_days=30.0, inputs=dict.fromkeys(contexts["btc"].inputs), as_of=contexts["btc"].as_of
    )
    here = {**contexts, "btc": young}
    expected = "needs 50 days of hourly bars of btc, 30 are stored"
    assert reason(NINE["momentum"], asking("up"), NOW, here, fits) == expected
    assert NINE["vol"].forecast(asking("up"), build_inputs(asking("up"), NOW, Knowledge(here, fits))).p == 0.5


def test_a_missing_input_is_named(asking, contexts, fits):
    alone = replace(contexts["btc"], inputs={**contexts["btc"].inputs, "leader_4h": None})
    assert (
        reason(NINE["breadth"], asking("up"), NOW, {"btc": alone}, fits)
        == "the input leader_4h of btc is not available"
    )


def test_without_fresh_bars_every_voter_abstains(voter, asking, contexts, fits):
    assert reason(voter, asking("up"), NOW, {}, fits) == "no bars of btc are stored"
    late = NOW + 31 * HOUR
    assert reason(voter, asking("up", hours=200), late, contexts, fits) == "the last bar of btc is 31 open hours old"


def test_two_assets_without_common_hours_cannot_be_compared(voter, asking, contexts, fits):
    apart = replace(contexts["btc"], correlations={"gold": None})
    question = asking("relative", other_asset="gold")
    assert reason(voter, question, NOW, {**contexts, "btc": apart}, fits) == "too few hours in which both assets traded"
