"""The swarm's vote: the net position of the strategies as a small lean."""

from __future__ import annotations

from math import log

import pytest

from service.forecasting.apex.swarm import ENGINE, NetView, vote
from service.forecasting.voters.forecast_inputs import build_inputs
from tests.forecasting.made import NOW


@pytest.mark.parametrize(
    ("counts", "net"), [((54, 0, 0), 1), ((0, 54, 0), -1), ((0, 0, 54), 0), ((30, 10, 14), 20 / 54), ((0, 0, 0), 0)]
)
def test_the_net_position_is_long_less_short_over_all(counts, net):
    assert NetView(*counts).net == pytest.approx(net)


@pytest.mark.parametrize("counts", [(54, 0, 0), (0, 54, 0), (30, 10, 14), (0, 0, 54)])
def test_all_long_is_a_lean_of_a_fifth_in_log_odds(asking, knowledge, counts):
    """On the direction, volatility alone gives 50%, so the log-odds are the lean itself."""
    question, net = asking("up"), NetView(*counts)
    ballot = vote(question, build_inputs(question, NOW, knowledge), net)
    assert (ballot.voter, ballot.engine) == ("swarm", ENGINE)
    assert log(ballot.p / (1 - ballot.p)) == pytest.approx(0.2 * net.net, abs=1e-9)


def test_the_reason_counts_the_strategies_and_adds_up(asking, knowledge):
    """A lean of 0.2 x 20 / 54 in log-odds moves 50% to 51.9%."""
    question = asking("up")
    reason = vote(question, build_inputs(question, NOW, knowledge), NetView(30, 10, 14)).forecast.reasoning
    assert reason.startswith("Volatility alone implies 50.0%. Of 54 strategies 30 are long btc, 10 short and 14 flat")
    assert reason.endswith(" (net +0.37): +1.9 pp. Forecast: 51.9%.")
