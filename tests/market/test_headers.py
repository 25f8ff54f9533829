"""The headers of documents that are computed from bars."""

from __future__ import annotations

import pytest

from service.market.headers import header, month_header
from service.market.instants import HOUR, iso

AS_OF = 1_800_000_000


@pytest.mark.parametrize(("step", "every_s", "stale_s"), [(300, 0, 900), (HOUR, 0, 3 * HOUR), (300, HOUR, HOUR + 900)])
def test_it_is_stale_after_one_interval_and_three_bars(step: int, every_s: int, stale_s: int):
    result = header(AS_OF + 7, AS_OF, step=step, world="replay", sources={"btc": "a file"}, every_s=every_s)
    assert (result.timestamp, result.as_of, result.stale_after) == (iso(AS_OF + 7), iso(AS_OF), iso(AS_OF + stale_s))
    assert (result.world, result.sources) == ("replay", {"btc": "a file"})


@pytest.mark.parametrize(
    ("month", "as_of", "stale_after"),
    [
        ("2023-12", "2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z"),
        ("2024-01", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"),
    ],
)
def test_a_month_is_stale_once_the_next_month_has_closed(month: str, as_of: str, stale_after: str):
    """Whenever it was computed; the second case is the leap February of 2024."""
    result = month_header(AS_OF, month, world="live", sources={"btc": "a file"})
    assert (result.timestamp, result.as_of, result.stale_after) == (iso(AS_OF), as_of, stale_after)
    assert (result.world, result.sources) == ("live", {"btc": "a file"})
