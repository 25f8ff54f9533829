"""A question about a coin outside the seven where only the seven have prices."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.api.application import create_app
from service.api.services import Services
from service.config import Settings
from service.market.instants import WorldClock
from service.store.secret import KeySecrets
from tests.api.conftest import NOON, STEP
from tests.api.oracle_app import observe
from tests.forecasting.made import panel_of


@pytest.mark.parametrize(("world", "words"), [("simulated", "is simulated"), ("replay", "is a replay")])
def test_other_worlds_refuse_a_coin_with_the_reason(database, tmp_path: Path, wall, world, words):
    """The refusal is free and names the assets that have prices."""
    observe(database)
    clock = WorldClock(world, world_origin=NOON, wall_origin=NOON)
    services = Services(
        Settings(data_dir=tmp_path), database, clock, STEP, panel_of(quorum=1), KeySecrets(b"a secret"), wall
    )
    client = create_app(services).test_client()
    key = client.post("/api/v1/register", json={"email": "reader@example.com"}).get_json()["api_key"]
    body = {"question": "Will dogecoin reach 0.5 by Friday?"}
    refusal = client.post("/api/v1/oracle", json=body, headers={"X-API-Key": key})
    assert (refusal.status_code, refusal.headers["X-RateLimit-Remaining"]) == (400, "10")
    detail = refusal.get_json()["detail"]
    assert f"only in the live world, where exchanges have their prices; this world {words}" in detail
    assert "Bitcoin (btc)" in detail
