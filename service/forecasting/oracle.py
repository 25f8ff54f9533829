"""The oracle: a question in, nine forecasts and one consensus out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from service.errors import NoVoters
from service.forecasting.brains import FOREST, LOGIT, VOL, Kind
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

    Raises NoVoters, with every reason, below the quorum.
    """
    ballots: list[Ballot] = []
    abstained: dict[str, str] = {}
    for name, said in poll(question, now, contexts, fits, voters, timer=timer):
        if isinstance(said, Ballot):
            ballots.append(said)
        else:
            abstained[name] = said.reason
    return conclude(question, now, contexts, record, ballots, abstained, quorum=quorum)


def poll(
    question: Question,
    now: int,
    contexts: Mapping[str, Context],
    fits: Fits | None,
    voters: Sequence[Voter],
    *,
    timer: Callable[[], float],
) -> Iterator[tuple[str, Ballot | Abstention]]:
    """Each voter's ballot or abstention, as it comes."""
    try:
        situation = situate(question, now, contexts, fits)
    except Abstention as abstention:
        yield from ((voter.name, abstention) for voter in voters)
        return
    for voter in voters:
        yield voter.name, cast(voter, question, situation, timer)


def cast(voter: Voter, question: Question, situation: Situation, timer: Callable[[], float]) -> Ballot | Abstention:
    """One voter's ballot. Whatever a voter raises makes it abstain, with the kind of fault as its reason."""
    began = timer()
    try:
        forecast = voter.forecast(question, situation)
    except Abstention as abstention:
        return abstention
    except Exception as fault:
        return Abstention(f"failed: {type(fault).__name__}")
    if not 0 <= forecast.p <= 1:
        return Abstention("failed: no probability in its answer")
    return Ballot(voter.name, voter.engine, forecast.p, forecast.reasoning, 1000 * (timer() - began))


def conclude(
    question: Question,
    now: int,
    contexts: Mapping[str, Context],
    record: Record,
    ballots: Sequence[Ballot],
    abstained: Mapping[str, str],
    *,
    quorum: int,
) -> Verdict:
    """The verdict of the ballots; raises NoVoters where they are fewer than the quorum."""
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
