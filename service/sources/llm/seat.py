"""A seat that a language model has taken: its name stays, its engine is the model."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, replace
from typing import Literal

import structlog

from service.forecasting.brains import Kind
from service.forecasting.oracle import Voter
from service.forecasting.prompts import SCHEMA, Prompt, Said, Unusable, read, write
from service.forecasting.questions.question import Question
from service.forecasting.situation import Situation
from service.forecasting.votes import Abstention, Forecast
from service.sources.llm import modes
from service.sources.llm.breaker import Breaker
from service.sources.llm.budget import Budget
from service.sources.llm.client import MOST_TOKENS, Completion, LanguageModel
from service.sources.llm.failures import ModelFailed, NotAsked
from service.sources.llm.prices import DEAREST, price_of

OnFailure = Literal["fallback", "abstain"]

LEAST_BYTES_PER_TOKEN = 2  # of a prompt in English with numbers; usual are three to four

log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True)
class ModelSeat:
    """A voter that asks a language model, within `deadline_s` seconds for all it does.

    Where none answers, `embedded` votes in its place (`fallback`) or the seat abstains, as `on_failure` says.
    """

    embedded: Voter
    model: LanguageModel
    breaker: Breaker
    budget: Budget
    deadline_s: float
    on_failure: OnFailure
    kind: Kind = "seat"

    @property
    def name(self) -> str:
        return self.embedded.name

    @property
    def engine(self) -> str:
        return self.model.engine

    def forecast(self, question: Question, situation: Situation) -> Forecast:
        """What the model says, or what is said in its place."""
        deadline = time.monotonic() + self.deadline_s
        prompt = write(self.name, question, situation, secrets.token_hex(8))
        try:
            with self.breaker.watching():
                said, completions = self._said(prompt, deadline)
        except (ModelFailed, NotAsked) as failed:
            return self.late(question, situation, failed.reason)
        return Forecast(
            said.p,
            said.reasoning,
            prompt=prompt.version,
            tokens=_sum([completion.tokens for completion in completions]),
            usd=_sum([completion.usd for completion in completions]),
        )

    def late(self, question: Question, situation: Situation, reason: str) -> Forecast:
        """What is said in the model's place, for a reason that is published."""
        told = f"{self.engine}: {reason}"
        log.warning("model_gave_no_vote", seat=self.name, reason=told)
        if self.on_failure == "abstain":
            raise Abstention(told) from None
        return _instead(self.embedded.forecast(question, situation), told)

    def _said(self, prompt: Prompt, deadline: float) -> tuple[Said, list[Completion]]:
        """What the model said and all that was paid for; asked once more if it is unusable and time is left."""
        completions: list[Completion] = []
        while True:
            completion = self._complete(prompt, deadline)
            completions.append(completion)
            try:
                said = read(completion.text)
            except Unusable as unusable:
                self.model.modes.unusable(self.engine, completion.mode)
                is_late = time.monotonic() + completion.latency_ms / 1000 > deadline
                if len(completions) == modes.PATIENCE or is_late:
                    raise ModelFailed(unusable.reason) from None
            else:
                self.model.modes.usable(self.engine)
                return said, completions

    def _complete(self, prompt: Prompt, deadline: float) -> Completion:
        """One answer of the model, paid for; what nobody tells the cost of has cost what was set aside."""
        price = price_of(self.model.chosen) or DEAREST
        longest = modes.instructions(prompt.system, modes.LADDER[-1], SCHEMA) + prompt.user
        most_input = len(longest.encode()) // LEAST_BYTES_PER_TOKEN
        reserved = self.budget.reserve(most_input + MOST_TOKENS, price.of(most_input, MOST_TOKENS))
        try:
            completion = self.model.complete(prompt.system, prompt.user, SCHEMA, deadline)
        except ModelFailed as failed:
            if not failed.may_cost:
                self.budget.settle(reserved, 0, 0.0)
            raise
        if completion.tokens is not None:
            usd = price.of(completion.input_tokens, completion.output_tokens)
            self.budget.settle(reserved, completion.tokens, usd)
        return completion


def _instead(forecast: Forecast, reason: str) -> Forecast:
    """What the embedded engine says in place of a model."""
    told = f"{forecast.reasoning} This stands in for a language model ({reason})."
    return replace(forecast, reasoning=told, fallback=True)


def _sum(parts: list[int | None] | list[float | None]) -> int | float | None:
    """The sum; None where a part is not known."""
    return None if None in parts else sum(parts)
