"""The table of ours and the peers: its scores, its intervals, and what it can see."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from service.forecasting.densities.grid import hour_grid
from service.market.bars import Bars
from service.market.instants import DAY
from tests.forecasting.made import made_bars
from tests.measure.density_files import write_ours
from tests.measure.evaluate import WITHIN, cdf, figure, half_width, log_score, main, scores_of, second_of
from tests.measure.peers import PLAIN, Garch, forecast
from tests.measure.price_questions import COLUMNS, QUANTILES, ask, read, read_bars, write

NORMAL = stats.norm.ppf(QUANTILES)


@pytest.fixture
def questions() -> pd.DataFrame:
    """One of an hour and one of a day, over standard deviations of 2%; both rise by 1%."""
    return pd.DataFrame(
        {"horizon_h": [1, 24], "scale": 0.02, "returned": 0.01, "level": 0.02, "closed": [np.nan, 0.0]}
        | {"touch": -0.02, "touched": [np.nan, 1.0]}
    )


@pytest.fixture
def normal(questions) -> pd.DataFrame:
    """Normal laws with the standard deviations of the questions."""
    return pd.DataFrame(np.outer(questions["scale"], NORMAL), columns=COLUMNS)


def test_a_normal_law_has_its_closed_forms(questions, normal):
    """CRPS by Gneiting and Raftery (2007), within 1.5%; a level at one standard deviation, and twice that to touch."""
    scores = scores_of(questions, normal)
    exact = 0.5 * (2 * stats.norm.cdf(0.5) - 1) + 2 * stats.norm.pdf(0.5) - 1 / np.sqrt(np.pi)
    assert scores["CRPS"].tolist() == pytest.approx([exact, exact], rel=0.015)
    assert scores["CRPS, 1 h"].isna().tolist() == [False, True]
    beyond = 1 - stats.norm.cdf(1)
    assert scores["levels"].tolist() == pytest.approx([np.nan, beyond**2], rel=1e-2, nan_ok=True)
    assert scores["touches"].tolist() == pytest.approx([np.nan, (1 - 2 * beyond) ** 2], rel=1e-2, nan_ok=True)
    assert scores.filter(like="within").iloc[0].tolist() == [100, 100, 100, 100]
    cell = stats.norm.cdf(0.55) - stats.norm.cdf(0.25)
    assert scores["log score"][0] == pytest.approx(-np.log(0.998 * cell + 0.002 / 14), rel=1e-3)


def test_what_a_file_states_itself_counts(questions, normal):
    scores = scores_of(questions, normal.assign(above=0.3, touch=0.6))
    assert (scores["levels"][1], scores["touches"][1]) == pytest.approx((0.09, 0.16))


def test_the_cdf_meets_its_quantiles_and_ends_in_tails():
    values = np.append(NORMAL, [-9.0, 9.0])[None]
    probabilities = cdf(NORMAL[None], values)[0]
    np.testing.assert_allclose(probabilities[[0, *range(4, 95), 98]], QUANTILES[[0, *range(4, 95), 98]], atol=1e-9)
    assert 0 < probabilities[-2] < 1e-4
    assert 0 < 1 - probabilities[-1] < 1e-4


def test_a_certain_wrong_law_has_a_finite_log_score():
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


def typical(returns: np.ndarray) -> Garch:
    """Usual parameters, in place of those of the arch package."""
    return Garch(0.05 * float(returns.var()), 0.05, 0.9, 6.0)


def write_bars(folder: Path, hourly: dict[str, Bars], factor: float) -> None:
    """Bars as CSV files, with the prices from 10 September 2024 on times `factor`."""
    for asset, bars in hourly.items():
        times = np.where(bars.time >= second_of("2024-09-10"), factor, 1.0)
        prices = [times * price for price in (bars.open, bars.high, bars.low, bars.close)]
        lines = [",".join(map(str, row)) for row in zip(bars.time, *prices, bars.volume, strict=True)]
        (folder / f"{asset}.csv").write_text("\n".join(["time,open,high,low,close,volume", *lines]))


def test_after_until_nothing_is_seen(tmp_path, capsys):
    """Bars after the day of `--until` change no figure, and no question is asked or decided after it."""
    hourly = {asset: made_bars(asset, 240, seed, second_of("2024-02-01")) for seed, asset in enumerate(("btc", "eth"))}
    grid, tables = hour_grid(hourly), []
    for name, returns in forecast(grid, typical).items():
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
    grid = hour_grid({asset: bars.until(second_of("2025-01-01")) for asset, bars in hourly.items()})
    everything = ask(grid)
    write(tmp_path, PLAIN, everything, forecast(grid, typical)[PLAIN])
    (pool,) = write_ours(tmp_path, grid, with_voters=False)
    questions = everything[everything["returned"].notna()]
    plain, ours = (scores_of(questions, read(tmp_path, name, questions)).mean() for name in (PLAIN, pool))
    better = ["CRPS", "CRPS, 1 h", "CRPS, 6 h", "log score", "levels", "touches"]
    assert (ours[better] < plain[better]).all()
    assert all(abs(ours[f"within {share}%"] - share) < 4 for share in WITHIN)
