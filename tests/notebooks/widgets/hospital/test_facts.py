"""The facts of one strategy in the hospital after a click on it."""

from __future__ import annotations

from statistics import median

import pytest

from notebooks.widgets import HospitalPanel


@pytest.fixture
def panel(open_panel, stub) -> HospitalPanel:
    return open_panel(HospitalPanel, stub)


def test_the_least_drawdown_is_the_best(panel):
    """A measure is shown beside the worst, the median and the best of all strategies."""
    strategy = panel.document["strategies"][5]
    panel.pick(strategy["key"])
    drawdowns = [other["metrics"]["max_drawdown_pct"] for other in panel.document["strategies"]]
    numbers = (strategy["metrics"]["max_drawdown_pct"], max(drawdowns), median(drawdowns), min(drawdowns))
    cells = "".join(f'<td class="number">{value:.2f}</td>' for value in numbers)
    assert f"<td>maximum drawdown, %</td>{cells}" in panel.detail.value


def test_the_facts_have_the_scores_of_all_viewed_months(panel):
    panel.month.value = "2026-09"
    panel.refresh()
    key = panel.document["strategies"][0]["key"]
    panel.pick(key)
    for month in ("2026-09", "2026-10"):
        strategies = panel.months[month]["strategies"]
        score = next(strategy["health_score"] for strategy in strategies if strategy["key"] == key)
        assert month in panel.detail.value
        assert f"{score:,.2f}" in panel.detail.value


def test_the_facts_of_a_strategy_follow_the_month(panel):
    panel.pick(panel.document["strategies"][0]["key"])
    assert "2026-10 (paper)" in panel.detail.value
    panel.month.value = "2026-09"
    panel.refresh()
    assert "2026-09 (paper)" in panel.detail.value
