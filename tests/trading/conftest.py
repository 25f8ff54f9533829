"""The bars and the arena that the tests of trading share."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.market.bars import Bars
from service.market.instants import DAY, HOUR, MINUTE
from service.trading.arena import Arena, run
from service.trading.lanes import LANES
from service.trading.lanes.lane import LaneVote, moments, readings
from service.trading.pools import ASSUMED_POOLS
from tests.trading import markets
from tests.trading.lanes.runs import Run
from tests.trading.markets import NEW_YEAR, battle_of, by_the_hour, span_of

WEEK = 7 * DAY


@pytest.fixture(scope="session")
def real_hours(shared_data: Path) -> dict[str, Bars]:
    """Real hourly bars of all seven assets, 2024-02 to 2025-04."""
    return markets.real(shared_data / "candles" / "1h", HOUR)


@pytest.fixture(scope="session")
def real_marks(shared_data: Path) -> dict[str, Bars]:
    """Real five-minute bars of the five coins, 2025-01 to 2025-02."""
    return markets.real(shared_data / "candles" / "5m", 5 * MINUTE)


@pytest.fixture(scope="session")
def marks() -> dict[str, Bars]:
    """Sixty days of simulated five-minute bars."""
    return markets.simulated_bars(60)


@pytest.fixture(scope="session")
def hours(marks: dict[str, Bars]) -> dict[str, Bars]:
    """The same sixty days by the hour."""
    return by_the_hour(marks)


@pytest.fixture(scope="session")
def arena(hours: dict[str, Bars]) -> Arena:
    """All accounts after those sixty days."""
    return run(hours, {}, markets.NEW_YEAR)


@pytest.fixture(scope="session")
def states(hours):
    """The lanes after sixty days of hourly bars, with a vote at every hour."""
    votes = {time + HOUR: {"btc": LaneVote(0.8, 0.4 + time // WEEK % 2 * 0.2)} for time in hours["btc"].time.tolist()}
    states = {name: lane.begin(NEW_YEAR) for name, lane in LANES.items()}
    for moment in moments(hours, hours, NEW_YEAR, votes=votes, pools=ASSUMED_POOLS):
        states = {name: LANES[name].step(state, moment) for name, state in states.items()}
    return states


@pytest.fixture(scope="session")
def battle(states):
    return battle_of(states)


@pytest.fixture(scope="session")
def simulated(hours, marks):
    """Thirty days of seven assets, five minutes a bar."""
    end = NEW_YEAR + 30 * DAY
    return Run(span_of(hours, until=end), span_of(marks, until=end))


@pytest.fixture(scope="session")
def month_run(real_marks):
    """A real month of five coins, five minutes a bar."""
    month = span_of(real_marks, until=NEW_YEAR + 31 * DAY)
    return Run(by_the_hour(month), month)


@pytest.fixture(scope="session")
def half_year_run(real_hours):
    """Six real months of seven assets, an hour a bar: the mark is the decision."""
    half_year = {asset: bars.until(int(bars.time[0]) + 180 * DAY) for asset, bars in real_hours.items()}
    return Run(half_year, half_year)


@pytest.fixture(scope="session")
def reading(hours):
    """Usual readings of the hour that begins at 0, to be modified."""
    return readings(hours["btc"])[-1]._replace(time=0)
