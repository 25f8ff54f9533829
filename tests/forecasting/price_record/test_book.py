"""The book of scores, and its published record."""

from __future__ import annotations

from dataclasses import asdict, replace
from math import exp, sqrt

import numpy as np
import pytest

from service import canonical
from service.forecasting.predictions.resolution import LATE_S
from service.forecasting.price_record.book import (
    ALL_ASSETS,
    Outcomes,
    PastPrices,
    PriceBook,
    PriceRecordDocument,
    backfill_prices,
    closes_at,
    needed,
    price_record_document,
    resolve,
    verdict_on,
)
from service.forecasting.price_record.committed import STANDARD, PriceForecast, commit
from service.forecasting.voters.context import Knowledge, build_all
from service.forecasting.voters.inputs import survey
from service.market.assets import ASSETS, is_open
from service.market.bars import Bars, empty, from_rows
from service.market.instants import DAY, HOUR
from service.scores.intervals import LEAST_N, ClusteredMean
from tests.forecasting.made import DAYS, FIRST, NOW, made_bars, price_forecast
from tests.forecasting.markets import PLAIN_HEADER

FRIDAY = 1_745_604_000  # 2025-04-25T18:00:00Z, three hours before the metals close
SATURDAY = FRIDAY + 18 * HOUR


def bars_of(*ends: int) -> Bars:
    """Bars that end at unix seconds; the first closes at 101 USD, the next at 102."""
    closes = [(end - HOUR, 100 + n) for n, end in enumerate(ends, 1)]
    return from_rows([(time, close, close, close, close, 1.0) for time, close in closes], HOUR)


def test_the_last_close_before_an_instant_counts():
    price, as_of = closes_at("btc", bars_of(NOW, NOW + HOUR), np.array([NOW, NOW + HOUR]))
    assert (price.tolist(), as_of.tolist()) == ([101, 102], [NOW, NOW + HOUR])


def test_a_missing_bar_gives_no_price():
    """The bar that ended an hour before is not the price; neither is one that comes later."""
    price, _ = closes_at("btc", bars_of(NOW, NOW + 2 * HOUR), np.array([NOW - HOUR, NOW, NOW + HOUR]))
    assert np.isnan(price).tolist() == [True, False, True]
    assert np.isnan(closes_at("btc", empty(HOUR), np.array([NOW]))[0]).all()


def test_a_closed_market_keeps_its_price():
    """Gold on a Saturday has the close of Friday, but only of the last open hour."""
    close = next(FRIDAY + hour * HOUR for hour in range(5) if not is_open("gold", FRIDAY + hour * HOUR))
    price, as_of = closes_at("gold", bars_of(close), np.array([SATURDAY]))
    assert (price.tolist(), as_of.tolist()) == ([101], [close])
    assert np.isnan(closes_at("gold", bars_of(close - HOUR), np.array([SATURDAY]))[0]).all()


def test_a_forecast_waits_six_hours_for_its_bar():
    row = price_forecast(at=NOW - HOUR)
    hourly = {"btc": bars_of(NOW - HOUR, NOW + HOUR)}
    assert resolve([row], hourly, NOW + LATE_S - HOUR) == Outcomes([], [])
    assert resolve([row], hourly, NOW + LATE_S) == Outcomes([], [row])
    late = {"btc": bars_of(NOW - HOUR, NOW, NOW + HOUR)}
    assert resolve([row], late, NOW + HOUR) == Outcomes([(row, 102)], [])
    assert resolve([row], late, NOW + HOUR).decided == [row]


def test_each_forecast_counts_for_its_asset_and_for_all():
    """Bitcoin twice over an hour, ether once and once void; over a day nothing."""
    btc, eth = price_forecast(), price_forecast("eth")
    outcomes = Outcomes([(btc, 100 * exp(0.01)), (eth, 100.0), (btc, 100.0)], [eth])
    book = PriceBook().plus(outcomes)
    counts = {asset: (sums.n, sums.void) for asset, sums in book.sums["1h"].items()}
    assert counts == {ALL_ASSETS: (3, 1), "btc": (2, 0), "eth": (1, 1)} | dict.fromkeys(
        ("sol", "bnb", "xrp", "gold", "silver"), (0, 0)
    )
    assert book.of("1h", ALL_ASSETS).crps == pytest.approx(book.of("1h", "btc").crps + book.of("1h", "eth").crps)
    assert book.of("24h", ALL_ASSETS).n == 0


def test_a_book_survives_as_json():
    book = PriceBook().plus(Outcomes([(price_forecast(), 101.0), (price_forecast(horizon="7d"), 95.0)]))
    assert PriceBook.from_plain(canonical.read(canonical.write(book.to_plain()))) == book


def test_a_forecast_is_counted_in_the_week_of_its_deadline():
    """Thursday's forecast over 24 hours is one of this week, that over 7 days one of the next."""
    day, week = (price_forecast(horizon=horizon, at=FIRST + DAY) for horizon in ("24h", "7d"))
    book = PriceBook().plus(Outcomes([(day, 100.0), (week, 100.0)]))
    assert book.of("7d", "btc").block == book.of("24h", "btc").block + 1


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
    due = [row for row in past.forecasts if row.deadline <= CUT]
    assert shorter.book == PriceBook().plus(resolve(due, bars, CUT))


def test_every_forecast_is_in_the_book_or_waits(past):
    sums = [past.book.of(horizon, ALL_ASSETS) for horizon in ("1h", "24h", "7d", "30d")]
    assert sum(score.n + score.void for score in sums) + len(past.pending) == len(past.forecasts)
    assert {row.horizon for row in past.pending if row.deadline > END} == {"24h", "7d", "30d"}
    assert sums[0].n > 5 * 180
    assert sums[-1].n == 0


def test_the_book_is_the_same_hour_by_hour(bars, fits, past):
    """As the job feeds it, with what it can see at each hour."""
    book, queue = PriceBook(), list(past.forecasts)
    for now in range(SINCE, END + 1, HOUR):
        due = [row for row in queue if row.deadline <= now]
        outcomes = resolve(due, {asset: series.until(now) for asset, series in bars.items()}, now)
        queue = [row for row in queue if row not in set(outcomes.decided)] if due else queue
        book = book.plus(outcomes)
    for horizon in ("1h", "24h", "7d"):
        stepwise, total = book.of(horizon, ALL_ASSETS), past.book.of(horizon, ALL_ASSETS)
        assert (stepwise.n, stepwise.void, stepwise.blocks) == (total.n, total.void, total.blocks)
        assert stepwise.crps == pytest.approx(total.crps)
        assert stepwise.block_products == pytest.approx(total.block_products)


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


WEEKS = 8


def document(live: PriceBook = PriceBook(), past: PriceBook = PriceBook()) -> PriceRecordDocument:  # noqa: B008
    return price_record_document({False: live, True: past}, {(True, "24h"): 7}, PLAIN_HEADER, [*ASSETS])


@pytest.fixture(scope="module")
def weeks() -> PriceBook:
    """Eight weeks of hourly forecasts of a law twice as wide as the outcomes; plain volatility is right."""
    outcomes = np.random.default_rng(3).normal(0, 1, WEEKS * 168)
    rows = [price_forecast(at=NOW + hour * HOUR, sigma=2) for hour in range(len(outcomes))]
    prices = [100 * exp(z / 100) for z in outcomes.tolist()]
    return PriceBook().plus(Outcomes(list(zip(rows, prices, strict=True))))


def test_an_empty_record_says_so():
    """Before the first deadline, and in a world whose history is too short for views."""
    live, past = document().books
    assert (live.backfilled, past.backfilled) == (False, True)
    assert [horizon.horizon for horizon in live.horizons] == list(STANDARD)
    for record in (live.horizons[0].all, live.horizons[0].assets["gold"]):
        fields = asdict(record)
        assert (fields.pop("n"), fields.pop("void"), fields.pop("verdict")) == (0, 0, "not enough resolved forecasts")
        assert set(fields.values()) == {None}
    assert [horizon.waiting for horizon in past.horizons] == [0, 7, 0, 0]


def test_a_clear_record_has_a_verdict_with_its_evidence(weeks):
    live, past = document(live=weeks).books
    assert (live.horizons[0].all.n, past.horizons[0].all.n) == (WEEKS * 168, 0)
    record = live.horizons[0].assets["btc"]
    assert record.verdict == "plain volatility is better"
    assert 1 < record.low < record.crps_ratio < record.high
    assert record.crps_ratio == pytest.approx(record.crps / record.vol_crps, abs=1e-4)
    assert record.vol_crps == pytest.approx(1 / sqrt(np.pi), rel=0.05)
    assert record.coverage_pct["50"] == pytest.approx(82, abs=4)
    assert sum(record.pit_pct) == pytest.approx(100, abs=0.05)
    assert record.pit_pct[0] < 5 < 12 < record.pit_pct[4]
    assert list(record.pinball) == ["1", "5", "10", "25", "50", "75", "90", "95", "99"]
    assert LEAST_N <= record.needed < record.n


@pytest.mark.parametrize(
    ("ratio", "deviation", "n_eff", "verdict"),
    [
        (0.9, 0.06, 29.9, "not enough resolved forecasts"),
        (0.99, 0.17, 300.0, "no clear difference yet"),
        (0.9, 0.06, 30.0, "the voters are better"),
        (1.1, 0.06, 30.0, "plain volatility is better"),
    ],
)
def test_a_verdict_needs_thirty_independent_forecasts(ratio, deviation, n_eff, verdict):
    assert verdict_on(ClusteredMean(ratio, deviation, 720, 9, 720 / n_eff)) == verdict


def test_needed_is_never_under_thirty_independent_ones():
    """Worth a tenth: 300. With a deviation of 0.5 a ratio of 0.95 takes 10 x (2.8 x 0.5 / 0.05)^2."""
    assert needed(ClusteredMean(0.9, 0.01, 720, 8, 10.0)) == 300
    assert needed(ClusteredMean(0.5, 0.01, 720, 8, 1.0)) == LEAST_N
    assert needed(ClusteredMean(0.95, 0.5, 720, 8, 10.0)) == pytest.approx(10 * (2.8016 * 0.5 / 0.05) ** 2, abs=1)
    assert needed(ClusteredMean(1.0, 0.5, 720, 8, 1.0)) == LEAST_N
    assert needed(ClusteredMean(0.9, 0.2, 720, 1, 720 / 1.4)) is None, "one block has no interval"
