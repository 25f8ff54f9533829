"""The table of strategies: 18 rule families at three speeds, each with its source."""

from __future__ import annotations

import inspect
from collections import Counter

import pytest

from service.market.assets import ASSETS
from service.trading.ghosts import GHOSTS
from service.trading.strategies import SPEEDS, STRATEGIES


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
