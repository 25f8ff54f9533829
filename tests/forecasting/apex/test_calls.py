"""The calls of apex in pages, each with its outcome once its day is over."""

from __future__ import annotations

import numpy as np

from service.forecasting.apex.calls import calls_document
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from tests.forecasting.apex.made import call_of

CALLED = 1_795_262_400  # 2026-11-21T12:00:00Z


def hourly(final: float) -> Bars:
    """Three days of hours around the call at 100, and `final` in the last hour of its day."""
    time = np.arange(CALLED - DAY, CALLED + 2 * DAY, HOUR)
    close = np.where(time == CALLED + DAY - HOUR, final, 100.0)
    return Bars(time, close, close, close, close, close, HOUR)


def outcomes(final: float, now: int) -> list[str | None]:
    calls = [call_of(CALLED, 0.61)]
    return [call.outcome for call in calls_document(calls, hourly(final), now, world="simulated", next=None).calls]


def test_a_call_is_decided_a_day_later():
    assert outcomes(101.0, CALLED + DAY - 1) == [None]
    assert [outcomes(final, CALLED + DAY + HOUR) for final in (101.0, 100.0, 99.0)] == [["yes"], ["no"], ["no"]]


def test_a_call_is_shown_as_it_was_made():
    call = call_of(CALLED, 0.123456, spot=64_000.0, backfilled=True, news=0.2)
    page = calls_document([call], hourly(100.0), CALLED, world="simulated", next="abc")
    (shown,) = page.calls
    assert (page.schema, page.count, page.next) == ("apex-calls/1", 1, "abc")
    assert (shown.called_at, shown.resolves_at) == ("2026-11-21T12:00:00Z", "2026-11-22T12:00:00Z")
    assert (shown.spot, shown.p_up, shown.direction, shown.backfilled) == (64_000.0, 0.1235, "BEARISH", True)
    assert len(shown.layers) == len(call.layers)
