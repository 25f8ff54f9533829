"""Polling everything that bears on an asset's next day: the inputs of a call's layers."""

from __future__ import annotations

from collections.abc import Iterable

from service.forecasting.apex.layers import LayerInputs
from service.forecasting.predictions import Prediction
from service.forecasting.voters.ballots import Ballot
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.next_day import up_in_a_day
from service.forecasting.voters.panel import Panel
from service.market.instants import DAY


def poll_layers(
    asset: str,
    at: int,
    knowledge: Knowledge,
    panel: Panel,
    *,
    news: tuple[float, int],
    odds_p: float | None,
    swarm: float | None,
) -> LayerInputs:
    """The inputs of every layer for `asset`, which has a context, at the unix second `at`.

    `news` is the score of the pulse and its n, `odds_p` the outside market's P(higher), `swarm` the net position of
    the strategies.
    """
    context = knowledge.contexts[asset]
    question = up_in_a_day(asset, context.spot, at)
    replies, record = panel.poll(question, at, knowledge), knowledge.record.of(question)
    ballots = {reply[0]: reply[1] for reply in replies if reply is not None and isinstance(reply[1], Ballot)}
    voting = [voter for voter in panel.voters if voter.name in ballots]
    score, n = news
    return LayerInputs(
        asset=asset,
        at=at,
        seats={voter.name: ballots[voter.name].p for voter in voting if voter.kind == "seat"},
        brains={voter.name: ballots[voter.name].p for voter in voting if voter.kind == "brain"},
        context=context,
        news_score=score if n else None,
        news_n=n,
        odds_p=odds_p,
        swarm=swarm,
        weights={voter.name: record.weight_of(voter.name, voter.engine) for voter in voting},
    )


def odds_of_up(asset: str, at: int, markets: Iterable[Prediction]) -> float | None:
    """The last outside odds of a rise of `asset`, at most a day old at the unix second `at`; None without any.

    Of several priced at the same instant it is the one with the earliest deadline.
    """
    quotes = [
        (market.odds.fetched_at, -market.deadline, market.odds.p_yes)
        for market in markets
        if market.odds
        and _asks_for_a_rise(market, asset)
        and at - DAY <= market.odds.fetched_at <= at < market.deadline
    ]
    return max(quotes)[2] if quotes else None


def _asks_for_a_rise(market: Prediction, asset: str) -> bool:
    question = market.question
    return question.asset == asset and question.comparator == "up" and not question.negated
