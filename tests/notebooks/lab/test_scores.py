"""The scores of the lab are those of the service, in calibration panels and in studies on a planted record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from notebooks.lab import calibration, scores
from notebooks.lab.calibration_panel import CalibrationPanel
from notebooks.lab.record import MarketRecord
from notebooks.lab.reliability import bins_of, forecasters_of, forecasts_table, price_bins, scores_of
from notebooks.lab.studies import leave_one_out
from service.forecasting.predictions.scores.forecast_scores import calibrate
from service.scores import intervals
from service.scores.intervals import LEVELS, clustered_mean, wilson_interval
from service.scores.proper import brier
from tests.notebooks.lab.planted import p_of_law, planted_record, with_live_end

VOTERS = ("momentum", "vol", "mine")
HORIZON = {"n": 200, "n_eff": 50.0, "pit_pct": [10.0] * 10}
PRICE_RECORD = {
    "books": [
        {"backfilled": True, "horizons": [{"horizon": "24h", "all": HORIZON, "assets": {"btc": {**HORIZON, "n": 20}}}]},
        {"backfilled": False, "horizons": [{"horizon": "24h", "all": {**HORIZON, "pit_pct": None}, "assets": {}}]},
    ]
}
HELPER, HARMER = "helper", "harmer"


@pytest.fixture(params=[(400, 60), (40, 5), (60, 1)], ids=["many weeks", "few weeks", "one week"])
def evidence(request) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """P(YES) of three voters, outcomes, and weeks of resolution; the last voter abstains now and then."""
    n, weeks = request.param
    generator = np.random.default_rng(n)
    p = generator.uniform(0.02, 0.98, (n, len(VOTERS)))
    p[::7, -1] = np.nan
    return p, (generator.uniform(size=n) < p[:, 0]).astype(float), np.sort(generator.integers(weeks, size=n))


def test_scores_are_those_of_the_service(evidence):
    """The first voter knows the probabilities, and earns more than the others, which are noise."""
    p, outcomes, weeks = evidence
    values = brier(p[:, 0], outcomes)
    mean, reference = scores.weekly_mean(values, weeks, LEVELS), clustered_mean(values, weeks, LEVELS)
    assert (mean.n, mean.mean) == (reference.n, reference.mean)
    assert mean.n_eff == pytest.approx(reference.n_eff)
    assert (mean.low, mean.high) == pytest.approx(reference.interval(), nan_ok=True)
    bins, report = scores.calibration(p[:, 0], outcomes, weeks), calibrate(p[:, 0], outcomes, weeks)
    assert report is not None
    shares = [[*bin_.values()] for bin_ in bins]
    assert [pytest.approx([*vars(bin_).values()], abs=1e-4) for bin_ in report.bins] == shares
    assert scores.earned_weight(p[:, 0], p[:, 1:], outcomes, weeks) > 1


def test_weeks_are_those_of_the_service():
    """Forecasts that say nothing are unrelated to outcomes."""
    instants = pd.Series(pd.date_range("2026-01-01", periods=500, freq="7h", tz="UTC"))
    seconds = np.array([int(instant.timestamp()) for instant in instants])
    assert scores.weeks_of(instants).tolist() == intervals.weeks_of(seconds).tolist()
    generator = np.random.default_rng(2)
    p, outcomes, weeks = generator.uniform(size=900), generator.integers(2, size=900), np.arange(900) // 15
    noise = scores.correlation(p, outcomes.astype(float), weeks)
    relation = scores.correlation(0.3 * p + 0.7 * outcomes, outcomes.astype(float), weeks)
    constant = scores.correlation(np.full(900, 0.5), outcomes.astype(float), weeks)
    assert noise.low < 0 < noise.high
    assert relation.low > 0.5
    assert constant.mean == 0


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
    questions, bars = [market.question for market in record.markets[1:]], record.bars["btc"]
    return pd.Series({question.id: p_of_law(bars, question.asked_at) for question in questions})


@pytest.fixture
def panel(record: MarketRecord, candidate: pd.Series):
    panel = CalibrationPanel(record, {"<me>": candidate}, PRICE_RECORD)
    yield panel
    panel.close()


def test_a_table_has_every_forecaster_of_each_market(record, candidate):
    """Scores are on the markets that were forecast; their parts add up, and an informed forecaster discriminates."""
    table = forecasts_table(record, {"me": candidate})
    assert forecasters_of(table) == ["pool", "market", "momentum", "vol", "me"]
    assert len(table) == 399
    assert int((~table["backfilled"]).sum()) == 20
    assert table["kind"].value_counts().to_dict() == {"up": 299, "move": 100}
    assert set(table["horizon"]) == {"day", "week"}
    assert np.isnan(table["me"].iloc[0])
    table = table.loc[table["backfilled"]]
    scores = scores_of(table)
    assert scores.loc["me", "n"] == scores.loc["pool", "n"] - 1
    parts = scores["miscalibration"] - scores["discrimination"] + scores["uncertainty"]
    assert parts.to_numpy() == pytest.approx(scores["brier"].to_numpy())
    assert scores["discrimination"].idxmax() == "me"
    assert (scores["brier_low"] <= scores["brier"]).all()
    assert scores_of(table.iloc[:5])["miscalibration"].isna().all()


def test_a_calibrated_forecaster_lies_on_the_diagonal(record, candidate):
    """So do calibrated price forecasts below their quantiles, with the interval of their independent number."""
    table = forecasts_table(record, {"me": candidate})
    bins = bins_of(table.loc[table["backfilled"]], "me")
    assert len(bins) == 10
    assert all(bin_["low_pct"] <= 100 * bin_["p"] <= bin_["high_pct"] for bin_ in bins)
    assert bins_of(table.iloc[:20], "me") == []
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
    table = panel.frame(panel.document)
    forecasters = {"pool", "market", "momentum", "vol", "<me>", "prices after 24h"}
    assert set(table.index.get_level_values("forecaster")) == forecasters
    assert table.index.is_unique
    assert table["backfilled"].all()


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
    """A record without a market is said so."""
    panel.forecaster.value, panel.rival.value = "prices after 24h", "–"
    assert panel.figure.layout.title.text == "prices after 24h: 9 of 9 bins hold the diagonal in their interval"
    assert sum(panel.counts[0].y) == pytest.approx(200)
    panel.filters["asset"].value = "btc"
    assert sum(panel.counts[0].y) == pytest.approx(20)
    panel.filters["asset"].value = ""
    panel.book.value = False
    assert panel.figure.layout.title.text.startswith("Too few resolved forecasts")
    assert not panel.counts[0].visible
    panel = calibration(MarketRecord("simulated", (), {}))
    assert "Too few" in panel.figure.layout.title.text
    assert "0 resolved markets" in panel.status_line.value
    panel.close()


@pytest.fixture(scope="module")
def panel_record() -> MarketRecord:
    """The planted record with a voter that knows the law, one that turns it round, and their pool."""
    plain_record, markets = planted_record(), []
    for market in plain_record.markets:
        p = p_of_law(plain_record.bars["btc"], market.question.asked_at)
        votes = {HELPER: p, HARMER: 0.5 + 0.5 * (0.5 - p), **market.votes}
        pool = float(np.mean(list(votes.values())))
        markets.append(replace(market, votes=votes, weights=dict.fromkeys(votes, 1.0), pool=pool))
    return replace(plain_record, markets=tuple(markets))


def test_the_pool_without_a_voter_shows_its_worth(panel_record):
    """Above zero the voter helps."""
    table = leave_one_out(panel_record)
    assert table.loc[HELPER, "low"] > 0
    assert table.loc[HARMER, "high"] < 0
    assert set(table.index) == {HELPER, HARMER, "momentum", "vol"}
    assert (table["n"] == 400).all()
    assert set(table["world"]) == {"simulated"}


def test_the_pool_without_a_voter_keeps_its_weights(panel_record):
    """On two markets; on the second one voter abstains."""
    first, second = panel_record.markets[:2]
    weights = dict(zip(first.votes, (2.0, 1.0, 0.5, 1.5), strict=True))
    others = {voter: vote for voter, vote in second.votes.items() if voter != "vol"}
    markets = [
        replace(market, votes=votes, weights={voter: weights[voter] for voter in votes}, pool=_pool(votes, weights))
        for market, votes in ((first, first.votes), (second, others))
    ]
    gains = []
    for market in markets:
        p = _pool({voter: vote for voter, vote in market.votes.items() if voter != HELPER}, weights)
        gains.append((p - market.happened) ** 2 - (market.pool - market.happened) ** 2)
    table = leave_one_out(replace(panel_record, markets=tuple(markets)))
    assert table.loc[HELPER, "difference"] == pytest.approx(np.mean(gains))
    assert table.loc["vol", "n"] == 1


def _pool(votes: Mapping[str, float], weights: Mapping[str, float]) -> float:
    return float(np.average(list(votes.values()), weights=[weights[voter] for voter in votes]))
