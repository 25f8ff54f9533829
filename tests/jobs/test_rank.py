"""The jobs of trading: leaderboards, pages, hospital and net positions, and the lanes with the pools of the world."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from service.jobs import battle, forecast, prices
from service.jobs.apex import swarm
from service.jobs.job import JobContext
from service.jobs.rank import publish_strategy_pages, rank, triage
from service.market.assets import ASSETS
from service.market.instants import DAY, HOUR, iso, unix
from service.market.months import ends
from service.store import bars, ledger, snapshots
from service.store.database import Database
from service.store.snapshots import Snapshot
from service.store.tables import lane_event
from service.trading.strategies import STRATEGIES
from tests.forecasting.made import FIRST, made_bars
from tests.jobs.contexts import context_of, work
from tests.jobs.track_record import SLOT, rows
from tests.running_service import RunningService, running_service
from tests.sources.conftest import POOL, ExchangeServer, serve

RANKED_AT = FIRST + 60 * DAY
MONTHS = ["2025-01", "2025-02"]


def with_bars(database: Database, assets: Collection[str], days: int, world_origin: int = FIRST) -> JobContext:
    """A context with so many days of hourly bars of these assets."""
    with database.writing() as db:
        for seed, asset in enumerate(assets):
            bars.add_bars(db, asset, made_bars(asset, days, seed))
    return context_of(database, assets, history_from=FIRST, world_origin=world_origin)


@pytest.fixture
def job_context(sqlite_database: Database) -> JobContext:
    """One with a leaderboard of every asset."""
    return with_bars(sqlite_database, ASSETS, days=61)


def published(job_context: JobContext, job, name: str) -> dict:
    """The document `name` after the job has run at RANKED_AT."""
    work(job_context, job, RANKED_AT)
    with job_context.database.reading() as db:
        return json.loads(snapshots.latest_snapshot(db, name).body)


@pytest.mark.parametrize("name", ["leaderboard", *(f"leaderboard/{asset}" for asset in tuple(ASSETS)[:2])])
def test_every_leaderboard_ranks_all_strategies_at_the_slot(job_context, name: str):
    """Bars that end later are not used."""
    board = published(job_context, rank, name)
    assert (board["as_of"], len(board["entries"])) == (iso(RANKED_AT), len(STRATEGIES))


def test_shorts_pay_the_rate_of_the_settings(job_context):
    """The leaderboards and pages state it, and it lowers what strategies are worth, except where one ended."""
    board = published(job_context, rank, "leaderboard")
    assert board["borrow_rate_pct"] == job_context.settings.borrow_rate_pct == 7.3
    free = replace(job_context, settings=job_context.settings.model_copy(update={"borrow_rate_pct": 0}))
    free_board = published(free, rank, "leaderboard")
    assert free_board["borrow_rate_pct"] == 0
    capital = {entry["key"]: entry["capital"] for entry in board["entries"]}
    assert sum(entry["capital"] > capital[entry["key"]] for entry in free_board["entries"]) > 45
    page = published(job_context, publish_strategy_pages, f"strategies/{board['entries'][0]['key']}")
    assert page["borrow_rate_pct"] == 7.3
    assert page["statistics"]["borrow_usd"] > 0


def test_the_net_positions_are_those_that_the_swarm_reads(job_context):
    """Every strategy is long, short or flat in each asset; before the first ranking there is no swarm."""
    assert swarm(job_context) == {}
    counts = published(job_context, rank, "swarm")
    assert set(ASSETS) <= counts.keys()
    assert {sum(positions.values()) for positions in counts.values()} == {len(STRATEGIES)}
    assert {asset: vars(net) for asset, net in swarm(job_context).items()} == counts


def test_each_strategy_has_a_page(job_context):
    keys = [entry["key"] for entry in published(job_context, rank, "leaderboard")["entries"]]
    page = published(job_context, publish_strategy_pages, f"strategies/{keys[0]}")
    assert (page["standing"]["key"], page["as_of"]) == (keys[0], iso(RANKED_AT))
    with job_context.database.reading() as db:
        assert all(snapshots.latest_snapshot(db, f"strategies/{key}") for key in keys)


@pytest.fixture
def closed_months(sqlite_database: Database) -> JobContext:
    """Two assets with hourly bars from the beginning of 2025 on; the first start is in the middle of February."""
    return with_bars(sqlite_database, ("btc", "eth"), days=70, world_origin=FIRST + 45 * DAY)


def triaged(closed_months: JobContext, slot: int) -> tuple[dict[str, Snapshot], list[dict]]:
    """The snapshots stored once the job has run at `slot`, by name, and the rows of the ledger."""
    work(closed_months, triage, slot)
    names = ["strategy-hospital", *(f"strategy-hospital/{month}" for month in MONTHS)]
    with closed_months.database.reading() as db:
        by_name = {name: snapshot for name in names if (snapshot := snapshots.latest_snapshot(db, name))}
        return by_name, [json.loads(line) for line in ledger.export(db)]


def test_each_closed_month_has_a_snapshot_and_a_ledger_row(closed_months):
    """The latest one is also the current document; a month that ended before the first start is backfilled."""
    slot = ends("2025-02") + 5 * DAY
    by_name, rows = triaged(closed_months, slot)
    assert list(by_name) == ["strategy-hospital", *(f"strategy-hospital/{month}" for month in MONTHS)]
    assert by_name["strategy-hospital"].body == by_name["strategy-hospital/2025-02"].body
    assert [(row["kind"], row["subject"], row["backfilled"]) for row in rows] == [
        ("hospital", "2025-01", True),
        ("hospital", "2025-02", False),
    ]
    for month, row in zip(MONTHS, rows, strict=True):
        body = by_name[f"strategy-hospital/{month}"].body
        document = json.loads(body)
        assert row["body"]["sha256"] == hashlib.sha256(body).hexdigest()
        assert len(row["body"]["judged"]) == len(document["strategies"]) == len(STRATEGIES)
        assert (document["timestamp"], document["as_of"]) == (iso(ends("2025-02")), iso(ends(month)))


def test_a_stored_month_is_not_computed_again(closed_months):
    """A month later only the new month is added, and it compares itself with the stored one."""
    january, _ = triaged(closed_months, ends("2025-01") + HOUR)
    by_name, rows = triaged(closed_months, ends("2025-02") + HOUR)
    assert list(january) == ["strategy-hospital", "strategy-hospital/2025-01"]
    assert by_name["strategy-hospital/2025-01"] == january["strategy-hospital/2025-01"]
    assert [row["subject"] for row in rows] == MONTHS
    links = json.loads(by_name["strategy-hospital"].body)["links"]
    assert links["months"] == MONTHS
    assert links["history"].endswith("month=2025-01")


def test_before_the_first_month_has_closed_nothing_is_stored(closed_months):
    assert triaged(closed_months, ends("2025-01") - HOUR) == ({}, [])


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


def battle_of(service: RunningService, pools_url: str, listed_at: int) -> dict:
    """The document of the lanes, with pools that were listed at an instant."""
    context = service.engine.job_context
    for job in (prices.tick, forecast.observe):
        work(context, job, SLOT)
    settings = context.settings.model_copy(update={"pools_url": pools_url})
    work(replace(context, settings=settings), battle.list_pools, listed_at)
    work(context, battle.battle, SLOT)
    return service.client.get("/api/v1/bot-battle").get_json()


@pytest.mark.slow
def test_the_lanes_use_the_listed_pools(service, llama):
    """They are named in the lane, its mode and the sources of the document."""
    document = battle_of(service, f"{llama.address}/pools", SLOT)
    lanes = {lane["name"]: lane for lane in document["lanes"]}
    assert document["sources"]["pools"] == "defillama"
    assert lanes["lp_wide"]["current_pool"] == "WETH/USDC 0.05% (Arbitrum)"
    assert lanes["lp_wide"]["mode"] == "paper-defillama"


@pytest.mark.slow
def test_pools_listed_a_day_ago_are_not_used(service, llama):
    document = battle_of(service, f"{llama.address}/pools", SLOT - DAY - HOUR)
    assert document["sources"]["pools"] == "assumed"


@pytest.mark.slow
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
        assert len(rows(old_house, "lane_trade")) == len(db.execute(select(lane_event)).all())
