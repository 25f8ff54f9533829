"""Apex as a voter of challenges: its lean of a day, applied to every kind of question."""

from __future__ import annotations

from math import log

from service.forecasting.apex.call import Call
from service.forecasting.apex.layers import ENGINE
from service.forecasting.apex.swarm import lean
from service.forecasting.predictions import APEX
from service.forecasting.voters.ballots import Ballot
from service.forecasting.voters.forecast_inputs import ForecastInputs
from service.questions.question import Question


def vote(question: Question, inputs: ForecastInputs, call: Call) -> Ballot:
    """The ballot of apex: plain volatility with the fused log-odds of `call`, a call of the question's asset."""
    voting = sum(layer.silent is None for layer in call.layers)
    because = f"Apex ({voting} of {len(call.layers)} layers) gives {100 * call.p_up:.1f}% to a higher price in a day"
    return Ballot(APEX, ENGINE, lean(question, inputs, log(call.p_up / (1 - call.p_up)), because))
