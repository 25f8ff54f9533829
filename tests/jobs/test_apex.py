"""Calls of apex and the fund that follows them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from service.forecasting.apex.call import Call
from service.forecasting.backfill import ASSET
from service.market.instants import HOUR
from service.store import bars
from service.store.pages import apex_calls
from service.trading.fund import run
from tests.jobs.track_record import document
from tests.measure import growth
from tests.running_service import HISTORY_DAYS, START, copied, running_service


@pytest.mark.slow
def test_the_first_start_has_fund_days_and_headlines(seeded: Path, tmp_path: Path):
    """All days but the 96 that come before the first call: 144 with the default history."""
    with running_service(copied(seeded, tmp_path)) as running:
        fund, news = document(running, "apex-fund"), document(running, "news-pulse")
        assert fund["days"] >= HISTORY_DAYS - 96
        assert (fund["live_since"], len(fund["equity"]) > HISTORY_DAYS - 96) == (None, True)
        assert len(news["headlines"]) >= 10
        assert all(row["simulated"] for row in news["headlines"])
        assert document(running, "apex")["backfilled"]


@pytest.mark.slow
def test_the_fund_of_two_years_has_all_its_calls_and_bars(seeded: Path, tmp_path: Path):
    """Also those from before the bars that the voters look back on; its past does not change with the hour."""
    folder = shutil.copytree(seeded, tmp_path / "aged")
    growth.age(folder, 750, tables=("bar", "apex_call"))
    with running_service(folder, START) as running:
        running.move(HOUR)
        shown = [document(running, name) for name in ("apex-fund", "apex")]
        with running.runtime.database.reading() as db:
            calls = [Call.from_plain(plain) for plain in apex_calls.every(db).values()]
            hourly = bars.load_bars(db, ASSET, calls[0].at, START + HOUR, HOUR)
    fund = run([(call.at, call.p_up) for call in calls], hourly, calls[0].at)
    assert (shown[0]["equity_usd"], shown[0]["trades_count"]) == (round(float(fund.equity[-1]), 2), len(fund.trades))
    # Where the repeated bars leave gaps, calls are void.
    assert sum(book["n"] for book in shown[1]["record"]) > 0.9 * len(calls)
