"""The strategies and their rules by hand; what all of them hold to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import talib
from hypothesis import given
from hypothesis import strategies as st

from service.market.bars import Bars, from_rows
from service.market.instants import DAY, HOUR
from service.trading import rules
from service.trading.arena import Arena, peers_of
from service.trading.rules import earlier, fade_beyond, follow_sign, hold, hold_beyond, log_price, ratio, z_score
from service.trading.strategies import STRATEGIES, Strategy, buy_and_hold, coin_flip
from tests.trading.markets import NEW_YEAR, closing

each_strategy = pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=lambda strategy: strategy.key)
NAN = float("nan")


def test_no_two_strategies_are_the_same():
    rows = {(strategy.rule, tuple(strategy.parameters.items())) for strategy in STRATEGIES.values()}
    assert len(rows) == len(STRATEGIES)


@each_strategy
def test_without_enough_bars_targets_are_0(strategy: Strategy, hours: dict[str, Bars]):
    for count in (0, 1, 2, 11):
        first = {asset: bars[:count] for asset, bars in hours.items()}
        targets = strategy.decide(first["btc"], peers_of("btc", first))
        assert targets.dtype == np.int8
        # The parabolic line needs two bars and no more, at any speed.
        assert strategy.rule is rules.parabolic_sar or targets.tolist() == [0] * count


@each_strategy
def test_a_market_without_moves_is_not_traded(strategy: Strategy):
    assert not strategy.decide(closing([0.1] * 2000), np.full((4, 2000), 0.3)).any()


@each_strategy
def test_decisions_do_not_depend_on_the_price_level(strategy: Strategy, hours: dict[str, Bars]):
    """2^-20 is exact in binary, so only an absolute threshold in an indicator could make a difference."""
    names = ("open", "high", "low", "close")
    cheap = {
        asset: replace(bars, **{name: getattr(bars, name) / 2**20 for name in names}) for asset, bars in hours.items()
    }
    dear = strategy.decide(hours["xrp"], peers_of("xrp", hours))
    np.testing.assert_array_equal(strategy.decide(cheap["xrp"], peers_of("xrp", cheap)), dear)


@each_strategy
def test_hours_without_volume_are_tolerated(strategy: Strategy, hours: dict[str, Bars]):
    """With volume 0 for days there is no warning and no invalid target."""
    bars = hours["gold"]
    silent = replace(bars, volume=np.where(np.arange(len(bars)) % 400 < 250, 0.0, bars.volume))
    assert set(np.unique(strategy.decide(silent, peers_of("gold", hours)))) <= {-1, 0, 1}


def test_buy_and_hold_earns_the_price_change_less_one_fee(arena: Arena, hours):
    """Without slippage 1 / 1.0005 of the capital follows the price from the second open to the last close."""
    bars = hours["eth"]
    expected = 10_000 / 1.0005 * bars.close[-1] / (bars.open[1] * 1.0002)
    assert arena.accounts["buy_and_hold"]["eth"].equity == pytest.approx(expected)
    assert buy_and_hold("eth", bars).tolist() == [1] * len(bars)


def test_a_coin_is_tossed_once_a_day(hours):
    bars = hours["btc"]
    sides = coin_flip("btc", bars).reshape(-1, 24)
    assert (sides == sides[:, :1]).all()
    assert 20 <= (sides[:, 0] == 1).sum() <= 40
    assert coin_flip("btc", bars[100:]).tolist() == coin_flip("btc", bars)[100:].tolist()
    assert coin_flip("eth", bars).tolist() != coin_flip("btc", bars).tolist()
    assert coin_flip("btc", bars[:0]).tolist() == []


def test_the_tosses_never_change():
    """2025-01-01 to 2025-01-10, bitcoin."""
    days = from_rows([(NEW_YEAR + DAY * at, 1, 1, 1, 1, 1) for at in range(10)], HOUR)
    assert coin_flip("btc", days).tolist() == [1, -1, -1, -1, -1, 1, -1, 1, -1, -1]


@pytest.mark.parametrize(
    ("rule", "parameters", "closes", "expected"),
    [
        # Averages of two and three bars: 12.5 and 13.3 at the fall, 9 and 11.7, then 10 and 9.3 at the rise.
        (
            *(rules.moving_average_cross, {"fast": 2, "slow": 3}),
            *([15, 15, 15, 10, 10, 8, 12, 12], [0, 0, 0, -1, -1, -1, 0, 1]),
        ),
        # Three bars to enter, two to leave: above 12 in, below 13 out, below 12 short, above 9 out.
        (
            *(rules.donchian_breakout, {"entry": 3, "leave": 2}),
            *([10, 12, 11, 13, 14, 15, 12, 9, 8, 8, 12], [0, 0, 0, 1, 1, 1, 0, -1, -1, -1, 0]),
        ),
        # Over two bars: +20% enters, +8% stays, a negative change leaves, -20% enters the other side.
        (*(rules.rate_of_change, {"period": 2, "width": 0.1}), *([100, 100, 120, 108, 118, 95], [0, 0, 1, 1, 0, -1])),
        # It waits until the price returns.
        (
            *(rules.bollinger_reversion, {"period": 10, "width": 2}),
            *([*[100.1, 99.9] * 10, 95, 98.5, 98.6, 101, 101], [0, 1, 1, 0, 0]),
        ),
    ],
    ids=["moving_average_cross", "donchian_breakout", "rate_of_change", "bollinger_reversion"],
)
def test_the_targets_of_a_rule_by_hand(rule, parameters, closes, expected):
    assert rule(closing(closes), **parameters).tolist()[-len(expected) :] == expected


def test_macd_is_long_while_a_rise_accelerates():
    closes = [100 + at**2 for at in range(40)] + [100 + 1600 + at**0.5 for at in range(40)]
    targets = rules.macd(closing(closes), fast=3, slow=6, signal=3)
    assert [*targets[20:40], targets[50]] == [1] * 20 + [-1]


def test_adx_trend_follows_only_a_one_way_market():
    sideways = [129 + (0, 1, 2, 1)[at % 4] for at in range(40)]
    closes = [100 + at for at in range(30)] + sideways + [129 - at for at in range(30)]
    targets = rules.adx_trend(closing(closes), period=5, strong=25, weak=20)
    assert [targets[29], targets[65], targets[-1]] == [1, 0, -1]


def test_supertrend_takes_a_side_from_the_first_break_on():
    closes = [100 + at for at in range(20)] + [120 - 3 * at for at in range(20)] + [60 + 3 * at for at in range(20)]
    targets = rules.supertrend(closing(closes), period=5, width=2)
    assert [*targets[:20], targets[39], targets[-1]] == [0] * 20 + [-1, 1]


def test_parabolic_sar_turns_when_the_price_reaches_its_line():
    closes = [100 + at for at in range(20)] + [110 - 2 * at for at in range(20)]
    targets = rules.parabolic_sar(closing(closes), acceleration=0.02, maximum=0.2).tolist()
    assert targets[2:20] + targets[-1:] == [1] * 18 + [-1]


@pytest.mark.parametrize("rule", [rules.bollinger_breakout, rules.keltner_breakout], ids=lambda rule: rule.__name__)
def test_a_band_breakout_enters_outside_and_leaves_at_the_middle(rule):
    closes = [100 + 0.1 * (-1) ** at for at in range(20)] + [104, 106, 107, 107, 107, 99, 93, 92, 92, 110]
    targets = rule(closing(closes), period=10, width=1.5).tolist()
    assert (targets[:25], targets[26]) == ([0] * 20 + [1] * 5, -1)
    assert targets[-1] >= 0


@pytest.mark.parametrize(
    ("rule", "width"), [(rules.rsi_reversion, 15), (rules.z_score_reversion, 1.5), (rules.vwap_deviation, 2)]
)
def test_a_reversion_buys_the_fall_and_leaves_at_the_middle(rule, width: float):
    closes = [100 + 0.1 * (-1) ** at for at in range(30)] + [97, 94] + [100.5] * 10 + [104, 107] + [99.5] * 10
    targets = rule(closing(closes), period=10, width=width).tolist()
    assert targets[:30] + [targets[at] for at in (31, 39, 43, -1)] == [0] * 30 + [1, 0, -1, 0]


def test_time_series_momentum_scales_by_volatility():
    quiet_bars = closing([100 * 1.001**at * (1 + 0.0001 * (-1) ** at) for at in range(30)])
    wild_bars = closing([100 * 1.001**at * (1 + 0.05 * (-1) ** at) for at in range(30)])
    assert rules.time_series_momentum(quiet_bars, lookback=10, width=1)[-1] == 1
    assert rules.time_series_momentum(wild_bars, lookback=10, width=1)[-1] == 0


def test_vwap_ignores_hours_without_volume():
    """TA-Lib's own average of such hours is a quotient of rounding errors."""
    volumes = [1e6 * (1 + 0.37 * (at % 7)) / 3 for at in range(100)] + [0.0] * 60
    bars = closing([100 + 10 * np.sin(2 * np.pi * at / 50) for at in range(160)], volumes)
    assert talib.VWMA(bars.close, bars.volume, 20)[-1] > 300
    targets = rules.vwap_deviation(bars, period=20, width=2)
    assert set(targets[119:].tolist()) == {targets[118]}


def test_obv_trend_follows_the_side_on_which_volume_is_traded():
    closes = [100 + at % 2 for at in range(60)]
    for up, down, side in ((3.0, 1.0, 1), (1.0, 3.0, -1)):
        assert rules.obv_trend(closing(closes, [up if at % 2 else down for at in range(60)]), period=10)[-1] == side


def test_a_volume_breakout_needs_the_volume():
    """It is left at the average price."""
    closes = [100.0 + at % 2 for at in range(20)] + [103.0, 103.0, 100.0]
    for volume, expected in ((1.9, [0, 0, 0]), (2.1, [1, 1, 0])):
        bars = closing(closes, [1.0] * 20 + [volume, 1.0, 1.0])
        assert rules.volume_breakout(bars, period=10, surge=2)[-3:].tolist() == expected


def test_volatility_regime_follows_quiet_trends_only():
    steps = [0.01 * (-1) ** at for at in range(40)] + [0.001] * 10 + [0.05 * (-1) ** at for at in range(10)]
    closes = list(100 * np.exp(np.cumsum(steps)) + np.arange(60) * 0.2)
    targets = rules.volatility_regime(closing(closes), period=5, quiet=0.8, loud=1.2)
    assert [targets[48], targets[-1]] == [1, 0]


def test_relative_strength_is_long_the_leader():
    """A peer without history is ignored."""
    steps = [(-1) ** at * 0.001 for at in range(60)]
    up, level, down = ([100 * (1 + drift * at) * (1 + steps[at]) for at in range(60)] for drift in (0.002, 0, -0.002))

    def decide(closes, *others):
        return rules.relative_strength(closing(closes), np.array(others), lookback=20, width=0.5)

    assert [decide(up, level, down)[-1], decide(down, up, level)[-1], decide(up, up, up)[-1]] == [1, -1, 0]
    unknown, targets = [NAN] * 60, decide(up, level)
    assert targets[-1] == 1
    np.testing.assert_array_equal(decide(up, level, unknown), targets)
    assert not decide(up, unknown).any()
    assert not rules.relative_strength(closing(up), np.empty((0, 0)), lookback=20, width=0.5).any()


def array(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)


def test_follow_sign_ignores_rounding_errors():
    assert follow_sign(array(2, -3, 0, NAN, 1e-12, -1e-12)).tolist() == [1, -1, 0, 0, 0, 0]
    assert follow_sign(array(1)).dtype == np.int8


def test_a_position_lasts_to_the_middle_or_other_extreme():
    values = array(NAN, 1, 3, 1, 0.5, -0.5, -3, -1, 3, NAN, 1)
    assert hold_beyond(values, 2).tolist() == [0, 0, 1, 1, 1, 0, -1, -1, 1, 1, 1]
    assert fade_beyond(values, 2).tolist() == [0, 0, -1, -1, -1, 0, 1, 1, -1, -1, -1]


def machine(events: list[tuple[bool, bool, bool, bool]]) -> list[int]:
    """Hysteresis as a state machine: exits are applied before entries."""
    state, states = 0, []
    for enter_long, leave_long, enter_short, leave_short in events:
        if (state == 1 and (leave_long or enter_short)) or (state == -1 and (leave_short or enter_long)):
            state = 0
        if state == 0 and enter_long and not (leave_long or enter_short):
            state = 1
        if state == 0 and enter_short and not (leave_short or enter_long):
            state = -1
        states.append(state)
    return states


@given(st.lists(st.tuples(*[st.booleans()] * 4), max_size=40))
def test_hysteresis_equals_a_state_machine(events):
    assert hold(*np.array(events, bool).reshape(-1, 4).T).tolist() == machine(events)


def test_the_arithmetic_by_hand():
    """Of 1, 2, 3: mean 2, standard deviation sqrt(2/3).

    Of logs 0, 1, 1, 2, 2 over two bars: +1; returns 1, 0 have a deviation of 1/2, over two bars of sqrt(2)/2.
    """
    assert z_score(array(1, 2, 3), 3)[-1] == pytest.approx(1.5**0.5)
    assert np.isnan(z_score(array(1, 2, 3), 3)[:2]).all()
    assert np.isnan(z_score(array(5, 5, 5), 3)).all()
    returns = rules.scaled_return(array(0, 1, 1, 2, 2), 2)
    np.testing.assert_allclose(returns, [NAN, NAN, 2**0.5, 2**0.5, 2**0.5])
    np.testing.assert_array_equal(earlier(array(1, 2, 3)), array(NAN, 1, 2))
    np.testing.assert_array_equal(ratio(array(1, 1, 1, 6), array(NAN, 0, -1, 3)), array(NAN, NAN, NAN, 2))
    np.testing.assert_allclose(log_price(closing([2.0, 4.0])), [0, np.log(2)])
    assert earlier(array()).tolist() == log_price(closing([])).tolist() == []
