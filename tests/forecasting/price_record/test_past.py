"""The forecasts of past hours are those that would have been committed then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.forecasting.price_record.book import ALL, PriceBook, resolve
from service.forecasting.price_record.committed import PriceForecast, commit
from service.forecasting.price_record.past import PastPrices, backfill_prices
from service.forecasting.voters.context import Knowledge, build_all
from service.forecasting.voters.inputs import survey
from service.market.assets import ASSETS
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from tests.forecasting.made import DAYS, NOW, made_bars

pytestmark = pytest.mark.slow

LATER = 10 * DAY
END = NOW + LATER
CUT = NOW + 4 * DAY + 5 * HOUR
SINCE = NOW + 2 * DAY  # the third of May
MONTH = NOW  # the first


@pytest.fixture(scope="module")
def bars() -> dict[str, Bars]:
    """130 days; the first 120 are those of the fits."""
    return {asset: made_bars(asset, DAYS + LATER // DAY, seed) for seed, asset in enumerate(ASSETS)}


def backfilled(bars, fits, until: int = END) -> PastPrices:
    complete = {asset: series.until(until) for asset, series in bars.items()}
    return backfill_prices(survey(complete), complete, {MONTH: fits}, SINCE, until)


@pytest.fixture(scope="module")
def past(bars, fits) -> PastPrices:
    return backfilled(bars, fits)


def at(forecasts: tuple[PriceForecast, ...], instant: int) -> list[PriceForecast]:
    return [row for row in forecasts if row.at == instant]


@pytest.mark.parametrize("hour", [0, 30, 77])
def test_the_past_is_what_the_job_commits(hour, bars, fits, past):
    """Number by number, from bars that end then; 2025-05-03 and the next day are a weekend."""
    instant = SINCE + hour * HOUR
    live = commit(Knowledge(build_all(bars, instant), fits), instant)
    assert sorted(at(past.forecasts, instant)) == sorted(live)
    assert live


def test_later_bars_change_nothing_before(bars, fits, past):
    """With the bars after an instant left out, all forecasts before it are the same, and so is the book."""
    shorter = backfilled(bars, fits, CUT)
    assert set(shorter.forecasts) == {row for row in past.forecasts if row.at < CUT}
    by_then = [row for row in past.forecasts if row.deadline <= CUT]
    assert shorter.book == PriceBook().plus(resolve(by_then, bars, CUT))


def test_every_forecast_is_in_the_book_or_waits(past):
    sums = [past.book.of(horizon, ALL) for horizon in ("1h", "24h", "7d", "30d")]
    assert sum(each.n + each.void for each in sums) + len(past.waiting) == len(past.forecasts)
    assert {row.horizon for row in past.waiting if row.deadline > END} == {"24h", "7d", "30d"}
    assert sums[0].n > 5 * 180
    assert sums[-1].n == 0


def test_the_book_is_the_same_hour_by_hour(bars, fits, past):
    """As the job feeds it, with what it can see at each hour."""
    book, waiting = PriceBook(), list(past.forecasts)
    for now in range(SINCE, END + 1, HOUR):
        due = [row for row in waiting if row.deadline <= now]
        outcomes = resolve(due, {asset: series.until(now) for asset, series in bars.items()}, now)
        waiting = [row for row in waiting if row not in set(outcomes.decided)] if due else waiting
        book = book.plus(outcomes)
    for horizon in ("1h", "24h", "7d"):
        stepwise, whole = book.of(horizon, ALL), past.book.of(horizon, ALL)
        assert (stepwise.n, stepwise.void, stepwise.blocks) == (whole.n, whole.void, whole.blocks)
        assert stepwise.crps == pytest.approx(whole.crps)
        assert stepwise.block_products == pytest.approx(whole.block_products)


def test_a_metal_is_not_forecast_over_closed_hours(past):
    """On Saturday morning there is no forecast of gold's next hour or day."""
    saturday = SINCE + 9 * HOUR
    assert {row.horizon for row in at(past.forecasts, saturday) if row.asset == "gold"} == {"7d", "30d"}
    assert {row.horizon for row in at(past.forecasts, saturday) if row.asset == "btc"} == {"1h", "24h", "7d", "30d"}


def test_a_month_without_models_has_no_forecasts(bars, fits):
    history = survey(bars)
    assert backfill_prices(history, bars, {}, SINCE, END).forecasts == ()
    assert backfill_prices(history, bars, {MONTH: replace(fits, calendars={})}, SINCE, END).forecasts == ()
    june = backfill_prices(history, bars, {MONTH + 31 * DAY: fits}, SINCE, END)
    assert june.forecasts == ()
