"""The questions on prices, and the files of our answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from service.documents import DocumentHeader
from service.forecasting.densities.fitting import fit
from service.forecasting.densities.grid import hour_grid
from service.forecasting.densities.models import MODELS
from service.forecasting.voters.context import Knowledge, build_all
from service.forecasting.voters.price_forecasts import PERCENTS, describe
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from tests.forecasting.made import made_bars
from tests.measure.density_files import POOL, Answer, forecast, write_ours
from tests.measure.price_questions import COLUMNS, HORIZONS_H, KEY, ask, read, read_bars

DAYS = 196  # two weeks more than the six months before the first forecast


@pytest.fixture(scope="module")
def bars() -> dict[str, Bars]:
    return {asset: made_bars(asset, DAYS, seed) for seed, asset in enumerate(("btc", "gold"))}


@pytest.fixture(scope="module")
def questions(bars) -> pd.DataFrame:
    return ask(hour_grid(bars))


@pytest.fixture(scope="module")
def answers(bars) -> dict[str, list[Answer]]:
    return forecast(hour_grid(bars))


def cut(bars: dict[str, Bars], days: int) -> dict[str, Bars]:
    """The bars without the last days."""
    return {asset: series.until(int(bars["btc"].time[0]) + (DAYS - days) * DAY) for asset, series in bars.items()}


def test_every_asset_instant_and_horizon_is_there_once(questions):
    """Asked at 00 and 12 UTC without a gap, from 182 days after the opening of the first bar on."""
    instants = np.unique(questions["asked_at"])
    assert not questions[KEY].duplicated().any()
    assert len(questions) == 2 * len(HORIZONS_H) * len(instants)
    assert (np.diff(instants) == 12 * HOUR).all()
    assert set(instants // HOUR % 24) == {0, 12}


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
        reached = series.high[inside].max() >= level if row.touch > 0 else series.low[inside].min() <= level
        assert (row.closed, row.touched) == (row.returned > row.level, reached)


def test_levels_lie_where_those_of_markets_do(questions):
    """At 0.35 to 2.2 standard deviations on both sides; touches not where they are about as likely as not."""
    levels, touches = (questions[name] / questions["scale"] for name in ("level", "touch"))
    for distances in (levels, touches):
        assert distances.abs().between(0.35, 2.21).all()
        assert (distances > 0).mean() == pytest.approx(0.5, abs=0.05)
    assert not touches.abs().between(0.55, 0.83).any()


def test_the_pool_is_the_one_that_is_published(bars, questions, answers):
    """The quantiles of the document that the service would have published then, to its seven digits."""
    rows = questions["asked_at"] == questions["asked_at"].min()
    now = int(questions["asked_at"].min())
    past = {asset: series.until(now) for asset, series in bars.items()}
    knowledge = Knowledge(build_all(past, now), fit(bars, now))
    documents = describe(knowledge, now, DocumentHeader("", "", "", "simulated", ()))
    for place, row in questions[rows].iterrows():
        horizon = documents[row["asset"]].horizons[HORIZONS_H.index(row["horizon_h"])]
        returns = answers[POOL][place].returns[np.array(PERCENTS) - 1]
        assert list(horizon.quantiles.values()) == pytest.approx(np.exp(row["spot"] + returns), rel=1e-6)


def test_no_answer_depends_on_later_bars(bars, questions, answers):
    """The answers made without the last four days are the same."""
    grid = hour_grid(cut(bars, 4))
    shorter, asked_at = forecast(grid)[POOL], ask(grid)
    kept = np.flatnonzero(questions["asked_at"] <= asked_at["asked_at"].max())
    pd.testing.assert_frame_equal(asked_at[[*KEY, "level"]], questions.iloc[kept].reset_index()[[*KEY, "level"]])
    for place, answer in zip(kept, shorter, strict=True):
        np.testing.assert_array_equal(answers[POOL][place].returns, answer.returns)
        assert answers[POOL][place][1:] == answer[1:]


def test_a_file_gives_back_what_was_answered(tmp_path, bars, questions, answers):
    names = write_ours(tmp_path, hour_grid(bars))
    assert names == [POOL, *MODELS]
    some = questions.sample(frac=0.3, random_state=1)
    table = read(tmp_path, POOL, some)
    expected = [answers[POOL][place] for place in some.index]
    np.testing.assert_allclose(table[COLUMNS], [answer.returns for answer in expected], atol=1e-8)
    np.testing.assert_allclose(table["touch"], [answer.touch for answer in expected], rtol=1e-8)


def test_a_bar_that_opens_off_the_hour_counts_as_the_next(tmp_path):
    """On a holiday of the metals bars open at half past: 13:30 is known at 14:30, so not before 15:00."""
    rows = ["time,open,high,low,close,volume"]
    rows += [
        f"2024-07-03T{time}:00Z,1,1,1,{close},1" for time, close in (("12:00", 1.0), ("13:30", 1.0), ("14:30", 1.0))
    ]
    (tmp_path / "gold.csv").write_text("\n".join(rows))
    times = read_bars(tmp_path)["gold"].time
    assert (times // HOUR % 24).tolist() == [12, 14, 15]
