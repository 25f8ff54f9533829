"""Rules that enter when the price leaves its range."""

from __future__ import annotations

import pytest

from service.trading.rules import breakout
from tests.trading.rules.bars import bars_of


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
