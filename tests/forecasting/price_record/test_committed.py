"""What is committed: the published forecasts, in few numbers, and only what is not known yet."""

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
from service.forecasting.price_record.committed import (
    COLUMNS,
    LEVELS,
    PRIORS,
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
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.price_forecasts import PERCENTS, describe
from service.market.assets import ASSETS
from service.market.headers import header
from service.market.instants import DAY, HOUR, iso
from service.scores.intervals import FIRST_MONDAY, Dependence, clustered_mean
from tests.forecasting.made import NOW, price_forecast

SATURDAY = 1_745_625_600  # 2025-04-26T00:00:00Z


@pytest.fixture(scope="module")
def forecasts(knowledge) -> dict[tuple[str, str], PriceForecast]:
    return {(row.asset, row.horizon): row for row in commit(knowledge, NOW)}


def test_every_asset_and_horizon_is_committed_once(knowledge, forecasts):
    assert set(forecasts) == {(asset, horizon) for asset in ASSETS for horizon in STANDARD}
    assert len(commit(knowledge, NOW)) == len(forecasts)


def test_the_intervals_are_those_of_the_document(knowledge, forecasts):
    """The committed half-widths lead from the price to its published quantiles."""
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


def test_without_its_newest_bar_an_asset_has_none(knowledge):
    """An hour later no new bar of bitcoin has come; the context of a later hour is no better."""
    assert commit(Knowledge({"btc": knowledge.contexts["btc"]}, knowledge.fits), NOW + HOUR) == []
    assert commit(knowledge, NOW - HOUR) == []


def test_without_fitted_models_there_is_none(knowledge):
    assert commit(replace(knowledge, fits=None), NOW) == []
    blind = {asset: replace(context, level=None) for asset, context in knowledge.contexts.items()}
    assert commit(replace(knowledge, contexts=blind), NOW) == []


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


UNIT = NormalDist()


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
    assert scores.pit.argmax(axis=1).tolist() == [8, 0, 4]
    assert scores.pit.sum(axis=1).tolist() == [1, 1, 1]
    assert SHARES == (50, 80, 90, 98)
    assert score([], []).crps.shape == (0,)


@given(st.floats(-20, 20), st.floats(0.1, 5), st.floats(0.1, 5))
def test_a_forecast_as_wide_as_plain_volatility_scores_alike(outcome, sigma, usual):
    scores = score([price_forecast(sigma=sigma, vol=sigma, usual=usual)], [price_after(outcome)])
    assert scores.crps == pytest.approx(scores.vol_crps)
    assert scores.crps[0] > 0


def test_the_right_width_scores_best():
    """Over normal outcomes a law of their size beats narrower and wider ones."""
    outcomes = [price_after(float(z)) for z in np.random.default_rng(1).normal(0, 1, 4000)]
    means = {
        sigma: score([price_forecast(sigma=sigma)] * 4000, outcomes).crps.mean() for sigma in (0.6, 0.8, 1, 1.25, 1.6)
    }
    assert min(means, key=means.__getitem__) == 1
    assert means[1] == pytest.approx(1 / sqrt(np.pi), rel=0.03)


WEEK_S = 7 * DAY


def scores_of(crps, vol_crps) -> PriceScores:
    n = len(crps)
    return PriceScores(
        np.asarray(crps, float), np.asarray(vol_crps, float), np.ones((n, 9)), np.ones((n, 4)), np.ones((n, 10))
    )


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
    times = FIRST_MONDAY + WEEK_S * np.arange(10) + HOUR
    assert len(set(blocks_of("7d", times).tolist())) == 10
    assert np.bincount(blocks_of("30d", times)).tolist() == [5, 5], "a month counts in blocks of five weeks"


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


def test_overlapping_forecasts_are_worth_less():
    """Eight weeks of hourly forecasts: what is usual for their horizon is expected of them."""
    dice = np.random.default_rng(5)
    crps, blocks = dice.uniform(0.5, 1.5, 8 * 168), np.repeat(range(8), 168)
    sums = summed(crps, np.ones(len(crps)), blocks)
    hourly, daily, weekly, monthly = (ratio_of(sums, of_one).n_eff for of_one, _ in PRIORS.values())
    assert 1344 > hourly > daily > weekly == monthly
    assert 8 < weekly < 2 * 17


def test_a_first_block_is_worth_what_is_usual():
    """A week of hourly forecasts of an hour, with an interval; a single one has none."""
    dice = np.random.default_rng(5)
    first = ratio_of(summed(dice.uniform(0.5, 1.5, 168), [1.1] * 168, [5] * 168), Dependence(0.02))
    assert (first.clusters, first.design_effect) == (1, pytest.approx(1 + 167 * 0.02))
    assert first.interval()[0] < first.mean < first.interval()[1]
    alone = ratio_of(summed([1.0], [1.1], [5]), Dependence(0.02))
    assert (alone.mean, alone.n_eff) == (pytest.approx(1 / 1.1), 1)
    assert np.isnan(alone.interval()).all()


def test_sums_survive_as_json():
    sums = summed(*drawn(60, 6))
    assert ScoreSums.from_plain(canonical.read(canonical.write(asdict(sums)))) == sums
