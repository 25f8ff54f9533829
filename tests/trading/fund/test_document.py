"""The published document of the fund."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest
from pydantic import TypeAdapter

from service.market.headers import header
from service.market.instants import DAY, HOUR, iso
from service.trading.fund import FundDocument, fund_document, run
from service.trading.performance import max_drawdown, sharpe
from tests.trading.fund.test_book import bars_of, random_calls, walk

HOURS = 40 * 24
LIVE = 30 * DAY
HEADER = header(HOURS * HOUR, HOURS * HOUR, step=HOUR, world="simulated", sources={"btc": "simulated"})


@pytest.fixture(scope="module")
def fund():
    return run(random_calls(HOURS), walk(HOURS, missing=0), 0)


@pytest.fixture(scope="module")
def document(fund) -> FundDocument:
    return fund_document(fund, LIVE, HEADER)


def test_it_has_the_header_and_survives_json(document: FundDocument):
    assert list(asdict(document))[:6] == ["schema", "timestamp", "as_of", "stale_after", "world", "sources"]
    assert document.schema == "apex-fund/1"
    adapter = TypeAdapter(FundDocument)
    assert adapter.validate_json(adapter.dump_json(document)) == document


def test_cash_and_bitcoin_add_up_to_the_equity(fund, document: FundDocument):
    assert document.cash_usd + document.quantity_btc * fund.price == pytest.approx(document.equity_usd, abs=0.01)
    assert document.exposure_pct == pytest.approx(100 * fund.quantity * fund.price / fund.equity[-1], abs=1e-3)
    assert document.pnl_usd == pytest.approx(document.equity_usd - 1000, abs=0.01)
    assert document.pnl_pct == pytest.approx(document.pnl_usd / 10, abs=1e-3)
    assert document.fees_usd == pytest.approx(
        sum(trade.quantity * trade.price / 1000 for trade in fund.trades), abs=0.01
    )


def test_sharpe_is_daily_and_the_drawdown_hourly(fund, document: FundDocument):
    daily = fund.equity[24::24]
    assert document.days == 40
    assert document.sharpe == pytest.approx(sharpe(daily / np.append(1000, daily[:-1]) - 1), abs=1e-4)
    assert document.max_drawdown_pct == pytest.approx(100 * max_drawdown(fund.equity, 1000), abs=1e-4)
    assert document.benchmark.pnl_pct == pytest.approx(100 * (fund.benchmark[-1] / 1000 - 1), abs=1e-4)
    assert document.versus_benchmark_pct == pytest.approx(document.pnl_pct - document.benchmark.pnl_pct)


def test_backfilled_and_live_are_two_books(fund, document: FundDocument):
    live, past = document.books
    assert (live.backfilled, past.backfilled) == (False, True)
    assert (live.days, past.days) == (10, 30)
    assert live.fund.pnl_pct == pytest.approx(100 * (fund.equity[-1] / fund.equity[30 * 24] - 1), abs=1e-4)
    assert past.fund.pnl_pct == pytest.approx(100 * (fund.equity[30 * 24] / 1000 - 1), abs=1e-4)
    assert (1 + live.fund.pnl_pct / 100) * (1 + past.fund.pnl_pct / 100) == pytest.approx(1 + document.pnl_pct / 100)
    assert live.trades_count + past.trades_count == document.trades_count == len(fund.trades)
    assert {trade.backfilled for trade in document.trades if trade.time >= iso(LIVE)} == {False}
    assert {point.backfilled for point in document.equity if point.time < iso(LIVE)} == {True}
    assert document.live_since == iso(LIVE)


def test_without_a_live_call_everything_is_backfilled(fund):
    document = fund_document(fund, None, HEADER)
    assert [book.backfilled for book in document.books] == [True]
    assert document.live_since is None
    assert all(point.backfilled for point in document.equity)
    assert all(trade.backfilled for trade in document.trades)


def test_without_a_backfill_there_is_only_a_live_book(fund):
    assert [book.backfilled for book in fund_document(fund, 0, HEADER).books] == [False]


def test_points_of_the_curve_are_marks_and_not_averages(fund, document: FundDocument):
    marks = dict(zip(map(iso, fund.times.tolist()), fund.equity.round(2).tolist(), strict=True))
    assert all(marks[point.time] == point.equity_usd for point in document.equity)
    assert [point.time for point in document.equity] == [iso(6 * HOUR * at) for at in range(161)]


@pytest.mark.parametrize("days", [1, 100, 400, 1500])
def test_a_curve_has_about_500_points_and_the_last_hour(days: int):
    hours = 24 * days + 5
    document = fund_document(run([], walk(hours, missing=0), 0), None, HEADER)
    assert len(document.equity) <= 502
    assert document.equity[0].time == iso(0)
    assert document.equity[-1].time == iso(hours * HOUR)


def test_the_last_100_trades_are_listed_newest_first():
    hours = 4000
    fund = run(random_calls(hours), walk(hours), 0)
    document = fund_document(fund, None, HEADER)
    assert document.trades_count == len(fund.trades) > 100
    assert [trade.time for trade in document.trades] == [iso(trade.time) for trade in fund.trades[:-101:-1]]
    newest = document.trades[0]
    assert newest.value_usd == pytest.approx(newest.quantity_btc * newest.price, abs=0.01)
    assert newest.fee_usd == pytest.approx(newest.value_usd / 1000, abs=0.01)


def test_without_a_full_day_there_is_no_sharpe_ratio():
    for bars in (bars_of([100], [110]), bars_of([], [])):
        document = fund_document(run([(0, 0.5)], bars, 0), None, HEADER)
        assert (document.sharpe, document.sharpe_low, document.benchmark.sharpe) == (None, None, None)
        assert (document.days, document.equity[0].equity_usd) == (0, 1000)
