"""What the settings say of the seats becomes the voters that the oracle asks."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from structlog.testing import capture_logs

from service.config import Settings, SettingsError
from service.forecasting.voters.ballots import EMBEDDED
from service.forecasting.voters.embedded import voters
from service.forecasting.voters.panel import Voter
from service.sources.llm.budget import Budget, SpendingInMemory
from service.sources.llm.client import Clients
from service.sources.llm.providers import PROVIDERS
from service.sources.llm.seat import ModelSeat
from service.sources.llm.seating import Choice, seats
from service.sources.llm.seating import seated as seated_by_settings
from tests.processes import ROOT

KEYS = {name: f"sk-{name}" for name, provider in PROVIDERS.items() if provider.key_variable}
SEATS = ["momentum", "reversion", "breadth", "regime", "trend", "news"]


@pytest.fixture
def seated(clients: Clients) -> Callable[..., tuple[Voter, ...]]:
    def build(everywhere: str = "", keys: dict[str, str] = KEYS, **choices: Choice) -> tuple[Voter, ...]:
        return seats(
            voters(),
            everywhere,
            choices,
            keys,
            prices={},
            clients=clients,
            budget=Budget(None, None, SpendingInMemory(), time.time),
            deadline_s=20,
            on_failure="fallback",
            is_masked=False,
        )

    return build


def engines(seated: tuple[Voter, ...]) -> dict[str, str]:
    return {voter.name: voter.engine for voter in seated}


def sent(voter: Voter) -> tuple[str, str]:
    """Where a seat's model is asked, and the key that is sent there."""
    client = voter.model.client
    return str(client.base_url), client.api_key


def test_without_a_choice_every_voter_is_embedded(seated):
    assert seated() == voters()


def test_one_model_for_all_takes_the_six_seats_and_no_brain(seated):
    taken = seated("openai:gpt-5-mini")
    assert [voter.name for voter in taken] == [voter.name for voter in voters()]
    assert [voter.kind for voter in taken] == ["seat"] * 6 + ["brain"] * 3
    assert engines(taken) == dict.fromkeys(SEATS, "openai:gpt-5-mini") | dict.fromkeys(["vol", "garch", "sv"], EMBEDDED)


def test_a_seat_may_have_a_model_of_its_own_or_none(seated):
    taken = seated("openai:gpt-5-mini", news=Choice("anthropic:claude-haiku-4-5"), trend=Choice("embedded"))
    engine_of = engines(taken)
    assert (engine_of["news"], engine_of["trend"], engine_of["regime"]) == (
        "anthropic:claude-haiku-4-5",
        EMBEDDED,
        "openai:gpt-5-mini",
    )


def test_a_seat_keeps_its_embedded_engine_to_fall_back_on(seated):
    for taken, embedded in zip(seated("ollama:qwen3:8b")[:6], voters(), strict=False):
        assert taken.embedded == embedded


def test_each_provider_gets_its_own_key_at_its_own_address(seated):
    taken = seated("openai:gpt-5-mini", news=Choice("groq:llama-3.1-8b-instant"))
    assert sent(taken[0]) == ("https://api.openai.com/v1/", "sk-openai")
    assert sent(taken[5]) == ("https://api.groq.com/openai/v1/", "sk-groq")


def test_the_key_of_a_seat_comes_before_the_usual_one(seated):
    assert sent(seated(news=Choice("openai:gpt-5", api_key="sk-mine"))[5])[1] == "sk-mine"


def test_the_usual_key_is_never_sent_to_another_address(seated):
    """A provider's name before a model makes no stranger its provider."""
    taken = seated(news=Choice("openai:gpt-5", base_url="https://gateway.example/v1"))
    assert sent(taken[5]) == ("https://gateway.example/v1/", "none")


def test_a_model_on_this_machine_needs_no_key(seated):
    assert sent(seated("ollama:qwen3:8b", keys={})[0]) == ("http://127.0.0.1:11434/v1/", "none")


def test_a_missing_key_is_named_before_anything_starts(seated):
    with pytest.raises(SettingsError, match="set ANTHROPIC_API_KEY or ORACLE_NEWS_API_KEY"):
        seated(news=Choice("anthropic:claude-haiku-4-5"), keys={"openai": "sk-openai"})


def test_an_unknown_provider_is_refused_with_its_option(seated):
    with pytest.raises(SettingsError, match=r"ORACLE_REGIME_MODEL .*openai, anthropic"):
        seated(regime=Choice("acme:large"))


@pytest.mark.parametrize("choice", [Choice(base_url="http://127.0.0.1:8000/v1"), Choice(api_key="sk-mine")])
def test_an_address_or_a_key_without_a_model_is_refused(seated, choice):
    with pytest.raises(SettingsError, match="set ORACLE_NEWS_MODEL") as caught:
        seated(news=choice)
    assert "sk-mine" not in caught.value.detail


def test_seats_that_are_asked_alike_share_one_client(seated):
    taken = seated("openai:gpt-5-mini", news=Choice("openai:gpt-5"), trend=Choice("groq:llama-3.1-8b-instant"))
    clients = {voter.name: voter.model.client for voter in taken[:6]}
    assert clients["momentum"] is clients["news"]
    assert clients["momentum"] is not clients["trend"]


def test_every_seat_has_a_breaker_of_its_own(seated):
    assert len({id(voter.breaker) for voter in seated("openai:gpt-5-mini")[:6]}) == 6


def test_a_key_is_in_no_representation(seated):
    assert "sk-" not in repr(seated("openai:gpt-5-mini", news=Choice("openai:gpt-5", api_key="sk-mine")))
    assert "sk-mine" not in repr(Choice("openai:gpt-5", api_key="sk-mine"))


def test_a_service_without_models_does_not_import_their_library():
    """It takes longer to import than everything else together."""
    program = "import sys, service.sources.llm.seating; sys.exit('openai' in sys.modules or 'httpx2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize(("world", "is_masked"), [("simulated", False), ("live", False), ("replay", True)])
def test_only_the_models_of_a_replay_are_masked(world, is_masked, tmp_path):
    """A model may remember what came after recorded prices."""
    settings = Settings(world=world, replay_dir=tmp_path, oracle_model="ollama:llama3.2")
    taken = seated_by_settings(voters(), settings, Budget(None, None, SpendingInMemory(), time.time))
    assert [seat.is_masked for seat in taken if isinstance(seat, ModelSeat)] == [is_masked] * 6


OWN = {"model": "my-model", "base_url": "http://127.0.0.1:8080/v1"}


def test_a_model_without_a_price_is_reported():
    """Once for each model, with the option that states a price; a limit in USD alone cannot hold it."""
    settings = Settings(oracle_seats={"momentum": OWN, "news": OWN}, oracle_daily_usd=1.0, oracle_daily_tokens=10_000)
    unlimited = Budget(None, None, SpendingInMemory(), time.time)
    with capture_logs() as lines:
        seated_by_settings(voters(), settings, unlimited)
    (line,) = lines
    assert (line["event"], line["engine"]) == ("model_price_unknown", "custom:my-model")
    assert "ORACLE_PRICES=custom:my-model=INPUT/OUTPUT" in line["advice"]
    in_usd_alone = settings.model_copy(update={"oracle_daily_tokens": None})
    with pytest.raises(SettingsError, match="ORACLE_DAILY_USD: the price of custom:my-model is unknown"):
        seated_by_settings(voters(), in_usd_alone, unlimited)


def test_a_stated_price_lets_a_limit_in_usd_hold():
    """It reaches the seat's model, and nothing is reported."""
    settings = Settings(oracle_seats={"momentum": OWN}, oracle_daily_usd=1.0, oracle_prices="custom:my-model=0.25/2")
    with capture_logs() as lines:
        momentum, *_ = seated_by_settings(voters(), settings, Budget(None, None, SpendingInMemory(), time.time))
    assert lines == []
    assert momentum.model.price == (0.25, 2.0)
