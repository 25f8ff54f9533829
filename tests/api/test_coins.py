"""Other coins have prices in the live world alone."""

from __future__ import annotations

import pytest

from service.market.instants import WorldClock
from tests.api.conftest import NOON
from tests.api.opened import observe


@pytest.mark.parametrize(("world", "words"), [("simulated", "is simulated"), ("replay", "is a replay")])
def test_other_worlds_refuse_a_coin_with_the_reason(database, make_app, world, words):
    """The refusal is free and names the assets that have prices."""
    observe(database)
    client = make_app(database, clock=WorldClock(world, world_origin=NOON, wall_origin=NOON)).test_client()
    key = client.post("/api/v1/register", json={"email": "reader@example.com"}).json["api_key"]
    body = {"question": "Will pepecoin reach 0.5 by Friday?"}
    refusal = client.post("/api/v1/oracle", json=body, headers={"X-API-Key": key})
    assert (refusal.status_code, refusal.headers["X-RateLimit-Remaining"]) == (400, "10")
    detail = refusal.json["detail"]
    assert f"only in the live world, where exchanges have their prices; this world {words}" in detail
    assert "Bitcoin (btc)" in detail
