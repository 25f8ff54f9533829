"""The hospital panel: the health of each strategy at the end of a month, and the recommendations."""

from __future__ import annotations

from statistics import median

import pytest

from notebooks.widgets import HospitalPanel, frames
from notebooks.widgets.base.theme import PALETTES
from notebooks.widgets.base.wording import unbroken
from notebooks.widgets.hospital.panel import STATUSES, UNKNOWN, facts
from service.trading.strategies import STRATEGIES
from tests.notebooks.conftest import click


@pytest.fixture
def panel(open_panel, stub) -> HospitalPanel:
    return open_panel(HospitalPanel, stub)


def categories(panel: HospitalPanel) -> list[str]:
    """The categories from the top down."""
    return [label.split(" · ")[0] for label in panel.figure.layout.yaxis2.ticktext]


def test_each_strategy_is_at_its_score_in_its_category(panel):
    """Colour and shape show its status; the healthiest category by its median, which has a tick, is on top."""
    strategies = panel.document["strategies"]
    assert len(strategies) == len(STRATEGIES)
    assert list(panel.marks.x) == [strategy["health_score"] for strategy in strategies]
    assert [categories(panel)[round(y)] for y in panel.marks.y] == [strategy["category"] for strategy in strategies]
    assert [text[0] for text in panel.marks.customdata] == [strategy["name"] for strategy in strategies]
    statuses = [strategy["status"] for strategy in strategies]
    assert list(panel.marks.marker.symbol) == [STATUSES[status][1] for status in statuses]
    assert list(panel.marks.marker.color) == [PALETTES["light"].colour(STATUSES[status][0]) for status in statuses]
    scores = {}
    for strategy in strategies:
        scores.setdefault(strategy["category"], []).append(strategy["health_score"])
    assert list(panel.figure.data[1].x) == sorted(map(median, scores.values()), reverse=True)
    assert list(panel.figure.data[1].x) == [median(scores[category]) for category in categories(panel)]


def test_the_title_has_the_counts_and_the_recommendations(panel):
    """The subtitle has the month, n and the caveat, and says that it is paper; the bar on top has the counts."""
    summary, title = panel.document["summary"], panel.figure.layout.title
    critical, healthy = summary["status"]["critical"], summary["status"]["healthy"]
    assert title.text.startswith(f"{critical} of {len(STRATEGIES)} critical, {healthy} healthy")
    for action, count in summary["recommendation"].items():
        assert (f"{action} {count}" in title.text) == (count > 0 and action != "keep")
    n = f"n = {len(STRATEGIES)}"
    for text in ("PAPER · SIMULATED market", "month 2026-10", n, "independent", summary["caveat"]):
        assert text in title.subtitle.text
    bar = panel.figure.data[0]
    counts = {status: n for status, n in summary["status"].items() if n}
    assert dict(zip(bar.customdata, bar.x, strict=True)) == counts
    assert all(unbroken(f"{status} {n}") in panel.figure.layout.annotations[0].text for status, n in counts.items())


@pytest.mark.parametrize("status", ["healthy", "critical"])
def test_one_status_can_be_shown_alone(panel, status):
    """The rows of the categories stay where they are."""
    before = categories(panel)
    panel.status.value = status
    scores = [strategy["health_score"] for strategy in panel.document["strategies"] if strategy["status"] == status]
    assert list(panel.marks.x) == scores
    assert categories(panel) == before
    assert f"shown: {status}" in panel.figure.layout.title.subtitle.text


def test_a_status_without_strategies_is_reported(panel):
    absent = next(status for status, count in panel.document["summary"]["status"].items() if not count)
    panel.status.value = absent
    assert list(panel.marks.x) == []
    assert f"No strategy has the status {absent} in 2026-10." in panel.status_line.value


def test_a_selected_month_is_requested(panel, stub):
    """A new month is offered, and the selection stays."""
    assert list(panel.month.options) == ["last month", *sorted(panel.document["links"]["months"], reverse=True)]
    panel.month.value = "2026-09"
    panel.refresh()
    assert panel.document["snapshot_month"] == "2026-09"
    assert ("hospital", "2026-09") in stub.calls
    expected = stub.client.hospital("2026-09")["strategies"]
    assert list(panel.marks.x) == [strategy["health_score"] for strategy in expected]
    panel.month.value = "2026-09"

    def later(document):
        document["links"]["months"].append("2026-11")
        return document

    stub.changes["hospital"] = later
    panel.refresh()
    assert list(panel.month.options)[1] == "2026-11"
    assert panel.month.value == "2026-09"


def test_the_last_month_becomes_stale_a_past_month_never(panel, stub):
    stub.changes["hospital"] = lambda document: {**document, "stale_after": "2026-11-02T00:00:00Z"}
    panel.refresh()
    assert "STALE" in panel.status_line.value
    panel.month.value = "2026-09"
    panel.refresh()
    assert "STALE" not in panel.status_line.value
    assert "as of 2026-10-01" in panel.status_line.value


def test_a_month_without_strategies_names_the_next_one(panel, stub):
    """An unknown month is reported with the known ones."""
    summary = {"status": {}, "recommendation": {}, "effective_strategies": 0.0, "caveat": ""}
    stub.changes["hospital"] = lambda document: {**document, "strategies": [], "summary": summary}
    panel.refresh()
    assert "No strategy was examined in 2026-10. The next examination is at the end" in panel.status_line.value
    assert list(panel.marks.x) == []
    del stub.changes["hospital"]
    panel.refresh()
    panel.month.options = {**panel.month.options, "2020-01": "2020-01"}
    panel.month.value = "2020-01"
    panel.refresh()
    assert panel.fault is not None
    assert "2020-01" in panel.status_line.value
    assert "2026-10" in panel.status_line.value
    assert len(panel.marks.x) == len(STRATEGIES)


def test_strange_texts_of_the_document_are_escaped(panel, stub):
    """An unknown status and category stand out."""

    def strange(document):
        document["strategies"][0] |= {"status": "<quarantined>", "category": "<astrology>"}
        document["strategies"][0] |= {"name": "<img src=x>", "recommendation": "<i>buy"}
        document["summary"]["caveat"] = "<b>none"
        return document

    stub.changes["hospital"] = strange
    panel.refresh()
    assert panel.marks.marker.symbol[0] == UNKNOWN[0]
    assert panel.marks.marker.color[0] == PALETTES["light"].alarm
    assert unbroken(f"{UNKNOWN[1]} &lt;quarantined&gt; 1") in panel.figure.layout.annotations[0].text
    assert "&lt;astrology&gt;" in categories(panel)
    panel.pick(panel.document["strategies"][0]["key"])
    title = panel.figure.layout.title
    for text in (*panel.marks.customdata[0], title.text, title.subtitle.text.replace("<br>", "")):
        assert "<" not in text
    assert "<img" not in panel.detail.value
    assert "&lt;img src=x&gt;" in panel.detail.value


def test_a_click_shows_the_facts_of_the_drawn_strategy(panel):
    """Beside the marks it shows nothing."""
    click(panel.marks)
    assert panel.detail.value == ""
    panel.status.value = "critical"
    click(panel.marks, 2)
    expected = [strategy for strategy in panel.document["strategies"] if strategy["status"] == "critical"][2]
    assert panel.selection == expected["key"]
    assert expected["name"] in panel.detail.value
    assert expected["recommendation"] in panel.detail.value


def test_a_line_leads_from_the_score_of_the_month_before(panel):
    """Whoever was not examined then has a line without length."""
    strategies = panel.document["strategies"]
    scores, before = list(panel.changes.x[1::3]), list(panel.changes.x[0::3])
    assert scores == [strategy["health_score"] for strategy in strategies]
    expected = [strategy["metrics"]["previous_score"] for strategy in strategies]
    assert before == [score if last is None else last for last, score in zip(expected, scores, strict=True)]
    assert list(panel.changes.y[1::3]) == list(panel.marks.y)


def test_the_least_drawdown_is_the_best(panel):
    """The worst, the median and the best stand beside it; a month of an earlier version lacks new parts."""
    rows = panel.document["strategies"]
    panel.pick(rows[5]["key"])
    drawdowns = [row["metrics"]["max_drawdown_pct"] for row in rows]
    numbers = (drawdowns[5], max(drawdowns), median(drawdowns), min(drawdowns))
    cells = "".join(f'<td class="number">{value:.2f}</td>' for value in numbers)
    assert f"<td>maximum drawdown, %</td>{cells}" in panel.detail.value
    parts = {name for name in rows[0]["metrics"] if name.endswith("_score") and name != "previous_score"}
    earlier = [{**row, "metrics": {k: v for k, v in row["metrics"].items() if k not in parts}} for row in rows]
    document, key = {**panel.document, "strategies": earlier}, rows[0]["key"]
    assert frames.hospital(document)["turnover_score"].isna().all()
    assert "left of a year" not in facts(document, {}, key)
    assert "left of a year" in facts(panel.document, {}, key)


def test_the_facts_of_a_strategy_follow_the_month(panel):
    """They have the scores of all months that were viewed."""
    key = panel.document["strategies"][0]["key"]
    panel.pick(key)
    assert "2026-10 (paper)" in panel.detail.value
    panel.month.value = "2026-09"
    panel.refresh()
    assert "2026-09 (paper)" in panel.detail.value
    for month in ("2026-09", "2026-10"):
        (score,) = (row["health_score"] for row in panel.months[month]["strategies"] if row["key"] == key)
        assert month in panel.detail.value
        assert f"{score:,.2f}" in panel.detail.value
