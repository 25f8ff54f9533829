"""The track record of AI versus market: reliability, mean scores, their paired difference."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from notebooks.widgets import PredictionsPanel

EMPTY_REPORT = {"n": 60, "miscalibration": 0.0, "discrimination": 0.0, "uncertainty": 0.25}


@pytest.fixture
def panel(open_panel, stub) -> PredictionsPanel:
    return open_panel(PredictionsPanel, stub)


def book(panel: PredictionsPanel) -> dict[str, Any]:
    return next(book for book in panel.document["record"]["books"] if book["backfilled"] == panel.book.value)


def test_reliability_is_that_of_the_document(panel):
    for name, trace in panel.record.bins.items():
        bins = book(panel)["calibration"][name]["bins"]
        assert list(trace.x) == pytest.approx([100 * bin_["p"] for bin_ in bins])
        assert list(trace.y) == [bin_["observed_pct"] for bin_ in bins]
        assert [y + up for y, up in zip(trace.y, trace.error_y.array, strict=True)] == pytest.approx(
            [bin_["high_pct"] for bin_ in bins]
        )
        assert [y - down for y, down in zip(trace.y, trace.error_y.arrayminus, strict=True)] == pytest.approx(
            [bin_["low_pct"] for bin_ in bins]
        )
        assert all(f"n {bin_['n']}" in text for bin_, text in zip(bins, trace.customdata, strict=True))


def test_mean_scores_start_at_twenty_markets(panel):
    """They are drawn beside the score of a coin flip."""
    expected = [point for point in book(panel)["cumulative"] if point["n"] >= 20]
    for name, trace in panel.record.curves.items():
        assert list(trace.y) == [point[f"brier_{name}"] for point in expected]
        assert list(pd.to_datetime(trace.x, utc=True)) == [pd.Timestamp(point["resolved_at"]) for point in expected]
    assert set(panel.record.coin_flip.y) == {0.25}


def test_the_paired_difference_has_its_interval(panel):
    difference, trace = book(panel)["difference"], panel.record.difference
    assert list(trace.x) == [difference["mean"]]
    assert trace.x[0] + trace.error_x.array[0] == pytest.approx(difference["high"])
    assert trace.x[0] - trace.error_x.arrayminus[0] == pytest.approx(difference["low"])
    assert panel.figure.layout.xaxis3.rangemode == "tozero"


def test_the_title_has_the_verdict_and_n(panel):
    """The subtitle says paper, backfilled, the world, and how many odds are simulated."""
    title, n = panel.figure.layout.title, book(panel)["n"]
    assert title.text.lower().startswith(book(panel)["verdict"].lower())
    assert f"n {n:,}" in title.text
    assert "PAPER · BACKFILLED" in title.subtitle.text
    assert "SIMULATED market" in title.subtitle.text
    assert f"{n:,} of {n:,} odds SIMULATED" in title.subtitle.text


def test_a_book_with_too_few_markets_says_how_many_it_needs(panel):
    panel.book.value = False
    n = book(panel)["n"]
    assert list(panel.record.diagonal.x) == []
    assert list(panel.record.difference.x) == []
    assert all(list(trace.x) == [] for trace in panel.record.bins.values())
    assert not any(panel.figure.layout[f"xaxis{number}"].visible for number in ("", "2", "3", "4"))
    assert not panel.figure.layout.annotations
    assert f"{n} resolved markets; a difference needs 20" in panel.status_line.value
    assert f"n {n} of 20" in panel.figure.layout.title.text


def test_reliability_shows_where_the_forecasts_are(panel, stub):
    """Four percentage points around the bins, and at most 0 to 100."""

    def narrow(document):
        bin_ = {"p": 0.5, "observed_pct": 48.0, "low_pct": 40.0, "high_pct": 99.0, "n": 30}
        for entry in document["books"]:
            report = {**EMPTY_REPORT, "bins": [bin_, {**bin_, "p": 0.6}]}
            entry["calibration"] = {"ai": report, "market": report}
        return document

    stub.changes["ai_vs_market"] = narrow
    panel.refresh()
    assert panel.figure.layout.xaxis.range == pytest.approx((46, 64))
    assert panel.figure.layout.yaxis.range == pytest.approx((36, 100))
