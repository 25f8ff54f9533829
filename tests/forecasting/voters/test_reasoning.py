"""The sentences of a forecast: true, readable, and different for each voter."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from service.forecasting.densities.views import BASES, VIEWS
from service.forecasting.voters.forecast_inputs import build_inputs
from service.forecasting.voters.knowledge import Knowledge
from service.forecasting.voters.panel import voters
from tests.forecasting.made import EVERY_KIND, NOW

NINE = {voter.name: voter for voter in voters()}


@pytest.mark.parametrize(("comparator", "fields"), EVERY_KIND)
def test_reasoning_is_true_readable_and_the_voters_own(asking, knowledge, comparator, fields):
    """The percentages are those of the forecast, and no two seats give the same text."""
    question = asking(comparator, **fields)
    inputs = build_inputs(question, NOW, knowledge)
    forecasts = {name: voter.forecast(question, inputs) for name, voter in NINE.items()}
    for name, forecast in forecasts.items():
        assert f"Forecast: {100 * forecast.p:.1f}%." in forecast.reasoning
        view = r"From .*, one sigma until the deadline is \d+\.\d%.* \(plain volatility \d+\.\d%\), which alone implies"
        assert name == "vol" or re.match(rf"{view} \d+\.\d%\. ", forecast.reasoning)
        assert not re.search(r"nan|inf|None|\{|\d{12}", forecast.reasoning)
        assert len(forecast.reasoning) < 400
    seats = [name for name, voter in NINE.items() if voter.kind == "seat"]
    assert len({forecasts[name].reasoning for name in seats}) == 6


def test_each_voter_says_what_its_volatility_comes_from(asking, knowledge):
    """No two of them look at the same; without fitted views it is plain volatility."""
    question = asking("close_above", at=1.03)
    fitted = build_inputs(question, NOW, knowledge)
    assert list(BASES) == list(VIEWS) == list(NINE)
    assert len(set(BASES.values())) == 9
    for name, voter in NINE.items():
        assert BASES[name] in voter.forecast(question, fitted).reasoning
    plain = replace(fitted, fits=replace(fitted.fits, densities={}))
    assert NINE["momentum"].forecast(question, plain).reasoning.startswith("From plain volatility, one sigma until")


def test_the_points_of_a_term_are_its_effect(asking, contexts, fits):
    """Setting one input of momentum to its neutral value removes the percentage points that its reasoning names."""
    question = asking("up")
    pushed = {**contexts["btc"].inputs, "move_24h": 3.0, "move_72h": 0.0, "move_168h": 0.0}
    momentum = NINE["momentum"]

    def forecast(move: float):
        here = {**contexts, "btc": replace(contexts["btc"], inputs={**pushed, "move_24h": move})}
        return momentum.forecast(question, build_inputs(question, NOW, Knowledge(here, fits)))

    points = 100 * (forecast(3.0).p - forecast(0.0).p)
    assert f"24-hour move of +3.0 sigma: {points:+.1f} pp" in forecast(3.0).reasoning
