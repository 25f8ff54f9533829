"""Prediction markets: the open and the settled ones, the votes and forecasts of callers, and the inputs of voters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from flask import Blueprint, Response, request
from pydantic import Field
from sqlalchemy import Connection

from service.api import entries, responses
from service.api.auth import Caller, KeyHolder
from service.api.entries import find_listed
from service.api.operations import operation
from service.api.pages import HistoryListing, PageQuery, WindowQuery, link, page
from service.api.responses import BodyBytes, document
from service.api.services import find, latest, services
from service.api.windows import charge_rows
from service.documents import DocumentHeader, adapter
from service.errors import ResourceNotFound, VotingClosed
from service.forecasting.predictions import MarketCategory, Prediction, documents
from service.forecasting.predictions.commitments import FeaturesDocument, FeaturesRow, features_json, row_json
from service.forecasting.predictions.documents import ListedPrediction, MarketDocument, PredictionsDocument
from service.forecasting.predictions.market_fields import markets_table
from service.forecasting.predictions.scores.betting import ShadowDocument
from service.forecasting.predictions.scores.versus import AiVsMarketDocument
from service.market.assets import LONGEST_CLOSURE_S, AssetCode
from service.market.instants import DAY, HOUR, iso, unix
from service.questions.kinds import Comparator
from service.store import bars, forecasts, knowledge, ledger, listings
from service.store import predictions as stored
from service.store.listings import MarketSelection, MarketStatus, Sort
from service.store.pages import ID, PageKey
from service.store.snapshots import Snapshot, prices_by_asset, read_prices

predictions = Blueprint("predictions", __name__, url_prefix="/api")

features = Blueprint("features", __name__, url_prefix="/api/v1/features")
MAX_AGE_S = 30
INPUTS = HistoryListing(
    "features",
    lambda db, window, asset: knowledge.vote_inputs_page(db, asset or None, *window),
    lambda row, _: PageKey(row.voted_at, row.hash),
)

ROWS_OF_MARKET = 100  # what a listed market costs, with its terms, votes, odds and opinions, in rows of another list
MOST_ROWS = 100  # of one market: votes, odds, resolution, score and corrections


class MarketsQuery(PageQuery):
    """Which markets, in which order."""

    status: MarketStatus = Field("open", description="`open` until the deadline, `resolved` yes or no, `void`, or all")
    asset: AssetCode | None = Field(None, description="markets of one asset alone")
    category: MarketCategory | None = Field(
        None, description="markets of one length alone, imported ones, or challenges; without it all but challenges"
    )
    comparator: Comparator | None = Field(None, description="markets of one kind of event alone, see `understood`")
    sort: Sort = Field(
        "deadline",
        description="`deadline`: open markets by the earliest, others by the latest; `created`: the newest first; "
        "`divergence`: the largest `divergence_pts` of either sign first, without those that have none",
    )


class FeaturesQuery(WindowQuery):
    """Which inputs."""

    asset: AssetCode | None = Field(None, description="inputs of questions about one asset alone")


@predictions.get("/v1/predictions")
@operation(
    tag="Predictions",
    key="required",
    limit="documents",
    returns=PredictionsDocument,
    alternatives=responses.described("market of the page"),
    is_cached=True,
)
def markets(query: MarketsQuery) -> Response:
    """The prediction markets, by default the open ones, with nine votes, outside odds and the votes of callers.

    Every market is voted on once, when it opens; `ai_votes` never change afterwards, and `commitment` is the row of
    the public ledger that holds them. `ai` is the voters' pool. `market_odds` are the prices of the outside market at
    the same instant, read after the votes: where `simulated` is true this service computed them, as `sources` says, and
    no trades take place at them. `divergence_pts` is 100 times `ai.p_yes` minus the market's, in points. `user_votes`
    counts callers, whose votes affect nothing else.

    `ai_now` and `odds_now` are the opinions of the last hour on an open market. They are never scored: only the votes
    of the opening are.

    A page has at most `limit` markets, 200 of the open ones without parameters; `next` is the `cursor` of the next
    page, also as a `Link` header. `score` and `bet` of resolved markets add up to `/api/predictions/ai-vs-market` and
    `/api/predictions/shadow`. With `Accept: text/csv` a page is a CSV file, with `Accept:
    application/vnd.apache.parquet` a Parquet file.

    `backfilled` marks markets opened at a past instant when this service first started, with what was known then;
    they are never counted together with live ones. `resolution.rule` says how a market will be settled. A 304 and the
    answer to a HEAD are free of charge.
    """
    return _listing("predictions", query, None)


@predictions.get("/v1/markets", endpoint="listing")
@operation(
    tag="Predictions",
    limit="telemetry",
    returns=PredictionsDocument,
    alternatives=responses.described("market of the page"),
    is_cached=True,
)
def public_markets(query: MarketsQuery) -> Response:
    """The same list without a key: open, resolved and void markets or challenges, with `ai_votes` left out.

    `category=challenge` lists challenges, which the other lists leave out. The parameters, pages and files are those of
    `/api/v1/predictions`; the votes of a market are in `/api/v1/predictions/{market_id}`.
    """
    return _listing("markets", query, MAX_AGE_S)


@predictions.get("/v1/predictions/<market_id>")
@operation(tag="Predictions", key="welcome", limit="telemetry", raises=(ResourceNotFound,))
def market(market_id: str, caller: Caller) -> MarketDocument:
    """One market or challenge, open or settled, with everything that is stored about it.

    Beside the fields of the list: the hourly series of both opinions, the bars that settled it, its rows of the public
    ledger and, with a key, the vote that counts for the caller and its last forecast. The votes are those of its
    opening, with their reasoning.
    """
    with services().database.reading() as db:
        market = find_listed(db, market_id)
        (row,) = show_all(db, [market], services().world_now)
        vote = listings.find_own_vote(db, market.id, caller.voter) if isinstance(caller, KeyHolder) else None
        forecast = forecasts.last_forecast(db, market.id, caller.id) if isinstance(caller, KeyHolder) else None
        series = listings.opinion_series(db, market.id)
        return MarketDocument(
            **vars(row),
            ai_series=tuple(map(documents.show_ai, series["ai"])),
            odds_series=tuple(map(documents.show_odds, series["odds"])),
            bars=tuple(_evidence(db, market)),
            ledger=tuple(ledger.entries(db, 1, MOST_ROWS, subject=market.id)),
            my_vote=vote and documents.MarketVote("yes" if vote.is_yes else "no", iso(vote.voted_at)),
            my_forecast=forecast and documents.OwnForecast(forecast.p, iso(forecast.at), forecast.seq, forecast.salt),
        )


@predictions.post("/v1/predictions/<market_id>/vote")
@operation(tag="Predictions", key="welcome", limit="votes", raises=(ResourceNotFound, VotingClosed))
def vote(market_id: str, body: entries.UserVote, caller: Caller) -> entries.Voted:
    """Vote yes or no on a prediction market or a challenge.

    One vote per network address (of IPv6 its /48), per paid key, or per end user of a delegating key, so a person with
    many free keys has one; a later vote replaces it until the market's `closes_at`. It is counted in `user_votes` of
    the list within a minute or so and never reaches the voters, their pool or any score.
    """
    with services().database.writing() as db:
        return entries.cast(db, find_listed(db, market_id), body.vote, caller, services().world_now)


@predictions.post("/v1/predictions/<market_id>/forecast")
@operation(tag="Predictions", key="required", limit="votes", raises=(ResourceNotFound, VotingClosed))
def forecast(market_id: str, body: entries.NewForecast, caller: Caller) -> entries.RecordedForecast:
    """Enter the tournament: give P(YES) of a market by its `id`; of a challenge it is kept, but does not count.

    You may give another forecast until `closes_at`; every one is kept, and a row of the ledger commits to it with a
    salted hash. Nobody else sees it before the market is settled; then a `reveal` row shows its value and salt, and
    `python -m service.ledger verify` compares it with the hash. The ledger knows you by a random id. PATCH /api/v1/me
    sets the name under which /api/v1/forecasters lists your scores; without one you are not listed. It shares the limit
    of votes and does not count against the daily quota.
    """
    with services().database.writing() as db:
        return entries.record(db, market_id, body.p_yes, caller, services().world_now)


@predictions.post("/v1/forecasts")
@operation(tag="Predictions", key="required", limit="forecast lists")
def forecast_all(body: entries.ForecastList, caller: Caller) -> entries.ForecastResults:
    """Forecast up to 200 markets at once: as POST /api/v1/predictions/{market_id}/forecast, with a result for each.

    All are recorded in one transaction. A forecast that is refused, because its market is closed or unknown, leaves the
    others as they are; `results` says why. A list counts as one call of six an hour, however long it is, and not
    against the daily quota.
    """
    with services().database.writing() as db:
        results = tuple(entries.record_all(db, body.forecasts, caller, services().world_now))
    return entries.ForecastResults(sum(result.recorded is not None for result in results), results)


@predictions.get("/predictions/shadow")
@operation(tag="Predictions", limit="telemetry", returns=ShadowDocument, is_cached=True)
def shadow() -> Response:
    """The profit of betting 100 USD on every disagreement with the outside market. No bet was placed.

    A bet is on the side of the voters' pool wherever the pool and the market differed by more than `threshold_pts`
    points when both were recorded, bought at the market's ask (NO: 1 minus its bid), with the stated `fee`. It is
    decided when the market resolves, and a void one returns its stake. `books` separate what was committed live from
    what was `backfilled`. `roi_pct` is the result in percent of the stake of the `n` decided bets, with a 95%
    interval; `breakeven_pct` is the share of them that had to be won at the prices paid. Odds marked `simulated` are
    of no market: no trades take place at them, and `sources` says how this service made them. They leave nothing to
    earn beyond the fees in expectation, and a profit against them shows nothing about a real market. `pnl_usd` of a
    book is the sum of `bet.pnl_usd` over `/api/v1/markets?status=resolved`.
    """
    return document(latest("shadow"), max_age=MAX_AGE_S)


@predictions.get("/predictions/ai-vs-market")
@operation(tag="Predictions", limit="telemetry", returns=AiVsMarketDocument, is_cached=True)
def ai_vs_market() -> Response:
    """The voters' pool compared with the outside market, on the same resolved markets at the same instant.

    `brier` is the mean squared error of a probability (0 is perfect, 0.25 the score of a constant 50%), `log_score`
    the mean of -ln of the probability given to the outcome, limited to [0.01, 0.99]; of both a lower one is better.
    `accuracy_pct` is how often the likelier side came true, with a 95% interval. `difference` is the pool's Brier score
    minus the market's, one number per market, so below 0 the voters were better; `p_value` is that of a permutation
    test. `verdict` says "not enough resolved markets" under 30, and `needed` is the number it takes to see a gap as
    large as this one.

    `books` separate what was committed live from what was `backfilled`; they are never pooled. `count` is how many
    markets there are: `/api/v1/markets?status=resolved` has each with its `score`, which the means are of. Odds marked
    `simulated` were made by this service; `sources` says how. In the simulated world they come from the law by which
    prices are drawn and should win: being better or worse than they are says nothing about a real market.
    """
    return document(latest("ai-vs-market"), max_age=MAX_AGE_S)


@lru_cache(maxsize=2)
def _list_header(snapshot: Snapshot) -> tuple[DocumentHeader, str | None]:
    """The header of a stored list and the cursor of its next page, which are read once."""
    return adapter(DocumentHeader).validate_json(snapshot.body), json.loads(snapshot.body).get("next")


def _listing(name: Literal["predictions", "markets"], query: MarketsQuery, max_age: int | None) -> Response:
    """The markets that a query asks for: the stored list of this name, a page, or a page as a file.

    A page is as of the stored list, so that it changes as seldom.
    """
    media, snapshot = responses.wanted(), latest(name)
    header, following = _list_header(snapshot)
    if not request.query_string and media is None:
        link(following)
        return document(snapshot, max_age=max_age)
    now, with_votes = unix(header.timestamp), name == "predictions" and media is None
    selection = MarketSelection(query.status, query.asset, query.category, query.comparator, query.sort)
    with services().database.reading() as db:
        markets, following = listings.market_page(
            db, selection, now, query.limit, cursor=query.cursor, with_votes=with_votes
        )
        rows = show_all(db, markets, now, with_votes=with_votes)
    charge_rows(len(rows) * ROWS_OF_MARKET)
    link(following)
    if media:
        return responses.file(markets_table(rows, header.world), media, max_age)
    return page(documents.predictions_document(rows, header, following), max_age)


def show_all(
    db: Connection, markets: Sequence[Prediction], now: int, *, with_votes: bool = True
) -> list[ListedPrediction]:
    """The markets or challenges as they are published at the world second `now`."""
    ids = [market.id for market in markets]
    snapshot = find("prices")
    return documents.list_all(
        markets,
        tallies=listings.vote_tallies(db, ids),
        prices=prices_by_asset(read_prices(snapshot) if snapshot else None),
        opinions=listings.latest_opinions(db, [market.id for market in markets if market.settlement is None]),
        now=now,
        probabilities=None if with_votes else stored.vote_probabilities(db, ids),
        answers_topics=services().panel.answers_topics,
    )


def _evidence(db: Connection, market: Prediction) -> list[documents.EvidenceBars]:
    """The hourly bars that settled a market, of each of its assets."""
    settlement = market.settlement
    if settlement is None or market.resolver != "bars":
        return []
    since = market.created_at - LONGEST_CLOSURE_S
    return [
        documents.evidence_bars(market, asset, bars.load_bars(db, asset, since, settlement.resolved_at, HOUR))
        for asset in market.question.assets
    ]


@features.get("", endpoint="page")
@operation(tag="Predictions", limit="telemetry", returns=FeaturesDocument, is_cached=True)
def votes_inputs(query: FeaturesQuery) -> Response:
    """The inputs of the voters at every committed vote, the oldest first, page by page.

    A row holds what the embedded engines read of a question's assets, once for all markets and challenges that were
    voted on from it; `features` of a market or challenge, and of its `votes` row in the ledger, is the `hash` of its
    row. `hash` is the SHA-256 of the canonical JSON of `inputs`, which is sent as that very text, so anybody can check
    that the votes were made from these inputs: `python -m service.ledger verify --features` does. `voted_at` is the
    instant of the first of those votes. `voters` names what each voter reads of a context, and the inputs that the
    calendar gives: they depend on the horizon of the question alone.
    """
    rows, next = INPUTS.page(query, query.asset or "")
    return document(BodyBytes(features_json(rows, world=services().clock.world, next=next)), max_age=MAX_AGE_S)


@features.get("/<hash>")
@operation(tag="Predictions", limit="telemetry", returns=FeaturesRow, is_cached=True, raises=(ResourceNotFound,))
def entry(hash: str) -> Response:
    """The inputs of one vote, by the hash that the ledger holds as `features`."""
    with services().database.reading() as db:
        row = knowledge.find_vote_inputs(db, hash) if ID.fullmatch(hash) else None
    if row is None:
        raise ResourceNotFound("No inputs of votes on a market or a challenge have this hash.")
    return document(BodyBytes(row_json(row)), max_age=DAY, is_final=True)
