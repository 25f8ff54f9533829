"""The documents of prediction markets and challenges; the dataclasses have the structure of the JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from service.documents import Document, DocumentHeader, World
from service.forecasting.predictions import (
    APEX,
    CommittedVote,
    LedgerPosition,
    MarketCategory,
    Prediction,
)
from service.forecasting.predictions.market_fields import (
    Ai,
    AiVote,
    MarketContext,
    MarketOdds,
    Ruling,
    UserVotes,
    show_odds,
    show_pool,
    show_price,
    show_ruling,
    show_vote,
    user_votes,
)
from service.forecasting.voters.votes import Understood, understood
from service.market.instants import iso
from service.market.prices import AssetPrice

Status = Literal["open", "closed", "resolved", "void"]
ResolvedBy = Literal["prices", "hand"]


@dataclass(frozen=True)
class ListedMarket:
    """A prediction market with its votes, odds and outcome.

    `divergence_pts` is 100 times the pool's `p_yes` minus the outside market's. `ai` and `commitment` are null until
    the votes are cast, `context` while the price is unknown.
    """

    id: str
    question: str
    asset: str
    category: MarketCategory
    status: Status
    created_at: str
    deadline: str
    closes_at: str
    understood: Understood
    ai_votes: dict[str, AiVote]
    abstained: dict[str, str]
    ai: Ai | None
    user_votes: UserVotes
    market_odds: MarketOdds | None
    divergence_pts: float | None
    context: MarketContext | None
    resolution: Ruling
    commitment: LedgerPosition | None
    backfilled: bool


@dataclass(frozen=True)
class ListedChallenge(ListedMarket):
    """A challenge: the votes of ten voters in `ai_votes`, and separately the vote of `apex`."""

    number: int
    apex: AiVote | None
    votes_pending: bool
    resolved_by: ResolvedBy


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
    ai = show_pool(question, commitment.p, market.votes) if commitment else None
    odds = show_odds(market.odds) if market.odds and question.comparator != "open" else None
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
        ai_votes={cast.voter: show_vote(question, cast, market.voted_at) for cast in market.votes},
        abstained=dict(commitment.abstained) if commitment else {},
        ai=ai,
        user_votes=user_votes(*tally),
        market_odds=odds,
        divergence_pts=_divergence(ai, odds),
        context=show_price(market, price, now) if price else None,
        resolution=show_ruling(market),
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
        apex=show_vote(challenge.question, apex, challenge.voted_at) if apex else None,
        votes_pending=challenge.commitment is None and listed.status == "open",
        resolved_by="prices" if challenge.resolver == "bars" else "hand",
    )


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
