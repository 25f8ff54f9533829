"""What is committed on a market when it is opened: every vote as it was cast, and a seal of what the voters saw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256

from service import canonical
from service.forecasting.context import Context
from service.forecasting.fits import Fits
from service.forecasting.oracle import Voter, ask
from service.forecasting.predictions import Commitment, CommittedVote, PredictionMarket
from service.forecasting.questions.question import Question
from service.forecasting.record import Record


def commit(
    market: PredictionMarket,
    now: int,
    contexts: Mapping[str, Context],
    fits: Fits | None,
    voters: Sequence[Voter],
    record: Record,
    quorum: int,
    timer: Callable[[], float],
) -> Commitment:
    """Put a market's question to every voter, as `oracle.ask` does, and freeze what they say.

    Raises NoVoters below the quorum.
    """
    verdict = ask(market.question, now, contexts, fits, voters, record, quorum=quorum, timer=timer)
    cast = zip(verdict.ballots, verdict.pooled.weights, strict=True)
    return Commitment(
        voted_at=now,
        as_of=verdict.as_of,
        p=verdict.pooled.p,
        votes=tuple(CommittedVote(one.voter, one.engine, one.p, weight, one.reasoning) for one, weight in cast),
        abstained=verdict.abstained,
        features=features(market.question, contexts, fits),
        fitted_at=fits.slot if fits else None,
    )


def features(question: Question, contexts: Mapping[str, Context], fits: Fits | None) -> str:
    """The SHA-256, in hex, of what the voters are shown: the contexts of the question's assets, and which fits."""
    assets = [asset for asset in (question.asset, question.other_asset) if asset is not None]
    shown = {
        "contexts": {asset: contexts[asset].to_plain() for asset in assets},
        "fits": {"version": fits.version, "slot": fits.slot} if fits else None,
    }
    return sha256(canonical.write(shown).encode()).hexdigest()
