"""The votes on a challenge: the nine, the swarm as the tenth, and apex, which is no part of the pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from service.forecasting import consensus, swarm
from service.forecasting.apex import voter as apex
from service.forecasting.apex.call import Call
from service.forecasting.context import Context
from service.forecasting.fits import Fits
from service.forecasting.oracle import Polling, Voter
from service.forecasting.predictions import Commitment, PredictionMarket
from service.forecasting.predictions.votes import commit, frozen, thawed
from service.forecasting.record import Record
from service.forecasting.situation import situate
from service.forecasting.swarm import NetView


def commit_challenge(
    market: PredictionMarket,
    now: int,
    contexts: Mapping[str, Context],
    fits: Fits | None,
    voters: Sequence[Voter],
    record: Record,
    *,
    quorum: int,
    timer: Callable[[], float],
    net: NetView,
    call: Call,
    polling: Polling | None = None,
) -> Commitment:
    """Put a challenge to everybody and freeze what they say; `net` and `call` are of its asset.

    Raises NoVoters when fewer than `quorum` of the nine vote.
    """
    nine = commit(market, now, contexts, fits, voters, record, quorum=quorum, timer=timer, polling=polling)
    situation = situate(market.question, now, contexts, fits)
    ballots = [thawed(vote) for vote in nine.votes]
    ballots.append(swarm.vote(market.question, situation, net))
    pooled = consensus.pool(ballots, record.of(market.question.comparator))
    ten = [frozen(ballot, weight) for ballot, weight in zip(ballots, pooled.weights, strict=True)]
    return replace(nine, p=pooled.p, votes=(*ten, frozen(apex.vote(market.question, situation, call), 0.0)))
