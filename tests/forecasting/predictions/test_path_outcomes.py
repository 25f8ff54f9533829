"""The outcome of a question that the whole path of a price decides."""

from __future__ import annotations

import numpy as np
import pytest

from service.forecasting.predictions.resolution import Resolution
from service.market.bars import Bars
from service.market.instants import DAY, HOUR, utc
from tests.forecasting.predictions.two_hours import ASKED_AT, LAST, MUCH_LATER, bars, settled, without

BOTH = {"level": 98.0, "upper_level": 102.0}


@pytest.mark.parametrize(
    ("comparator", "prices", "expected"),
    [
        ("upper_first", {"m10": 102.0, "m20": 97.0}, "yes"),
        ("upper_first", {"m10": 98.0, "m20": 103.0}, "no"),
        ("upper_first", {"m10": 101.9, "m20": 98.1}, "no"),
        ("lower_first", {"m10": 98.0, "m20": 103.0}, "yes"),
        ("lower_first", {"m10": 102.0, "m20": 97.0}, "no"),
    ],
)
def test_the_level_reached_first_decides(comparator, prices, expected):
    """Neither level reached is a no, and so is the other one first."""
    assert settled(comparator, bars(**prices), **BOTH).outcome == expected


def test_an_order_is_decided_as_soon_as_a_level_is_reached():
    """The evidence names the bar; before it nothing is decided."""
    rows = bars(m10=102.5, m20=97.0)
    assert settled("upper_first", rows, ASKED_AT + 10 * 60, **BOTH) is None
    early = settled("upper_first", rows, ASKED_AT + 15 * 60, **BOTH)
    assert early == Resolution("yes", "btc high 102.5 in the bar of 2025-03-10T10:10:00Z, before the other level")


def test_both_levels_in_one_bar_make_the_order_void():
    """A bar does not say which of its prices came first."""
    rows = bars(m30=103.0)
    rows.low[np.searchsorted(rows.time, ASKED_AT + 30 * 60)] = 97.0
    assert settled("upper_first", rows, **BOTH) == Resolution(
        "void", "btc reached both levels in the bar of 2025-03-10T10:30:00Z"
    )


def test_a_gap_before_a_level_leaves_the_order_open():
    """The other level may have been reached in the gap: void at last, unless late bars arrive."""
    rows = without(bars(m90=103.0), ASKED_AT + 600, ASKED_AT + 600 + 4800)
    assert settled("upper_first", rows, **BOTH) is None
    assert settled("upper_first", rows, MUCH_LATER, **BOTH).outcome == "void"


@pytest.mark.parametrize(
    ("pct", "prices", "expected"),
    [(2.9, {"m30": 102.0, "m60": 99.0}, "yes"), (3.5, {"m30": 102.0, "m60": 99.0}, "no"), (0.9, {}, "yes")],
)
def test_a_range_is_highest_less_lowest(pct, prices, expected):
    """Of 100: from 102 down to 98.5, the low half a dollar below the flat bars; flat bars are a dollar wide."""
    rows = bars(**prices)
    rows.low[:] = np.where(rows.low == 99.0, 98.5, rows.low)
    assert settled("range", rows, level=None, level_pct=pct, polarity="none").outcome == expected


def test_an_average_is_that_of_the_hourly_closes():
    """Of two hours that close at 104 and 99: 101.5, whatever the prices in between."""
    rows = bars(m55=104.0, m80=150.0, **{LAST: 99.0})
    above = settled("average_above", rows, level=101.4)
    assert above == Resolution("yes", "btc mean 101.5 of 2 hourly closes")
    assert settled("average_below", rows, level=101.4).outcome == "no"


MIDNIGHT = ASKED_AT + 14 * HOUR
DAILY = {"deadline": utc(MIDNIGHT + 3 * DAY - 1)}  # four days end by then


def closing(*closes: float) -> Bars:
    """Bars whose days close at these prices, Monday's first; a price ten minutes before never counts."""
    rows = bars(until=MIDNIGHT + 4 * DAY)
    for day, close in enumerate(closes):
        end = int(np.searchsorted(rows.time, MIDNIGHT + day * DAY))
        rows.close[end - 1], rows.close[end - 3] = close, 500.0
    return rows


@pytest.mark.parametrize(
    ("comparator", "fields", "expected"),
    [
        ("days_above", {"level": 101.0, "days": 3}, "yes"),
        ("days_above", {"level": 101.0, "days": 3, "in_a_row": True}, "no"),
        ("days_above", {"level": 102.0, "days": 2}, "no"),
        ("days_below", {"level": 101.0, "days": 1}, "yes"),
        ("days_up", {"days": 3}, "no"),
        ("days_up", {"days": 2}, "yes"),
        ("days_up", {"days": 2, "in_a_row": True}, "no"),
        ("days_down", {"days": 2}, "yes"),
        ("days_down", {"days": 2, "in_a_row": True}, "no"),
        ("days_above", {"level": 101.0, "days": 3, "earlier": utc(MIDNIGHT)}, "no"),
        ("days_above", {"level": 101.0, "days": 2, "earlier": utc(MIDNIGHT)}, "yes"),
        ("days_up", {"days": 2, "earlier": utc(MIDNIGHT)}, "no"),
        ("days_down", {"days": 2, "earlier": utc(MIDNIGHT)}, "yes"),
    ],
)
def test_days_are_counted_by_their_closes(comparator, fields, expected):
    """Closes 102, 100.5, 103, 101.5 from a price of 100: up, down, up, down; the last three from the first midnight."""
    rows, now = closing(102.0, 100.5, 103.0, 101.5), MIDNIGHT + 3 * DAY + 60
    assert settled(comparator, rows, now, **{"level": None} | fields | DAILY).outcome == expected


@pytest.mark.parametrize(("comparator", "level", "expected"), [
    ("above_moving_average", 100.0, "yes"),  # (2 * 100 + 102 + 100.5 + 103 + 101.5) / 6 is 101.17
    ("above_moving_average", 102.0, "no"),  # 101.83
    ("below_moving_average", 102.0, "yes"),
])  # fmt: skip
def test_a_moving_average_counts_known_and_later_closes(comparator, level, expected):
    """Six closes: the two known ones have the mean `level`, four days end by the deadline; the last closes at 101.5."""
    rows, now = closing(102.0, 100.5, 103.0, 101.5), MIDNIGHT + 3 * DAY + 60
    resolution = settled(comparator, rows, now, level=level, days=6, **DAILY)
    assert resolution.outcome == expected
    assert "of the last 6 daily closes" in resolution.evidence


def test_a_moving_average_may_lie_in_the_future_alone():
    rows, now = closing(90.0, 104.0, 103.0, 101.5), MIDNIGHT + 3 * DAY + 60
    resolution = settled("below_moving_average", rows, now, level=None, days=2, **DAILY)
    assert (resolution.outcome, resolution.evidence) == (
        "yes",
        "btc close 101.5, mean 102.25 of the last 2 daily closes",
    )


@pytest.mark.parametrize(("more", "expected"), [(-1.0, "yes"), (1.0, "no")])
def test_a_volatility_is_that_of_hourly_returns(more, expected):
    """Closes of 100, 101 and 100 at full hours: two returns of 0.995%, times the root of 8,760 hours, are 93.1%."""
    volatility = 100 * np.log(1.01) * np.sqrt(8760)
    deadline = ASKED_AT + 3 * HOUR
    fields = {"level": None, "level_pct": volatility + more, "deadline": utc(deadline)}
    resolution = settled("volatility", bars(m115=101.0), deadline + 60, **fields)
    assert resolution.outcome == expected
    assert resolution.evidence == "btc volatility 93.13% a year from 2 hourly returns"


def test_the_days_that_count_are_the_evidence():
    rows, now = closing(102.0, 100.5, 103.0, 101.5), MIDNIGHT + 3 * DAY + 60
    resolution = settled("days_above", rows, now, level=101.0, days=3, **DAILY)
    dates = "2025-03-10, 2025-03-12, 2025-03-13"
    assert resolution.evidence == f"btc: 3 of 4 days, at most 2 in a row: {dates}"


def test_a_day_without_bars_makes_a_count_void():
    rows = without(closing(102.0, 102.0, 102.0, 102.0), MIDNIGHT, MIDNIGHT + DAY)
    now = MIDNIGHT + 4 * DAY
    assert settled("days_above", rows, now, level=101.0, days=1, **DAILY).outcome == "void"


def test_a_negated_kind_has_the_other_outcome():
    rows = bars(m10=102.0)
    assert settled("upper_first", rows, negated=True, **BOTH).outcome == "no"
    assert settled("range", rows, level=None, level_pct=50.0, negated=True).outcome == "yes"
