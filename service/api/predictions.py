"""Prediction markets: the open ones, the votes of callers, and the scores of settled ones."""

from __future__ import annotations

import re

from flask import Blueprint, Response

from service.api.auth import Caller
from service.api.encoding import document
from service.api.operations import operation
from service.api.services import services
from service.api.snapshots import latest
from service.api.voting import UserVote, Voted, cast
from service.errors import ResourceNotFound, VotingClosed
from service.forecasting.predictions.documents import PredictionsDocument
from service.forecasting.predictions.scores.betting import ShadowDocument
from service.forecasting.predictions.scores.versus import AiVsMarketDocument
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
)
def markets() -> Response:
    """The open prediction markets, with the votes of nine voters, outside odds and the votes of callers.

    Every market is voted on once, when it opens; `ai_votes` never change afterwards, and `commitment` is the row of
    the public ledger that holds them. `ai` is the voters' pool. `market_odds` are the prices of the outside market at
    the same instant, read after the votes: where `simulated` is true this service computed them, as `sources` says, and
    no trades take place at them. `divergence_pts` is 100 times `ai.p_yes` minus the market's, in points. `user_votes`
    counts callers, whose votes affect nothing else.

    `backfilled` marks markets opened at a past instant when this service first started, with what was known then;
    they are never counted together with live ones. `resolution.rule` says how a market will be settled. An answer of
    304 counts like any other.
    """
    return document(latest("predictions"), max_age=None)


@predictions.post("/v1/predictions/<market_id>/vote")
@operation(
    tag="Predictions",
    key="welcome",
    limit="votes",
    raises=(ResourceNotFound, VotingClosed),
)
def vote(market_id: str, body: UserVote, caller: Caller) -> Voted:
    """Vote yes or no on a prediction market.

    One vote per key, per end user of a delegating key, or per address without a key; a later vote replaces it until
    the market's `closes_at`. It is counted in `user_votes` of the list within a minute or so and never reaches the
    voters, their pool or any score.
    """
    web = services()
    now = web.clock.at(web.now())
    with web.database.writing() as db:
        market = stored.find_market(db, market_id) if ID.fullmatch(market_id) else None
        if market is None:
            raise ResourceNotFound("There is no such market; /api/v1/predictions lists the open ones.")
        return cast(db, market, body.vote, caller, now)


@predictions.get("/predictions/shadow")
@operation(tag="Predictions", limit="telemetry", returns=ShadowDocument, cached=True)
def shadow() -> Response:
    """The profit of betting 100 USD on every disagreement with the outside market. No bet was placed.

    A bet is on the side of the voters' pool wherever the pool and the market differed by more than `threshold_pts`
    points when both were recorded, bought at the market's ask (NO: 1 minus its bid), with the stated `fee`. It is
    decided when the market resolves, and a void one returns its stake. `books` separate what was committed live from
    what was `backfilled`. `roi_pct` is the result in percent of the stake of the `n` decided bets, with a 95%
    interval; `breakeven_pct` is the share of them that had to be won at the prices paid. Odds marked `simulated` are
    of no market: no trades take place at them, and `sources` says how this service made them. They leave nothing to
    earn beyond the fees in expectation, and a profit against them shows nothing about a real market.
    """
    return document(latest("shadow"), max_age=MAX_AGE_S)


@predictions.get("/predictions/ai-vs-market")
@operation(tag="Predictions", limit="telemetry", returns=AiVsMarketDocument, cached=True)
def ai_vs_market() -> Response:
    """The voters' pool compared with the outside market, on the same resolved markets at the same instant.

    `brier` is the mean squared error of a probability (0 is perfect, 0.25 the score of a constant 50%), `log_score`
    the mean of -ln of the probability given to the outcome; of both a lower one is better. `accuracy_pct` is how often
    the likelier side came true, with a 95% interval. `difference` is the pool's Brier score minus the market's, one
    number per market, so below 0 the voters were better; `p_value` is that of a permutation test. `verdict` says "not
    enough resolved markets" under 30, and `needed` is the number it takes to see a gap as large as this one.

    `books` separate what was committed live from what was `backfilled`; they are never pooled. `markets` are the
    latest 2,000, `count` is how many there are. Odds marked `simulated` were made by this service; `sources` says how.
    In the simulated world they come from the law by which prices are drawn and should win: being better or worse than
    they are says nothing about a real market.
    """
    return document(latest("ai-vs-market"), max_age=MAX_AGE_S)
