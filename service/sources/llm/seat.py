"""A seat whose engine is a language model."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import structlog

from service.forecasting.voters.ballots import Abstention, Forecast, VoterKind
from service.forecasting.voters.forecast_inputs import ForecastInputs
from service.forecasting.voters.panel import Voter, votes_on
from service.forecasting.voters.prompts.reading import ModelAnswer, UnusableAnswer, read
from service.forecasting.voters.prompts.writing import Prompt, write
from service.questions.question import Question
from service.sources.llm import modes, turns
from service.sources.llm.breaker import Breaker
from service.sources.llm.budget import Budget
from service.sources.llm.client import MOST_TOKENS, Completion, LanguageModel
from service.sources.llm.failures import ModelFailed, NotAsked
from service.sources.llm.prices import FREE

OnFailure = Literal["fallback", "abstain"]
Number = TypeVar("Number", int, float)

LEAST_BYTES_PER_TOKEN = 2  # a lower bound for an English prompt with numbers; three to four are typical

log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True)
class ModelSeat:
    """A voter that uses a language model and has `deadline_s` seconds in total.

    If the model fails, `on_failure` decides: the `embedded` engine votes (`fallback`) or the seat abstains, as it does
    on a topic, which the engine cannot answer. Where `is_masked`, the model gets neither names nor dates by which it
    could remember what came after.
    """

    embedded: Voter
    model: LanguageModel
    breaker: Breaker
    budget: Budget
    deadline_s: float
    on_failure: OnFailure
    is_masked: bool = False
    kind: VoterKind = "seat"

    @property
    def name(self) -> str:
        return self.embedded.name

    @property
    def engine(self) -> str:
        return self.model.engine

    def forecast(self, question: Question, inputs: ForecastInputs) -> Forecast:
        """The model's forecast, or the fallback if the model fails."""
        deadline = time.monotonic() + self.deadline_s
        with turns.computing():
            return self._forecast(question, inputs, deadline)

    def _forecast(self, question: Question, inputs: ForecastInputs, deadline: float) -> Forecast:
        prompt = write(self.name, question, inputs, secrets.token_hex(8), is_masked=self.is_masked)
        try:
            with self.breaker.watching():
                vote, completions = self._vote(prompt, deadline)
        except (ModelFailed, NotAsked) as failed:
            return self.late(question, inputs, failed.reason)
        return Forecast(
            vote.p,
            vote.reasoning,
            p_up=_p_up(question, vote),
            prompt=prompt.version,
            tokens=_sum([completion.tokens for completion in completions]),
            usd=_sum([completion.usd for completion in completions]),
        )

    def late(self, question: Question, inputs: ForecastInputs, reason: str) -> Forecast:
        """The forecast that replaces the model's; `reason` is published."""
        failure = f"{self.engine}: {reason}"
        log.warning("model_gave_no_vote", seat=self.name, reason=failure)
        if self.on_failure == "abstain" or not votes_on(self.embedded, question):
            raise Abstention(failure) from None
        return _instead(self.embedded.forecast(question, inputs), failure)

    def _vote(self, prompt: Prompt, deadline: float) -> tuple[ModelAnswer, list[Completion]]:
        """The model's vote and all paid completions; an unusable answer is retried once if there is time."""
        completions: list[Completion] = []
        while True:
            completion = self._complete(prompt, deadline)
            completions.append(completion)
            try:
                vote = read(completion.text)
            except UnusableAnswer as unusable:
                self.model.modes.unusable(self.engine, completion.mode)
                is_late = time.monotonic() + completion.latency_ms / 1000 > deadline
                if len(completions) == modes.MOST_UNUSABLE or is_late:
                    raise ModelFailed(unusable.reason) from None
            else:
                self.model.modes.usable(self.engine)
                return vote, completions

    def _complete(self, prompt: Prompt, deadline: float) -> Completion:
        """One answer of the model, booked against the budget; without token counts the whole reservation is booked.

        A model without a known price is booked in tokens alone.
        """
        price = self.model.price or FREE
        longest = modes.instructions(prompt.system, modes.LADDER[-1], prompt.schema) + prompt.user
        most_input = len(longest.encode()) // LEAST_BYTES_PER_TOKEN
        reserved = self.budget.reserve(most_input + MOST_TOKENS, price.of(most_input, MOST_TOKENS))
        try:
            completion = self.model.complete(prompt.system, prompt.user, prompt.schema, deadline)
        except ModelFailed as failed:
            if not failed.may_cost:
                self.budget.settle(reserved, 0, 0.0)
            raise
        if completion.input_tokens is not None and completion.output_tokens is not None:
            usd = price.of(completion.input_tokens, completion.output_tokens)
            self.budget.settle(reserved, completion.input_tokens + completion.output_tokens, usd)
        return completion


def _p_up(question: Question, vote: ModelAnswer) -> float | None:
    """P(higher) of a vote; where YES is that the price is higher, or that it is not, the answer says it already."""
    if question.kind.asks_rise:
        return 1 - vote.p if question.negated != (question.kind.side < 0) else vote.p
    return None if question.comparator == "topic" else vote.p_up


def _instead(forecast: Forecast, reason: str) -> Forecast:
    """The embedded engine's forecast, marked as a fallback."""
    reasoning = f"{forecast.reasoning} The embedded engine replaces a language model ({reason})."
    return replace(forecast, reasoning=reasoning, fallback=True)


def _sum(parts: list[Number | None]) -> Number | None:
    """The sum; None if any part is unknown."""
    numbers = [part for part in parts if part is not None]
    return sum(numbers[1:], numbers[0]) if len(numbers) == len(parts) else None
