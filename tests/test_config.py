"""Options of seats and providers, which the environment names one by one."""

from __future__ import annotations

import pytest

from service import config
from service.config import Seat, SettingsError
from service.forecasting.voters.panel import VOTERS
from service.sources.llm.providers import PROVIDERS


def test_three_settings_make_a_seat_a_language_model():
    options = {"MODEL": "anthropic:a-model", "API_KEY": "secret"}
    variables = {f"ORACLE_MOMENTUM_{name}": option for name, option in options.items()}
    seats = config.read(variables | {"ORACLE_NEWS_BASE_URL": "http://127.0.0.1:9/v1"}).oracle_seats
    assert seats.pop("momentum") == Seat(model="anthropic:a-model", api_key="secret")
    assert seats == {"news": Seat(base_url="http://127.0.0.1:9/v1")}
    assert "secret" not in repr(config.read(variables).oracle_seats)


def test_a_providers_usual_key_variable_is_read():
    keys = config.read({"OPENAI_API_KEY": "secret", "XAI_API_KEY": ""}).provider_keys
    assert {name: key.get_secret_value() for name, key in keys.items()} == {"openai": "secret"}


def test_every_seat_and_every_provider_with_a_key_has_its_options():
    assert list(config.SEATS) == [voter.name for voter in VOTERS if voter.kind == "seat"]
    variables = [provider.key_variable for provider in PROVIDERS.values() if provider.key_variable]
    assert [f"{name.upper()}_API_KEY" for name in config.PROVIDERS] == variables


@pytest.mark.parametrize(
    ("variables", "complaint"),
    [
        ({"ORACLE_DEADLINE_S": "0"}, "ORACLE_DEADLINE_S"),
        ({"ORACLE_ON_FAILURE": "shrug"}, "ORACLE_ON_FAILURE"),
        ({"ORACLE_DAILY_USD": "-1"}, "ORACLE_DAILY_USD"),
        ({"REDIS_URL": "garbage"}, "REDIS_URL: .* begins with redis://"),
        ({"SOURCE_PROXY": "socks4://host"}, "SOURCE_PROXY: .* begins with http://"),
        ({"KEY_SECRET": "a"}, "KEY_SECRET: .* at least 16 characters"),
        ({"LEDGER_KEY": "zz"}, "LEDGER_KEY: .* 64 hex digits"),
    ],
)
def test_an_option_that_cannot_be_used_is_named(variables, complaint):
    with pytest.raises(SettingsError, match=complaint):
        config.read(variables)


SWITCHES = [name for name, field in config.Settings.model_fields.items() if field.annotation is bool]


@pytest.mark.parametrize("option", SWITCHES)
def test_every_switch_has_the_same_spellings(option: str):
    for spellings, value in ((("1", "true", "yes", "on", "Yes"), True), (("0", "false", "no", "off"), False)):
        for spelling in spellings:
            assert getattr(config.read({option.upper(): spelling}), option) is value
    for spelling in ("2", "ja", "enabled", " "):
        with pytest.raises(SettingsError, match=f"^{option.upper()}: must be 1 or 0; "):
            config.read({option.upper(): spelling})


def test_the_password_of_a_proxy_is_not_printed():
    settings = config.read({"SOURCE_PROXY": "http://name:pa55word@host:3128"})
    assert settings.source_proxy.get_secret_value() == "http://name:pa55word@host:3128"
    assert "pa55word" not in repr(settings)
