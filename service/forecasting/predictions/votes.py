"""What is committed on a market when it is opened: every vote as it was cast, and a seal of what the voters saw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256

from service import canonical
from service.forecasting.context import Context
from service.forecasting.fits import Fits
from service.forecasting.oracle import Polling, Voter, ask
from service.forecasting.predictions import Commitment, CommittedVote, PredictionMarket
from service.forecasting.questions.question import Question
from service.forecasting.record import Record
from service.forecasting.votes import Ballot


def commit(
    market: PredictionMarket,
    now: int,
    contexts: Mapping[str, Context],
    fits: Fits | None,
    voters: Sequence[Voter],
    record: Record,
    quorum: int,
    timer: Callable[[], float],
    polling: Polling | None = None,
) -> Commitment:
    """Put a market's question to every voter, as `oracle.ask` does, and freeze what they say.

    Raises NoVoters below the quorum.
    """
    verdict = ask(market.question, now, contexts, fits, voters, record, quorum=quorum, timer=timer, polling=polling)
    cast = zip(verdict.ballots, verdict.pooled.weights, strict=True)
    return Commitment(
        voted_at=now,
        as_of=verdict.as_of,
        p=verdict.pooled.p,
        votes=tuple(frozen(ballot, weight) for ballot, weight in cast),
        abstained=verdict.abstained,
        features=features(market.question, contexts, fits),
        fitted_at=fits.slot if fits else None,
    )


def frozen(ballot: Ballot, weight: float) -> CommittedVote:
    """A ballot as it is committed; how long it took is nobody's business later."""
    return CommittedVote(
        voter=ballot.voter,
        engine=ballot.engine,
        p=ballot.p,
        weight=weight,
        reasoning=ballot.reasoning,
        fallback=ballot.fallback,
        prompt=ballot.prompt,
        tokens=ballot.tokens,
        usd=ballot.usd,
    )


def thawed(vote: CommittedVote) -> Ballot:
    """A committed vote as the ballot it was, cast in no time."""
    return Ballot(
        voter=vote.voter,
        engine=vote.engine,
        p=vote.p,
        reasoning=vote.reasoning,
        latency_ms=0.0,
        fallback=vote.fallback,
        prompt=vote.prompt,
        tokens=vote.tokens,
        usd=vote.usd,
    )


def features(question: Question, contexts: Mapping[str, Context], fits: Fits | None) -> str:
    """The SHA-256, in hex, of what the voters are shown: the contexts of the question's assets, and which fits."""
    assets = [asset for asset in (question.asset, question.other_asset) if asset is not None]
    shown = {
        "contexts": {asset: contexts[asset].to_plain() for asset in assets},
        "fits": {"version": fits.version, "slot": fits.slot} if fits else None,
    }
    return sha256(canonical.write(shown).encode()).hexdigest()
