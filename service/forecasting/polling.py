"""Asking every voter at once: the embedded ones here, those that wait for others in threads that are lent.

It has no thread of its own. What a late voter still says is not heard; ending its work is its own affair, and its
own deadline is the earlier one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from functools import partial
from typing import Protocol

from service.forecasting.brains import EMBEDDED
from service.forecasting.oracle import Polling, Said, Voter, ballot, cast
from service.forecasting.questions.question import Question
from service.forecasting.situation import Situation
from service.forecasting.votes import Forecast

LATE = "did not answer in time"

Submit = Callable[..., "Future[Said]"]


class WaitingVoter(Voter, Protocol):
    """A voter that waits for others, and therefore may be late."""

    def late(self, question: Question, situation: Situation, reason: str) -> Forecast:
        """What is said in its place when it did not answer, at once; raises Abstention with the reason."""
        ...


def together(submit: Submit, deadline_s: float, beat_s: float = math.inf) -> Polling:
    """Ask as `poll_together` does, with `deadline_s` seconds for each question."""

    def polling(
        voters: Sequence[Voter], question: Question, situation: Situation, timer: Callable[[], float]
    ) -> Iterator[tuple[str, Said] | None]:
        deadline = timer() + deadline_s
        return poll_together(voters, question, situation, submit=submit, deadline=deadline, timer=timer, beat_s=beat_s)

    return polling


def poll_together(
    voters: Sequence[Voter],
    question: Question,
    situation: Situation,
    *,
    submit: Submit,
    deadline: float,
    timer: Callable[[], float],
    beat_s: float = math.inf,
) -> Iterator[tuple[str, Said] | None]:
    """Each voter's ballot or abstention as it comes, those of embedded engines first.

    Parameters
    ----------
    submit : callable
        `submit` of an executor that runs every other voter; one without a thread to spare makes it late.
    deadline : float
        Instant of `timer`, in seconds, after which whoever has not answered is late.
    timer : callable
        A monotonic clock in seconds.
    beat_s : float
        Seconds without an answer after which None is given in its place, as a sign of life.

    Closing it, at any time, takes back what has not begun.
    """
    asked = [voter for voter in voters if voter.engine != EMBEDDED]
    # Handed over first, so that they are waited for while the embedded ones vote.
    waiting = {submit(cast, voter, question, situation, timer): voter for voter in asked}
    try:
        for voter in voters:
            if voter.engine == EMBEDDED:
                yield voter.name, cast(voter, question, situation, timer)
        for voter, said in _collected(waiting, deadline, timer, beat_s):
            if voter is None:
                yield None
            else:
                yield voter.name, said or ballot(voter, partial(voter.late, question, situation, LATE), timer)
    finally:
        for future in waiting:
            future.cancel()


def _collected(
    waiting: dict[Future[Said], WaitingVoter], deadline: float, timer: Callable[[], float], beat_s: float
) -> Iterator[tuple[WaitingVoter | None, Said | None]]:
    """What comes until the deadline, then everybody else in the order of the voters; nobody is a sign of life."""
    missing = dict(waiting)
    while missing and (left := deadline - timer()) > 0:
        done, _ = wait(missing, timeout=min(left, beat_s), return_when=FIRST_COMPLETED)
        if not done and left > beat_s:
            yield None, None
        for future in [future for future in missing if future in done]:
            yield missing.pop(future), _heard(future)
    for future, voter in missing.items():
        yield voter, _heard(future)


def _heard(future: Future[Said]) -> Said | None:
    """What came of a voter's work by now."""
    try:
        return future.result(timeout=0)
    except (TimeoutError, CancelledError):
        return None
