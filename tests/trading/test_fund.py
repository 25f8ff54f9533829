"""The fund's trades and equity: by hand, against an independent loop, and unchanged by later bars."""

from __future__ import annotations

import numpy as np
import pytest

from service.market.bars import Bars, empty
from service.market.headers import header
from service.market.instants import DAY, HOUR, iso
from service.trading.fund import TERMS, FundDocument, FundTerms, fund_document, performance, run
from service.trading.performance import max_drawdown, sharpe
from tests.trading.event_loop import follow_calls
from tests.trading.markets import bars_of

FREE = FundTerms(fee=0, slippage=0)
HOURS = 40 * 24
LIVE = 30 * DAY
HEADER = header(HOURS * HOUR, HOURS * HOUR, step=HOUR, world="simulated", sources={"btc": "simulated"})


def walk(hours: int, seed: int = 3, missing: float = 0.1) -> Bars:
    """A random walk of 1% an hour with gaps."""
    generator = np.random.default_rng(seed)
    close = 100 * np.exp(np.cumsum(generator.normal(0, 0.01, hours)))
    opens = np.append(100.0, close[:-1]) * np.exp(generator.normal(0, 0.001, hours))
    mask = generator.random(hours) >= missing
    return bars_of(opens[mask].tolist(), close[mask].tolist(), (HOUR * np.flatnonzero(mask)).tolist())


def random_calls(hours: int, seed: int = 4) -> list[tuple[int, float]]:
    generator = np.random.default_rng(seed)
    return [(at * HOUR, float(generator.normal(0.5, 0.05))) for at in range(0, hours, 4)]


@pytest.mark.parametrize(
    ("p_up", "exposure"), [(0.5, 0.5), (0.55, 0.9), (0.5625, 1), (0.9, 1), (0.45, 0.1), (0.4, 0), (0.0, 0)]
)
def test_even_odds_hold_half_and_five_points_more_nine_tenths(p_up: float, exposure: float):
    assert TERMS.wanted(np.array([p_up])) == pytest.approx(np.array([exposure]))


def test_five_bars_by_hand_without_costs():
    """Half of 1,000 at 100 buys 5; at 120 they are 600 of 1,100; at 110 all 1,050 are spent; at 90 all is sold.

    The benchmark keeps its 5: they are .52 and .47 of it at later calls, within the tolerance of .1 around one half.
    """
    bars = bars_of(opens=[100, 100, 120, 110, 90], closes=[100, 120, 110, 110, 80])
    fund = run([(HOUR, 0.5), (3 * HOUR, 0.6), (4 * HOUR, 0.3)], bars, 0, FREE)
    assert fund.times.tolist() == [0, HOUR, 2 * HOUR, 3 * HOUR, 4 * HOUR, 5 * HOUR]
    assert fund.equity.tolist() == pytest.approx([1000, 1000, 1100, 1050, 1050, 9.545454545 * 90])
    sides = [(HOUR, "buy"), (3 * HOUR, "buy"), (4 * HOUR, "sell")]
    assert [(trade.time, trade.side) for trade in fund.trades] == sides
    assert [trade.quantity for trade in fund.trades] == pytest.approx([5, 500 / 110, 5 + 500 / 110])
    assert [trade.exposure_before for trade in fund.trades] == pytest.approx([0, 550 / 1050, 1])
    assert [trade.exposure_after for trade in fund.trades] == pytest.approx([0.5, 1, 0])
    assert fund.benchmark.tolist() == pytest.approx([1000, 1000, 1100, 1050, 1050, 900])
    assert fund.quantity == 0


def test_fee_and_slippage_by_hand():
    """1% fee and 10% slippage, at 100: of 1,000 in cash 1,000 / 1.01 / 110 = 9.000900 units; fee 9.90099.

    All sold at 100: 9.000900 x 90 = 810.08101, fee 8.10081, so 801.98020 are left.
    The benchmark buys for 500 / (1 + .5 x .111) = 473.70914 at a cost of .111 of that: 947.41829 are left.
    """
    terms = FundTerms(fee=0.01, slippage=0.1)
    fund = run([(0, 1.0), (HOUR, 0.0)], bars_of([100, 100], [100, 100]), 0, terms)
    purchase, sale = fund.trades
    assert (purchase.quantity, purchase.price, purchase.fee) == pytest.approx((9.00090009, 110, 9.9009901))
    assert (sale.quantity, sale.price, sale.fee) == pytest.approx((9.00090009, 90, 8.1008101))
    assert fund.equity.tolist() == pytest.approx([1000, 900.090009, 801.9801980])
    assert fund.benchmark.tolist() == pytest.approx([1000, 947.418285, 947.418285])


def test_a_difference_within_the_tolerance_is_not_traded():
    """A call of .512 asks for .596 and one of .5126 for .6008, while .5 is held."""
    flat = bars_of([100, 100], [100, 100])
    assert len(run([(0, 0.5), (HOUR, 0.512)], flat, 0, FREE).trades) == 1
    assert len(run([(0, 0.5), (HOUR, 0.5126)], flat, 0, FREE).trades) == 2


def test_the_last_call_before_a_bar_is_filled_at_its_open():
    """Calls and bars before the anchor do not count."""
    bars = bars_of([100, 100], [100, 100], times=[0, 5 * HOUR])
    fund = run([(HOUR, 0.9), (2 * HOUR, 0.5), (6 * HOUR, 0.9)], bars, 0)
    assert [(trade.time, trade.p_up, trade.exposure_after) for trade in fund.trades] == [(5 * HOUR, 0.5, 0.5)]
    later = run([(0, 0.9), (2 * HOUR, 0.9)], bars_of([50, 100, 100], [50, 100, 100]), HOUR)
    assert ([trade.time for trade in later.trades], later.times[0]) == ([2 * HOUR], HOUR)
    cost = 1.0002 * 1.001 - 1
    assert later.benchmark.tolist() == pytest.approx([1000, 1000, 1000 - 500 * cost / (1 + cost / 2)])


def test_without_bars_or_calls_the_equity_is_the_capital():
    fund = run([(0, 0.9)], empty(HOUR), 0)
    assert (fund.equity.tolist(), fund.benchmark.tolist(), fund.times.tolist()) == ([1000], [1000], [0])
    assert (fund.cash, fund.quantity, fund.trades) == (1000, 0, ())
    idle = run([], bars_of([100, 120], [120, 110]), 0)
    assert (idle.trades, idle.equity.tolist()) == ((), [1_000.0] * 3)
    for bars in (bars_of([100], [110]), bars_of([], [])):
        document = fund_document(run([(0, 0.5)], bars, 0), None, HEADER)
        assert (document.sharpe, document.sharpe_low, document.benchmark.sharpe) == (None, None, None)
        assert (document.days, document.equity[0].equity_usd) == (0, 1000)


@pytest.mark.parametrize("terms", [TERMS, FREE, FundTerms(fee=0.01, slippage=0.005, tolerance=0.02)])
def test_an_independent_loop_finds_the_same(terms: FundTerms):
    bars, calls = walk(2000), random_calls(2000)
    equity, trades = follow_calls(calls, bars, terms)
    fund = run(calls, bars, 0, terms)
    np.testing.assert_allclose(fund.equity[1:], equity, rtol=1e-9)
    sides = [(trade.time, 1 if trade.side == "buy" else -1) for trade in fund.trades]
    assert sides == [(trade["time"], trade["side"]) for trade in trades]
    np.testing.assert_allclose([trade.quantity for trade in fund.trades], [entry["quantity"] for entry in trades])
    assert len(trades) > 100


def test_more_bars_and_calls_never_change_the_past():
    bars, calls = walk(1500), random_calls(1500)
    fund = run(calls, bars, 0)
    for cut in range(1, 1500, 61):
        now = cut * HOUR
        part = run([call for call in calls if call[0] <= now], bars.until(now), 0)
        assert part.equity.tolist() == fund.equity[: len(part.equity)].tolist()
        assert part.benchmark.tolist() == fund.benchmark[: len(part.benchmark)].tolist()
        assert part.trades == fund.trades[: len(part.trades)]


@pytest.mark.parametrize(("returns", "ratio", "half"), [((0.01, -0.01), 0, 3.7446), ((0.02, -0.01), 6.3364, 3.8461)])
def test_the_interval_by_hand(returns: tuple[float, float], ratio: float, half: float):
    """Over 100 days: 1.96 sqrt(365 / 100), and with a ratio of .33166 a day 1.96 sqrt((365 + 6.3364^2 / 2) / 100)."""
    equity = 1000 * np.append(1, np.cumprod(1 + np.tile(returns, 50)))
    result = performance(DAY * np.arange(101), equity)
    assert result.sharpe == pytest.approx(ratio, abs=1e-4)
    assert (result.sharpe_low, result.sharpe_high) == pytest.approx((ratio - half, ratio + half), abs=1e-3)


@pytest.fixture(scope="module")
def fund():
    return run(random_calls(HOURS), walk(HOURS, missing=0), 0)


@pytest.fixture(scope="module")
def document(fund) -> FundDocument:
    return fund_document(fund, LIVE, HEADER)


def test_cash_and_bitcoin_add_up_to_the_equity(fund, document: FundDocument):
    price = walk(HOURS, missing=0).close[-1]
    assert document.cash_usd + document.quantity_btc * price == pytest.approx(document.equity_usd, abs=0.01)
    assert document.exposure_pct == pytest.approx(100 * fund.quantity * price / fund.equity[-1], abs=1e-3)
    assert document.pnl_usd == pytest.approx(document.equity_usd - 1000, abs=0.01)
    assert document.pnl_pct == pytest.approx(document.pnl_usd / 10, abs=1e-3)
    assert document.fees_usd == pytest.approx(sum(trade.value / 1000 for trade in fund.trades), abs=0.01)


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
    assert live.trades + past.trades == len(document.trades) == len(fund.trades)
    assert {trade.backfilled for trade in document.trades if trade.time >= iso(LIVE)} == {False}
    assert {point.backfilled for point in document.equity if point.time < iso(LIVE)} == {True}
    assert (document.schema, document.live_since) == ("apex-fund/1", iso(LIVE))


def test_without_a_live_call_everything_is_backfilled(fund):
    document = fund_document(fund, None, HEADER)
    assert [book.backfilled for book in document.books] == [True]
    assert document.live_since is None
    assert all(point.backfilled for point in document.equity)
    assert all(trade.backfilled for trade in document.trades)
    assert [book.backfilled for book in fund_document(fund, 0, HEADER).books] == [False], "all of it is live"


def test_points_of_the_curve_are_marks_and_not_averages(fund, document: FundDocument):
    marks = dict(zip(map(iso, fund.times.tolist()), fund.equity.round(2).tolist(), strict=True))
    assert all(marks[point.time] == point.equity_usd for point in document.equity)
    assert [point.time for point in document.equity] == [iso(6 * HOUR * at) for at in range(161)]


@pytest.mark.parametrize("days", [1, 100, 400, 1500])
def test_a_curve_has_about_500_points_and_the_last_hour(days: int):
    hours = 24 * days + 5
    points = fund_document(run([], walk(hours, missing=0), 0), None, HEADER).equity
    assert len(points) <= 502
    assert (points[0].time, points[-1].time) == (iso(0), iso(hours * HOUR))


def test_every_trade_is_listed_newest_first():
    fund = run(random_calls(4000), walk(4000), 0)
    trades = fund_document(fund, None, HEADER).trades
    assert [trade.time for trade in trades] == [iso(trade.time) for trade in reversed(fund.trades)]
    assert len(trades) > 100
    assert trades[0].value_usd == pytest.approx(trades[0].quantity_btc * trades[0].price, abs=0.01)
    assert trades[0].fee_usd == pytest.approx(trades[0].value_usd / 1000, abs=0.01)
