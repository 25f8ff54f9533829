"""The panel: a question in, nine forecasts and one consensus out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from service.errors import NoVoters
from service.forecasting.voters.ballots import Abstention, Ballot, PanelResult
from service.forecasting.voters.consensus import pool
from service.forecasting.voters.embedded import voters
from service.forecasting.voters.evidence import ScheduledEvent
from service.forecasting.voters.forecast_inputs import build_inputs
from service.forecasting.voters.knowledge import Knowledge
from service.forecasting.voters.polling import Polling, Replies, Reply, Timer, sequential
from service.forecasting.voters.voter import Voter, is_for_topics, is_model, votes_on
from service.questions.question import Question

# Fewer language models than this do not answer a question that no price decides.
TOPIC_QUORUM = 3
PRICES_ONLY = "no price decides this question, and this voter forecasts prices only"


def embedded_panel(quorum: int, timer: Timer) -> Panel:
    """The nine with their embedded engines, which cost nothing and answer at once."""
    return Panel(voters(), quorum, timer, sequential)


@dataclass(frozen=True)
class Panel:
    """The voters and how they are polled.

    Parameters
    ----------
    voters : sequence of Voter
        In the order in which their votes are listed.
    quorum : int
        Minimum number of ballots for a result.
    timer : callable
        A monotonic clock in seconds, for latencies and deadlines.
    polling : callable
        How the voters are polled.
    events : sequence of ScheduledEvent
        What the operator's calendar tells language models on questions that no price decides.
    """

    voters: Sequence[Voter]
    quorum: int
    timer: Timer
    polling: Polling
    events: Sequence[ScheduledEvent] = ()

    @property
    def has_models(self) -> bool:
        """Whether any voter is a language model."""
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
        ordered = {voter.name: replies[voter.name] for voter in self.voters}
        ballots = tuple(reply for reply in ordered.values() if isinstance(reply, Ballot))
        abstained = {name: reply.reason for name, reply in ordered.items() if isinstance(reply, Abstention)}
        quorum = TOPIC_QUORUM if question.comparator == "topic" else max(1, self.quorum)
        if len(ballots) < quorum:
            detail = f"{len(ballots)} of {len(ordered)} voters answered; {quorum} are needed"
            raise NoVoters(detail, abstained=abstained)
        return PanelResult(
            question=question,
            asked_at=now,
            as_of=min(knowledge.contexts[asset].as_of for asset in question.assets),
            ballots=ballots,
            abstained=abstained,
            pooled=pool(ballots, knowledge.record.of(question)),
        )
