"""What a voter is, and which voters are language models."""

from __future__ import annotations

from typing import Literal, Protocol, TypeGuard

from service.forecasting.voters.ballots import Forecast, is_model_engine
from service.forecasting.voters.forecast_inputs import ForecastInputs
from service.questions.question import Question

VoterKind = Literal["seat", "brain"]


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
    """Whether a language model holds this voter's seat."""
    return is_model_engine(voter.engine)


def votes_on(voter: Voter, question: Question) -> bool:
    """Whether a voter can answer a question: a topic needs a language model that sees names and dates."""
    return question.comparator != "topic" or is_for_topics(voter)


def is_for_topics(voter: Voter) -> bool:
    """Whether a voter can answer questions that no price decides."""
    return is_model(voter) and not voter.is_masked
