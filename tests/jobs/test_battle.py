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
from tests.sources.conftest import POOL, ExchangeServer, serve

pytestmark = pytest.mark.slow


@pytest.fixture
def llama(shared_data: Path):
    """A server that lists the recorded rows and one pool a lane can be in."""
    answer = json.loads((shared_data / "recorded" / "defillama" / "pools.json").read_text())
    document = answer | {"data": [*answer["data"], answer["data"][0] | POOL]}
    yield from serve(ExchangeServer(routes=lambda *_: document))


@pytest.fixture
def service(tmp_path: Path):
    with running_service(tmp_path, history_days=60) as service:
        yield service


def work(service: RunningService, job, slot: int, **options) -> None:
    job_context = service.engine.job_context
    effects = job(replace(job_context, settings=job_context.settings.model_copy(update=options)), slot)
    with service.runtime.database.writing() as db:
        effects(db)


def battle_of(service: RunningService) -> dict:
    return service.client.get("/api/v1/bot-battle").get_json()


def test_the_lanes_use_the_listed_pools(service, llama):
    """They are named in the lane, its mode and the sources of the document."""
    for job in (prices.tick, forecast.observe):
        work(service, job, SLOT)
    work(service, battle.list_pools, SLOT, pools_url=f"{llama.address}/pools")
    work(service, battle.battle, SLOT)
    document = battle_of(service)
    lanes = {lane["name"]: lane for lane in document["lanes"]}
    assert document["sources"]["pools"] == "defillama"
    assert lanes["lp_wide"]["current_pool"] == "WETH/USDC 0.05% (Arbitrum)"
    assert lanes["lp_wide"]["mode"] == "paper-defillama"


def test_pools_listed_a_day_ago_are_not_used(service, llama):
    for job in (prices.tick, forecast.observe):
        work(service, job, SLOT)
    work(service, battle.list_pools, SLOT - DAY - 3600, pools_url=f"{llama.address}/pools")
    work(service, battle.battle, SLOT)
    assert battle_of(service)["sources"]["pools"] == "assumed"


def test_lane_trades_recorded_within_the_hour_are_live(house, old_house):
    """Trades recorded later, after a time in which no process ran, are marked as backfilled."""
    rows_before = len(rows(house))
    trades = [row for row in rows(old_house, "lane_trade") if row.seq > rows_before]
    assert trades
    for row in trades:
        assert unix(row.body["time"]) > SLOT
        assert row.backfilled == (unix(row.body["time"]) < unix(row.recorded_at) - HOUR)
    span = range(SLOT + 6 * HOUR, SLOT + 7 * HOUR + 1)
    assert any(not row.backfilled and unix(row.body["time"]) in span for row in trades)
    with old_house.runtime.database.reading() as db:
        assert len(rows(old_house, "lane_trade")) == db.scalar(
            select(func.count()).select_from(metadata.tables["lane_event"])
        )
