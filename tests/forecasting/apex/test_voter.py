"""Apex as a voter: the log-odds of its call, applied to a question."""

from __future__ import annotations

import pytest

from service.forecasting.apex import voter
from service.forecasting.voters.forecast_inputs import build_inputs
from tests.forecasting.apex.made import call_of
from tests.forecasting.made import NOW


@pytest.mark.parametrize(("comparator", "p"), [("up", 0.6), ("down", 0.4)])
def test_on_a_direction_it_votes_its_call(asking, contexts, knowledge, comparator, p):
    """Volatility alone gives 50%, so the probability of a higher price is that of the call."""
    question = asking(comparator)
    call = call_of(NOW, 0.6, contexts["btc"].spot, oracles=0.6)
    ballot = voter.vote(question, build_inputs(question, NOW, knowledge), call)
    assert (ballot.voter, ballot.p) == ("apex", pytest.approx(p, abs=1e-6))
    assert ballot.forecast.p_up == pytest.approx(0.6, abs=1e-6)
    assert "layers) gives 60.0% to a higher price in a day" in ballot.forecast.reasoning
