"""Prediction markets: what is open, what callers think of it, and how the voters did on what is over."""

from __future__ import annotations

import re

from flask import Blueprint, Response

from service.api import examples
from service.api.auth import Caller
from service.api.encoding import document
from service.api.operations import operation
from service.api.services import services
from service.api.snapshots import latest
from service.api.voting import VOTED, Opinion, Voted, cast
from service.errors import NotFound, VotingClosed
from service.forecasting.predictions.documents import PredictionsDocument
from service.forecasting.scores.betting import ShadowDocument
from service.forecasting.scores.versus import AiVsMarketDocument
from service.store import predictions as stored

predictions = Blueprint("predictions", __name__, url_prefix="/api")

MAX_AGE_S = 30
ID = re.compile("[!-~]{1,96}")  # PostgreSQL takes no NUL in a text


@predictions.get("/v1/predictions")
@operation(
    tag="Predictions",
    key="required",
    limit="daily",
    returns=PredictionsDocument,
    cached=True,
    example=examples.PREDICTIONS,
)
def markets() -> Response:
    """The open prediction markets, each with what nine voters, an outside market and the users say of it.

    Every market is voted on once, when it opens; `ai_votes` never change afterwards, and `commitment` is the row of
    the public ledger that holds them. `ai` is the voters' pool, `market_odds` what the outside market gave at the
    same instant, after the votes: where `simulated` is true this service made those odds itself, from volatility
    and noise, and nobody traded at them. `divergence_pts` is 100 times `ai.p_yes` less the market's, in points.
    `user_votes` counts callers, whose votes move nothing else.

    `backfilled` marks what was opened on a past instant when this service began, with what was known then; it is
    never counted together with what was committed live. `resolution.rule` says how a market will be settled. An
    answer of 304 counts like any other.
    """
    return document(latest("predictions"), max_age=None)


@predictions.post("/v1/predictions/<market_id>/vote")
@operation(
    tag="Predictions",
    key="welcome",
    limit="votes",
    raises=(NotFound, VotingClosed),
    example=VOTED,
)
def vote(market_id: str, body: Opinion, caller: Caller) -> Voted:
    """Say yes or no to a prediction market.

    One vote per key, per end user of a delegating key, or per address without a key; a later one takes its place,
    until the market's `closes_at`. It is counted in `user_votes` of the list within a minute or so and never
    reaches the voters, their pool or any score.
    """
    known = services()
    now = known.clock.at(known.now())
    with known.database.writing() as db:
        found = stored.find(db, market_id) if ID.fullmatch(market_id) else None
        if found is None or found.number is not None:
            raise NotFound("There is no such market; /api/v1/predictions lists those that are open.")
        return cast(db, found, body, caller, now)


@predictions.get("/predictions/shadow")
@operation(tag="Predictions", limit="telemetry", returns=ShadowDocument, cached=True, example=examples.SHADOW)
def shadow() -> Response:
    """What betting 100 USD on every disagreement with the outside market would have made. No bet was placed.

    A bet is on the side of the voters' pool wherever the pool and the market differed by more than `threshold_pts`
    points when both were recorded, bought at the market's ask (NO: 1 less its bid), with the `fee` that is stated.
    It is marked when the market resolves, and a void one returns its stake. `books` keep apart what was committed live
    and what was `backfilled`. `roi_pct` is the result in percent of what was staked on the `n` bets that were decided,
    with a 95 % interval; `breakeven_pct` is the share of them that had to be won at the prices paid. Odds marked
    `simulated` were made by this service: a profit against them shows nothing about a real market.
    """
    return document(latest("shadow"), max_age=MAX_AGE_S)


@predictions.get("/predictions/ai-vs-market")
@operation(tag="Predictions", limit="telemetry", returns=AiVsMarketDocument, cached=True, example=examples.AI_VS_MARKET)
def ai_vs_market() -> Response:
    """The voters' pool against the outside market, on the same resolved markets at the same instant.

    `brier` is the mean squared error of a probability (0 is perfect, 0.25 what always saying 50 % gives), `log_score`
    the mean of -ln of what was given to what happened; of both the lower one is better. `accuracy_pct` is how often
    the likelier side came true, with a 95 % interval. `difference` is the pool's Brier less the market's, one number
    per market, so below 0 the voters were better; `p_value` is what chance alone gives. `verdict` says "not enough
    resolved markets" under 30, and `needed` how many it takes to see a gap as large as this one.

    `books` keep apart what was committed live and what was `backfilled`; they are never pooled. `markets` are the
    latest 2,000, `count` says how many there are. Odds marked `simulated` were made by this service from volatility
    and noise: being better than them says nothing about a real market.
    """
    return document(latest("ai-vs-market"), max_age=MAX_AGE_S)
