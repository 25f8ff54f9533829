"""Every forecaster on the markets of a planted record: its bins, its scores, and the panel that draws them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from notebooks.lab import calibration
from notebooks.lab.calibration_panel import CalibrationPanel
from notebooks.lab.record import MarketRecord
from notebooks.lab.reliability import bins_of, forecasters_of, forecasts_table, price_bins, scores_of
from service.scores.intervals import wilson_interval
from tests.notebooks.lab.planted import P_RISE, planted_record, rises, with_live_end

HORIZON = {"n": 200, "n_eff": 50.0, "pit_pct": [10.0] * 10}
PRICE_RECORD = {
    "books": [
        {"backfilled": True, "horizons": [{"horizon": "24h", "all": HORIZON, "assets": {"btc": {**HORIZON, "n": 20}}}]},
        {"backfilled": False, "horizons": [{"horizon": "24h", "all": {**HORIZON, "pit_pct": None}, "assets": {}}]},
    ]
}


@pytest.fixture(scope="module")
def record() -> MarketRecord:
    """Every fourth market is of another kind and takes a week; the last 20 are live, and one is open."""
    plain = planted_record()
    markets = [
        market if at % 4 else replace(market, question=replace(market.question, comparator="move", horizon_h=168.0))
        for at, market in enumerate(plain.markets)
    ]
    markets[7] = replace(markets[7], happened=None, resolved_at=None)
    return with_live_end(replace(plain, markets=tuple(markets)), 20)


@pytest.fixture(scope="module")
def candidate(record: MarketRecord) -> pd.Series:
    """A forecaster that knows the law, on all markets but the first."""
    p = {
        market.question.id: P_RISE if rises(record.bars["btc"], market.question.asked_at) else 1 - P_RISE
        for market in record.markets[1:]
    }
    return pd.Series(p)


@pytest.fixture
def panel(record: MarketRecord, candidate: pd.Series):
    panel = CalibrationPanel(record, {"<me>": candidate}, PRICE_RECORD)
    yield panel
    panel.close()


def test_a_table_has_every_forecaster_of_each_market(record, candidate):
    table = forecasts_table(record, {"me": candidate})
    assert forecasters_of(table) == ["pool", "market", "momentum", "vol", "me"]
    assert len(table) == 399
    assert int((~table["backfilled"]).sum()) == 20
    assert table["kind"].value_counts().to_dict() == {"up": 299, "move": 100}
    assert set(table["horizon"]) == {"day", "week"}
    assert np.isnan(table["me"].iloc[0])


def test_scores_are_on_the_markets_that_were_forecast(record, candidate):
    """The parts add up to the score, and an informed forecaster discriminates."""
    table = forecasts_table(record, {"me": candidate})
    table = table.loc[table["backfilled"]]
    scores = scores_of(table)
    assert scores.loc["me", "n"] == scores.loc["pool", "n"] - 1
    parts = scores["miscalibration"] - scores["discrimination"] + scores["uncertainty"]
    assert parts.to_numpy() == pytest.approx(scores["brier"].to_numpy())
    assert scores["discrimination"].idxmax() == "me"
    assert (scores["brier_low"] <= scores["brier"]).all()
    assert scores_of(table.iloc[:5])["miscalibration"].isna().all()


def test_a_calibrated_forecaster_lies_on_the_diagonal(record, candidate):
    table = forecasts_table(record, {"me": candidate})
    bins = bins_of(table.loc[table["backfilled"]], "me")
    assert len(bins) == 10
    assert all(bin_["low_pct"] <= 100 * bin_["p"] <= bin_["high_pct"] for bin_ in bins)
    assert bins_of(table.iloc[:20], "me") == []


def test_price_forecasts_are_counted_below_their_quantiles():
    """Calibrated ones lie on the diagonal, with the interval of their independent number."""
    bins = price_bins(HORIZON)
    assert [round(bin_["p"], 1) for bin_ in bins] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    assert [bin_["observed_pct"] for bin_ in bins] == pytest.approx([100 * bin_["p"] for bin_ in bins])
    assert (bins[4]["low_pct"] / 100, bins[4]["high_pct"] / 100) == pytest.approx(wilson_interval(25, 50))
    assert price_bins({**HORIZON, "pit_pct": None}) == []


def test_the_panel_compares_a_forecaster_with_another(panel: CalibrationPanel):
    """On the same markets, with the verdict in the title; the names of one's own forecasts are escaped."""
    title = panel.figure.layout.title.text
    assert title.startswith("&lt;me&gt; is better than pool: Brier score")
    assert "n 378" in title
    assert len(panel.bins[0].x) == len(panel.bins[1].x) == 10
    assert sum(panel.counts[0].y) == 378
    assert "SIMULATED market" in panel.status_line.value
    assert panel.detail.value.count("<tr>") == 6


def test_every_selection_narrows_the_markets(panel: CalibrationPanel):
    panel.filters["kind"].value = "move"
    assert "n 94" in panel.figure.layout.title.text
    assert sum(panel.counts[1].y) == 95
    panel.filters["horizon"].value = "day"
    assert panel.figure.layout.title.text.startswith("0 resolved markets of both")
    panel.filters["kind"].value = panel.filters["horizon"].value = ""
    panel.book.value = False
    assert panel.figure.layout.title.text.startswith("20 resolved markets of both")
    assert "live" in panel.status_line.value


def test_the_panel_shows_price_forecasts_beside(panel: CalibrationPanel):
    panel.forecaster.value, panel.rival.value = "prices after 24h", "–"
    assert panel.figure.layout.title.text == "prices after 24h: 9 of 9 bins hold the diagonal in their interval"
    assert sum(panel.counts[0].y) == pytest.approx(200)
    panel.filters["asset"].value = "btc"
    assert sum(panel.counts[0].y) == pytest.approx(20)
    panel.filters["asset"].value = ""
    panel.book.value = False
    assert panel.figure.layout.title.text.startswith("Too few resolved forecasts")
    assert not panel.counts[0].visible


def test_the_download_has_the_bins_of_every_forecaster(panel: CalibrationPanel):
    table = panel.frame(panel.document)
    assert set(table.index.get_level_values("forecaster")) == {
        *("pool", "market", "momentum", "vol", "<me>", "prices after 24h")
    }
    assert table.index.is_unique
    assert table["backfilled"].all()


def test_a_record_without_a_market_is_said_so():
    panel = calibration(MarketRecord("simulated", (), {}))
    assert "Too few" in panel.figure.layout.title.text
    assert "0 resolved markets" in panel.status_line.value
    panel.close()
