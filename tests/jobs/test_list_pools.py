"""The live world's pools: from DefiLlama into the lanes, and back to the assumed ones when it falls silent."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from service.jobs import battle, forecast, tick
from service.market.instants import DAY
from tests.houses import START, Residents, resident
from tests.sources.conftest import ExchangeServer, serve

POOL = {
    "pool": "c0ffee",
    "project": "uniswap-v3",
    "chain": "Arbitrum",
    "symbol": "WETH-USDC",
    "poolMeta": "0.05%",
    "tvlUsd": 60_000_000,
    "volumeUsd1d": 90_000_000,
    "volumeUsd7d": None,
}
SLOT = START - START % 3600


@pytest.fixture
def llama(shared_data: Path):
    """A server that lists the recorded rows and one pool a lane can be in."""
    recorded = json.loads((shared_data / "recorded" / "defillama" / "pools.json").read_text())
    listed = recorded | {"data": [*recorded["data"], recorded["data"][0] | POOL]}
    yield from serve(ExchangeServer(routes=lambda *_: listed))


@pytest.fixture
def residents(tmp_path: Path):
    with resident(tmp_path, history_days=60) as residents:
        yield residents


def work(residents: Residents, job, slot: int, **options) -> None:
    workshop = residents.engine._workshop
    effects = job(replace(workshop, settings=workshop.settings.model_copy(update=options)), slot)
    with residents.house.database.writing() as db:
        effects(db)


def told(residents: Residents) -> dict:
    return residents.client.get("/api/v1/bot-battle").get_json()


def test_listed_pools_are_what_the_lanes_provide_liquidity_to(residents, llama):
    """They are named in the lane, its mode and the sources of the document."""
    for job in (tick.tick, forecast.observe):
        work(residents, job, SLOT)
    work(residents, battle.list_pools, SLOT, pools_url=f"{llama.address}/pools")
    work(residents, battle.battle, SLOT)
    document = told(residents)
    lanes = {lane["name"]: lane for lane in document["lanes"]}
    assert document["sources"]["pools"] == "defillama"
    assert lanes["lp_wide"]["current_pool"] == "WETH/USDC 0.05% (Arbitrum)"
    assert lanes["lp_wide"]["mode"] == "paper-defillama"


def test_pools_listed_a_day_ago_are_not_taken_for_todays(residents, llama):
    for job in (tick.tick, forecast.observe):
        work(residents, job, SLOT)
    work(residents, battle.list_pools, SLOT - DAY - 3600, pools_url=f"{llama.address}/pools")
    work(residents, battle.battle, SLOT)
    assert told(residents)["sources"]["pools"] == "assumed"
