"""The oracle: a question in, nine forecasts and one consensus out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from service.errors import NoVoters
from service.forecasting.brains import EMBEDDED, FOREST, LOGIT, VOL, Kind
from service.forecasting.consensus import pool
from service.forecasting.context import Context
from service.forecasting.fits import Fits
from service.forecasting.questions.question import Question
from service.forecasting.record import Record
from service.forecasting.seats import SEATS
from service.forecasting.situation import Situation, situate
from service.forecasting.votes import Abstention, Ballot, Forecast, Verdict


class Voter(Protocol):
    """Whoever forecasts. `engine` says how: `embedded`, or `provider:model` for a language model in a seat."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> Kind: ...

    @property
    def engine(self) -> str: ...

    def forecast(self, question: Question, situation: Situation) -> Forecast:
        """P(YES) and why; raises Abstention with a reason that is published."""
        ...


Said = Ballot | Abstention
# How voters are asked: each one's ballot or abstention as it comes, None as a sign of life.
Polling = Callable[[Sequence[Voter], Question, Situation, Callable[[], float]], Iterator["tuple[str, Said] | None"]]


def voters() -> tuple[Voter, ...]:
    """The nine with their embedded engines: six seats, then three brains."""
    return (*SEATS, VOL, LOGIT, FOREST)


def ask(
    question: Question,
    now: int,
    contexts: Mapping[str, Context],
    fits: Fits | None,
    voters: Sequence[Voter],
    record: Record,
    *,
    quorum: int,
    timer: Callable[[], float],
    polling: Polling | None = None,
) -> Verdict:
    """Put a question to every voter and pool what they answer.

    Parameters
    ----------
    now : int
        Unix second of world time at which it is asked.
    contexts, fits, record
        What jobs last stored: contexts by asset, the fits (None before the first), the track record.
    voters : sequence of Voter
        Who is asked, in the order of the answer.
    quorum : int
        Fewest votes that make an answer.
    timer : callable
        A monotonic clock in seconds.
    polling : callable
        How they are asked; without it one after the other.

    Raises NoVoters, with every reason, below the quorum.
    """
    polled = poll(question, now, contexts, fits, voters, timer=timer, polling=polling)
    said = dict(one for one in polled if one is not None)
    return conclude(question, now, contexts, record, voters, said, quorum=quorum)


def poll(
    question: Question,
    now: int,
    contexts: Mapping[str, Context],
    fits: Fits | None,
    voters: Sequence[Voter],
    *,
    timer: Callable[[], float],
    polling: Polling | None = None,
) -> Iterator[tuple[str, Said] | None]:
    """Each voter's ballot or abstention, as it comes; closing it ends the asking."""
    try:
        situation = situate(question, now, contexts, fits)
    except Abstention as abstention:
        yield from ((voter.name, abstention) for voter in voters)
        return
    yield from (polling or in_turn)(voters, question, situation, timer)


def in_turn(
    voters: Sequence[Voter], question: Question, situation: Situation, timer: Callable[[], float]
) -> Iterator[tuple[str, Said]]:
    """One voter after the other: enough where each answers at once."""
    for voter in voters:
        yield voter.name, cast(voter, question, situation, timer)


def cast(voter: Voter, question: Question, situation: Situation, timer: Callable[[], float]) -> Said:
    """One voter's ballot. Whatever a voter raises makes it abstain, with the kind of fault as its reason."""
    return ballot(voter, lambda: voter.forecast(question, situation), timer)


def ballot(voter: Voter, forecasting: Callable[[], Forecast], timer: Callable[[], float]) -> Said:
    """What `forecasting` says as the vote of `voter`."""
    began = timer()
    try:
        forecast = forecasting()
    except Abstention as abstention:
        return abstention
    except Exception as fault:
        return Abstention(f"failed: {type(fault).__name__}")
    if not 0 <= forecast.p <= 1:
        return Abstention("failed: no probability in its answer")
    return Ballot(
        voter=voter.name,
        engine=EMBEDDED if forecast.fallback else voter.engine,
        p=forecast.p,
        reasoning=forecast.reasoning,
        latency_ms=1000 * (timer() - began),
        fallback=forecast.fallback,
        prompt=forecast.prompt,
        tokens=forecast.tokens,
        usd=forecast.usd,
    )


def conclude(
    question: Question,
    now: int,
    contexts: Mapping[str, Context],
    record: Record,
    voters: Sequence[Voter],
    said: Mapping[str, Said],
    *,
    quorum: int,
) -> Verdict:
    """The verdict of what `voters` said, in their order; raises NoVoters where the ballots are below the quorum."""
    heard = [(voter.name, said[voter.name]) for voter in voters]
    ballots = [one for _, one in heard if isinstance(one, Ballot)]
    abstained = {name: one.reason for name, one in heard if isinstance(one, Abstention)}
    if len(ballots) < max(1, quorum):
        detail = f"{len(ballots)} of {len(ballots) + len(abstained)} voters answered; {quorum} are needed"
        raise NoVoters(detail, abstained=abstained)
    assets = [asset for asset in (question.asset, question.other_asset) if asset is not None]
    return Verdict(
        question=question,
        asked_at=now,
        as_of=min(contexts[asset].as_of for asset in assets),
        ballots=tuple(ballots),
        abstained=dict(abstained),
        pooled=pool(ballots, record.of(question.comparator)),
    )
