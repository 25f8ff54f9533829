"""The fund's trades and equity: by hand, against an independent loop, and unchanged by later bars."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.market.bars import Bars, empty, from_rows
from service.market.instants import HOUR
from service.trading.fund import TERMS, FundHistory, FundTerms, run
from tests.trading.fund.loop import follow

FREE = FundTerms(fee=0, slippage=0)


def bars_of(opens: list[float], closes: list[float], times: list[int] | None = None) -> Bars:
    times = times or [HOUR * at for at in range(len(opens))]
    return from_rows(
        [(time, o, max(o, c), min(o, c), c, 1) for time, o, c in zip(times, opens, closes, strict=True)], HOUR
    )


def walk(hours: int, seed: int = 3, missing: float = 0.1) -> Bars:
    """A random walk of 1% an hour with gaps."""
    generator = np.random.default_rng(seed)
    close = 100 * np.exp(np.cumsum(generator.normal(0, 0.01, hours)))
    opens = np.append(100.0, close[:-1]) * np.exp(generator.normal(0, 0.001, hours))
    kept = generator.random(hours) >= missing
    return bars_of(opens[kept].tolist(), close[kept].tolist(), (HOUR * np.flatnonzero(kept)).tolist())


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
    assert [(trade.time, trade.side) for trade in fund.trades] == [
        (HOUR, "buy"),
        (3 * HOUR, "buy"),
        (4 * HOUR, "sell"),
    ]
    assert [trade.quantity for trade in fund.trades] == pytest.approx([5, 500 / 110, 5 + 500 / 110])
    assert [trade.exposure_before for trade in fund.trades] == pytest.approx([0, 550 / 1050, 1])
    assert [trade.exposure_after for trade in fund.trades] == pytest.approx([0.5, 1, 0])
    assert fund.benchmark.tolist() == pytest.approx([1000, 1000, 1100, 1050, 1050, 900])
    assert (fund.quantity, fund.price) == (0, 80)


def test_fee_and_slippage_by_hand():
    """1% fee and 10% slippage, at 100: of 1,000 in cash 1,000 / 1.01 / 110 = 9.000900 units; fee 9.90099.

    All sold at 100: 9.000900 x 90 = 810.08101, fee 8.10081, so 801.98020 are left.
    The benchmark buys for 500 / (1 + .5 x .111) = 473.70914 at a cost of .111 of that: 947.41829 are left.
    """
    terms = FundTerms(fee=0.01, slippage=0.1)
    fund = run([(0, 1.0), (HOUR, 0.0)], bars_of([100, 100], [100, 100]), 0, terms)
    bought, sold = fund.trades
    assert (bought.quantity, bought.price, bought.fee) == pytest.approx((9.00090009, 110, 9.9009901))
    assert (sold.quantity, sold.price, sold.fee) == pytest.approx((9.00090009, 90, 8.1008101))
    assert fund.equity.tolist() == pytest.approx([1000, 900.090009, 801.9801980])
    assert fund.benchmark.tolist() == pytest.approx([1000, 947.418285, 947.418285])


def test_a_difference_within_the_tolerance_is_not_traded():
    """A call of .512 asks for .596 and one of .5126 for .6008, while .5 is held."""
    flat = bars_of([100, 100], [100, 100])
    assert len(run([(0, 0.5), (HOUR, 0.512)], flat, 0, FREE).trades) == 1
    assert len(run([(0, 0.5), (HOUR, 0.5126)], flat, 0, FREE).trades) == 2


def test_the_last_call_before_a_bar_is_filled_at_its_open():
    bars = bars_of([100, 100], [100, 100], times=[0, 5 * HOUR])
    fund = run([(HOUR, 0.9), (2 * HOUR, 0.5), (6 * HOUR, 0.9)], bars, 0)
    assert [(trade.time, trade.p_up, trade.exposure_after) for trade in fund.trades] == [(5 * HOUR, 0.5, 0.5)]


def test_calls_and_bars_before_the_anchor_do_not_count():
    bars = bars_of([50, 100, 100], [50, 100, 100])
    fund = run([(0, 0.9), (2 * HOUR, 0.9)], bars, HOUR)
    assert [trade.time for trade in fund.trades] == [2 * HOUR]
    assert fund.times[0] == HOUR
    cost = 1.0002 * 1.001 - 1
    assert fund.benchmark.tolist() == pytest.approx([1000, 1000, 1000 - 500 * cost / (1 + cost / 2)])


def test_without_calls_the_fund_stays_in_cash():
    history = run([], bars_of([100, 120], [120, 110]), 0)
    assert (history.trades, history.equity.tolist()) == ((), [1_000.0] * 3)


def test_without_bars_the_equity_is_the_capital():
    fund = run([(0, 0.9)], empty(HOUR), 0)
    assert (fund.equity.tolist(), fund.benchmark.tolist(), fund.times.tolist()) == ([1000], [1000], [0])
    assert (fund.cash, fund.quantity, fund.price, fund.trades) == (1000, 0, None, ())


@pytest.mark.parametrize("terms", [TERMS, FREE, FundTerms(fee=0.01, slippage=0.005, tolerance=0.02)])
def test_an_independent_loop_finds_the_same(terms: FundTerms):
    bars, calls = walk(2000), random_calls(2000)
    equity, trades = follow(calls, bars, terms)
    fund = run(calls, bars, 0, terms)
    np.testing.assert_allclose(fund.equity[1:], equity, rtol=1e-9)
    assert [(trade.time, 1 if trade.side == "buy" else -1) for trade in fund.trades] == [
        (trade["time"], trade["side"]) for trade in trades
    ]
    np.testing.assert_allclose([trade.quantity for trade in fund.trades], [each["quantity"] for each in trades])
    assert len(trades) > 100


def test_more_bars_and_calls_never_change_the_past():
    bars, calls = walk(1500), random_calls(1500)
    whole = run(calls, bars, 0)
    for cut in range(1, 1500, 61):
        now = cut * HOUR
        part = run([call for call in calls if call[0] <= now], bars.until(now), 0)
        assert part.equity.tolist() == whole.equity[: len(part.equity)].tolist()
        assert part.benchmark.tolist() == whole.benchmark[: len(part.benchmark)].tolist()
        assert part.trades == whole.trades[: len(part.trades)]


@settings(max_examples=60)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=60), st.integers(0, 2**32 - 1))
def test_a_trade_ends_at_the_wanted_share_without_debt(probabilities, seed):
    bars = walk(60, seed)
    fund = run([(at * HOUR, p) for at, p in enumerate(probabilities)], bars, 0)
    assert fund.cash >= 0
    assert fund.quantity >= 0
    assert (fund.equity > 0).all()
    assert_exact(fund, bars)


def assert_exact(fund: FundHistory, bars: Bars) -> None:
    """Each trade ends at exactly the wanted share, at the open and after costs."""
    cash, units = fund.terms.capital, 0.0
    opens = dict(zip(bars.time.tolist(), bars.open.tolist(), strict=True))
    for trade in fund.trades:
        sign = 1 if trade.side == "buy" else -1
        cash -= sign * trade.value + trade.fee
        units += sign * trade.quantity
        held = units * opens[trade.time]
        assert held / (cash + held) == pytest.approx(trade.exposure_after, abs=1e-9)
        assert abs(trade.exposure_after - trade.exposure_before) > fund.terms.tolerance
