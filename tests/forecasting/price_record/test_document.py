"""The published record: honest while it is short, a verdict only on independent forecasts."""

from __future__ import annotations

from dataclasses import asdict
from math import exp, sqrt

import numpy as np
import pytest

from service.forecasting.price_record.book import Outcomes, PriceBook
from service.forecasting.price_record.committed import STANDARD
from service.forecasting.price_record.document import PriceRecordDocument, needed, price_record_document, verdict_on
from service.market.assets import ASSETS
from service.market.headers import header
from service.market.instants import DAY, HOUR
from service.scores.intervals import LEAST_N, ClusteredMean
from tests.forecasting.made import NOW
from tests.forecasting.price_record.made import price_forecast

HEADER = header(NOW, NOW, step=HOUR, world="simulated", sources={"btc": "made for a test"})
WEEKS = 8


def document(live: PriceBook = PriceBook(), past: PriceBook = PriceBook()) -> PriceRecordDocument:  # noqa: B008
    return price_record_document({False: live, True: past}, {(True, "24h"): 7}, HEADER, [*ASSETS])


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
        shown = asdict(record)
        assert (shown.pop("n"), shown.pop("void"), shown.pop("verdict")) == (0, 0, "not enough resolved forecasts")
        assert set(shown.values()) == {None}
    assert [horizon.waiting for horizon in past.horizons] == [0, 7, 0, 0]


def test_the_books_are_apart(weeks):
    live, past = document(past=weeks).books
    assert (live.horizons[0].all.n, past.horizons[0].all.n) == (0, WEEKS * 168)


def test_a_clear_record_has_a_verdict_with_its_evidence(weeks):
    record = document(live=weeks).books[0].horizons[0].assets["btc"]
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


def test_needed_is_unknown_without_an_interval():
    ratio = ClusteredMean(0.9, 0.2, 720, 1, 720 / 1.4)
    assert np.isnan(ratio.interval()).all()
    assert needed(ratio) is None


def test_the_size_does_not_grow_with_the_past(weeks):
    """The stored sums of eight weeks are as many numbers as those of one hour."""

    def numbers(book: PriceBook) -> int:
        return str(book.to_plain()).count(",")

    hour = PriceBook().plus(Outcomes([(price_forecast(at=NOW - DAY), 101.0)]))
    assert numbers(hour) == numbers(weeks)
