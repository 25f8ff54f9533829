"""The evaluation of price forecasts: questions and outcomes, ours and the peers', scores, and what they can see."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from service.documents import DocumentHeader
from service.forecasting.densities.fitting import fit
from service.forecasting.densities.grid import hour_grid
from service.forecasting.voters.context import Knowledge, build_all
from service.forecasting.voters.price_forecasts import PERCENTS, describe
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from tests.forecasting.made import made_bars
from tests.measure import peers
from tests.measure.evaluate import (
    POOL,
    WITHIN,
    Answer,
    cdf,
    figure,
    forecast,
    half_width,
    log_score,
    main,
    scores_of,
    second_of,
    write_ours,
)
from tests.measure.peers import GARCH_T, HAR, PEERS, PLAIN, Garch
from tests.measure.price_questions import COLUMNS, HORIZONS_H, KEY, QUANTILES, ask, read, read_bars, write

DAYS = 196  # two weeks more than the six months before the first forecast
SIGMA = 0.005  # of an hour of the made bars
NORMAL = stats.norm.ppf(QUANTILES)


def typical(returns: np.ndarray) -> Garch:
    """Usual parameters around the variance of the returns, in place of those of the arch package."""
    return Garch(0.05 * float(returns.var()), 0.05, 0.9, 6.0)


@pytest.fixture(scope="module")
def bars() -> dict[str, Bars]:
    return {asset: made_bars(asset, DAYS, seed) for seed, asset in enumerate(("btc", "gold"))}


@pytest.fixture(scope="module")
def shorter(bars) -> dict[str, Bars]:
    """The bars without the last four days."""
    until = int(bars["btc"].time[0]) + (DAYS - 4) * DAY
    return {asset: series.until(until) for asset, series in bars.items()}


@pytest.fixture(scope="module")
def questions(bars) -> pd.DataFrame:
    return ask(hour_grid(bars))


@pytest.fixture(scope="module")
def answers(bars) -> dict[str, list[Answer]]:
    return forecast(hour_grid(bars))


@pytest.fixture(scope="module")
def laws(bars) -> dict[str, np.ndarray]:
    return peers.forecast(hour_grid(bars), typical)


@pytest.fixture
def pair() -> pd.DataFrame:
    """A question of an hour and one of a day, over standard deviations of 2%; both rise by 1%."""
    return pd.DataFrame(
        {"horizon_h": [1, 24], "scale": 0.02, "returned": 0.01, "level": 0.02, "closed": [np.nan, 0.0]}
        | {"touch": -0.02, "touched": [np.nan, 1.0]}
    )


@pytest.fixture
def normal(pair) -> pd.DataFrame:
    """Normal laws with the standard deviations of the questions."""
    return pd.DataFrame(np.outer(pair["scale"], NORMAL), columns=COLUMNS)


def test_outcomes_are_those_of_the_bars(bars, questions):
    """Closes, highs and lows of the bars that end in the horizon; nothing is known of a horizon without a bar."""
    for row in questions[::17].itertuples():
        series = bars[row.asset]
        ends = series.time + HOUR
        inside = (ends > row.asked_at) & (ends <= row.asked_at + row.horizon_h * HOUR)
        is_over = row.asked_at + row.horizon_h * HOUR <= bars["btc"].as_of
        if not (is_over and inside.any()):
            assert np.isnan([row.returned, row.closed, row.touched]).all()
            continue
        spot = series.until(row.asked_at).close[-1]
        assert row.returned == pytest.approx(np.log(series.close[inside][-1] / spot))
        if row.horizon_h < 24:
            assert np.isnan([row.closed, row.touched]).all()
            continue
        level = spot * np.exp(row.touch)
        is_reached = series.high[inside].max() >= level if row.touch > 0 else series.low[inside].min() <= level
        assert (row.closed, row.touched) == (row.returned > row.level, is_reached)


def test_the_pool_is_the_one_that_is_published(bars, questions, answers):
    """The quantiles of the document that the service would have published then, to its seven digits."""
    now = int(questions["asked_at"].min())
    past = {asset: series.until(now) for asset, series in bars.items()}
    knowledge = Knowledge(build_all(past, now), fit(bars, now))
    documents = describe(knowledge, now, DocumentHeader("", "", "", "simulated", ()))
    for place, row in questions[questions["asked_at"] == now].iterrows():
        horizon = documents[row["asset"]].horizons[HORIZONS_H.index(row["horizon_h"])]
        returns = answers[POOL][place].returns[np.array(PERCENTS) - 1]
        assert list(horizon.quantiles.values()) == pytest.approx(np.exp(row["spot"] + returns), rel=1e-6)


def test_no_answer_depends_on_later_bars(shorter, questions, answers, laws):
    """The answers made without the last four days are the same: ours and those of the peers."""
    grid = hour_grid(shorter)
    rows = ask(grid)
    places = np.flatnonzero(questions["asked_at"] <= rows["asked_at"].max())
    pd.testing.assert_frame_equal(rows[[*KEY, "level"]], questions.iloc[places].reset_index()[[*KEY, "level"]])
    for place, answer in zip(places, forecast(grid)[POOL], strict=True):
        np.testing.assert_array_equal(answers[POOL][place].returns, answer.returns)
        assert answers[POOL][place][1:] == answer[1:]
    for name, returns in peers.forecast(grid, typical).items():
        np.testing.assert_allclose(laws[name][places], returns, rtol=1e-12)


def test_a_bar_that_opens_off_the_hour_counts_as_the_next(tmp_path):
    """On a holiday of the metals bars open at half past: 13:30 is known at 14:30, so not before 15:00."""
    rows = [f"2024-07-03T{time}:00Z,1,1,1,1,1" for time in ("12:00", "13:30", "14:30")]
    (tmp_path / "gold.csv").write_text("\n".join(["time,open,high,low,close,volume", *rows]))
    times = read_bars(tmp_path)["gold"].time
    assert (times // HOUR % 24).tolist() == [12, 14, 15]


@pytest.mark.parametrize(("name", "tolerance"), [(PLAIN, 0.15), (GARCH_T, 0.35), (HAR, 0.35)])
def test_a_peer_finds_the_volatility_of_a_random_walk(questions, laws, name, tolerance):
    """The central half of a walk of 0.5% an hour, over the horizons of a coin up to a week."""
    assert tuple(laws) == PEERS
    chosen = (questions["asset"] == "btc") & (questions["horizon_h"] <= 168)
    width = laws[name][chosen][:, 74] / np.sqrt(questions["horizon_h"][chosen])
    assert width.mean() == pytest.approx(SIGMA * stats.norm.ppf(0.75), rel=tolerance)


def test_the_variance_follows_its_recursion():
    model, returns = Garch(0.1, 0.2, 0.7, 5.0), np.array([1.0, -2.0, 0.5])
    variances, variance = [], 3.0
    for value in returns:
        variance = 0.1 + 0.2 * value**2 + 0.7 * variance
        variances.append(variance)
    assert model.variances(returns, 3.0) == pytest.approx(variances)


def test_the_first_simulated_step_has_the_law_of_the_shocks():
    """Student's t of variance 1, times the standard deviation of the start; within the noise of 200,000 draws."""
    law = Garch(0.1, 0.1, 0.8, 5.0).simulate(np.array([4.0]), {1, 3}, 200_000)[1][0]
    np.testing.assert_allclose(law, 2 * stats.t.ppf(QUANTILES, 5) * np.sqrt(3 / 5), atol=0.07)


def test_a_normal_law_has_its_closed_forms(pair, normal):
    """CRPS by Gneiting and Raftery (2007), within 1.5%; a level at one standard deviation, and twice that to touch."""
    scores = scores_of(pair, normal)
    exact = 0.5 * (2 * stats.norm.cdf(0.5) - 1) + 2 * stats.norm.pdf(0.5) - 1 / np.sqrt(np.pi)
    assert scores["CRPS"].tolist() == pytest.approx([exact, exact], rel=0.015)
    assert scores["CRPS, 1 h"].isna().tolist() == [False, True]
    tail = 1 - stats.norm.cdf(1)
    assert scores["levels"].tolist() == pytest.approx([np.nan, tail**2], rel=1e-2, nan_ok=True)
    assert scores["touches"].tolist() == pytest.approx([np.nan, (1 - 2 * tail) ** 2], rel=1e-2, nan_ok=True)
    assert scores.filter(like="within").iloc[0].tolist() == [100, 100, 100, 100]
    cell = stats.norm.cdf(0.55) - stats.norm.cdf(0.25)
    assert scores["log score"][0] == pytest.approx(-np.log(0.998 * cell + 0.002 / 14), rel=1e-3)
    stated = scores_of(pair, normal.assign(above=0.3, touch=0.6))  # what a file states itself counts
    assert (stated["levels"][1], stated["touches"][1]) == pytest.approx((0.09, 0.16))


def test_the_cdf_meets_its_quantiles_and_ends_in_tails():
    """A law that is certain and wrong has a finite score."""
    probabilities = cdf(NORMAL[None], np.append(NORMAL, [-9.0, 9.0])[None])[0]
    np.testing.assert_allclose(probabilities[[0, *range(4, 95), 98]], QUANTILES[[0, *range(4, 95), 98]], atol=1e-9)
    assert 0 < probabilities[-2] < 1e-4
    assert 0 < 1 - probabilities[-1] < 1e-4
    assert log_score(np.zeros((1, 99)), np.array([2.0])) == pytest.approx(-np.log(0.002 / 14), rel=1e-6)


def test_a_half_width_by_hand():
    """Four clusters with the sums -2, 0, 0, 2 of deviations: 3.182 sqrt(4 / 3 x 8) / 8; three have no interval."""
    terms, clusters = np.array([-1.0, -1, 0, 0, 0, 0, 1, 1]), np.repeat(np.arange(4), 2)
    assert half_width(terms, clusters) == pytest.approx(stats.t.ppf(0.975, 3) * np.sqrt(4 / 3 * 8) / 8)
    assert np.isnan(half_width(terms[:6], clusters[:6]))


def test_figures_are_differences_from_plain_volatility():
    asked_at, plain = np.arange(40) * 7 * DAY, np.resize([0.5, 1.5], 40)
    assert figure("CRPS, 1 h", 0.98 * plain, plain, asked_at).startswith("-2.00 ±0.00 ±0.00")
    assert figure("levels", plain - 0.01, plain, asked_at).startswith("-0.0100 ±0.0000")
    assert figure("within 50%", 100 * np.resize([0.0, 1.0], 40), plain, asked_at).startswith("50.0 ±")


def write_bars(folder: Path, hourly: dict[str, Bars], factor: float) -> None:
    """Bars as CSV files, with the prices from 10 September 2024 on times `factor`."""
    for asset, series in hourly.items():
        times = np.where(series.time >= second_of("2024-09-10"), factor, 1.0)
        prices = [times * price for price in (series.open, series.high, series.low, series.close)]
        lines = [",".join(map(str, row)) for row in zip(series.time, *prices, series.volume, strict=True)]
        (folder / f"{asset}.csv").write_text("\n".join(["time,open,high,low,close,volume", *lines]))


def test_after_until_nothing_is_seen(tmp_path, capsys):
    """Bars after the day of `--until` change no figure, and no question is asked or decided after it."""
    hourly = {asset: made_bars(asset, 240, seed, second_of("2024-02-01")) for seed, asset in enumerate(("btc", "eth"))}
    grid, tables = hour_grid(hourly), []
    for name, returns in peers.forecast(grid, typical).items():
        write(tmp_path, name, ask(grid), returns)
    for factor in (1.0, 1.5):
        write_bars(tmp_path, hourly, factor)
        main([str(tmp_path), str(tmp_path), "--since", "2024-08-10", "--until", "2024-09-10"])
        tables.append(capsys.readouterr().out)
    assert tables[0] == tables[1]
    assert tables[0].count("asked from") == 1
    assert re.search("2024-H2: chose the settings; .* asked from 2024-08-10 to 2024-09-09", tables[0])


def test_the_pool_beats_plain_volatility_on_real_bars(tmp_path, shared_data, in_ci):
    """On the months that chose the settings, which is the least; later months are judged by `make evaluate`."""
    if not in_ci:
        pytest.skip("the real bars of 2024 are evaluated in CI and by `make evaluate`")
    hourly = read_bars(shared_data / "candles" / "1h")
    grid = hour_grid({asset: series.until(second_of("2025-01-01")) for asset, series in hourly.items()})
    everything = ask(grid)
    write(tmp_path, PLAIN, everything, peers.forecast(grid, typical)[PLAIN])
    (pool,) = write_ours(tmp_path, grid, with_voters=False)
    rows = everything[everything["returned"].notna()]
    plain, ours = (scores_of(rows, read(tmp_path, name, rows)).mean() for name in (PLAIN, pool))
    better = ["CRPS", "CRPS, 1 h", "CRPS, 6 h", "log score", "levels", "touches"]
    assert (ours[better] < plain[better]).all()
    assert all(abs(ours[f"within {share}%"] - share) < 4 for share in WITHIN)
