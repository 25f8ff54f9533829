"""Intervals of measured proportions."""

from __future__ import annotations

import pytest

from notebooks.widgets.base.intervals import wilson


def test_wilson_has_the_published_interval():
    """Newcombe 1998, table I: 81 of 263 has the 95% interval 0.2553 to 0.3662, 0 of 20 has 0 to 0.1611."""
    assert wilson(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0.0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
