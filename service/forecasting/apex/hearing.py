"""Asking everybody about an asset's next day: what the layers of a call are told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from service.forecasting import consensus
from service.forecasting.apex.layers import Inputs
from service.forecasting.context import Context
from service.forecasting.fits import Fits
from service.forecasting.next_day import up_in_a_day
from service.forecasting.oracle import Voter, poll
from service.forecasting.predictions import Odds, PredictionMarket
from service.forecasting.record import Record
from service.forecasting.votes import Ballot
from service.market.instants import DAY


def hear(
    asset: str,
    at: int,
    contexts: Mapping[str, Context],
    fits: Fits | None,
    record: Record,
    voters: Sequence[Voter],
    *,
    news: tuple[float, int],
    odds_p: float | None,
    swarm: float | None,
    timer: Callable[[], float],
) -> Inputs:
    """Everything that is said of `asset`, which has a context, at the unix second `at`.

    `news` is the score of the pulse and its n, `odds_p` what an outside market gives P(higher), `swarm` the net
    position of the strategies.
    """
    question = up_in_a_day(contexts[asset], at)
    said = dict(poll(question, at, contexts, fits, voters, timer=timer))
    spoken = [voter for voter in voters if isinstance(said[voter.name], Ballot)]
    weights = consensus.weigh([(voter.name, voter.engine) for voter in spoken], record.direction) if spoken else ()
    score, n = news
    return Inputs(
        asset=asset,
        at=at,
        seats={voter.name: said[voter.name].p for voter in spoken if voter.kind == "seat"},
        brains={voter.name: said[voter.name].p for voter in spoken if voter.kind == "brain"},
        context=contexts[asset],
        news_score=score if n else None,
        news_n=n,
        odds_p=odds_p,
        swarm=swarm,
        weights={voter.name: float(weight) for voter, weight in zip(spoken, weights, strict=True)},
    )


def odds_of_up(asset: str, at: int, priced: Iterable[tuple[PredictionMarket, Odds | None]]) -> float | None:
    """What the outside market gave a rise of `asset` when it last priced one, within the day before `at`.

    Of several priced at the same instant it is the one that is decided first.
    """
    found = [
        (odds.fetched_at, -market.deadline, odds.p_yes)
        for market, odds in priced
        if odds and _asks_for_a_rise(market, asset) and at - DAY <= odds.fetched_at <= at < market.deadline
    ]
    return max(found)[2] if found else None


def _asks_for_a_rise(market: PredictionMarket, asset: str) -> bool:
    question = market.question
    return question.asset == asset and question.comparator == "up" and not question.negated
