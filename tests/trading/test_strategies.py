"""The table of strategies: 18 rule families at three speeds, each with its source."""

from __future__ import annotations

import inspect
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from service.market.assets import ASSETS
from service.market.bars import Bars
from service.trading.arena import peers_of
from service.trading.ghosts import GHOSTS
from service.trading.rules import trend
from service.trading.strategies import SPEEDS, STRATEGIES
from tests.trading.rules.bars import bars_of


def test_there_are_fifty_four_strategies_of_eighteen_rules():
    assert len(STRATEGIES) == 54
    assert set(Counter(strategy.rule for strategy in STRATEGIES.values()).values()) == {3}
    assert len({strategy.rule for strategy in STRATEGIES.values()}) == 18


def test_every_key_says_rule_and_speed():
    for key, strategy in STRATEGIES.items():
        assert key == strategy.key
        assert key.rpartition("_")[2] in SPEEDS
        assert strategy.name.endswith(key.rpartition("_")[2])
    assert not STRATEGIES.keys() & GHOSTS.keys()


def test_the_categories_are_the_files_of_the_rules():
    counted = Counter(strategy.category for strategy in STRATEGIES.values())
    assert counted == {
        "trend": 15,
        "breakout": 9,
        "reversion": 9,
        "momentum": 6,
        "volume": 9,
        "volatility": 3,
        "relative": 3,
    }


def test_every_strategy_trades_all_seven_assets():
    assert all(strategy.assets == tuple(ASSETS) for strategy in STRATEGIES.values())


@pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=lambda strategy: strategy.key)
def test_the_source_is_the_one_that_the_rule_names(strategy):
    assert strategy.source in inspect.getdoc(strategy.rule)


@pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=lambda strategy: strategy.key)
def test_the_parameters_are_all_that_the_rule_takes(strategy):
    taken = [name for name, it in inspect.signature(strategy.rule).parameters.items() if it.kind == it.KEYWORD_ONLY]
    assert list(strategy.parameters) == taken
    assert all(value > 0 for value in strategy.parameters.values())


def test_the_three_speeds_of_a_rule_differ():
    rows = [(strategy.rule, tuple(strategy.parameters.items())) for strategy in STRATEGIES.values()]
    assert len(set(rows)) == 54


def test_a_strategy_cannot_be_changed():
    with pytest.raises(TypeError):
        next(iter(STRATEGIES.values())).parameters["period"] = 5


@pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=lambda strategy: strategy.key)
def test_without_enough_bars_targets_are_0(strategy, hours: dict[str, Bars]):
    for count in (0, 1, 2, 11):
        first = {asset: bars[:count] for asset, bars in hours.items()}
        targets = strategy.decide(first["btc"], peers_of("btc", first))
        assert targets.dtype == np.int8
        # The parabolic line needs two bars and no more, at any speed.
        assert strategy.rule is trend.parabolic_sar or targets.tolist() == [0] * count


@pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=lambda strategy: strategy.key)
def test_a_market_without_moves_is_not_traded(strategy):
    still = bars_of([0.1] * 2000)
    assert not strategy.decide(still, np.full((4, 2000), 0.3)).any()


@pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=lambda strategy: strategy.key)
def test_decisions_do_not_depend_on_the_price_level(strategy, hours: dict[str, Bars]):
    """2^-20 is exact in binary, so only an absolute threshold in an indicator could make a difference."""
    scale = 2.0**-20
    cheap = {
        asset: replace(bars, **{name: getattr(bars, name) * scale for name in ("open", "high", "low", "close")})
        for asset, bars in hours.items()
    }
    dear = strategy.decide(hours["xrp"], peers_of("xrp", hours))
    np.testing.assert_array_equal(strategy.decide(cheap["xrp"], peers_of("xrp", cheap)), dear)


@pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=lambda strategy: strategy.key)
def test_hours_without_volume_are_tolerated(strategy, hours: dict[str, Bars]):
    """With volume 0 for days there is no warning and no invalid target."""
    bars = hours["gold"]
    silent = replace(bars, volume=np.where(np.arange(len(bars)) % 400 < 250, 0.0, bars.volume))
    targets = strategy.decide(silent, peers_of("gold", hours))
    assert set(np.unique(targets)) <= {-1, 0, 1}
