"""Publishes prediction markets and challenges.

Numbers are rounded only here, when they are published.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from service.documents import Document, DocumentHeader, World, rounded
from service.forecasting.predictions import APEX, CommittedVote, Holder, Odds, Opinion, Prediction
from service.forecasting.predictions.market_fields import (
    Ai,
    AiNow,
    AiVote,
    ListedChallenge,
    ListedMarket,
    ListedPrediction,
    MarketBet,
    MarketContext,
    MarketOdds,
    OddsNow,
    Ruling,
    Status,
    UserVotes,
)
from service.forecasting.predictions.scores.bets import Bet, bet_on, publish
from service.forecasting.predictions.scores.pairs import score_of
from service.forecasting.predictions.simulated_odds import SOURCE as SIMULATED
from service.forecasting.voters.votes import bull_probability, direction_of, margin_of, understood
from service.market.instants import HOUR, iso
from service.market.prices import AssetPrice
from service.questions.question import Question


@dataclass(frozen=True)
class PredictionsDocument(Document):
    """A page of prediction markets; `count` is the number on it, `next` the cursor of the next page, null on the last.

    Without parameters it is the open markets, the earliest deadline first.
    """

    count: int
    next: str | None
    markets: tuple[ListedMarket, ...]


@dataclass(frozen=True)
class ChallengesDocument:
    """The open challenges at the instant `timestamp`."""

    schema: str
    timestamp: str
    world: World
    count: int
    challenges: tuple[ListedChallenge, ...]


def predictions_document(
    listed: Sequence[ListedMarket], header: DocumentHeader, next: str | None = None
) -> PredictionsDocument:
    """The document of these markets, in their order; `next` is the cursor of the next page."""
    markets = tuple(listed)
    return PredictionsDocument("predictions/1", **vars(header), count=len(markets), next=next, markets=markets)


def challenges_document(listed: Sequence[ListedChallenge], *, now: int, world: World) -> ChallengesDocument:
    """The document of the challenges that are open at the unix second `now`, in their order."""
    return ChallengesDocument("challenges/1", iso(now), world, len(listed), tuple(listed))


def list_all(
    markets: Iterable[Prediction],
    *,
    tallies: Mapping[str, tuple[int, int]],
    prices: Mapping[str, AssetPrice],
    opinions: Mapping[str, Mapping[Holder, Opinion]],
    now: int,
) -> list[ListedMarket]:
    """The markets as `list_market` publishes them; prices are by asset, tallies and last opinions by market."""
    nothing: Mapping[Holder, Opinion] = {}
    return [
        list_market(
            market,
            tally=tallies.get(market.id, (0, 0)),
            price=prices.get(market.question.asset),
            now=now,
            ai_now=opinions.get(market.id, nothing).get("ai"),
            odds_now=opinions.get(market.id, nothing).get("odds"),
        )
        for market in markets
    ]


def list_market(
    market: Prediction,
    *,
    tally: tuple[int, int],
    price: AssetPrice | None,
    now: int,
    ai_now: Opinion | None = None,
    odds_now: Opinion | None = None,
) -> ListedMarket:
    """A market as it is published at the world second `now`.

    `tally` is the number of callers that voted yes and no. `price` is the current price of its asset, None if unknown.
    `ai_now` and `odds_now` are the last opinions of the pool and of the outside market.
    """
    is_open, bet = market.settlement is None, bet_on(market)
    return ListedMarket(
        **vars(_listed(market, tally, price, now)),
        ai_now=show_ai(ai_now) if ai_now and is_open else None,
        odds_now=show_odds(odds_now) if odds_now and is_open else None,
        score=score_of(market),
        bet=_show_bet(bet) if bet else None,
    )


def show_ai(opinion: Opinion) -> AiNow:
    """An opinion of the pool as it is published."""
    return AiNow(round(opinion.p, 3), iso(opinion.at))


def show_odds(opinion: Opinion) -> OddsNow:
    """An opinion of the outside market as it is published."""
    return OddsNow(round(opinion.p, 4), rounded(opinion.bid, 4), rounded(opinion.ask, 4), iso(opinion.at))


def _listed(market: Prediction, tally: tuple[int, int], price: AssetPrice | None, now: int) -> ListedPrediction:
    assert market.category != "answer"  # an answer is published by the oracle
    question, is_event = market.question, market.question.comparator != "open"
    commitment = market.commitment if is_event else None
    votes = commitment.votes if commitment else ()
    odds = _show_odds(market.odds) if market.odds and is_event else None
    return ListedPrediction(
        id=market.id,
        question=question.text,
        asset=question.asset,
        category=market.category,
        status=_status(market, now),
        created_at=iso(market.created_at),
        deadline=iso(market.deadline),
        closes_at=iso(market.closes_at),
        understood=understood(question),
        ai_votes={cast.voter: _show_vote(question, cast, market.voted_at) for cast in votes},
        abstained=dict(commitment.abstained) if commitment else {},
        ai=_show_pool(question, commitment.p, votes) if commitment else None,
        user_votes=user_votes(*tally),
        market_odds=odds,
        divergence_pts=market.divergence_pts,
        context=_show_price(market, price, now) if price and not market.settlement else None,
        resolution=_show_ruling(market),
        commitment=market.ledger_position,
        features=commitment.features if commitment else None,
        backfilled=market.backfilled,
    )


def list_challenge(
    challenge: Prediction, *, tally: tuple[int, int], price: AssetPrice | None, now: int, answers_topics: bool
) -> ListedChallenge:
    """A challenge as it is published, like `list_market`; votes are pending until they are cast or it closes.

    Without `answers_topics`, the language models for it, no votes come on a challenge that no price decides.
    """
    assert challenge.number is not None
    by_prices = challenge.resolver == "bars"
    apex = next((cast for cast in challenge.votes if cast.voter == APEX and by_prices), None)
    listed = _listed(_without(challenge, apex), tally, price, now)
    return ListedChallenge(
        **vars(listed),
        number=challenge.number,
        apex=_show_vote(challenge.question, apex, challenge.voted_at) if apex else None,
        votes_pending=challenge.commitment is None and listed.status == "open" and (by_prices or answers_topics),
        resolved_by="prices" if by_prices else "hand",
    )


def user_votes(yes: int, no: int) -> UserVotes:
    """The tally of callers' votes as it is published."""
    total = yes + no
    return UserVotes(yes, no, total, round(100 * yes / total, 1) if total else None)


def _without(challenge: Prediction, apex: CommittedVote | None) -> Prediction:
    """A challenge with the votes of its pool alone."""
    if challenge.commitment is None:
        return challenge
    votes = tuple(cast for cast in challenge.votes if cast is not apex)
    return replace(challenge, commitment=replace(challenge.commitment, votes=votes))


def _status(market: Prediction, now: int) -> Status:
    if market.settlement is None:
        return "open" if now < market.closes_at else "closed"
    return "void" if market.outcome == "void" else "resolved"


def _show_vote(question: Question, cast: CommittedVote, voted_at: int) -> AiVote:
    """A vote as the oracle publishes it, without what it cost; a page has 1,800 of them."""
    bull, forecast = bull_probability(question, cast.p), cast.ballot.forecast
    return AiVote(
        direction=direction_of(bull),
        conviction=margin_of(bull),
        p_yes=None if question.comparator == "open" else round(forecast.p, 3),
        reasoning=forecast.reasoning,
        engine=cast.engine,
        weight=round(cast.weight, 3),
        fallback=forecast.fallback,
        prompt=forecast.prompt,
        voted_at=iso(voted_at),
    )


def _show_pool(question: Question, p: float, votes: Sequence[CommittedVote]) -> Ai:
    """The pool with P(YES) `p`; votes are counted after rounding, so that a reader gets the same counts."""
    published = [round(cast.p, 3) for cast in votes]
    bull = bull_probability(question, p)
    return Ai(
        p_yes=round(p, 3),
        yes=sum(probability > 0.5 for probability in published),
        no=sum(probability < 0.5 for probability in published),
        direction=direction_of(bull),
        bull_probability=bull,
    )


def _show_odds(odds: Odds) -> MarketOdds:
    """The prices of an outside market, and whether they are simulated."""
    return MarketOdds(
        source=odds.source,
        market_id=odds.market_id,
        url=odds.url,
        p_yes=round(odds.p_yes, 4),
        bid=rounded(odds.bid, 4),
        ask=rounded(odds.ask, 4),
        volume_usd=rounded(odds.volume_usd, 2),
        fetched_at=iso(odds.fetched_at),
        simulated=odds.source == SIMULATED,
    )


def _show_bet(bet: Bet) -> MarketBet:
    published = publish(bet)
    return MarketBet(**{name: getattr(published, name) for name in MarketBet.__dataclass_fields__})


def _show_price(market: Prediction, price: AssetPrice, now: int) -> MarketContext:
    """The price and its distance to the question's level; for `up` and `down` the level is the starting price."""
    question = market.question
    level = question.spot if question.comparator in ("up", "down") else question.level
    is_range = question.upper_level is not None
    return MarketContext(
        price=price.price,
        change_24h_pct=price.change_24h_pct,
        distance_pct=None if level is None or is_range else round(100 * (level / price.price - 1), 4),
        hours_left=round(max(0, market.deadline - now) / HOUR, 2),
        as_of=price.as_of,
    )


def _show_ruling(market: Prediction) -> Ruling:
    """The rule and the resolver of a market and, after its settlement, the outcome."""
    settlement = market.settlement
    if settlement is None:
        return Ruling(market.rule, market.resolver, outcome=None, resolved_at=None, evidence=None)
    return Ruling(market.rule, settlement.source, settlement.outcome, iso(settlement.resolved_at), settlement.evidence)
