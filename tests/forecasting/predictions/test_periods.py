"""The days, weeks and months of the series end with the last second of a day in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from service.forecasting.predictions.series import current
from service.market.assets import ASSETS
from service.market.instants import DAY, HOUR, utc


def second(*moment: int) -> int:
    return int(datetime(*moment, tzinfo=UTC).timestamp())


@pytest.mark.parametrize("asset", ASSETS)
def test_a_week_begins_on_the_day_of_its_asset(asset):
    for day in range(1, 15):
        now = second(2026, 11, day, 10)
        week = next(period for period in current(asset, now) if period.category == "weekly")
        assert week.begins <= now <= week.deadline
        assert utc(week.begins).weekday() == ASSETS[asset].week_begins
        assert week.deadline + 1 - week.begins == 7 * DAY


def test_from_noon_on_two_days_run():
    """A day begins at noon and ends at the second midnight after it."""
    before, after = (
        [period for period in current("btc", second(2026, 11, 18, hour)) if period.category == "daily"]
        for hour in (11, 12)
    )
    assert [period.begins for period in before] == [second(2026, 11, 17, 12)]
    assert [period.begins for period in after] == [second(2026, 11, 17, 12), second(2026, 11, 18, 12)]
    assert all(period.deadline + 1 - period.begins == 36 * HOUR for period in after)


def test_a_month_is_never_overlaid_and_shorter_periods_are():
    """On 30 November 2026 the day, the week of ether and the month end together."""
    periods = {period.category: period for period in current("eth", second(2026, 11, 30, 11))}
    assert periods["monthly"].deadline == second(2026, 12, 1) - 1
    assert (periods["monthly"].is_overlaid, periods["weekly"].deadline) == (False, second(2026, 12, 1) - 1)
    assert periods["weekly"].is_overlaid
    assert periods["daily"].deadline == second(2026, 12, 1) - 1
    assert periods["daily"].is_overlaid
