"""What a forecast needs: fresh bars, enough history, and a market that is open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.forecasting.voters.ballots import Abstention
from service.forecasting.voters.context import Knowledge, build_all
from service.forecasting.voters.embedded import voters
from service.forecasting.voters.forecast_inputs import build_inputs
from service.market.instants import HOUR, utc
from tests.forecasting.made import NOW

NINE = {voter.name: voter for voter in voters()}
SATURDAY = 1_745_625_600  # 2025-04-26T00:00:00Z


@pytest.fixture(params=NINE, scope="module")
def voter(request):
    return NINE[request.param]


def test_a_closed_market_keeps_its_price(voter, asking, hourly, fits):
    """Asked on a Saturday with a deadline on Sunday at noon; the direction is that of no price at all."""
    contexts = build_all(hourly, SATURDAY)
    closed = replace(
        asking("up", "gold", 36.0), deadline=utc(SATURDAY + 36 * HOUR), spot=contexts["gold"].spot, horizon_hours=36.0
    )
    inputs = build_inputs(closed, SATURDAY, Knowledge(contexts, fits))
    rise = voter.forecast(closed, inputs)
    assert (rise.p, rise.p_up) == (0.0, 0.5)
    inside = replace(closed, comparator="between", level=closed.spot * 0.99, upper_level=closed.spot * 1.01)
    assert voter.forecast(inside, inputs).p == 1.0
    assert "is closed until the deadline" in voter.forecast(inside, inputs).reasoning


def test_a_source_that_trades_while_its_market_is_closed_is_uncertain(voter, asking, hourly, fits):
    """A token of gold at the weekend: its price moves, and the question is settled by it."""
    contexts = build_all(hourly, SATURDAY)
    now, spot = SATURDAY + 2 * HOUR, contexts["gold"].spot
    contexts["gold"] = contexts["gold"].at_price(spot, now)
    until = utc(SATURDAY + 30 * HOUR)
    question = replace(asking("up", "gold", 28.0), deadline=until, spot=spot, horizon_hours=28.0)
    inputs = build_inputs(question, now, Knowledge(contexts, fits))
    assert voter.forecast(question, inputs).p == 0.5
    assert "is closed" not in voter.forecast(question, inputs).reasoning
    ranged = replace(question, comparator="range", level_pct=1.0)
    with pytest.raises(Abstention, match="the market of gold is closed until the deadline"):
        voter.forecast(ranged, build_inputs(ranged, now, Knowledge(contexts, fits)))


def reason(voter, question, now, contexts, fits) -> str:
    with pytest.raises(Abstention) as caught:
        voter.forecast(question, build_inputs(question, now, Knowledge(contexts, fits)))
    return caught.value.reason


def test_without_fresh_bars_every_voter_abstains(voter, asking, contexts, fits):
    assert reason(voter, asking("up"), NOW, {}, fits) == "no bars of btc are stored"
    late = NOW + 31 * HOUR
    assert reason(voter, asking("up", hours=200), late, contexts, fits) == "the last bar of btc is 31 open hours old"
    young = {**contexts, "btc": replace(contexts["btc"], history_days=13.0)}
    assert reason(voter, asking("up"), NOW, young, fits) == "needs 14 days of hourly bars of btc, 13 are stored"


def test_two_assets_without_common_hours_cannot_be_compared(voter, asking, contexts, fits):
    apart = replace(contexts["btc"], correlations={"gold": None})
    question = asking("relative", other_asset="gold")
    assert reason(voter, question, NOW, {**contexts, "btc": apart}, fits) == "too few hours in which both assets traded"
