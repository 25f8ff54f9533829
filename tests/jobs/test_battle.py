"""The pools of the live world: from DefiLlama into the lanes, or the assumed ones when it is unavailable."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import func, select

from service.jobs import battle, forecast, prices
from service.market.instants import DAY, HOUR, unix
from service.store.tables import metadata
from tests.jobs.track_record import SLOT, rows
from tests.running_service import RunningService, running_service
from tests.sources.conftest import ExchangeServer, serve

pytestmark = pytest.mark.slow

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


@pytest.fixture
def llama(shared_data: Path):
    """A server that lists the recorded rows and one pool a lane can be in."""
    recorded = json.loads((shared_data / "recorded" / "defillama" / "pools.json").read_text())
    listed = recorded | {"data": [*recorded["data"], recorded["data"][0] | POOL]}
    yield from serve(ExchangeServer(routes=lambda *_: listed))


@pytest.fixture
def running(tmp_path: Path):
    with running_service(tmp_path, history_days=60) as running:
        yield running


def work(running: RunningService, job, slot: int, **options) -> None:
    job_context = running.engine.job_context
    effects = job(replace(job_context, settings=job_context.settings.model_copy(update=options)), slot)
    with running.runtime.database.writing() as db:
        effects(db)


def battle_of(running: RunningService) -> dict:
    return running.client.get("/api/v1/bot-battle").get_json()


def test_the_lanes_use_the_listed_pools(running, llama):
    """They are named in the lane, its mode and the sources of the document."""
    for job in (prices.tick, forecast.observe):
        work(running, job, SLOT)
    work(running, battle.list_pools, SLOT, pools_url=f"{llama.address}/pools")
    work(running, battle.battle, SLOT)
    document = battle_of(running)
    lanes = {lane["name"]: lane for lane in document["lanes"]}
    assert document["sources"]["pools"] == "defillama"
    assert lanes["lp_wide"]["current_pool"] == "WETH/USDC 0.05% (Arbitrum)"
    assert lanes["lp_wide"]["mode"] == "paper-defillama"


def test_pools_listed_a_day_ago_are_not_used(running, llama):
    for job in (prices.tick, forecast.observe):
        work(running, job, SLOT)
    work(running, battle.list_pools, SLOT - DAY - 3600, pools_url=f"{llama.address}/pools")
    work(running, battle.battle, SLOT)
    assert battle_of(running)["sources"]["pools"] == "assumed"


def test_lane_trades_recorded_within_the_hour_are_live(house, aged):
    """Trades recorded later, after a time in which no process ran, are marked as backfilled."""
    rows_before = len(rows(house))
    trades = [row for row in rows(aged, "lane_trade") if row.seq > rows_before]
    assert trades
    for row in trades:
        assert unix(row.body["time"]) > SLOT
        assert row.backfilled == (unix(row.body["time"]) < unix(row.recorded_at) - HOUR)
    hour_seen = range(SLOT + 6 * HOUR, SLOT + 7 * HOUR + 1)
    assert any(not row.backfilled and unix(row.body["time"]) in hour_seen for row in trades)
    with aged.runtime.database.reading() as db:
        assert len(rows(aged, "lane_trade")) == db.scalar(
            select(func.count()).select_from(metadata.tables["lane_event"])
        )
