"""The table of strategies, each with its source, what all of them hold to, and the ghosts without skill."""

from __future__ import annotations

import inspect
from dataclasses import replace

import numpy as np
import pytest

from service.market.bars import Bars, from_rows
from service.market.instants import DAY, HOUR
from service.trading import rules
from service.trading.arena import Arena, peers_of
from service.trading.strategies import GHOSTS, SPEEDS, STRATEGIES, Strategy, buy_and_hold, coin_flip
from tests.trading.markets import NEW_YEAR, closing

each_strategy = pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=lambda strategy: strategy.key)


@each_strategy
def test_a_row_names_its_rule_and_speed(strategy: Strategy):
    """Its parameters are all that the rule takes, and cannot be changed."""
    speed = strategy.key.rpartition("_")[2]
    assert STRATEGIES[strategy.key] == strategy
    assert speed in SPEEDS
    assert strategy.name.endswith(speed)
    assert strategy.key not in GHOSTS
    parameters = [
        name for name, it in inspect.signature(strategy.rule).parameters.items() if it.kind == it.KEYWORD_ONLY
    ]
    assert list(strategy.parameters) == parameters
    assert all(value > 0 for value in strategy.parameters.values())
    with pytest.raises(TypeError):
        strategy.parameters["period"] = 5


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
    cheap = {
        asset: replace(bars, **{name: getattr(bars, name) * 2.0**-20 for name in ("open", "high", "low", "close")})
        for asset, bars in hours.items()
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
