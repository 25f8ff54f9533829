"""Strength relative to other assets."""

from __future__ import annotations

import numpy as np

from service.trading.rules import relative
from tests.trading.rules.bars import bars_of

NAN = float("nan")
NO_PEERS = np.empty((0, 0))


def test_relative_strength_is_long_the_leader():
    rng = [(-1) ** at * 0.001 for at in range(60)]
    up, level, down = ([100 * (1 + drift * at) * (1 + rng[at]) for at in range(60)] for drift in (0.002, 0, -0.002))

    def decide(own, *others):
        return relative.relative_strength(bars_of(own), np.array(others), lookback=20, width=0.5)[-1]

    assert decide(up, level, down) == 1
    assert decide(down, up, level) == -1
    assert decide(up, up, up) == 0


def test_relative_strength_ignores_peers_without_history():
    own = [100 * (1 + 0.002 * at) * (1 + 0.001 * (-1) ** at) for at in range(60)]
    unknown = [NAN] * 60
    flat = [100 * (1 + 0.001 * (-1) ** at) for at in range(60)]
    rule, bars = relative.relative_strength, bars_of(own)
    alone = rule(bars, np.array([flat]), lookback=20, width=0.5)
    np.testing.assert_array_equal(rule(bars, np.array([flat, unknown]), lookback=20, width=0.5), alone)
    assert alone[-1] == 1
    assert not rule(bars, np.array([unknown]), lookback=20, width=0.5).any()
    assert not rule(bars, NO_PEERS, lookback=20, width=0.5).any()
