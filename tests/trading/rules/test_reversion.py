"""Rules against an extreme price."""

from __future__ import annotations

import pytest

from service.trading.rules import reversion, volume
from tests.trading.rules.bars import bars_of


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


def test_bollinger_reversion_waits_for_the_price_to_return():
    closes = [100 + 0.1 * (-1) ** at for at in range(20)] + [95, 98.5, 98.6, 101, 101]
    targets = reversion.bollinger_reversion(bars_of(closes), period=10, width=2)
    assert targets[20:].tolist() == [0, 1, 1, 0, 0]
