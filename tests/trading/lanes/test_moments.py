"""The market as a sequence of moments."""

from __future__ import annotations

from service.market.bars import join, resample
from service.market.instants import DAY, HOUR
from service.trading.lanes import moments
from tests.trading.lanes.runs import STEP, flat, shown


def test_an_hour_with_a_gap_is_decided_at_the_next_bar(hours, marks):
    """Ether's last bars of an hour are missing; the hour is complete once the next one has a bar."""
    hole = int(marks["eth"].time[0]) + 20 * DAY
    whole = marks["eth"]
    torn = marks | {"eth": join([whole.until(hole - 600), whole.since(hole + 600)])}
    by_the_hour = {asset: resample(bars, HOUR) for asset, bars in torn.items()}
    shown = {moment.as_of: moment for moment in moments(by_the_hour, torn, hole - HOUR, votes={}, pools={})}
    assert "eth" not in shown[hole].fresh(hole - STEP)
    assert "btc" in shown[hole].fresh(hole - STEP)
    past = {asset: bars.until(hole) for asset, bars in torn.items()}
    live = {asset: resample(bars, HOUR) for asset, bars in past.items()}
    (moment,) = moments(live, past, hole - STEP, votes={}, pools={})
    assert moment.fresh(hole - STEP) == shown[hole].fresh(hole - STEP)


def test_an_hour_is_decided_only_once(reading):
    """Gold reopens on Sunday at the end of an hour; its last hour is Friday's, which was already decided."""
    friday, sunday = 22 * HOUR, 72 * HOUR
    late = shown(sunday, {"gold": flat(sunday, 2000.0)}, hours={"gold": reading._replace(time=friday)})
    assert late.ends_hour(sunday - STEP)
    assert late.fresh(sunday - STEP) == {}
    assert list(late.fresh(friday)) == ["gold"]
