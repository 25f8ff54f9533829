"""Each rule does what its name says, on bars small enough to follow by eye, and nothing on bars that say nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import talib

from service.market.bars import Bars, from_rows
from service.market.instants import HOUR
from service.trading.arena import peers_of
from service.trading.rules import breakout, momentum, relative, reversion, trend, volatility, volume
from service.trading.strategies import STRATEGIES

NAN = float("nan")
NO_PEERS = np.empty((0, 0))


def bars_of(closes: list[float], volumes: list[float] | None = None) -> Bars:
    """Bars that open at the close before and reach no further than open and close."""
    opens = [closes[0], *closes[:-1]]
    volumes = volumes or [1.0] * len(closes)
    columns = zip(opens, closes, volumes, strict=True)
    rows = [(HOUR * at, o, max(o, c), min(o, c), c, v) for at, (o, c, v) in enumerate(columns)]
    return from_rows(rows, HOUR)


def wave(count: int, length: float) -> list[float]:
    return [100 + 10 * np.sin(2 * np.pi * at / length) for at in range(count)]


@pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=lambda strategy: strategy.key)
def test_without_enough_bars_nothing_is_wanted(strategy, hours: dict[str, Bars]):
    for count in (0, 1, 2, 11):
        first = {asset: bars[:count] for asset, bars in hours.items()}
        targets = strategy.decide(first["btc"], peers_of("btc", first))
        assert targets.dtype == np.int8
        # The parabolic line needs two bars and no more, at any speed.
        assert strategy.rule is trend.parabolic_sar or targets.tolist() == [0] * count


@pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=lambda strategy: strategy.key)
def test_a_market_that_stands_still_is_traded_by_nobody(strategy):
    still = bars_of([0.1] * 2000)
    assert not strategy.decide(still, np.full((4, 2000), 0.3)).any()


@pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=lambda strategy: strategy.key)
def test_a_coin_a_million_times_cheaper_gets_the_same_decisions(strategy, hours: dict[str, Bars]):
    """2^-20 is exact in binary: only an absolute threshold hidden in an indicator can tell the two apart."""
    scale = 2.0**-20
    cheap = {
        asset: replace(bars, **{name: getattr(bars, name) * scale for name in ("open", "high", "low", "close")})
        for asset, bars in hours.items()
    }
    dear = strategy.decide(hours["xrp"], peers_of("xrp", hours))
    np.testing.assert_array_equal(strategy.decide(cheap["xrp"], peers_of("xrp", cheap)), dear)


@pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=lambda strategy: strategy.key)
def test_hours_in_which_nothing_was_traded_are_no_fault(strategy, hours: dict[str, Bars]):
    """Volume 0 for days: no warning, no value out of nothing."""
    bars = hours["gold"]
    silent = replace(bars, volume=np.where(np.arange(len(bars)) % 400 < 250, 0.0, bars.volume))
    targets = strategy.decide(silent, peers_of("gold", hours))
    assert set(np.unique(targets)) <= {-1, 0, 1}


def test_moving_average_cross_by_hand():
    """Averages of two and three bars: 12.5 and 13.3 at the fall, 9 and 11.7, then 10 and 9.3 at the rise."""
    targets = trend.moving_average_cross(bars_of([15, 15, 15, 10, 10, 8, 12, 12]), fast=2, slow=3)
    assert targets.tolist() == [0, 0, 0, -1, -1, -1, 0, 1]


def test_macd_is_long_while_a_rise_quickens_and_short_while_it_slows():
    closes = [100 + at**2 for at in range(40)] + [100 + 1600 + at**0.5 for at in range(40)]
    targets = trend.macd(bars_of(closes), fast=3, slow=6, signal=3)
    assert targets[20:40].tolist() == [1] * 20
    assert targets[50] == -1


def test_adx_trend_goes_with_a_one_way_market_and_leaves_a_back_and_forth():
    sideways = [129 + (0, 1, 2, 1)[at % 4] for at in range(40)]
    closes = [100 + at for at in range(30)] + sideways + [129 - at for at in range(30)]
    targets = trend.adx_trend(bars_of(closes), period=5, strong=25, weak=20)
    assert targets[29] == 1
    assert targets[65] == 0
    assert targets[-1] == -1


def test_supertrend_waits_for_the_first_break_and_then_always_takes_a_side():
    closes = [100 + at for at in range(20)] + [120 - 3 * at for at in range(20)] + [60 + 3 * at for at in range(20)]
    targets = trend.supertrend(bars_of(closes), period=5, width=2)
    assert targets[:20].tolist() == [0] * 20
    assert targets[39] == -1
    assert targets[-1] == 1


def test_parabolic_sar_turns_when_the_price_reaches_its_line():
    closes = [100 + at for at in range(20)] + [110 - 2 * at for at in range(20)]
    targets = trend.parabolic_sar(bars_of(closes), acceleration=0.02, maximum=0.2)
    assert targets[2:20].tolist() == [1] * 18
    assert targets[-1] == -1


def test_donchian_breakout_by_hand():
    """Three bars to enter, two to leave: above 12 in, below 13 out, below 12 short, above 9 out."""
    targets = breakout.donchian_breakout(bars_of([10, 12, 11, 13, 14, 15, 12, 9, 8, 8, 12]), entry=3, leave=2)
    assert targets.tolist() == [0, 0, 0, 1, 1, 1, 0, -1, -1, -1, 0]


@pytest.mark.parametrize(
    "rule", [breakout.bollinger_breakout, breakout.keltner_breakout], ids=lambda rule: rule.__name__
)
def test_a_band_breakout_enters_outside_and_leaves_at_the_middle(rule):
    closes = [100 + 0.1 * (-1) ** at for at in range(20)] + [104, 106, 107, 107, 107, 99, 93, 92, 92, 110]
    targets = rule(bars_of(closes), period=10, width=1.5)
    assert targets[:20].tolist() == [0] * 20
    assert targets[20:25].tolist() == [1] * 5
    assert targets[26] == -1
    assert targets[-1] >= 0


@pytest.mark.parametrize(
    ("rule", "width"),
    [(reversion.rsi_reversion, 15), (reversion.z_score_reversion, 1.5), (volume.vwap_deviation, 2)],
)
def test_a_reversion_buys_the_fall_and_leaves_at_the_middle(rule, width: float):
    closes = [100 + 0.1 * (-1) ** at for at in range(30)] + [97, 94] + [100.5] * 10 + [104, 107] + [99.5] * 10
    targets = rule(bars_of(closes), period=10, width=width)
    assert targets[:30].tolist() == [0] * 30
    assert targets[31] == 1
    assert targets[39] == 0
    assert targets[43] == -1
    assert targets[-1] == 0


def test_bollinger_reversion_waits_until_the_price_is_back_inside():
    closes = [100 + 0.1 * (-1) ** at for at in range(20)] + [95, 98.5, 98.6, 101, 101]
    targets = reversion.bollinger_reversion(bars_of(closes), period=10, width=2)
    assert targets[20:].tolist() == [0, 1, 1, 0, 0]


def test_rate_of_change_by_hand():
    """Over two bars: +20 % in, +8 % stays, below nothing out, -20 % in the other way."""
    targets = momentum.rate_of_change(bars_of([100, 100, 120, 108, 118, 95]), period=2, width=0.1)
    assert targets.tolist() == [0, 0, 1, 1, 0, -1]


def test_time_series_momentum_measures_a_return_by_its_volatility():
    calm = bars_of([100 * 1.001**at * (1 + 0.0001 * (-1) ** at) for at in range(30)])
    wild = bars_of([100 * 1.001**at * (1 + 0.05 * (-1) ** at) for at in range(30)])
    assert momentum.time_series_momentum(calm, lookback=10, width=1)[-1] == 1
    assert momentum.time_series_momentum(wild, lookback=10, width=1)[-1] == 0


def test_a_scaled_return_by_hand():
    """Logs 0, 1, 1, 2, 2: over two bars +1; returns 1, 0 have a deviation of 1/2, over two bars of sqrt(2)/2."""
    logs = np.array([0, 1, 1, 2, 2], dtype=float)
    np.testing.assert_allclose(momentum.scaled_return(logs, 2), [NAN, NAN, 2**0.5, 2**0.5, 2**0.5])


def test_relative_strength_is_long_the_leader_and_short_the_laggard():
    rng = [(-1) ** at * 0.001 for at in range(60)]
    up, level, down = ([100 * (1 + drift * at) * (1 + rng[at]) for at in range(60)] for drift in (0.002, 0, -0.002))

    def decide(own, *others):
        return relative.relative_strength(bars_of(own), np.array(others), lookback=20, width=0.5)[-1]

    assert decide(up, level, down) == 1
    assert decide(down, up, level) == -1
    assert decide(up, up, up) == 0


def test_relative_strength_passes_over_peers_it_does_not_know_yet():
    own = [100 * (1 + 0.002 * at) * (1 + 0.001 * (-1) ** at) for at in range(60)]
    unknown = [NAN] * 60
    flat = [100 * (1 + 0.001 * (-1) ** at) for at in range(60)]
    rule, bars = relative.relative_strength, bars_of(own)
    alone = rule(bars, np.array([flat]), lookback=20, width=0.5)
    np.testing.assert_array_equal(rule(bars, np.array([flat, unknown]), lookback=20, width=0.5), alone)
    assert alone[-1] == 1
    assert not rule(bars, np.array([unknown]), lookback=20, width=0.5).any()
    assert not rule(bars, NO_PEERS, lookback=20, width=0.5).any()


def test_vwap_takes_no_price_from_hours_in_which_nothing_was_traded():
    """TA-Lib's own average of such hours is the rounding of one sum over that of another: any number at all."""
    volumes = [1e6 * (1 + 0.37 * (at % 7)) / 3 for at in range(100)] + [0.0] * 60
    bars = bars_of(wave(160, 50), volumes)
    assert talib.VWMA(bars.close, bars.volume, 20)[-1] > 300
    targets = volume.vwap_deviation(bars, period=20, width=2)
    assert set(targets[119:].tolist()) == {targets[118]}


def test_obv_trend_follows_the_side_on_which_volume_is_traded():
    closes = [100 + at % 2 for at in range(60)]
    buying = [3.0 if at % 2 else 1.0 for at in range(60)]
    selling = [1.0 if at % 2 else 3.0 for at in range(60)]
    assert volume.obv_trend(bars_of(closes, buying), period=10)[-1] == 1
    assert volume.obv_trend(bars_of(closes, selling), period=10)[-1] == -1


def test_a_volume_breakout_needs_the_volume():
    closes = [100.0 + at % 2 for at in range(20)] + [103.0]
    rule = volume.volume_breakout
    assert rule(bars_of(closes, [1.0] * 20 + [1.9]), period=10, surge=2)[-1] == 0
    assert rule(bars_of(closes, [1.0] * 20 + [2.1]), period=10, surge=2)[-1] == 1


def test_a_volume_breakout_is_left_at_the_average_price():
    closes = [100.0 + at % 2 for at in range(20)] + [103.0, 103.0, 100.0]
    targets = volume.volume_breakout(bars_of(closes, [1.0] * 20 + [3.0, 1.0, 1.0]), period=10, surge=2)
    assert targets[-3:].tolist() == [1, 1, 0]


def test_volatility_regime_takes_a_quiet_trend_and_leaves_a_loud_one():
    steps = [0.01 * (-1) ** at for at in range(40)] + [0.001] * 10 + [0.05 * (-1) ** at for at in range(10)]
    closes = list(100 * np.exp(np.cumsum(steps)) + np.arange(60) * 0.2)
    targets = volatility.volatility_regime(bars_of(closes), period=5, quiet=0.8, loud=1.2)
    assert targets[48] == 1
    assert targets[-1] == 0
