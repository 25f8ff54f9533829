"""Forecasts of prices: what is committed of them, and how they are scored, counted and published."""

from __future__ import annotations

from dataclasses import asdict, replace
from math import exp, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service import canonical
from service.forecasting.densities.density import horizon_sigma
from service.forecasting.densities.season import WEEK, Season
from service.forecasting.predictions.resolution import LATE_S
from service.forecasting.price_record.book import (
    ALL_ASSETS,
    Outcomes,
    PriceBook,
    backfill_prices,
    closes_at,
    needed,
    price_record_document,
    resolve,
    verdict_on,
)
from service.forecasting.price_record.committed import (
    COLUMNS,
    LEVELS,
    SHARES,
    STANDARD,
    PriceForecast,
    PriceScores,
    ScoreSums,
    blocks_of,
    commit,
    ledger_rows,
    pinball,
    ratio_of,
    score,
)
from service.forecasting.voters.context import Knowledge, build_all
from service.forecasting.voters.inputs import survey
from service.forecasting.voters.price_forecasts import PERCENTS, describe
from service.market.assets import ASSETS, is_open
from service.market.bars import Bars, empty, from_rows
from service.market.headers import header
from service.market.instants import DAY, HOUR, iso
from service.scores.intervals import FIRST_MONDAY, LEAST_N, ClusteredMean, Dependence, clustered_mean
from tests.forecasting.made import DAYS, FIRST, NOW, made_bars, price_forecast
from tests.forecasting.markets import PLAIN_HEADER

UNIT = NormalDist()
SATURDAY = 1_745_625_600  # 2025-04-26T00:00:00Z
FRIDAY = SATURDAY - 6 * HOUR  # 18:00, three hours before the metals close
LATER = 10 * DAY
END = NOW + LATER
CUT = NOW + 4 * DAY + 5 * HOUR
SINCE = NOW + 2 * DAY  # the third of May
MONTH = NOW  # the first


@pytest.fixture(scope="module")
def forecasts(knowledge) -> dict[tuple[str, str], PriceForecast]:
    return {(row.asset, row.horizon): row for row in commit(knowledge, NOW)}


def test_the_intervals_are_those_of_the_document(knowledge, forecasts):
    """The committed half-widths lead from the price to its published quantiles."""
    assert set(forecasts) == {(asset, horizon) for asset in ASSETS for horizon in STANDARD}
    assert len(commit(knowledge, NOW)) == len(forecasts), "each once"
    documents = describe(knowledge, NOW, header(NOW, NOW, step=HOUR, world="simulated", sources={}))
    for (asset, name), row in forecasts.items():
        (horizon,) = (entry for entry in documents[asset].horizons if entry.horizon == name)
        assert horizon.sigma_pct == pytest.approx(row.law[0], rel=1e-3, abs=1e-3)
        for share, width in zip(SHARES, row.law[3:], strict=True):
            upper = horizon.quantiles[f"{50 + share / 2:g}"]
            assert row.price * exp(width / 100) == pytest.approx(upper, rel=1e-4)


def test_plain_volatility_is_committed_beside(knowledge, forecasts):
    context = knowledge.contexts["eth"]
    row = forecasts["eth", "24h"]
    assert row.law[1] == pytest.approx(100 * horizon_sigma(context.fast, context.slow, 24), rel=1e-3)
    assert row.law[2] == pytest.approx(100 * sqrt(context.slow * 24), rel=1e-3)
    assert (row.price, row.price_as_of, row.deadline) == (context.spot, NOW, NOW + DAY)


def test_without_its_newest_bar_or_models_an_asset_has_none(knowledge):
    """An hour later no new bar of bitcoin has come; the context of a later hour is no better."""
    assert commit(Knowledge({"btc": knowledge.contexts["btc"]}, knowledge.fits), NOW + HOUR) == []
    assert commit(knowledge, NOW - HOUR) == []
    blind = {asset: replace(context, level=None) for asset, context in knowledge.contexts.items()}
    for state in (replace(knowledge, fits=None), replace(knowledge, contexts=blind)):
        assert commit(state, NOW) == []


def test_a_horizon_without_an_open_hour_is_not_committed(knowledge):
    """Gold on a Saturday: its price in an hour and in a day is known."""
    gold = replace(knowledge.contexts["gold"], as_of=SATURDAY - 3 * HOUR)
    weekdays = Season((1.4,) * 120 + (0.0,) * (WEEK - 120))
    fits = replace(knowledge.fits, calendars={"comex": replace(knowledge.fits.of("gold"), season=weekdays)})
    rows = commit(Knowledge({"gold": gold}, fits), SATURDAY)
    assert [row.horizon for row in rows] == ["7d", "30d"]
    assert {row.price_as_of for row in rows} == {SATURDAY - 3 * HOUR}


def test_an_hour_has_one_row_in_the_ledger():
    """It names its numbers; a later hour has a row of its own."""
    early, late = price_forecast("eth", at=NOW), price_forecast("btc", "24h", at=NOW + HOUR)
    rows = ledger_rows([late, early, price_forecast("btc", at=NOW)], backfilled=True)
    assert [row.subject for row in rows] == [f"prices-{iso(NOW)}", f"prices-{iso(NOW + HOUR)}"]
    body = canonical.read(canonical.write(rows[0].body))
    assert (body["at"], body["columns"]) == (NOW, list(COLUMNS))
    assert set(body["forecasts"]) == {"btc", "eth"}
    assert body["forecasts"]["eth"] == {"price": 100, "as_of": NOW, "1h": list(early.law)}
    assert len(early.law) == len(COLUMNS)
    assert [row.kind for row in rows] == ["price_forecast"] * 2
    assert all(row.backfilled for row in rows)


def price_after(percent: float) -> float:
    """100 USD after a log return in percent."""
    return 100 * exp(percent / 100)


def crps_of_normal(sigma: float, outcome: float) -> float:
    """The closed form (Gneiting and Raftery 2007, equation 21)."""
    z = outcome / sigma
    return sigma * (z * (2 * UNIT.cdf(z) - 1) + 2 * UNIT.pdf(z) - 1 / sqrt(np.pi))


@pytest.mark.parametrize("outcome", [0.0, 0.4, -1.3, 2.1])
def test_the_crps_is_that_of_the_law(outcome):
    """Within 2% of the integral, for the forecast (2%) and for plain volatility (1%), in units of 180 days (1.5%)."""
    scores = score([price_forecast(sigma=2, vol=1, usual=1.5)], [price_after(outcome)])
    assert scores.crps == pytest.approx([crps_of_normal(2, outcome) / 1.5], rel=0.025)
    assert scores.vol_crps == pytest.approx([crps_of_normal(1, outcome) / 1.5], rel=0.025)


def test_the_pinball_loss_by_hand():
    """An outcome of +1 under a law of 1: 0.25 of the distance above the quantile 25%, 1% of that to the last."""
    losses = score([price_forecast()], [price_after(1)]).pinball[0]
    by_percent = dict(zip(PERCENTS, losses.tolist(), strict=True))
    assert by_percent[50] == pytest.approx(0.5)
    assert by_percent[25] == pytest.approx(0.25 * (1 + 0.67449), abs=1e-5)
    assert by_percent[90] == pytest.approx(0.1 * (1.28155 - 1), abs=1e-5)
    assert by_percent[99] == pytest.approx(0.01 * (2.32635 - 1), abs=1e-5)
    above, below = pinball(np.zeros((2, 99)), np.array([1.0, -1.0]))
    assert (above, below) == (pytest.approx(LEVELS), pytest.approx(1 - LEVELS))


def test_coverage_and_pit_by_hand():
    """+1 lies in the intervals of 80% on and below 84%; -3 in none and in the lowest tenth; 0 in the fifth."""
    scores = score([price_forecast()] * 3, [price_after(1), price_after(-3), 100.0])
    assert scores.inside.tolist() == [[0, 1, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1]]
    assert (scores.pit.argmax(axis=1).tolist(), scores.pit.sum(axis=1).tolist()) == ([8, 0, 4], [1, 1, 1])
    assert score([], []).crps.shape == (0,)


def scores_of(*crps) -> PriceScores:
    """Scores of the forecast and of plain volatility, and ones for everything else."""
    others = (np.ones((len(crps[0]), columns)) for columns in (9, 4, 10))
    return PriceScores(*(np.asarray(values, float) for values in crps), *others)


def summed(crps, vol_crps, blocks) -> ScoreSums:
    return ScoreSums().plus(scores_of(crps, vol_crps), np.asarray(blocks))


def drawn(n: int, blocks: int) -> tuple:
    dice = np.random.default_rng(7)
    return dice.uniform(0.1, 2, n), dice.uniform(0.1, 2, n), np.sort(dice.integers(100, 100 + blocks, n))


def test_sums_by_hand():
    sums = summed([1, 2, 4], [2, 2, 3], [5, 5, 6])
    assert (sums.n, sums.crps, sums.vol_crps, sums.products) == (3, 7, 7, (21, 18, 17))
    assert (sums.block, sums.block_sums, sums.blocks, sums.block_products) == (6, (4, 3), 1, (9, 12, 16))
    assert (sums.inside, sums.pit[0], sums.pinball[0]) == ((3, 3, 3, 3), 3, 3)
    void = ScoreSums().plus(scores_of([], []), np.array([], dtype=int), void=2)
    assert (void.n, void.void, ratio_of(void, Dependence(0.02))) == (0, 2, None)
    late = summed([1], [1], [8]).plus(scores_of([2], [3]), np.array([7]))
    assert (late.block, late.block_sums, late.blocks) == (8, (3, 4), 0), "a late score counts in the latest block"
    times = FIRST_MONDAY + 7 * DAY * np.arange(10) + HOUR
    assert len(set(blocks_of("7d", times).tolist())) == 10
    assert np.bincount(blocks_of("30d", times)).tolist() == [5, 5], "a month counts in blocks of five weeks"
    assert ScoreSums.from_plain(canonical.read(canonical.write(asdict(sums)))) == sums


@given(st.lists(st.integers(1, 59), max_size=4, unique=True))
def test_the_same_in_any_parts(cuts):
    """Hour by hour, or everything at once as in a backfill."""
    columns = drawn(60, 6)
    total = summed(*columns)
    parts = ScoreSums()
    for part in zip(*(np.split(column, sorted(cuts)) for column in columns), strict=True):
        parts = parts.plus(scores_of(*part[:2]), part[2])
    assert (parts.n, parts.block, parts.blocks) == (total.n, total.block, total.blocks)
    for name in ("crps", "vol_crps", "products", "block_sums", "block_products"):
        assert getattr(parts, name) == pytest.approx(getattr(total, name))


def test_the_interval_is_that_of_the_residuals_of_blocks():
    """Computed from the scores themselves: the clustered mean of the ratio's linearised terms, of equal blocks."""
    crps, vol_crps, _ = drawn(306, 9)
    blocks = np.repeat(np.arange(100, 109), 34)
    crps += 0.3 * (blocks % 2)  # so that a block's forecasts depend on each other
    prior = Dependence(0.05)
    result = ratio_of(summed(crps, vol_crps, blocks), prior)
    ratio = crps.sum() / vol_crps.sum()
    terms = clustered_mean(ratio + (crps - ratio * vol_crps) / vol_crps.mean(), blocks, prior)
    assert asdict(result) == pytest.approx(asdict(terms))
    assert result.design_effect > 2


def test_a_first_block_is_worth_what_is_usual():
    """A week of hourly forecasts of an hour, with an interval; a single one has none."""
    dice = np.random.default_rng(5)
    first = ratio_of(summed(dice.uniform(0.5, 1.5, 168), [1.1] * 168, [5] * 168), Dependence(0.02))
    assert (first.clusters, first.design_effect) == (1, pytest.approx(1 + 167 * 0.02))
    assert first.interval()[0] < first.mean < first.interval()[1]
    alone = ratio_of(summed([1.0], [1.1], [5]), Dependence(0.02))
    assert (alone.mean, alone.n_eff) == (pytest.approx(1 / 1.1), 1)
    assert np.isnan(alone.interval()).all()


def bars_of(*ends: int) -> Bars:
    """Bars that end at unix seconds; the first closes at 101 USD, the next at 102."""
    closes = [(end - HOUR, 100 + n) for n, end in enumerate(ends, 1)]
    return from_rows([(time, close, close, close, close, 1.0) for time, close in closes], HOUR)


def test_the_last_close_before_an_instant_counts():
    """Where it is missing there is no price: the bar that ended an hour before is none, nor is one that comes later."""
    price, as_of = closes_at("btc", bars_of(NOW, NOW + HOUR), np.array([NOW, NOW + HOUR]))
    assert (price.tolist(), as_of.tolist()) == ([101, 102], [NOW, NOW + HOUR])
    price, _ = closes_at("btc", bars_of(NOW, NOW + 2 * HOUR), np.array([NOW - HOUR, NOW, NOW + HOUR]))
    assert np.isnan(price).tolist() == [True, False, True]
    assert np.isnan(closes_at("btc", empty(HOUR), np.array([NOW]))[0]).all()


def test_a_closed_market_keeps_its_price():
    """Gold on a Saturday has the close of Friday, but only of the last open hour."""
    close = next(time for time in range(FRIDAY, SATURDAY, HOUR) if not is_open("gold", time))
    noon = np.array([SATURDAY + 12 * HOUR])
    price, as_of = closes_at("gold", bars_of(close), noon)
    assert (price.tolist(), as_of.tolist()) == ([101], [close])
    assert np.isnan(closes_at("gold", bars_of(close - HOUR), noon)[0]).all()


def test_a_forecast_waits_six_hours_for_its_bar():
    row = price_forecast(at=NOW - HOUR)
    hourly = {"btc": bars_of(NOW - HOUR, NOW + HOUR)}
    assert resolve([row], hourly, NOW + LATE_S - HOUR) == Outcomes([], [])
    assert resolve([row], hourly, NOW + LATE_S) == Outcomes([], [row])
    late = {"btc": bars_of(NOW - HOUR, NOW, NOW + HOUR)}
    assert resolve([row], late, NOW + HOUR) == Outcomes([(row, 102)], [])
    assert resolve([row], late, NOW + HOUR).decided == [row]


def test_each_forecast_counts_for_its_asset_and_for_all():
    """In the week of its deadline: Thursday's over 24 hours is one of this week, that over 7 days one of the next."""
    btc, eth = price_forecast(), price_forecast("eth")
    book = PriceBook().plus(Outcomes([(btc, price_after(1)), (eth, 100.0), (btc, 100.0)], [eth]))
    counts = {asset: (sums.n, sums.void) for asset, sums in book.sums["1h"].items()}
    assert counts == dict.fromkeys(ASSETS, (0, 0)) | {ALL_ASSETS: (3, 1), "btc": (2, 0), "eth": (1, 1)}
    assert book.of("1h", ALL_ASSETS).crps == pytest.approx(book.of("1h", "btc").crps + book.of("1h", "eth").crps)
    assert book.of("24h", ALL_ASSETS).n == 0
    day, week = (price_forecast(horizon=horizon, at=FIRST + DAY) for horizon in ("24h", "7d"))
    book = PriceBook().plus(Outcomes([(day, 100.0), (week, 100.0)]))
    assert PriceBook.from_plain(canonical.read(canonical.write(book.to_plain()))) == book
    assert book.of("7d", "btc").block == book.of("24h", "btc").block + 1


@pytest.fixture(scope="module")
def bars() -> dict[str, Bars]:
    """130 days; the first 120 are those of the fits."""
    return {asset: made_bars(asset, DAYS + LATER // DAY, seed) for seed, asset in enumerate(ASSETS)}


def backfilled(bars, fits, until: int = END):
    complete = {asset: series.until(until) for asset, series in bars.items()}
    return backfill_prices(survey(complete), complete, {MONTH: fits}, SINCE, until)


@pytest.fixture(scope="module")
def past(bars, fits):
    return backfilled(bars, fits)


def at(forecasts: tuple[PriceForecast, ...], instant: int) -> list[PriceForecast]:
    return [row for row in forecasts if row.at == instant]


@pytest.mark.slow
@pytest.mark.parametrize("hour", [0, 30, 77])
def test_the_past_is_what_the_job_commits(hour, bars, fits, past):
    """Number by number, from bars that end then; 2025-05-03 and the next day are a weekend."""
    instant = SINCE + hour * HOUR
    live = commit(Knowledge(build_all(bars, instant), fits), instant)
    assert sorted(at(past.forecasts, instant)) == sorted(live)
    assert live


@pytest.mark.slow
def test_later_bars_change_nothing_before(bars, fits, past):
    """With the bars after an instant left out, all forecasts before it are the same, and so is the book."""
    shorter = backfilled(bars, fits, CUT)
    assert set(shorter.forecasts) == {row for row in past.forecasts if row.at < CUT}
    due = [row for row in past.forecasts if row.deadline <= CUT]
    assert shorter.book == PriceBook().plus(resolve(due, bars, CUT))


@pytest.mark.slow
def test_every_forecast_is_in_the_book_or_waits(past):
    """On Saturday morning there is no forecast of the next hour or day of gold."""
    sums = [past.book.of(horizon, ALL_ASSETS) for horizon in ("1h", "24h", "7d", "30d")]
    assert sum(score.n + score.void for score in sums) + len(past.pending) == len(past.forecasts)
    assert {row.horizon for row in past.pending if row.deadline > END} == {"24h", "7d", "30d"}
    assert sums[0].n > 5 * 180
    assert sums[-1].n == 0
    saturday = SINCE + 9 * HOUR
    assert {row.horizon for row in at(past.forecasts, saturday) if row.asset == "gold"} == {"7d", "30d"}
    assert {row.horizon for row in at(past.forecasts, saturday) if row.asset == "btc"} == {"1h", "24h", "7d", "30d"}


@pytest.mark.slow
def test_a_month_without_models_has_no_forecasts(bars, fits):
    history = survey(bars)
    for months in ({}, {MONTH: replace(fits, calendars={})}, {MONTH + 31 * DAY: fits}):
        assert backfill_prices(history, bars, months, SINCE, END).forecasts == ()


def document(live: PriceBook = PriceBook()):  # noqa: B008
    return price_record_document({False: live, True: PriceBook()}, {(True, "24h"): 7}, PLAIN_HEADER, [*ASSETS])


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


def test_a_clear_record_has_a_verdict_with_its_evidence():
    """Eight weeks of hourly forecasts of a law twice as wide as the outcomes; plain volatility is right."""
    outcomes = np.random.default_rng(3).normal(0, 1, 8 * 168).tolist()
    pairs = [(price_forecast(at=NOW + hour * HOUR, sigma=2), price_after(z)) for hour, z in enumerate(outcomes)]
    live, past = document(PriceBook().plus(Outcomes(pairs))).books
    assert (live.horizons[0].all.n, past.horizons[0].all.n) == (8 * 168, 0)
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
