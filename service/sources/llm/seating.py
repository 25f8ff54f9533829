"""Assigns language models to the six seats according to the settings."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import structlog

from service.config import Settings, SettingsError
from service.forecasting.voters.panel import Voter
from service.sources.llm.breaker import Breaker
from service.sources.llm.budget import Budget
from service.sources.llm.client import Clients, LanguageModel
from service.sources.llm.modes import Modes
from service.sources.llm.prices import TokenPrice, stated_prices
from service.sources.llm.providers import Chosen, parse
from service.sources.llm.seat import ModelSeat, OnFailure

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
    taken = seats(
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
    _report_unknown_prices(taken, settings)
    return taken


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

    Parameters
    ----------
    voters : sequence of Voter
        With their embedded engines; brains are not changed.
    everywhere : str
        `provider:model` for each seat without its own choice; empty for none.
    choices : mapping of str to Choice
        By seat.
    keys : mapping of str to str
        The API keys by provider. A key is sent only to its provider's own address.
    prices : mapping of str to TokenPrice
        Those that the operator states, by engine; they replace list prices.
    is_masked : bool
        Whether names and dates are kept from the models, because the prices are of a past that they may remember.

    Raises SettingsError with the name of the invalid option. Clients are created here, at start-up, so that the first
    question is not delayed.
    """
    learnt = Modes()
    seated: list[Voter] = []
    for voter in voters:
        choice = choices.get(voter.name, Choice()) if voter.kind == "seat" else Choice(NO_MODEL)
        named = choice.model or everywhere or NO_MODEL
        if named == NO_MODEL:
            _require_no_address(voter.name, choice)
            seated.append(voter)
            continue
        model = replace(_model(voter.name, named, choice, keys, clients, learnt), prices=prices)
        seated.append(ModelSeat(voter, model, Breaker(time.monotonic), budget, deadline_s, on_failure, is_masked))
    return tuple(seated)


def _require_no_address(seat: str, choice: Choice) -> None:
    if choice.base_url or choice.api_key:
        option = f"ORACLE_{seat.upper()}"
        raise SettingsError(f"{option}_BASE_URL or _API_KEY is set without a model: set {option}_MODEL")


def _model(
    seat: str, named: str, choice: Choice, keys: Mapping[str, str], clients: Clients, learnt: Modes
) -> LanguageModel:
    option = f"ORACLE_{seat.upper()}"
    try:
        chosen = parse(named, choice.base_url)
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
