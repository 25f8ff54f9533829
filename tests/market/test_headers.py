"""The header of a document that is computed from bars."""

from __future__ import annotations

import pytest

from service.market.headers import header
from service.market.instants import HOUR, iso

AS_OF = 1_800_000_000


@pytest.mark.parametrize(("step", "every_s", "stale_s"), [(300, 0, 900), (HOUR, 0, 3 * HOUR), (300, HOUR, HOUR + 900)])
def test_it_is_stale_after_one_interval_and_three_bars(step: int, every_s: int, stale_s: int):
    result = header(AS_OF + 7, AS_OF, step=step, world="replay", sources={"btc": "a file"}, every_s=every_s)
    assert (result.timestamp, result.as_of, result.stale_after) == (iso(AS_OF + 7), iso(AS_OF), iso(AS_OF + stale_s))
    assert (result.world, result.sources) == ("replay", {"btc": "a file"})
