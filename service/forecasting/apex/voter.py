"""Apex as a voter of challenges: its lean of a day, carried over to every kind of question."""

from __future__ import annotations

from math import log

from service.forecasting.apex.call import Call
from service.forecasting.apex.layers import ENGINE
from service.forecasting.lean import lean
from service.forecasting.questions.question import Question
from service.forecasting.situation import Situation
from service.forecasting.votes import Ballot

VOTER = "apex"


def vote(question: Question, situation: Situation, call: Call) -> Ballot:
    """The ballot of apex: plain volatility leaning by the fused log-odds of `call`, a call of the question's asset."""
    spoken = sum(layer.silent is None for layer in call.layers)
    because = f"Apex, {spoken} of {len(call.layers)} layers, gives {100 * call.p_up:.1f} % to a higher price in a day."
    forecast = lean(question, situation, log(call.p_up / (1 - call.p_up)), because)
    return Ballot(VOTER, ENGINE, forecast.p, forecast.reasoning, latency_ms=0.0)
