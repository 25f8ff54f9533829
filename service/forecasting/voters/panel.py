"""The nine voters with their embedded engines, and the panel: a question in, nine forecasts and one consensus out.

An embedded engine forecasts from the distribution that its model of variance gives. A seat keeps its name when a
language model takes it; only its `engine` changes. All see prices and no direction in them: over hours to weeks none of
them could tell a rise from a fall, so the median is the present price.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeGuard

import numpy as np

from service.errors import NoVoters
from service.forecasting.densities.density import Density
from service.forecasting.densities.models import MODELS
from service.forecasting.voters.ballots import (
    EMBEDDED,
    Abstention,
    Ballot,
    Forecast,
    PanelResult,
    Pooled,
    VoterKind,
    is_model_engine,
    sentence,
)
from service.forecasting.voters.context import Knowledge, ScheduledEvent
from service.forecasting.voters.forecast_inputs import AssetState, ForecastInputs, build_inputs, p_up, p_yes, settled
from service.forecasting.voters.track_record import BandRecord
from service.questions.criterion import price
from service.questions.question import Question

PLAIN = "plain volatility"  # in place of what a model looks at that is not fitted


@dataclass(frozen=True)
class Embedded:
    """A voter with the model of its name."""

    name: str
    kind: VoterKind
    engine: str = EMBEDDED

    def forecast(self, question: Question, inputs: ForecastInputs) -> Forecast:
        """P(YES) and P(higher); abstains only where two assets have no correlation, or a market is closed."""
        densities = inputs.densities(self.name)
        p, up = (ask(question, inputs, densities) for ask in (p_yes, p_up))
        reason = settled(question, inputs.state) or _reason(question, inputs, MODELS[self.name].basis, densities)
        return Forecast(p, reason, p_up=up)


def _reason(question: Question, inputs: ForecastInputs, basis: str, densities: Sequence[Density]) -> str:
    """What the model looks at, the size of a move that it expects beside the usual one, and how far the levels are."""
    pairs = list(zip(inputs.states, densities, strict=True))
    driver = basis if all(density is not state.plain for state, density in pairs) else PLAIN
    sentences = [
        sentence(
            "expected_move",
            driver=driver,
            asset=state.asset,
            sigma_pct=f"{100 * density.sigma:.1f}",
            usual_sigma_pct=f"{100 * math.sqrt(state.slow * state.hours):.1f}",
        )
        for state, density in pairs
    ]
    for part, (state, density) in zip(question.parts or (question,), pairs, strict=False):
        sentences += [_away(level, state, density) for level in part.levels]
    if question.legs:
        sentences.append(sentence("correlation", correlation=f"{inputs.correlation or 0:+.2f}"))
    return " ".join(sentences)


def _away(level: float, state: AssetState, density: Density) -> str:
    values = {"level": price(level), "level_pct": f"{100 * (level / state.spot - 1):+.1f}"}
    if density.sigma:
        values["sigmas"] = f"{state.distance(level) / density.sigma:+.1f}"
    return sentence("distance", **values)


SEATS = tuple(Embedded(name, "seat") for name in ("momentum", "reversion", "breadth", "regime", "trend", "news"))
BRAINS = tuple(Embedded(name, "brain") for name in ("vol", "garch", "sv"))
VOL = BRAINS[0]


VOTERS = (*SEATS, *BRAINS)


CLIP = 0.001  # of probabilities before they become log-odds
# A language model this far from the other voters and from the base rate is an outlier, with a third of its weight.
FAR_MADS, FAR_P = 4.0, 0.20
OUTLIER_WEIGHT = 1 / 3


def pool(ballots: Sequence[Ballot], record: BandRecord) -> Pooled:
    """The consensus of at least one ballot: the mean by their weights, a linear opinion pool (Stone 1961).

    One weight a voter serves every question with a horizon of the same length, and nothing is done to a single answer
    afterwards. So whatever adds up for each voter adds up for the pool: an event and its opposite, exclusive events,
    levels and quantiles.
    """
    outliers = outlying(ballots)
    weights = np.array([record.weight_of(ballot.voter, ballot.engine) for ballot in ballots])
    weights *= [OUTLIER_WEIGHT if ballot.voter in outliers else 1.0 for ballot in ballots]
    p = np.array([ballot.p for ballot in ballots])
    ups = np.array([np.nan if ballot.forecast.p_up is None else ballot.forecast.p_up for ballot in ballots])
    has_view, rest = np.isfinite(ups), weights.sum() - weights
    without = np.clip((p @ weights - p * weights) / np.where(rest > 0, rest, 1.0), 0.0, 1.0)
    return Pooled(
        p=mean(p, weights),
        p_up=mean(ups[has_view], weights[has_view]) if has_view.any() else None,
        weights=tuple(weights.tolist()),
        outliers=outliers,
        without=tuple(np.where(rest > 0, without, 0.5).tolist()),  # even where no other is left
    )


def mean(p: np.ndarray, weights: np.ndarray) -> float:
    """The weighted mean of at least one probability."""
    return float(p @ weights / weights.sum())


def outlying(ballots: Sequence[Ballot]) -> tuple[str, ...]:
    """The voters whose language model is an outlier.

    Both must hold: more than four median absolute deviations from the median of the other votes, in log-odds, and more
    than 20 percentage points from `vol`, the base rate. There is none where `vol` did not vote.
    """
    base = next((ballot.p for ballot in ballots if ballot.voter == VOL.name), None)
    if base is None:
        return ()
    p = np.clip([ballot.p for ballot in ballots], CLIP, 1 - CLIP)
    odds, outliers = np.log(p / (1 - p)), []
    for place, ballot in enumerate(ballots):
        if ballot.forecast.prompt is not None and abs(ballot.p - base) > FAR_P:
            others = np.delete(odds, place)
            middle = np.median(others)
            if abs(odds[place] - middle) > FAR_MADS * np.median(np.abs(others - middle)):
                outliers.append(ballot.voter)
    return tuple(outliers)


# Fewer language models than this do not answer a question that no price decides.
TOPIC_QUORUM = 3
PRICES_ONLY = "no price decides this question, and this voter forecasts prices only"


def embedded_panel(quorum: int, timer: Timer) -> Panel:
    """The nine with their embedded engines, which cost nothing and answer at once."""
    return Panel(VOTERS, quorum, timer, sequential)


@dataclass(frozen=True)
class Panel:
    """The voters, in the order in which their votes are listed, and how they are polled.

    A result needs at least `quorum` ballots. `timer` is a monotonic clock in seconds, for latencies and deadlines.
    `events` are what the operator's calendar tells language models on questions that no price decides.
    """

    voters: Sequence[Voter]
    quorum: int
    timer: Timer
    polling: Polling
    events: Sequence[ScheduledEvent] = ()

    @property
    def has_models(self) -> bool:
        return any(is_model(voter) for voter in self.voters)

    @property
    def answers_topics(self) -> bool:
        """Whether enough language models sit here for a question that no price decides."""
        return sum(map(is_for_topics, self.voters)) >= TOPIC_QUORUM

    def ask(self, question: Question, now: int, knowledge: Knowledge) -> PanelResult:
        """The result of a question asked at the unix second `now` of world time.

        Raises NoVoters, with the reason of every abstention, below the quorum.
        """
        replies = dict(reply for reply in self.poll(question, now, knowledge) if reply is not None)
        return self.conclude(question, now, knowledge, replies)

    def poll(self, question: Question, now: int, knowledge: Knowledge) -> Replies:
        """Each voter's ballot or abstention as it arrives, None as a heartbeat; closing the iterator ends the poll."""
        try:
            inputs = build_inputs(question, now, knowledge)
        except Abstention as abstention:
            yield from ((voter.name, abstention) for voter in self.voters)
            return
        able = [voter for voter in self.voters if votes_on(voter, question)]
        yield from ((voter.name, Abstention(PRICES_ONLY)) for voter in self.voters if voter not in able)
        yield from self.polling(able, question, inputs, self.timer)

    def conclude(self, question: Question, now: int, knowledge: Knowledge, replies: Mapping[str, Reply]) -> PanelResult:
        """Pool the reply of every voter; raises NoVoters where the ballots are below the quorum."""
        replies = {voter.name: replies[voter.name] for voter in self.voters}
        ballots = tuple(reply for reply in replies.values() if isinstance(reply, Ballot))
        abstentions = {name: str(reply) for name, reply in replies.items() if isinstance(reply, Abstention)}
        quorum = TOPIC_QUORUM if question.comparator == "topic" else max(1, self.quorum)
        if len(ballots) < quorum:
            detail = f"{len(ballots)} of {len(replies)} voters answered; {quorum} are needed"
            raise NoVoters(detail, abstained=abstentions)
        return PanelResult(
            question=question,
            asked_at=now,
            as_of=min(knowledge.contexts[asset].as_of for asset in question.assets),
            ballots=ballots,
            abstained=abstentions,
            pool=pool(ballots, knowledge.record.of(question)),
        )


class Voter(Protocol):
    """A forecaster. `engine` is EMBEDDED, or `provider:model` for a language model in a seat."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> VoterKind: ...

    @property
    def engine(self) -> str: ...

    def forecast(self, question: Question, inputs: ForecastInputs) -> Forecast:
        """P(YES) and why; raises Abstention with a reason that is published."""
        ...


class ModelVoter(Voter, Protocol):
    """A language model in a seat: it answers over the network and may miss its deadline.

    Where `is_masked`, it sees neither names nor dates.
    """

    @property
    def is_masked(self) -> bool: ...

    def late(self, question: Question, inputs: ForecastInputs, reason: str) -> Forecast:
        """The forecast that replaces a missing answer, without waiting; raises Abstention with the reason."""
        ...


def is_model(voter: Voter) -> TypeGuard[ModelVoter]:
    return is_model_engine(voter.engine)


def votes_on(voter: Voter, question: Question) -> bool:
    """Whether a voter can answer a question: a topic needs a language model that sees names and dates."""
    return question.comparator != "topic" or is_for_topics(voter)


def is_for_topics(voter: Voter) -> bool:
    """Whether a voter can answer questions that no price decides."""
    return is_model(voter) and not voter.is_masked


LATE_REASON = "did not answer in time"

Reply = Ballot | Abstention
Replies = Generator[tuple[str, Reply] | None, None, None]  # (voter, reply) as each arrives; None is a heartbeat
Timer = Callable[[], float]
Polling = Callable[[Sequence[Voter], Question, ForecastInputs, Timer], Replies]
Submit = Callable[..., "Future[Reply]"]


def sequential(voters: Sequence[Voter], question: Question, inputs: ForecastInputs, timer: Timer) -> Replies:
    """Poll one voter after the other: enough where each answers at once."""
    for voter in voters:
        yield voter.name, timed(voter, partial(voter.forecast, question, inputs), timer)


@dataclass(frozen=True)
class Concurrent:
    """Poll language models in threads while the embedded voters answer in this one.

    `submit` is that of an executor; a model for which it has no free thread misses the deadline. Every missing answer
    is late `deadline_s` seconds after the first poll. After `heartbeat_s` seconds without an answer None is yielded.
    """

    submit: Submit
    deadline_s: float
    heartbeat_s: float = math.inf

    def __call__(self, voters: Sequence[Voter], question: Question, inputs: ForecastInputs, timer: Timer) -> Replies:
        """The replies as they arrive, embedded voters first; closing the iterator cancels work that has not begun."""
        deadline = timer() + self.deadline_s
        # Submitted first, so that the models work while the embedded voters vote.
        futures = {
            self.submit(timed, voter, partial(voter.forecast, question, inputs), timer): voter
            for voter in voters
            if is_model(voter)
        }

        def reply(future: Future[Reply]) -> tuple[str, Reply]:
            """That of a model, or what replaces it where it is not there by now."""
            voter = futures[future]
            try:
                return voter.name, future.result(timeout=0)
            except (TimeoutError, CancelledError):
                return voter.name, timed(voter, partial(voter.late, question, inputs, LATE_REASON), timer)

        try:
            yield from sequential([voter for voter in voters if not is_model(voter)], question, inputs, timer)
            missing = list(futures)
            while missing and (left := deadline - timer()) > 0:
                done, _ = wait(missing, timeout=min(left, self.heartbeat_s), return_when=FIRST_COMPLETED)
                if not done and left > self.heartbeat_s:
                    yield None
                yield from (reply(future) for future in missing if future in done)
                missing = [future for future in missing if future not in done]
            yield from map(reply, missing)
        finally:
            for future in futures:
                future.cancel()


def timed(voter: Voter, forecaster: Callable[[], Forecast], timer: Timer) -> Reply:
    """The ballot with the forecast of `forecaster`; what that raises is an abstention, with the kind of fault."""
    began = timer()
    try:
        forecast = forecaster()
    except Abstention as abstention:
        return abstention
    except Exception as fault:
        return Abstention(f"failed: {type(fault).__name__}")
    if not 0 <= forecast.p <= 1:
        return Abstention("failed: no probability in its answer")
    engine = EMBEDDED if forecast.fallback else voter.engine
    return Ballot(voter.name, engine, forecast, latency_ms=1000 * (timer() - began))
