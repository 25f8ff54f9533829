"""What is published of prediction markets and challenges; the dataclasses are the JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from service.forecasting.predictions import Category, Commitment, Made, Odds, PredictionMarket, Settlement
from service.forecasting.predictions.parts import (
    Ai,
    AiVote,
    CommitmentTold,
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
from service.forecasting.votes import Understood, understood
from service.market.clock import World
from service.market.instants import iso
from service.market.prices import Price

Status = Literal["open", "closed", "resolved", "void"]
ResolvedBy = Literal["prices", "hand"]

APEX = "apex"  # stands beside the ten voters of a challenge, not among them


@dataclass(frozen=True)
class ListedMarket:
    """A prediction market with all that anybody says of it.

    `divergence_pts` is 100 times the pool's `p_yes` less the outside market's. `ai` and `commitment` are null until
    the votes are cast, `context` while the price is unknown.
    """

    id: str
    question: str
    asset: str
    category: Category
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
    commitment: CommitmentTold | None
    backfilled: bool


@dataclass(frozen=True)
class ListedChallenge(ListedMarket):
    """A challenge: ten voters in `ai_votes`, and `apex` beside them."""

    number: int
    apex: AiVote | None
    votes_pending: bool
    resolved_by: ResolvedBy


@dataclass(frozen=True)
class PredictionsDocument:
    """The prediction markets that are open, the earliest deadline first."""

    schema: str
    timestamp: str
    as_of: str
    stale_after: str
    world: World
    sources: dict[str, str]
    count: int
    markets: tuple[ListedMarket, ...]


@dataclass(frozen=True)
class ChallengesDocument:
    """The challenges that are open, as they stand at `timestamp`."""

    schema: str
    timestamp: str
    world: World
    count: int
    challenges: tuple[ListedChallenge, ...]


def predictions_document(listed: Sequence[ListedMarket], made: Made) -> PredictionsDocument:
    """The document of the markets that are open, in the order given."""
    return PredictionsDocument(schema="predictions/1", **vars(made), count=len(listed), markets=tuple(listed))


def challenges_document(listed: Sequence[ListedChallenge], *, now: int, world: World) -> ChallengesDocument:
    """The challenges that are open at the unix second `now`, in the order given."""
    return ChallengesDocument("challenges/1", iso(now), world, len(listed), tuple(listed))


def list_market(
    market: PredictionMarket,
    *,
    commitment: Commitment | None,
    odds: Odds | None,
    user_votes: tuple[int, int],
    settlement: Settlement | None,
    price: Price | None,
    sealed: CommitmentTold | None,
    now: int,
) -> ListedMarket:
    """A market as it is published at the unix second `now`.

    `user_votes` are how many callers said yes and no, `price` that of the asset now, `sealed` the ledger's row.
    """
    question = market.question
    votes = commitment.votes if commitment else ()
    ai = show_pool(question, commitment.p, votes) if commitment else None
    given = show_odds(odds) if odds and question.comparator != "open" else None
    return ListedMarket(
        id=market.id,
        question=question.text,
        asset=question.asset,
        category=market.category,
        status=_status(market, settlement, now),
        created_at=iso(market.created_at),
        deadline=iso(market.deadline),
        closes_at=iso(market.closes_at),
        understood=understood(question),
        ai_votes={one.voter: show_vote(question, one, commitment.voted_at) for one in votes},
        abstained=dict(commitment.abstained) if commitment else {},
        ai=ai,
        user_votes=_callers(user_votes),
        market_odds=given,
        divergence_pts=round(100 * (ai.p_yes - given.p_yes), 2) if ai and given else None,
        context=show_price(market, price, now) if price else None,
        resolution=show_ruling(market, settlement),
        commitment=sealed,
        backfilled=market.backfilled,
    )


def list_challenge(
    market: PredictionMarket,
    *,
    number: int,
    commitment: Commitment | None,
    odds: Odds | None,
    user_votes: tuple[int, int],
    settlement: Settlement | None,
    price: Price | None,
    sealed: CommitmentTold | None,
    now: int,
) -> ListedChallenge:
    """A challenge as it is published, like `list_market`; votes are pending until they are cast or it is over."""
    cast = commitment.votes if commitment else ()
    apex = next((one for one in cast if one.voter == APEX), None)
    listed = list_market(
        market,
        commitment=commitment and replace(commitment, votes=tuple(one for one in cast if one is not apex)),
        odds=odds,
        user_votes=user_votes,
        settlement=settlement,
        price=price,
        sealed=sealed,
        now=now,
    )
    return ListedChallenge(
        **vars(listed),
        number=number,
        apex=show_vote(market.question, apex, commitment.voted_at) if apex else None,
        votes_pending=commitment is None and listed.status == "open",
        resolved_by="prices" if market.resolver == "bars" else "hand",
    )


def _callers(tally: tuple[int, int]) -> UserVotes:
    return user_votes(*tally)


def _status(market: PredictionMarket, settlement: Settlement | None, now: int) -> Status:
    if settlement is None:
        return "open" if now < market.closes_at else "closed"
    return "void" if settlement.outcome == "void" else "resolved"
