"""How long an exchange rate may be used."""

from __future__ import annotations

from datetime import timedelta

import pytest

from service.market.instants import utc
from service.market.rates import ASSUMED, FRESH_FOR, Rate

NOON = utc(1_795_262_400)


@pytest.mark.parametrize(
    ("age", "expected"), [(timedelta(0), True), (FRESH_FOR, True), (FRESH_FOR + timedelta(seconds=1), False)]
)
def test_a_quoted_rate_may_be_used_for_two_hours(age: timedelta, expected: bool):
    assert timedelta(hours=2) == FRESH_FOR
    assert Rate(1.1, "kraken", NOON - age).is_fresh(NOON) is expected


def test_an_assumed_rate_may_always_be_used():
    assert all(rate.is_fresh(NOON) for rate in ASSUMED.values())
