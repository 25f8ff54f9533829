"""Paper accounts: fills, fees, capital, the floor, and the marks in between."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.market.bars import Bars, empty, join, resample
from service.market.instants import HOUR, MINUTE
from service.trading.accounts import AccountTerms, TradeHistory, carry_on, trade
from service.trading.arena import running_hour
from tests.trading.event_loop import follow
from tests.trading.markets import bars_of

FREE = AccountTerms(fee=0, slippage=0, borrow=0)


def settle(targets: list[int], bars: Bars, terms: AccountTerms = FREE) -> TradeHistory:
    return trade(np.array(targets, np.int8), bars, terms)


def equity(history: TradeHistory, bars: Bars) -> list[float]:
    return history.equity(bars.time, bars.close).tolist()


def test_a_target_is_filled_at_the_next_open():
    bars = bars_of(opens=[10, 20, 30, 40], closes=[11, 22, 33, 44])
    history = settle([1, 1, 0, 0], bars)
    assert (history.entry_time.tolist(), history.entry_price.tolist()) == ([HOUR], [20])
    assert (history.exit_time.tolist(), history.exit_price.tolist()) == ([3 * HOUR], [40])
    assert equity(history, bars) == [10_000, 11_000, 16_500, 20_000]


def test_fee_and_slippage_are_paid_on_both_sides():
    """By hand: 1% fee, 10% slippage, bought at 100 and sold at 200.

    Bought at 110: 10,000 / 1.01 / 110 = 90.009001 units, fee 99.0099. Sold at 180: 16,201.6202, fee 162.0162.
    """
    bars = bars_of(opens=[100, 100, 200], closes=[100, 150, 200])
    history = settle([1, 0, 0], bars, AccountTerms(fee=0.01, slippage=0.1))
    assert history.entry_price.tolist() == pytest.approx([110])
    assert history.quantity.tolist() == pytest.approx([90.0090009])
    assert history.exit_price.tolist() == pytest.approx([180])
    assert history.fees.tolist() == pytest.approx([99.00990099 + 162.01620162])
    assert equity(history, bars) == pytest.approx([10_000, 13_501.35013501, 16_039.60396040])
    assert history.pnl.tolist() == pytest.approx([6_039.60396040])


def test_a_short_sells_lower_and_buys_back_higher():
    """By hand: 1% fee, 10% slippage, sold at 100 and bought back at 50: 9,900.9901 of notional at 90 a unit."""
    bars = bars_of(opens=[100, 100, 50], closes=[100, 100, 50])
    history = settle([-1, 0, 0], bars, AccountTerms(fee=0.01, slippage=0.1, borrow=0))
    assert history.entry_price.tolist() == pytest.approx([90])
    assert history.exit_price.tolist() == pytest.approx([55])
    assert history.pnl.tolist() == pytest.approx([110.01100110 * 35 - 99.00990099 - 60.50605061])


def test_a_short_pays_interest_for_each_hour_begun():
    """By hand: 100 units at 87.6 a year owe 1 unit an hour; after two hours at 50 USD and 1% fee.

    The marks at the closes include the hour that the bar opens. A long pays nothing.
    """
    bars = bars_of(opens=[100, 100, 100, 50], closes=[100, 100, 50, 50])
    history = settle([-1, -1, 0, 0], bars, AccountTerms(fee=0, slippage=0, borrow=87.6))
    assert equity(history, bars) == pytest.approx([10_000, 9_900, 14_900, 14_900])
    assert history.interest.tolist() == pytest.approx([100])
    with_fee = settle([-1, -1, 0, 0], bars, AccountTerms(fee=0.01, slippage=0, borrow=87.6))
    units = 100 / 1.01
    assert with_fee.fees.tolist() == pytest.approx([units * 1 + units * 1.02 * 0.5])
    assert with_fee.pnl.tolist() == pytest.approx([units * 50 - units * 0.02 * 50 - with_fee.fees[0]])
    assert settle([1, 1, 0, 0], bars, AccountTerms(borrow=87.6)).interest.tolist() == [0]
    weekend = bars_of([100, 100, 100], [100, 100, 100], times=[0, HOUR, 50 * HOUR])
    over_weekend = settle([-1, -1], weekend, AccountTerms(fee=0, slippage=0, borrow=0.876))
    assert equity(over_weekend, weekend) == pytest.approx([10_000, 9_999, 9_950]), "a closed market does not stop it"


def test_interest_alone_can_ruin_a_short():
    """At 0.01 of the units an hour, 8,000 of 10,000 USD are gone after 80 hours at an unchanged price."""
    history = settle([-1] * 100, bars_of([100.0] * 100, [100.0] * 100), AccountTerms(fee=0, slippage=0, borrow=87.6))
    assert history.has_ended
    assert history.exit_time.tolist() == [82 * HOUR], "the first close below the floor is that of the 81st hour"


def test_with_fewer_than_two_bars_nothing_is_filled():
    assert not settle([], empty(HOUR)).side.size
    history = settle([1], bars_of([100], [100]))
    assert (history.is_open, history.closed) == (False, 0)
    assert equity(history, bars_of([100], [100])) == [10_000]


def test_the_running_hour_fills_the_last_decision():
    bars = bars_of(opens=[100, 100, 100], closes=[100, 100, 110])
    assert settle([0, 1], bars).entry_time.tolist() == [2 * HOUR]
    assert equity(settle([0, 1], bars), bars)[-1] == 11_000


@pytest.mark.parametrize(
    ("opens", "closes", "targets", "equities"),
    [
        ([100, 100, 90, 80], [100, 95, 85, 80], [-1, -1, 0, 0], [10_000, 10_500, 11_500, 12_000]),
        ([100, 100, 120, 120], [100, 110, 120, 60], [1, -1, -1, -1], [1e4, 11_000, 12_000, 18_000]),
        ([100, 100, 181, 150, 100], [100, 181, 150, 100, 100], [-1, -1, -1, 1, 1], [1e4, *[1900] * 4]),
        ([100, 100, 180, 100], [100, 180, 150, 100], [-1, -1, -1, 0], [1e4, 2_000, 5_000, 1e4]),
        ([100, 100, 210, 210], [100, 170, 210, 420], [-1, 1, 1, 1], [1e4, 3000, -1000, -1000]),
        ([100, 100, 10, 10], [100, 10, 10, 20], [1, 1, 1, 1], [1e4, 1_000, 1_000, 2_000]),
    ],
    ids=["short", "turn", "ruin", "at the floor", "ruinous exit", "a long may fall"],
)
def test_equity_by_hand(opens, closes, targets, equities):
    """A short below a fifth of the capital is closed at the next open and ends the account; a turn pays no gap."""
    bars = bars_of(opens, closes)
    history = settle(targets, bars)
    assert equity(history, bars) == pytest.approx(equities)
    assert history.has_ended == (equities[-1] in (1_900, -1_000))


@st.composite
def markets(draw) -> tuple[Bars, list[int]]:
    """Fifteen-minute bars with large moves, price jumps, missing bars and hours; and targets."""
    count = draw(st.integers(0, 120))
    present = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    times = [900 * at for at in range(count) if present[at] and present[at // 4]]
    moves = st.sampled_from([1.0, 1.001, 0.999, 1.05, 0.96, 1.4, 0.7, 1.9])
    price, opens, closes = 100.0, [], []
    for _ in times:
        opens.append(price := min(max(price * draw(moves), 1e-3), 1e6))
        closes.append(price := min(max(price * draw(moves), 1e-3), 1e6))
    targets = draw(st.lists(st.sampled_from([-1, -1, 0, 1]), min_size=count, max_size=count))
    return bars_of(opens, closes, times, 15 * MINUTE), targets


@given(markets(), st.sampled_from([0.0, 0.073, 300.0]))
@settings(max_examples=100, deadline=None)
def test_equity_and_trades_equal_a_plain_event_loop(market, borrow):
    marks, targets = market
    hours = resample(marks, HOUR)
    targets = np.array(targets[: len(hours)], np.int8)
    book = join([hours, running_hour(marks.since(hours.as_of) if len(hours) else marks)])
    terms = AccountTerms(borrow=borrow)
    history, (path, trades) = trade(targets, book, terms), follow(targets, hours, marks, terms)
    np.testing.assert_allclose(history.equity(marks.time, marks.close), path, rtol=1e-9, atol=1e-6)
    assert history.closed == len(trades)
    for name in ("side", "quantity", "entry_price", "exit_price", "pnl", "fee"):
        ours = {"pnl": history.pnl, "fee": history.fees}.get(name, getattr(history, name, None))
        theirs = [fill[name] for fill in trades]
        np.testing.assert_allclose(ours[: history.closed], theirs, rtol=1e-9, atol=1e-6, err_msg=name)


@given(markets(), st.integers(0, 40), st.integers(0, 40))
@settings(max_examples=100, deadline=None)
def test_an_account_is_carried_on_to_the_bit(market, first: int, second: int):
    """Over hours in three parts, wherever they are cut: also within a position, and between a ruin and its exit."""
    hours = resample(market[0], HOUR)
    targets = np.array(market[1][: len(hours)], np.int8)
    history, part = trade(targets, hours), trade(targets[:first], hours[:first])
    for span in (slice(first, first + second), slice(first + second, None)):
        part = carry_on(part, targets[span], hours[span])
    for name in ("side", "quantity", "entry_time", "entry_price", "exit_time", "exit_price", "capital"):
        assert getattr(part, name).tobytes() == getattr(history, name).tobytes(), name
    assert (part.decided, part.has_ended) == (history.decided, history.has_ended)


@pytest.mark.parametrize(
    ("opens", "closes", "targets", "has_ended"),
    [
        ([100, 100, 150, 100, 90], [100, 181, 150, 100, 90], [-1, -1, -1, 1, 1], True),
        ([100, 100, 100, 300, 310], [100, 100, 300, 300, 310], [-1, 0, 1, 1, 1], False),
    ],
)
def test_a_short_is_carried_on_across_its_end(opens, closes, targets, has_ended):
    """Cut at every bar: a ruined short closes at the next open and nothing follows; one that has left is not ruined."""
    bars, decisions = bars_of(opens, closes), np.array(targets, np.int8)
    history = trade(decisions, bars, FREE)
    assert (history.has_ended, history.closed) == (has_ended, 1)
    for cut in range(len(bars) + 1):
        part = carry_on(trade(decisions[:cut], bars[:cut], FREE), decisions[cut:], bars[cut:])
        assert part.exit_time.tolist() == history.exit_time.tolist(), cut
        assert part.entry_time.tolist() == history.entry_time.tolist(), cut
        assert (part.capital.tolist(), part.has_ended) == (history.capital.tolist(), has_ended), cut
