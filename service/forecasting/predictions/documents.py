"""Publishes prediction markets and challenges; numbers are rounded only here, when they are published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.documents import Document, DocumentHeader, World, rounded
from service.forecasting.predictions import APEX, Commitment, CommittedVote, Holder, Odds, Opinion, Prediction
from service.forecasting.predictions.market_fields import (
    Ai,
    AiNow,
    AiVote,
    ListedPrediction,
    MarketBet,
    MarketCommitment,
    MarketContext,
    MarketOdds,
    OddsNow,
    Ruling,
    Status,
    UserVotes,
)
from service.forecasting.predictions.scores.bets import BetSide, bet_on, terms
from service.forecasting.predictions.scores.versus import scores_of
from service.forecasting.predictions.simulated_odds import SOURCE as SIMULATED
from service.forecasting.voters.ballots import published_p
from service.forecasting.voters.votes import bull_probability, direction_of, in_words, margin_of, understood
from service.ledger.chain import ChainEntry
from service.market.bars import Bars
from service.market.instants import HOUR, iso
from service.market.prices import AssetPrice
from service.questions.question import Question


@dataclass(frozen=True)
class PredictionsDocument(Document):
    """A page of prediction markets; `count` is the number on it, `next` the cursor of the next page, null on the last.

    Without parameters it is the open markets, the earliest deadline first. Without a key `ai_votes` are empty.
    """

    count: int
    next: str | None
    markets: tuple[ListedPrediction, ...]


@dataclass(frozen=True)
class ChallengesDocument:
    """The open challenges at the instant `timestamp`."""

    schema: str
    timestamp: str
    world: World
    count: int
    challenges: tuple[ListedPrediction, ...]


def predictions_document(
    listed: Sequence[ListedPrediction], header: DocumentHeader, next: str | None = None
) -> PredictionsDocument:
    return PredictionsDocument("predictions/1", **vars(header), count=len(listed), next=next, markets=tuple(listed))


def list_all(
    markets: Sequence[Prediction],
    *,
    tallies: Mapping[str, tuple[int, int]],
    prices: Mapping[str, AssetPrice],
    opinions: Mapping[str, Mapping[Holder, Opinion]],
    now: int,
    probabilities: Mapping[str, Sequence[float]] | None = None,
    answers_topics: bool = False,
) -> list[ListedPrediction]:
    """The markets and challenges as they are published at the world second `now`.

    `tallies` are the numbers of callers that voted yes and no, by market, `prices` the current ones, by asset, and
    `opinions` the last ones of the pool and of the outside market, by market. Where the votes were not read,
    `probabilities` has those of each market. Without `answers_topics`, the language models for it, no votes come on a
    challenge that no price decides.
    """
    rows: list[ListedPrediction] = []
    for market, score in zip(markets, scores_of(markets), strict=True):
        assert market.category != "answer"  # an answer is published by the oracle
        question, is_event = market.question, market.question.comparator != "open"
        commitment, status = market.commitment if is_event else None, _status(market, now)
        views = {} if market.settlement else opinions.get(market.id, {})
        ai, odds, bet, price = views.get("ai"), views.get("odds"), bet_on(market), prices.get(question.asset)
        votes, at = commitment.votes if commitment else (), iso(market.voted_at)
        shown = {cast.voter: _show_vote(question, cast, at) for cast in votes}
        apex = shown.pop(APEX, None)
        p = (probabilities or {}).get(market.id) or [cast.p for cast in votes if cast.voter != APEX]
        row, is_votable = market.ledger_position, market.resolver == "bars" or answers_topics
        rows.append(
            ListedPrediction(
                id=market.id,
                question=question.text,
                asset=question.asset,
                category=market.category,
                status=status,
                created_at=iso(market.created_at),
                deadline=iso(market.deadline),
                closes_at=iso(market.closes_at),
                understood=understood(question),
                ai_votes=shown,
                abstained=dict(commitment.abstained) if commitment else {},
                ai=commitment and _show_pool(question, commitment, p),
                user_votes=user_votes(*tallies.get(market.id, (0, 0))),
                market_odds=_show_odds(market.odds) if market.odds and is_event else None,
                divergence_pts=market.divergence_pts,
                context=_show_price(market, price, now) if price and not market.settlement else None,
                resolution=_show_ruling(market),
                commitment=row and MarketCommitment(**vars(row), salt=market.salt),
                features=commitment.features if commitment else None,
                backfilled=market.backfilled,
                ai_now=ai and show_ai(ai),
                odds_now=odds and show_odds(odds),
                score=score,
                bet=bet and MarketBet(**terms(bet)),
                number=market.number,
                apex=apex,
                votes_pending=market.commitment is None and status == "open" and is_votable,
            )
        )
    return rows


def show_ai(opinion: Opinion) -> AiNow:
    return AiNow(round(opinion.p, 3), iso(opinion.at))


def show_odds(opinion: Opinion) -> OddsNow:
    return OddsNow(round(opinion.p, 4), rounded(opinion.bid, 4), rounded(opinion.ask, 4), iso(opinion.at))


def user_votes(yes: int, no: int) -> UserVotes:
    total = yes + no
    return UserVotes(yes, no, total, round(100 * yes / total, 1) if total else None)


def _status(market: Prediction, now: int) -> Status:
    if market.settlement is None:
        return "open" if now < market.closes_at else "closed"
    return "void" if market.outcome == "void" else "resolved"


def _show_vote(question: Question, cast: CommittedVote, voted_at: str) -> AiVote:
    """A vote as the oracle publishes it, without what it cost; a page has 1,800 of them."""
    forecast = cast.forecast
    bull, p = bull_probability(question, forecast.p, forecast.p_up), published_p(forecast.p)
    return AiVote(
        direction_of(bull),
        margin_of(100 * p),
        p,
        forecast.reasoning,
        cast.engine,
        round(cast.weight, 3),
        forecast.fallback,
        forecast.prompt,
        voted_at,
    )


def _show_pool(question: Question, commitment: Commitment, probabilities: Sequence[float]) -> Ai:
    """The pool; votes are counted after rounding, so that a reader gets the same counts."""
    votes, p = [round(probability, 3) for probability in probabilities], published_p(commitment.p)
    bull = bull_probability(question, commitment.p, commitment.p_up)
    return Ai(
        p_yes=p,
        answer=in_words(p, None),
        yes=sum(vote > 0.5 for vote in votes),
        no=sum(vote < 0.5 for vote in votes),
        direction=direction_of(bull),
        bull_probability=bull,
    )


def _show_odds(odds: Odds) -> MarketOdds:
    fields: dict[str, Any] = {name: rounded(getattr(odds, name), 4) for name in ("p_yes", "bid", "ask")}
    fields |= {"volume_usd": rounded(odds.volume_usd, 2), "fetched_at": iso(odds.fetched_at)}
    return MarketOdds(**vars(odds) | fields, simulated=odds.source == SIMULATED)


def _show_price(market: Prediction, price: AssetPrice, now: int) -> MarketContext:
    """The price and its distance to the question's level; for `up` and `down` the level is the starting price."""
    question = market.question
    level = question.kind.level(question)
    is_range = question.upper_level is not None
    return MarketContext(
        price=price.price,
        change_24h_pct=price.change_24h_pct,
        distance_pct=None if level is None or is_range else round(100 * (level / price.price - 1), 4),
        hours_left=round(max(0, market.deadline - now) / HOUR, 2),
        as_of=price.as_of,
    )


def _show_ruling(market: Prediction) -> Ruling:
    settlement = market.settlement
    if settlement is None:
        return Ruling(market.rule, market.resolver, None, None, None)
    return Ruling(market.rule, settlement.source, settlement.outcome, iso(settlement.resolved_at), settlement.evidence)


@dataclass(frozen=True)
class EvidenceBar:
    """A bar: its beginning and its prices in USD."""

    time: str
    open: float
    high: float
    low: float
    close: float


@dataclass(frozen=True)
class EvidenceBars:
    """The bars of an asset, each `step_s` seconds long, from the one that ends at the opening to the settlement."""

    asset: str
    step_s: int
    bars: tuple[EvidenceBar, ...]


@dataclass(frozen=True)
class MarketVote:
    """The vote of the caller as it counts now."""

    vote: BetSide
    voted_at: str


@dataclass(frozen=True)
class OwnForecast:
    """The caller's last forecast; row `seq` of the ledger commits to it with `salt`."""

    p_yes: float
    forecast_at: str
    seq: int
    salt: str


@dataclass(frozen=True)
class MarketDocument(ListedPrediction):
    """A market with everything that is stored about it.

    `ai_series` and `odds_series` have an entry for each hour while the market was open; they are kept for 30 days after
    its settlement. `bars` are empty before the settlement and where another market decides. `my_vote` and
    `my_forecast` are null without a key, or without a vote or a forecast.
    """

    ai_series: tuple[AiNow, ...]
    odds_series: tuple[OddsNow, ...]
    bars: tuple[EvidenceBars, ...]
    ledger: tuple[ChainEntry, ...]
    my_vote: MarketVote | None
    my_forecast: OwnForecast | None


def evidence_bars(market: Prediction, asset: str, bars: Bars) -> EvidenceBars:
    """The bars of an asset that settled a market; `bars` begin some days before its opening."""
    before = bars.until(market.created_at)
    shown = bars.since(int(before.time[-1]) if len(before) else market.created_at).until(market.deadline + 1)
    rows = (EvidenceBar(iso(int(time)), *prices) for time, *prices, _ in shown.rows())
    return EvidenceBars(asset, bars.step, tuple(rows))
