"""The seats whose engine is a language model, and which model the settings give to each of them."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, TypeVar

import structlog
from pydantic import SecretStr

from service.config import Seat, Settings, SettingsError
from service.forecasting.voters.ballots import Abstention, Forecast, VoterKind
from service.forecasting.voters.forecast_inputs import ForecastInputs
from service.forecasting.voters.panel import Voter, votes_on
from service.forecasting.voters.prompts.reading import ModelAnswer, UnusableAnswer, read
from service.forecasting.voters.prompts.writing import Prompt, write
from service.questions.question import Question
from service.sources.llm import limits, modes
from service.sources.llm.client import MOST_TOKENS, Completion, LanguageModel, open_client
from service.sources.llm.limits import Breaker, Budget, ModelFailed, NotAsked
from service.sources.llm.modes import Modes
from service.sources.llm.providers import FREE, Chosen, parse, stated_prices

NO_MODEL = "embedded"  # as an option: the seat keeps its embedded engine
NO_OPTIONS = Seat.model_validate({})
log = structlog.stdlib.get_logger(__name__)


def seated(voters: Sequence[Voter], settings: Settings, budget: Budget) -> tuple[Voter, ...]:
    """The voters, with a language model in every seat that the settings give one.

    `voters` have their embedded engines; brains are not changed. Names and dates are kept from the models of a replay,
    because its prices are of a past that they may remember. Clients are created here, at start-up, so that the first
    question is not delayed; seats that are asked alike share one. Raises SettingsError with the name of the invalid
    option.
    """
    prices, learnt, client_of = stated_prices(settings.oracle_prices), Modes(), cache(open_client)
    options: Mapping[str, Seat] = {**settings.oracle_seats}
    panel: list[Voter] = []
    for voter in voters:
        seat = options.get(voter.name, NO_OPTIONS)
        engine_name = (seat.model or settings.oracle_model or NO_MODEL) if voter.kind == "seat" else NO_MODEL
        option = f"ORACLE_{voter.name.upper()}"
        if engine_name == NO_MODEL:
            if seat.base_url or seat.api_key:
                raise SettingsError(f"{option}_BASE_URL or _API_KEY is set without a model: set {option}_MODEL")
            panel.append(voter)
            continue
        try:
            chosen = parse(engine_name, seat.base_url)
        except SettingsError as error:
            raise SettingsError(f"{option}_MODEL or _BASE_URL: {error.detail}") from None
        client = client_of(seat.base_url or chosen.provider.base_url, _key(option, chosen, seat, settings))
        panel.append(
            ModelSeat(
                voter,
                LanguageModel(chosen, client, learnt, prices),
                Breaker(time.monotonic),
                budget,
                settings.oracle_deadline_s,
                settings.oracle_on_failure,
                is_masked=settings.world == "replay",
            )
        )
    _report_unknown_prices(panel, settings)
    return tuple(panel)


def _key(option: str, chosen: Chosen, seat: Seat, settings: Settings) -> str:
    """The key for a seat's model; that of a provider is sent only to its provider's own address."""
    variable, own_key = chosen.provider.key_variable, seat.api_key.get_secret_value()
    if own_key or seat.base_url or variable is None:
        return own_key
    keys: Mapping[str, SecretStr] = {**settings.provider_keys}
    key = keys.get(chosen.provider.name)
    if not key:
        raise SettingsError(f"{chosen.engine} needs a key: set {variable} or {option}_API_KEY")
    return key.get_secret_value()


def _report_unknown_prices(voters: Sequence[Voter], settings: Settings) -> None:
    """Log each model of unknown price, which counts in tokens alone; refuse it where only USD are limited."""
    models = (voter.model for voter in voters if isinstance(voter, ModelSeat))
    for engine in dict.fromkeys(model.chosen.engine for model in models if model.price is None):
        advice = f"ORACLE_PRICES={engine}=INPUT/OUTPUT states it in USD per million tokens"
        if settings.oracle_daily_usd is not None and settings.oracle_daily_tokens is None:
            raise SettingsError(
                f"ORACLE_DAILY_USD: the price of {engine} is unknown; {advice}, or set ORACLE_DAILY_TOKENS as well"
            )
        log.warning("model_price_unknown", engine=engine, advice=advice)


OnFailure = Literal["fallback", "abstain"]
Number = TypeVar("Number", int, float)

LEAST_BYTES_PER_TOKEN = 2  # a lower bound for an English prompt with numbers; three to four are typical


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
        return self.model.chosen.engine

    def forecast(self, question: Question, inputs: ForecastInputs) -> Forecast:
        """The model's forecast, or the fallback if the model fails."""
        deadline = time.monotonic() + self.deadline_s
        with limits.computing():
            prompt = write(self.name, question, inputs, secrets.token_hex(8), is_masked=self.is_masked)
            try:
                with self.breaker.watching():
                    vote, completions = self._vote(prompt, deadline)
            except (ModelFailed, NotAsked) as failure:
                return self.late(question, inputs, failure.detail)
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
        forecast = self.embedded.forecast(question, inputs)
        reasoning = f"{forecast.reasoning} The embedded engine replaces a language model ({failure})."
        return replace(forecast, reasoning=reasoning, fallback=True)

    def _vote(self, prompt: Prompt, deadline: float) -> tuple[ModelAnswer, list[Completion]]:
        """The model's vote and all paid completions; an unusable answer is retried once if there is time."""
        completions: list[Completion] = []
        while True:
            completion = self._complete(prompt, deadline)
            completions.append(completion)
            try:
                vote = read(completion.text)
            except UnusableAnswer as refusal:
                self.model.modes.unusable(self.engine, completion.mode)
                is_late = time.monotonic() + completion.latency_ms / 1000 > deadline
                if len(completions) == modes.MOST_FAILURES or is_late:
                    raise ModelFailed(str(refusal)) from None
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
        reservation = self.budget.reserve(most_input + MOST_TOKENS, price.of(most_input, MOST_TOKENS))
        try:
            completion = self.model.complete(prompt.system, prompt.user, prompt.schema, deadline)
        except ModelFailed as failure:
            if not failure.may_cost:
                self.budget.settle(reservation, 0, 0.0)
            raise
        if completion.tokens is not None:
            self.budget.settle(reservation, completion.tokens, completion.usd or 0.0)
        return completion


def _p_up(question: Question, vote: ModelAnswer) -> float | None:
    """P(higher) of a vote; where YES is that the price is higher, or that it is not, the answer says it already."""
    if question.kind.asks_rise:
        return 1 - vote.p if question.negated != (question.kind.side < 0) else vote.p
    return None if question.comparator == "topic" else vote.p_up


def _sum(parts: list[Number | None]) -> Number | None:
    """The sum; None if any part is unknown."""
    numbers = [part for part in parts if part is not None]
    return sum(numbers[1:], numbers[0]) if len(numbers) == len(parts) else None
