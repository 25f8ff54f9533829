"""The seats whose engine is a language model, and which model the settings give to each of them."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

import structlog

from service.config import Settings, SettingsError
from service.forecasting.voters.ballots import Abstention, Forecast, VoterKind
from service.forecasting.voters.forecast_inputs import ForecastInputs
from service.forecasting.voters.panel import Voter, votes_on
from service.forecasting.voters.prompts.reading import ModelAnswer, UnusableAnswer, read
from service.forecasting.voters.prompts.writing import Prompt, write
from service.questions.question import Question
from service.sources.llm import limits, modes
from service.sources.llm.client import MOST_TOKENS, Clients, Completion, LanguageModel
from service.sources.llm.limits import Breaker, Budget, ModelFailed, NotAsked
from service.sources.llm.modes import Modes
from service.sources.llm.providers import FREE, Chosen, TokenPrice, parse, stated_prices

NO_MODEL = "embedded"  # as an option: the seat keeps its embedded engine
log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True)
class Choice:
    """The options of one seat; an empty value means not set."""

    model: str = ""
    base_url: str = ""
    api_key: str = field(default="", repr=False)


def seated(voters: Sequence[Voter], settings: Settings, budget: Budget) -> tuple[Voter, ...]:
    """The voters that the settings configure; raises SettingsError with the name of the invalid option.

    Tokens of a model whose price is unknown count in ORACLE_DAILY_TOKENS alone, which is logged. A limit in USD alone
    could not hold such a model, so it is refused.
    """
    choices = {
        seat: Choice(option.model, option.base_url, option.api_key.get_secret_value())
        for seat, option in settings.oracle_seats.items()
    }
    panel = seats(
        voters,
        settings.oracle_model,
        choices,
        {provider: key.get_secret_value() for provider, key in settings.provider_keys.items()},
        prices=stated_prices(settings.oracle_prices),
        clients=Clients(),
        budget=budget,
        deadline_s=settings.oracle_deadline_s,
        on_failure=settings.oracle_on_failure,
        is_masked=settings.world == "replay",
    )
    _report_unknown_prices(panel, settings)
    return panel


def _report_unknown_prices(voters: Sequence[Voter], settings: Settings) -> None:
    models = (voter.model for voter in voters if isinstance(voter, ModelSeat))
    for engine in dict.fromkeys(model.engine for model in models if model.price is None):
        advice = f"ORACLE_PRICES={engine}=INPUT/OUTPUT states it in USD per million tokens"
        if settings.oracle_daily_usd is not None and settings.oracle_daily_tokens is None:
            raise SettingsError(
                f"ORACLE_DAILY_USD: the price of {engine} is unknown; {advice}, or set ORACLE_DAILY_TOKENS as well"
            )
        log.warning("model_price_unknown", engine=engine, advice=advice)


def seats(
    voters: Sequence[Voter],
    everywhere: str,
    choices: Mapping[str, Choice],
    keys: Mapping[str, str],
    *,
    prices: Mapping[str, TokenPrice],
    clients: Clients,
    budget: Budget,
    deadline_s: float,
    on_failure: OnFailure,
    is_masked: bool,
) -> tuple[Voter, ...]:
    """The voters, with a language model in every seat that is configured to use one.

    `voters` have their embedded engines; brains are not changed. `everywhere` is `provider:model` for each seat that
    has no own one in `choices`, empty for none. A key of `keys`, by provider, is sent only to its provider's own
    address. `prices` are those that the operator states, by engine; they replace list prices. With `is_masked` names
    and dates are kept from the models, because the prices are of a past that they may remember. Raises SettingsError
    with the name of the invalid option. Clients are created here, at start-up, so that the first question is not
    delayed.
    """
    learnt = Modes()
    seated: list[Voter] = []
    for voter in voters:
        choice = choices.get(voter.name, Choice()) if voter.kind == "seat" else Choice(NO_MODEL)
        engine_name = choice.model or everywhere or NO_MODEL
        if engine_name == NO_MODEL:
            _require_no_address(voter.name, choice)
            seated.append(voter)
            continue
        model = replace(_model(voter.name, engine_name, choice, keys, clients, learnt), prices=prices)
        seated.append(ModelSeat(voter, model, Breaker(time.monotonic), budget, deadline_s, on_failure, is_masked))
    return tuple(seated)


def _require_no_address(seat: str, choice: Choice) -> None:
    if choice.base_url or choice.api_key:
        option = f"ORACLE_{seat.upper()}"
        raise SettingsError(f"{option}_BASE_URL or _API_KEY is set without a model: set {option}_MODEL")


def _model(
    seat: str, engine_name: str, choice: Choice, keys: Mapping[str, str], clients: Clients, learnt: Modes
) -> LanguageModel:
    option = f"ORACLE_{seat.upper()}"
    try:
        chosen = parse(engine_name, choice.base_url)
    except SettingsError as error:
        raise SettingsError(f"{option}_MODEL or _BASE_URL: {error.detail}") from None
    base_url = choice.base_url or chosen.provider.base_url
    return LanguageModel(chosen, clients.of(base_url, _key(option, chosen, choice, keys)), learnt)


def _key(option: str, chosen: Chosen, choice: Choice, keys: Mapping[str, str]) -> str:
    variable = chosen.provider.key_variable
    if choice.api_key or choice.base_url or variable is None:
        return choice.api_key
    if not keys.get(chosen.provider.name):
        raise SettingsError(f"{chosen.engine} needs a key: set {variable} or {option}_API_KEY")
    return keys[chosen.provider.name]


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
        return self.model.engine

    def forecast(self, question: Question, inputs: ForecastInputs) -> Forecast:
        """The model's forecast, or the fallback if the model fails."""
        deadline = time.monotonic() + self.deadline_s
        with limits.computing():
            return self._forecast(question, inputs, deadline)

    def _forecast(self, question: Question, inputs: ForecastInputs, deadline: float) -> Forecast:
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
        if completion.input_tokens is not None and completion.output_tokens is not None:
            usd = price.of(completion.input_tokens, completion.output_tokens)
            self.budget.settle(reservation, completion.input_tokens + completion.output_tokens, usd)
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
