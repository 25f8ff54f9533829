"""The votes on a challenge: the nine, the swarm as the tenth, and apex, which is not in the pool."""

from __future__ import annotations

from dataclasses import replace

from service.forecasting.apex import swarm
from service.forecasting.apex import voter as apex
from service.forecasting.apex.call import Call
from service.forecasting.apex.swarm import NetView
from service.forecasting.predictions import Commitment, CommittedVote, Prediction
from service.forecasting.predictions.commitments import commitment_of
from service.forecasting.voters import consensus
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.forecast_inputs import build_inputs
from service.forecasting.voters.panel import Panel


def commit_challenge(
    market: Prediction, now: int, knowledge: Knowledge, panel: Panel, *, net: NetView, call: Call
) -> Commitment:
    """Put a challenge to the panel, the swarm and apex and commit their votes; `net` and `call` are of its asset.

    On a topic the swarm and apex do not vote, because no price decides it. Raises NoVoters when fewer of the nine vote
    than the quorum.
    """
    question = market.question
    nine = commitment_of(panel.ask(question, now, knowledge), knowledge)
    if question.comparator == "topic":
        return nine
    inputs = build_inputs(question, now, knowledge)
    ballots = [*(vote.ballot for vote in nine.votes), swarm.vote(question, inputs, net)]
    pooled = consensus.pool(ballots, knowledge.record.of(question))
    ten = (CommittedVote(ballot, weight) for ballot, weight in zip(ballots, pooled.weights, strict=True))
    return replace(
        nine, p=pooled.p, p_up=pooled.p_up, votes=(*ten, CommittedVote(apex.vote(question, inputs, call), 0.0))
    )
