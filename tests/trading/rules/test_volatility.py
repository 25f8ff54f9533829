"""Rules that use the volatility regime."""

from __future__ import annotations

import numpy as np

from service.trading.rules import volatility
from tests.trading.rules.bars import bars_of


def test_volatility_regime_follows_quiet_trends_only():
    steps = [0.01 * (-1) ** at for at in range(40)] + [0.001] * 10 + [0.05 * (-1) ** at for at in range(10)]
    closes = list(100 * np.exp(np.cumsum(steps)) + np.arange(60) * 0.2)
    targets = volatility.volatility_regime(bars_of(closes), period=5, quiet=0.8, loud=1.2)
    assert targets[48] == 1
    assert targets[-1] == 0
