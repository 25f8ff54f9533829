"""Publishes prediction markets and challenges.

Numbers are rounded only here, when they are published.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from service.documents import Document, DocumentHeader, World, rounded
from service.forecasting.predictions import APEX, CommittedVote, Odds, Prediction
from service.forecasting.predictions.market_fields import (
    Ai,
    AiVote,
    ListedChallenge,
    ListedMarket,
    MarketContext,
    MarketOdds,
    Ruling,
    Status,
    UserVotes,
)
from service.forecasting.predictions.simulated_odds import SOURCE as SIMULATED
from service.forecasting.voters.votes import bull_probability, direction_of, understood, vote
from service.market.instants import HOUR, iso
from service.market.prices import AssetPrice
from service.questions.question import Question


@dataclass(frozen=True)
class PredictionsDocument(Document):
    """The open prediction markets, earliest deadline first."""

    count: int
    markets: tuple[ListedMarket, ...]


@dataclass(frozen=True)
class ChallengesDocument:
    """The open challenges at the instant `timestamp`."""

    schema: str
    timestamp: str
    world: World
    count: int
    challenges: tuple[ListedChallenge, ...]


def predictions_document(listed: Sequence[ListedMarket], header: DocumentHeader) -> PredictionsDocument:
    """The document of the open markets, in their order."""
    return PredictionsDocument(schema="predictions/1", **vars(header), count=len(listed), markets=tuple(listed))


def challenges_document(listed: Sequence[ListedChallenge], *, now: int, world: World) -> ChallengesDocument:
    """The document of the challenges that are open at the unix second `now`, in their order."""
    return ChallengesDocument("challenges/1", iso(now), world, len(listed), tuple(listed))


def list_market(market: Prediction, *, tally: tuple[int, int], price: AssetPrice | None, now: int) -> ListedMarket:
    """A market as it is published at the world second `now`.

    `tally` is the number of callers that voted yes and no. `price` is the current price of its asset, None if unknown.
    """
    assert market.category != "answer"  # an answer is published by the oracle
    question, commitment = market.question, market.commitment
    ai = _show_pool(question, commitment.p, market.votes) if commitment else None
    odds = _show_odds(market.odds) if market.odds and question.comparator != "open" else None
    return ListedMarket(
        id=market.id,
        question=question.text,
        asset=question.asset,
        category=market.category,
        status=_status(market, now),
        created_at=iso(market.created_at),
        deadline=iso(market.deadline),
        closes_at=iso(market.closes_at),
        understood=understood(question),
        ai_votes={cast.voter: _show_vote(question, cast, market.voted_at) for cast in market.votes},
        abstained=dict(commitment.abstained) if commitment else {},
        ai=ai,
        user_votes=user_votes(*tally),
        market_odds=odds,
        divergence_pts=_divergence(ai, odds),
        context=_show_price(market, price, now) if price else None,
        resolution=_show_ruling(market),
        commitment=market.ledger_position,
        backfilled=market.backfilled,
    )


def list_challenge(
    challenge: Prediction, *, tally: tuple[int, int], price: AssetPrice | None, now: int
) -> ListedChallenge:
    """A challenge as it is published, like `list_market`; votes are pending until they are cast or it closes."""
    assert challenge.number is not None
    apex = next((cast for cast in challenge.votes if cast.voter == APEX), None)
    listed = list_market(_without(challenge, apex), tally=tally, price=price, now=now)
    return ListedChallenge(
        **vars(listed),
        number=challenge.number,
        apex=_show_vote(challenge.question, apex, challenge.voted_at) if apex else None,
        votes_pending=challenge.commitment is None and listed.status == "open",
        resolved_by="prices" if challenge.resolver == "bars" else "hand",
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


def _divergence(ai: Ai | None, odds: MarketOdds | None) -> float | None:
    if ai is None or ai.p_yes is None or odds is None:
        return None
    return round(100 * (ai.p_yes - odds.p_yes), 2)


def _status(market: Prediction, now: int) -> Status:
    if market.settlement is None:
        return "open" if now < market.closes_at else "closed"
    return "void" if market.outcome == "void" else "resolved"


def _show_vote(question: Question, cast: CommittedVote, voted_at: int) -> AiVote:
    """A vote as the oracle publishes it, without the latency, which is not stored."""
    published = vote(question, cast.ballot, cast.weight)
    return AiVote(
        direction=published.direction,
        conviction=published.conviction,
        p_yes=published.p_yes,
        reasoning=published.reasoning,
        engine=published.engine,
        weight=published.weight,
        fallback=published.fallback,
        prompt=published.prompt,
        voted_at=iso(voted_at),
    )


def _show_pool(question: Question, p: float, votes: Sequence[CommittedVote]) -> Ai:
    """The pool with P(YES) `p`; votes are counted after rounding, so that a reader gets the same counts."""
    published = [round(cast.p, 3) for cast in votes]
    bull = bull_probability(question, p)
    return Ai(
        p_yes=None if question.comparator == "open" else round(p, 3),
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
