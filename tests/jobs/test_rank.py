"""The ranking's jobs: leaderboards, a page of each strategy, and the net positions for the swarm."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest

from service.jobs.apex import swarm
from service.jobs.job import JobContext
from service.jobs.rank import publish_strategy_pages, rank, triage
from service.ledger.chain import ChainEntry
from service.market.assets import ASSETS
from service.market.instants import DAY, HOUR, iso
from service.market.months import ends
from service.store import bars, ledger, snapshots
from service.store.database import Database
from service.trading.strategies import STRATEGIES
from tests.forecasting.made import FIRST, made_bars
from tests.jobs.contexts import context_of

SLOT = FIRST + 60 * DAY


@pytest.fixture
def job_context(sqlite_database: Database) -> JobContext:
    """Hourly bars of every asset with a leaderboard."""
    with sqlite_database.writing() as db:
        for seed, asset in enumerate(ASSETS):
            bars.add_bars(db, asset, made_bars(asset, 61, seed))
    return context_of(sqlite_database, ASSETS, history_from=FIRST, world_origin=FIRST)


def published(job_context: JobContext, job, name: str) -> dict:
    """The document `name` after the job has run at SLOT."""
    effects = job(job_context, SLOT)
    with job_context.database.writing() as db:
        effects(db)
        return json.loads(snapshots.latest_snapshot(db, name).body)


@pytest.mark.parametrize("name", ["leaderboard", *(f"leaderboard/{asset}" for asset in tuple(ASSETS)[:2])])
def test_every_leaderboard_ranks_all_strategies_at_the_slot(job_context, name: str):
    """Bars that end later are not used."""
    board = published(job_context, rank, name)
    assert (board["as_of"], len(board["entries"])) == (iso(SLOT), len(STRATEGIES))


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
    """Every strategy is long, short or flat in each asset."""
    counts = published(job_context, rank, "swarm")
    assert set(ASSETS) <= counts.keys()
    assert {sum(positions.values()) for positions in counts.values()} == {len(STRATEGIES)}
    assert {asset: vars(net) for asset, net in swarm(job_context).items()} == counts


def test_each_strategy_has_a_page(job_context):
    keys = [entry["key"] for entry in published(job_context, rank, "leaderboard")["entries"]]
    page = published(job_context, publish_strategy_pages, f"strategies/{keys[0]}")
    assert (page["standing"]["key"], page["as_of"]) == (keys[0], iso(SLOT))
    with job_context.database.reading() as db:
        assert all(snapshots.latest_snapshot(db, f"strategies/{key}") for key in keys)


MONTHS = ["2025-01", "2025-02"]


@pytest.fixture
def closed_months(sqlite_database: Database) -> JobContext:
    """Two assets with hourly bars from the beginning of 2025 on; the first start is in the middle of February."""
    with sqlite_database.writing() as db:
        for seed, asset in enumerate(("btc", "eth")):
            bars.add_bars(db, asset, made_bars(asset, 70, seed))
    return context_of(sqlite_database, ("btc", "eth"), history_from=FIRST, world_origin=FIRST + 45 * DAY)


def work(closed_months: JobContext, slot: int) -> tuple[dict[str, dict], list[ChainEntry]]:
    """The snapshots stored once the job has run at `slot`, by name, and the rows of the ledger."""
    effects = triage(closed_months, slot)
    with closed_months.database.writing() as db:
        effects(db)
        names = ["strategy-hospital", *(f"strategy-hospital/{month}" for month in MONTHS)]
        by_name = {name: snapshot for name in names if (snapshot := snapshots.latest_snapshot(db, name))}
        rows = [json.loads(line) for line in ledger.export(db)]
    return by_name, rows


def test_each_closed_month_has_a_snapshot_and_a_ledger_row(closed_months):
    """The latest one is also the current document; a month that ended before the first start is backfilled."""
    slot = ends("2025-02") + 5 * DAY
    by_name, rows = work(closed_months, slot)
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
        assert (document["timestamp"], document["as_of"]) == (iso(slot), iso(ends(month)))


def test_a_stored_month_is_not_computed_again(closed_months):
    """A month later only the new month is added, and it compares itself with the stored one."""
    january, _ = work(closed_months, ends("2025-01") + HOUR)
    by_name, rows = work(closed_months, ends("2025-02") + HOUR)
    assert list(january) == ["strategy-hospital", "strategy-hospital/2025-01"]
    assert by_name["strategy-hospital/2025-01"] == january["strategy-hospital/2025-01"]
    assert [row["subject"] for row in rows] == MONTHS
    links = json.loads(by_name["strategy-hospital"].body)["links"]
    assert links["months"] == MONTHS
    assert links["history"].endswith("month=2025-01")


def test_before_the_first_month_has_closed_nothing_is_stored(closed_months):
    assert work(closed_months, ends("2025-01") - HOUR) == ({}, [])
