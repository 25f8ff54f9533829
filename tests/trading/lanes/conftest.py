"""The runs that the tests of lanes share."""

from __future__ import annotations

import pytest

from service.market.bars import resample
from service.market.instants import DAY, HOUR
from service.trading.lanes.readings import readings
from tests.trading.lanes.runs import Run
from tests.trading.markets import NEW_YEAR


@pytest.fixture(scope="session")
def simulated(hours, marks):
    """Thirty days of seven assets, five minutes a bar."""
    end = NEW_YEAR + 30 * DAY
    marks_until = {asset: bars.until(end) for asset, bars in marks.items()}
    return Run({asset: bars.until(end) for asset, bars in hours.items()}, marks_until)


@pytest.fixture(scope="session")
def real(real_marks):
    """A real month of five coins, five minutes a bar."""
    month = {asset: bars.until(NEW_YEAR + 31 * DAY) for asset, bars in real_marks.items()}
    return Run({asset: resample(bars, HOUR) for asset, bars in month.items()}, month)


@pytest.fixture(scope="session")
def real_by_the_hour(real_hours):
    """Six real months of seven assets, an hour a bar: the mark is the decision."""
    half_year = {asset: bars.until(int(bars.time[0]) + 180 * DAY) for asset, bars in real_hours.items()}
    return Run(half_year, half_year)


@pytest.fixture(scope="session")
def reading(hours):
    """A row of usual readings, to be modified."""
    return readings(hours["btc"])[-1]
