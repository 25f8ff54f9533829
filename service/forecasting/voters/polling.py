"""How voters are polled: one after the other, or language models in threads of their own.

No thread is started here. An answer that arrives after the deadline is ignored; a voter ends its own work, and its own
deadline is earlier than the poll's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass
from functools import partial

from service.forecasting.voters.ballots import EMBEDDED, Abstention, Ballot, Forecast
from service.forecasting.voters.forecast_inputs import ForecastInputs
from service.forecasting.voters.voter import ModelVoter, Voter, is_model
from service.questions.question import Question

LATE = "did not answer in time"

Reply = Ballot | Abstention
Replies = Generator[tuple[str, Reply] | None, None, None]  # (voter, reply) as each arrives; None is a heartbeat
Timer = Callable[[], float]
Polling = Callable[[Sequence[Voter], Question, ForecastInputs, Timer], Replies]
Submit = Callable[..., "Future[Reply]"]


def sequential(voters: Sequence[Voter], question: Question, inputs: ForecastInputs, timer: Timer) -> Replies:
    """Poll one voter after the other: enough where each answers at once."""
    for voter in voters:
        yield voter.name, reply_of(voter, question, inputs, timer)


@dataclass(frozen=True)
class Concurrent:
    """Poll language models in threads while the embedded voters answer in this one.

    Parameters
    ----------
    submit : callable
        `submit` of an executor; a model for which it has no free thread misses the deadline.
    deadline_s : float
        Seconds from the first poll until every missing answer is late.
    heartbeat_s : float
        Seconds without an answer after which None is yielded.
    """

    submit: Submit
    deadline_s: float
    heartbeat_s: float = math.inf

    def __call__(self, voters: Sequence[Voter], question: Question, inputs: ForecastInputs, timer: Timer) -> Replies:
        """The replies as they arrive, embedded voters first; closing the iterator cancels work that has not begun."""
        deadline = timer() + self.deadline_s
        # Submitted first, so that the models work while the embedded voters vote.
        waiting = {self.submit(reply_of, voter, question, inputs, timer): voter for voter in voters if is_model(voter)}
        try:
            yield from sequential([voter for voter in voters if not is_model(voter)], question, inputs, timer)
            for arrival in self._arrivals(waiting, deadline, timer):
                if arrival is None:
                    yield None
                    continue
                voter, reply = arrival
                yield voter.name, reply or timed(voter, partial(voter.late, question, inputs, LATE), timer)
        finally:
            for future in waiting:
                future.cancel()

    def _arrivals(
        self, waiting: dict[Future[Reply], ModelVoter], deadline: float, timer: Timer
    ) -> Iterator[tuple[ModelVoter, Reply | None] | None]:
        """Each model with its reply as it arrives, None as a heartbeat; after the deadline the rest, in order."""
        missing = dict(waiting)
        while missing and (left := deadline - timer()) > 0:
            done, _ = wait(missing, timeout=min(left, self.heartbeat_s), return_when=FIRST_COMPLETED)
            if not done and left > self.heartbeat_s:
                yield None
            for future in [future for future in missing if future in done]:
                yield missing.pop(future), _result(future)
        for future, voter in missing.items():
            yield voter, _result(future)


def reply_of(voter: Voter, question: Question, inputs: ForecastInputs, timer: Timer) -> Reply:
    """One voter's ballot or abstention."""
    return timed(voter, lambda: voter.forecast(question, inputs), timer)


def timed(voter: Voter, forecasting: Callable[[], Forecast], timer: Timer) -> Reply:
    """The ballot of `voter` with the forecast of `forecasting`.

    Whatever `forecasting` raises becomes an abstention with the kind of fault as its reason.
    """
    began = timer()
    try:
        forecast = forecasting()
    except Abstention as abstention:
        return abstention
    except Exception as fault:
        return Abstention(f"failed: {type(fault).__name__}")
    if not 0 <= forecast.p <= 1:
        return Abstention("failed: no probability in its answer")
    engine = EMBEDDED if forecast.fallback else voter.engine
    return Ballot(voter.name, engine, forecast, latency_ms=1000 * (timer() - began))


def _result(future: Future[Reply]) -> Reply | None:
    """The reply if it is there by now."""
    try:
        return future.result(timeout=0)
    except (TimeoutError, CancelledError):
        return None
