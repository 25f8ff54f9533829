"""The hospital panel: how healthy each strategy was at the end of a month, and what should become of it."""

from __future__ import annotations

import io
from collections import Counter
from statistics import median
from types import SimpleNamespace

import pandas as pd
import pytest

from notebooks.widgets import HospitalPanel
from notebooks.widgets.hospital import STATUSES, UNKNOWN
from notebooks.widgets.theme import LOOKS
from service.client import ConnectionFailed


@pytest.fixture
def panel(shown, between) -> HospitalPanel:
    return shown(HospitalPanel, between)


def marks(panel: HospitalPanel):
    return panel.figure.data[2]


def rows(panel: HospitalPanel) -> list[str]:
    """The categories from the top down."""
    return [label.split(" · ")[0] for label in panel.figure.layout.yaxis2.ticktext]


def test_every_strategy_is_a_mark_at_its_score_in_the_row_of_its_category(panel):
    told = panel.document["strategies"]
    assert len(told) == 54
    assert list(marks(panel).x) == [one["health_score"] for one in told]
    assert [rows(panel)[round(y)] for y in marks(panel).y] == [one["category"] for one in told]
    assert [text[0] for text in marks(panel).customdata] == [one["name"] for one in told]


def test_a_browser_is_given_what_is_drawn(panel):
    assert list(panel.figure._widget_data[2]["x"]) == list(marks(panel).x)


def test_colour_and_shape_tell_the_status(panel):
    told = [one["status"] for one in panel.document["strategies"]]
    assert list(marks(panel).marker.symbol) == [STATUSES[status][1] for status in told]
    assert list(marks(panel).marker.color) == [LOOKS["light"].colour(STATUSES[status][0]) for status in told]


def test_the_healthiest_category_is_on_top_and_a_tick_is_at_each_median(panel):
    scores = {}
    for one in panel.document["strategies"]:
        scores.setdefault(one["category"], []).append(one["health_score"])
    assert list(panel.figure.data[1].x) == sorted(map(median, scores.values()), reverse=True)
    assert list(panel.figure.data[1].x) == [median(scores[category]) for category in rows(panel)]


def test_the_bar_on_top_counts_them_by_status(panel):
    bar = panel.figure.data[0]
    told = panel.document["summary"]["status"]
    assert dict(zip(bar.customdata, bar.x, strict=True)) == {status: n for status, n in told.items() if n}
    assert all(f"{status} {n}" in panel.figure.layout.annotations[0].text for status, n in told.items() if n)


def test_the_title_is_the_verdict_and_says_month_number_and_that_it_is_paper(panel):
    summary, title = panel.document["summary"], panel.figure.layout.title
    assert title.text.startswith(
        f"{summary['status']['critical']} of 54 critical, {summary['status']['healthy']} healthy"
    )
    for what, count in summary["recommendation"].items():
        assert (f"{what} {count}" in title.text) == (count > 0 and what != "keep")
    for word in ("PAPER · SIMULATED market", "month 2026-10", "n = 54", "independent", summary["caveat"]):
        assert word in title.subtitle.text


def test_marks_lie_where_they_lay_when_the_same_month_is_drawn_again(panel, shown, between):
    assert list(shown(HospitalPanel, between)._marks.y) == list(marks(panel).y)


@pytest.mark.parametrize("status", ["healthy", "critical"])
def test_one_status_alone_can_be_seen_and_the_rows_stay(panel, status):
    before = rows(panel)
    panel.status.value = status
    told = [one["health_score"] for one in panel.document["strategies"] if one["status"] == status]
    assert list(marks(panel).x) == told
    assert rows(panel) == before
    assert f"shown: {status}" in panel.figure.layout.title.subtitle.text


def test_a_status_that_nobody_has_is_said(panel):
    absent = next(status for status, count in panel.document["summary"]["status"].items() if not count)
    panel.status.value = absent
    assert list(marks(panel).x) == []
    assert f"no strategy was of the status {absent}" in panel.state.value


def test_the_months_are_offered_newest_first_and_one_that_is_chosen_is_fetched(panel, between):
    months = list(panel.month.options)
    assert months[0] == "last month"
    assert months[1:] == sorted(panel.document["links"]["months"], reverse=True)
    panel.month.value = "2026-09"
    panel.look_again()
    assert panel.document["snapshot_month"] == "2026-09"
    assert ("hospital", "2026-09") in between.asked
    assert list(marks(panel).x) == [one["health_score"] for one in between.client.hospital("2026-09")["strategies"]]


def test_looking_at_an_older_month_takes_no_month_out_of_the_choice(panel):
    """The document of a month lists the months up to it."""
    offered = dict(panel.month.options)
    panel.month.value = "2026-09"
    panel.look_again()
    assert panel.month.options == offered
    assert panel.month.value == "2026-09"


def test_a_month_that_closed_meanwhile_is_offered_and_the_choice_stays(panel, between):
    panel.month.value = "2026-09"

    def later(document):
        document["links"]["months"].append("2026-11")
        return document

    between.changes["hospital"] = later
    panel.look_again()
    assert list(panel.month.options)[1] == "2026-11"
    assert panel.month.value == "2026-09"


def test_the_last_month_is_stale_when_no_newer_came_and_a_past_month_never(panel, between):
    def old(document):
        return {**document, "stale_after": "2026-11-02T00:00:00Z"}

    between.changes["hospital"] = old
    panel.look_again()
    assert "STALE" in panel.state.value
    panel.month.value = "2026-09"
    panel.look_again()
    assert "STALE" not in panel.state.value
    assert "as of 2026-10-01" in panel.state.value


def test_a_new_document_moves_the_same_marks(panel, between):
    before = panel.figure.data

    def healed(document):
        document["strategies"][-1]["health_score"] = 99.5
        return document

    between.changes["hospital"] = healed
    panel.look_again()
    assert panel.figure.data == before
    assert marks(panel).x[-1] == 99.5


def test_an_error_keeps_the_last_good_chart(panel, between):
    drawn = list(marks(panel).x)
    between.fault = ConnectionFailed("No connection.")
    panel.look_again()
    assert list(marks(panel).x) == drawn
    assert "No new data since 2026-11-01 00:00 UTC" in panel.state.value
    between.fault = None
    panel.look_again()
    assert "No new data" not in panel.state.value


def test_a_month_that_is_not_there_is_said_with_those_that_are(panel):
    panel.month.options = {**panel.month.options, "2020-01": "2020-01"}
    panel.month.value = "2020-01"
    panel.look_again()
    assert "There is no snapshot of 2020-01; there are those of " in panel.state.value
    assert len(marks(panel).x) == 54


def test_a_month_without_strategies_says_when_there_will_be_some(panel, between):
    empty = {"status": {}, "recommendation": {}, "effective_strategies": 0.0, "caveat": ""}
    between.changes["hospital"] = lambda document: {**document, "strategies": [], "summary": empty}
    panel.look_again()
    assert "No strategy was examined in 2026-10. The next month is when it has closed." in panel.state.value
    assert list(marks(panel).x) == []


def test_a_status_and_a_category_that_are_not_known_stand_out_under_their_own_names(panel, between):
    def strange(document):
        document["strategies"][0] |= {"status": "<quarantined>", "category": "<astrology>"}
        return document

    between.changes["hospital"] = strange
    panel.look_again()
    assert marks(panel).marker.symbol[0] == UNKNOWN[0]
    assert marks(panel).marker.color[0] == LOOKS["light"].alarm
    assert f"{UNKNOWN[1]} &lt;quarantined&gt; 1" in panel.figure.layout.annotations[0].text
    assert "&lt;astrology&gt;" in rows(panel)


def test_words_from_outside_are_no_html(panel, between):
    def evil(document):
        document["strategies"][0] |= {"name": "<img src=x>", "recommendation": "<i>buy"}
        document["summary"]["caveat"] = "<b>none"
        return document

    between.changes["hospital"] = evil
    panel.look_again()
    panel.pick(panel.document["strategies"][0]["key"])
    title = panel.figure.layout.title
    for text in (
        *marks(panel).customdata[0],
        title.text,
        title.subtitle.text.replace("<br>", ""),
    ):
        assert "<" not in text
    assert "<img" not in panel.detail.value
    assert "&lt;img src=x&gt;" in panel.detail.value


def test_a_click_tells_of_the_strategy_that_is_drawn_there(panel):
    panel.status.value = "critical"
    panel._clicked(None, SimpleNamespace(point_inds=[2]), None)
    told = [one for one in panel.document["strategies"] if one["status"] == "critical"][2]
    assert panel.picked == told["key"]
    assert told["name"] in panel.detail.value
    assert told["recommendation"] in panel.detail.value


def test_a_click_beside_the_marks_tells_nothing(panel):
    panel._clicked(None, SimpleNamespace(point_inds=[]), None)
    assert panel.detail.value == ""


def test_the_measures_of_a_strategy_stand_beside_the_worst_the_median_and_the_best(panel):
    """A deep fall is bad, so the least is the best of that."""
    one = panel.document["strategies"][5]
    panel.pick(one["key"])
    falls = [other["metrics"]["max_drawdown_pct"] for other in panel.document["strategies"]]
    told = (one["metrics"]["max_drawdown_pct"], max(falls), median(falls), min(falls))
    cells = "".join(f'<td class="number">{value:.2f}</td>' for value in told)
    assert f"<td>deepest fall, %</td>{cells}" in panel.detail.value


def test_the_scores_of_the_months_looked_at_are_told(panel):
    panel.month.value = "2026-09"
    panel.look_again()
    key = panel.document["strategies"][0]["key"]
    panel.pick(key)
    for month in ("2026-09", "2026-10"):
        score = next(one["health_score"] for one in panel.months[month]["strategies"] if one["key"] == key)
        assert month in panel.detail.value
        assert f"{score:,.2f}" in panel.detail.value


def test_what_is_told_of_a_strategy_follows_the_month(panel):
    panel.pick(panel.document["strategies"][0]["key"])
    assert "2026-10 (paper)" in panel.detail.value
    panel.month.value = "2026-09"
    panel.look_again()
    assert "2026-09 (paper)" in panel.detail.value


def test_the_table_holds_the_numbers_of_the_response(panel):
    table = pd.read_csv(io.StringIO(panel.table().content), index_col="key")
    told = panel.document["strategies"]
    assert list(table["health_score"]) == [one["health_score"] for one in told]
    assert Counter(table["status"]) == Counter(one["status"] for one in told)


def test_the_page_of_its_own_shows_the_same_chart(panel):
    assert panel.figure.layout.title.text in panel.page().content


def test_it_can_be_dark(panel):
    panel.theme.value = "dark"
    assert set(marks(panel).marker.color) <= set(LOOKS["dark"].colours)
    assert panel.figure.data[1].marker.color == LOOKS["dark"].ink


def test_closing_ends_the_thread(panel):
    panel.close()
    assert not panel._thread.is_alive()
