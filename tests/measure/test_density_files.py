"""The files of forecasts that an independent scorer reads."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from tests.forecasting.made import made_bars
from tests.measure.density_files import BASELINE, HORIZONS_H, POOL, VIEWS, forecast, read_bars

KEYS = ["asset", "asked_at", "horizon_h"]
DAYS = 196  # two weeks more than the six months before the first forecast


@pytest.fixture(scope="module")
def bars() -> dict[str, Bars]:
    return {asset: made_bars(asset, DAYS, seed) for seed, asset in enumerate(("btc", "eth"))}


@pytest.fixture(scope="module")
def tables(bars) -> dict[str, pd.DataFrame]:
    return forecast(bars)


def test_there_is_a_file_for_each_forecaster(tables):
    assert set(tables) == {POOL, BASELINE, *VIEWS}


def test_every_asset_instant_and_horizon_is_there_once(tables):
    """Asked at 00 and 12 UTC without a gap, with quantiles that never cross."""
    for table in tables.values():
        keys = table[["asset", "asked_at", "horizon_h"]]
        assert not keys.duplicated().any()
        instants = pd.to_datetime(keys["asked_at"].unique())
        assert set(instants.hour) == {0, 12}
        assert len(keys) == 2 * len(HORIZONS_H) * len(instants)
        assert (np.diff(instants.to_numpy()) == np.timedelta64(12, "h")).all()
        quantiles = table.filter(regex="^q").to_numpy()
        assert quantiles.shape[1] == 99
        assert (quantiles > 0).all()
        assert (np.diff(quantiles, axis=1) >= 0).all()


def test_the_pool_is_the_mean_of_the_views_in_log_returns(tables):
    mean = np.mean([np.log(tables[name]["q90"]) for name in VIEWS], axis=0)
    np.testing.assert_allclose(np.log(tables[POOL]["q90"]), mean)


def test_no_forecast_depends_on_later_bars(bars, tables):
    """The forecasts made without the last four days are the same rows."""
    until = int(bars["btc"].time[0]) + (DAYS - 4) * DAY
    shorter = forecast({asset: series.until(until) for asset, series in bars.items()})[POOL]
    longer = tables[POOL].merge(shorter[["asset", "asked_at", "horizon_h"]])
    pd.testing.assert_frame_equal(
        longer.sort_values(KEYS, ignore_index=True), shorter.sort_values(KEYS, ignore_index=True)
    )


def test_a_bar_that_opens_off_the_hour_counts_as_the_next(tmp_path):
    """On a holiday of the metals bars open at half past: 13:30 is known at 14:30, so not before 15:00."""
    rows = ["time,open,high,low,close,volume"]
    rows += [
        f"2024-07-03T{time}:00Z,1,1,1,{close},1" for time, close in (("12:00", 1.0), ("13:30", 1.0), ("14:30", 1.0))
    ]
    (tmp_path / "gold.csv").write_text("\n".join(rows))
    times = read_bars(tmp_path)["gold"].time
    assert (times // HOUR % 24).tolist() == [12, 14, 15]
