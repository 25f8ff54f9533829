"""The paper fund of apex in a figure: its curves, their labels and its trades."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from notebooks.widgets import ApexPanel
from notebooks.widgets.base.curves import drawdowns_pct, values


@pytest.fixture
def panel(open_panel, stub) -> ApexPanel:
    return open_panel(ApexPanel, stub)


def curve(panel: ApexPanel, row: int, field: str, *, backfilled: bool) -> Any:
    return panel.fund.curves[row, field, backfilled]


def labels(panel: ApexPanel) -> dict[Any, str]:
    """The annotations by their height: those of layers by name, those of curves by value."""
    return {annotation.y: annotation.text for annotation in panel.figure.layout.annotations}


@pytest.mark.parametrize("field", ["equity_usd", "benchmark_usd"])
def test_the_curves_are_those_of_the_document(panel, field):
    points = panel.document["fund"]["equity"]
    backfilled = [point for point in points if point["backfilled"]]
    equity, drawdown = (curve(panel, row, field, backfilled=True) for row in (2, 3))
    assert list(equity.y) == [point[field] for point in backfilled]
    assert list(pd.to_datetime(equity.x, utc=True)) == [pd.Timestamp(point["time"]) for point in backfilled]
    assert list(drawdown.y) == pytest.approx(drawdowns_pct(values(points, field))[: len(backfilled)])


def test_the_solid_live_curve_continues_the_dotted_one(panel, stub):
    def half_live(document):
        for place, point in enumerate(document["equity"]):
            point["backfilled"] = place < 10
        return document

    stub.changes["fund"] = half_live
    panel.refresh()
    past, live = (curve(panel, 2, "equity_usd", backfilled=backfilled) for backfilled in (True, False))
    assert (past.line.dash, live.line.dash) == ("dot", "solid")
    assert (len(past.x), len(live.x)) == (10, len(panel.document["fund"]["equity"]) - 9)
    assert (past.x[-1], past.y[-1]) == (live.x[0], live.y[0])


def test_a_live_fund_has_no_dotted_curve(panel, stub):
    stub.changes["fund"] = lambda document: {
        **document,
        "equity": [{**point, "backfilled": False} for point in document["equity"]],
    }
    panel.refresh()
    assert len(curve(panel, 2, "equity_usd", backfilled=True).x) == 0
    assert len(curve(panel, 2, "equity_usd", backfilled=False).x) == len(panel.document["fund"]["equity"])
    assert "fund BACKFILLED" not in panel.figure.layout.title.subtitle.text


def test_curve_labels_have_the_numbers_of_the_service(panel):
    fund = panel.document["fund"]
    texts = set(labels(panel).values())
    assert f"fund {fund['equity_usd']:,.0f} USD" in texts
    assert f"half in bitcoin {fund['benchmark']['equity_usd']:,.0f} USD" in texts
    assert f"fund, worst −{fund['max_drawdown_pct']:.1f}%" in texts


def test_every_trade_is_marked_at_its_time(panel):
    trades, trace = panel.document["fund"]["trades"], panel.fund.trades
    assert trades
    assert list(pd.to_datetime(trace.x, utc=True)) == [pd.Timestamp(trade["time"]) for trade in trades]
    symbols = {"buy": "triangle-up-open", "sell": "triangle-down-open"}
    assert list(trace.marker.symbol) == [symbols[trade["side"]] for trade in trades]
