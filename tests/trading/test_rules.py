"""The rules of trading by hand, and the arithmetic from indicators to targets."""

from __future__ import annotations

import numpy as np
import pytest
import talib
from hypothesis import given
from hypothesis import strategies as st

from service.trading import rules
from service.trading.rules import earlier, fade_beyond, follow_sign, hold, hold_beyond, log_price, ratio, z_score
from tests.trading.markets import closing

NAN = float("nan")


def test_moving_average_cross_by_hand():
    """Averages of two and three bars: 12.5 and 13.3 at the fall, 9 and 11.7, then 10 and 9.3 at the rise."""
    targets = rules.moving_average_cross(closing([15, 15, 15, 10, 10, 8, 12, 12]), fast=2, slow=3)
    assert targets.tolist() == [0, 0, 0, -1, -1, -1, 0, 1]


def test_macd_is_long_while_a_rise_accelerates():
    closes = [100 + at**2 for at in range(40)] + [100 + 1600 + at**0.5 for at in range(40)]
    targets = rules.macd(closing(closes), fast=3, slow=6, signal=3)
    assert targets[20:40].tolist() == [1] * 20
    assert targets[50] == -1


def test_adx_trend_follows_only_a_one_way_market():
    sideways = [129 + (0, 1, 2, 1)[at % 4] for at in range(40)]
    closes = [100 + at for at in range(30)] + sideways + [129 - at for at in range(30)]
    targets = rules.adx_trend(closing(closes), period=5, strong=25, weak=20)
    assert targets[29] == 1
    assert targets[65] == 0
    assert targets[-1] == -1


def test_supertrend_takes_a_side_from_the_first_break_on():
    closes = [100 + at for at in range(20)] + [120 - 3 * at for at in range(20)] + [60 + 3 * at for at in range(20)]
    targets = rules.supertrend(closing(closes), period=5, width=2)
    assert targets[:20].tolist() == [0] * 20
    assert targets[39] == -1
    assert targets[-1] == 1


def test_parabolic_sar_turns_when_the_price_reaches_its_line():
    closes = [100 + at for at in range(20)] + [110 - 2 * at for at in range(20)]
    targets = rules.parabolic_sar(closing(closes), acceleration=0.02, maximum=0.2)
    assert targets[2:20].tolist() == [1] * 18
    assert targets[-1] == -1


def test_donchian_breakout_by_hand():
    """Three bars to enter, two to leave: above 12 in, below 13 out, below 12 short, above 9 out."""
    targets = rules.donchian_breakout(closing([10, 12, 11, 13, 14, 15, 12, 9, 8, 8, 12]), entry=3, leave=2)
    assert targets.tolist() == [0, 0, 0, 1, 1, 1, 0, -1, -1, -1, 0]


@pytest.mark.parametrize("rule", [rules.bollinger_breakout, rules.keltner_breakout], ids=lambda rule: rule.__name__)
def test_a_band_breakout_enters_outside_and_leaves_at_the_middle(rule):
    closes = [100 + 0.1 * (-1) ** at for at in range(20)] + [104, 106, 107, 107, 107, 99, 93, 92, 92, 110]
    targets = rule(closing(closes), period=10, width=1.5)
    assert targets[:20].tolist() == [0] * 20
    assert targets[20:25].tolist() == [1] * 5
    assert targets[26] == -1
    assert targets[-1] >= 0


@pytest.mark.parametrize(
    ("rule", "width"),
    [(rules.rsi_reversion, 15), (rules.z_score_reversion, 1.5), (rules.vwap_deviation, 2)],
)
def test_a_reversion_buys_the_fall_and_leaves_at_the_middle(rule, width: float):
    closes = [100 + 0.1 * (-1) ** at for at in range(30)] + [97, 94] + [100.5] * 10 + [104, 107] + [99.5] * 10
    targets = rule(closing(closes), period=10, width=width)
    assert targets[:30].tolist() == [0] * 30
    assert targets[31] == 1
    assert targets[39] == 0
    assert targets[43] == -1
    assert targets[-1] == 0


def test_bollinger_reversion_waits_for_the_price_to_return():
    closes = [100 + 0.1 * (-1) ** at for at in range(20)] + [95, 98.5, 98.6, 101, 101]
    targets = rules.bollinger_reversion(closing(closes), period=10, width=2)
    assert targets[20:].tolist() == [0, 1, 1, 0, 0]


def test_rate_of_change_by_hand():
    """Over two bars: +20% enters, +8% stays, a negative change leaves, -20% enters the other side."""
    targets = rules.rate_of_change(closing([100, 100, 120, 108, 118, 95]), period=2, width=0.1)
    assert targets.tolist() == [0, 0, 1, 1, 0, -1]


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
    rising_volume = [3.0 if at % 2 else 1.0 for at in range(60)]
    falling_volume = [1.0 if at % 2 else 3.0 for at in range(60)]
    assert rules.obv_trend(closing(closes, rising_volume), period=10)[-1] == 1
    assert rules.obv_trend(closing(closes, falling_volume), period=10)[-1] == -1


def test_a_volume_breakout_needs_the_volume():
    """It is left at the average price."""
    closes = [100.0 + at % 2 for at in range(20)] + [103.0, 103.0, 100.0]
    below, above = (
        rules.volume_breakout(closing(closes, [1.0] * 20 + [volume, 1.0, 1.0]), period=10, surge=2)
        for volume in (1.9, 2.1)
    )
    assert below[-3:].tolist() == [0, 0, 0]
    assert above[-3:].tolist() == [1, 1, 0]


def test_volatility_regime_follows_quiet_trends_only():
    steps = [0.01 * (-1) ** at for at in range(40)] + [0.001] * 10 + [0.05 * (-1) ** at for at in range(10)]
    closes = list(100 * np.exp(np.cumsum(steps)) + np.arange(60) * 0.2)
    targets = rules.volatility_regime(closing(closes), period=5, quiet=0.8, loud=1.2)
    assert targets[48] == 1
    assert targets[-1] == 0


def test_relative_strength_is_long_the_leader():
    rng = [(-1) ** at * 0.001 for at in range(60)]
    up, level, down = ([100 * (1 + drift * at) * (1 + rng[at]) for at in range(60)] for drift in (0.002, 0, -0.002))

    def decide(closes, *others):
        return rules.relative_strength(closing(closes), np.array(others), lookback=20, width=0.5)[-1]

    assert decide(up, level, down) == 1
    assert decide(down, up, level) == -1
    assert decide(up, up, up) == 0


def test_relative_strength_ignores_peers_without_history():
    closes = [100 * (1 + 0.002 * at) * (1 + 0.001 * (-1) ** at) for at in range(60)]
    unknown = [NAN] * 60
    flat = [100 * (1 + 0.001 * (-1) ** at) for at in range(60)]
    rule, bars = rules.relative_strength, closing(closes)
    targets = rule(bars, np.array([flat]), lookback=20, width=0.5)
    np.testing.assert_array_equal(rule(bars, np.array([flat, unknown]), lookback=20, width=0.5), targets)
    assert targets[-1] == 1
    assert not rule(bars, np.array([unknown]), lookback=20, width=0.5).any()
    assert not rule(bars, np.empty((0, 0)), lookback=20, width=0.5).any()


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
    columns = np.array(events, bool).reshape(-1, 4).T
    assert hold(*columns).tolist() == machine(events)


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
