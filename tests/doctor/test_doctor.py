"""The doctor asks every source and seat of the settings once, and says what works, how fast and at what cost."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from service.config import Settings, SettingsError
from service.forecasting.voters.ballots import EMBEDDED
from service.sources import sessions
from tests.doctor.parts import KEY, SEATS, taken_by
from tests.sources.proxy_servers import proxying


def test_a_service_that_was_never_started_is_well_and_free(examined, tmp_path):
    parts = examined()
    assert list(parts) == ["database", "prices", *(f"seat {name}" for name in SEATS)]
    assert [part for part in parts.values() if not part.works] == []
    assert {(part.tokens, part.usd) for part in parts.values()} == {(0, 0.0)}
    assert {parts[f"seat {name}"].what for name in SEATS} == {EMBEDDED}
    assert parts["prices"].what == "simulated market"


def test_nothing_is_made_by_looking(examined, tmp_path):
    examined(data_dir=tmp_path / "var")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options",
    [
        {"database_url": f"mysql://root:{KEY}@127.0.0.1/test"},
        {"database_url": f"{KEY}::"},
        {"database_url": "sqlite://"},
        {"broker_url": SecretStr(f"amqp://guest:{KEY}@127.0.0.1:http")},
        {"world": "live", "exchanges": ("unknown",)},
        {"world": "live", "exchanges": ()},
        {"oracle_model": "openai:gpt-5-mini"},
        {"oracle_model": "unknown:gpt-5-mini", "provider_keys": {"openai": KEY}},
    ],
)
def test_settings_are_checked_before_any_call(examined, options):
    with pytest.raises(SettingsError) as caught:
        examined(**options)
    assert KEY not in caught.value.detail


def test_models_and_sources_are_asked_through_the_proxy(examined, model):
    address = model.address.replace("127.0.0.1", "model.test")  # a name that only the proxy resolves
    with proxying("http") as proxy:
        try:
            examined(world="simulated", source_proxy=proxy.address, **taken_by(address, "momentum"))
        finally:
            sessions.use_proxy(Settings())
    assert f"POST {address}/chat/completions" in proxy.requests
