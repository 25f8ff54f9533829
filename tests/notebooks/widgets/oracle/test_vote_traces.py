"""The chart of a question: a row per voter, the consensus as a line, the pivotal voters ringed."""

from __future__ import annotations

from typing import Any

import pytest

from notebooks.widgets import OraclePanel
from notebooks.widgets.base.probability_rows import UNKNOWN
from tests.notebooks.widgets.clicks import click
from tests.notebooks.widgets.oracle.streaming_client import Events, consensus, votes
from tests.running_service import QUESTION

NINE = ("momentum", "reversion", "breadth", "regime", "trend", "news", "vol", "garch", "sv")


@pytest.fixture
def panel(oracle_panel: OraclePanel) -> OraclePanel:
    return oracle_panel


def marks(panel: OraclePanel) -> Any:
    return panel.figure.data[1]


def ringed(panel: OraclePanel) -> list[str]:
    return list(panel.figure.data[2].y)


def abstentions(panel: OraclePanel) -> Any:
    return panel.figure.data[3]


def labels(panel: OraclePanel) -> dict[str, str]:
    """The labels of the rows by voter."""
    return {annotation.y: annotation.text for annotation in panel.figure.layout.annotations}


def test_every_vote_is_drawn_as_in_the_answer(answered):
    expected = answered.document["votes"]
    assert len(expected) == 9
    assert dict(zip(marks(answered).y, marks(answered).x, strict=True)) == pytest.approx(
        {voter: 100 * vote["p_yes"] for voter, vote in expected.items()}
    )
    assert set(marks(answered).y) == set(labels(answered))
    for voter, vote in expected.items():
        assert labels(answered)[voter].startswith(f"{100 * vote['p_yes']:.1f}% · weight {vote['weight']:.2f}")


def test_bars_start_at_even_odds(answered):
    stems = answered.figure.data[0]
    assert set(stems.x[0::3]) == {50.0}
    assert list(stems.x[1::3]) == list(marks(answered).x)


def test_the_area_of_a_mark_is_its_weight(panel, stream):
    def heavier(events: Events) -> Events:
        events[-1]["votes"]["trend"]["weight"] = 4 * events[-1]["votes"]["news"]["weight"]
        return events

    stream.change = heavier
    panel.ask(QUESTION, wait=True)
    sizes = dict(zip(marks(panel).y, marks(panel).marker.size, strict=True))
    assert sizes["trend"] == pytest.approx(2 * sizes["news"])


def test_the_consensus_is_a_line_and_the_title(answered):
    answer = answered.document
    assert answered.figure.layout.shapes[-1].x0 == pytest.approx(100 * answer["p_yes"])
    title = answered.figure.layout.title
    assert title.text.startswith(f"{answer['answer']} · ")
    assert title.text.endswith("a rise and a fall of the price are equally likely")
    assert "SIMULATED market" in title.subtitle.text
    assert "n 9 votes" in title.subtitle.text


@pytest.mark.parametrize("comparator", ["close_above", "topic", "relative"])
def test_an_unlikely_event_has_no_colour_of_a_side(panel, stream, comparator):
    """Every vote is far below 50%, and none of them is a view of a price; without one, the direction is the answer."""

    def unlikely(events: Events) -> Events:
        events = votes(**dict.fromkeys(NINE, 0.03))(events)
        for event in (events[0], events[-1]):
            event["understood"]["comparator"] = comparator
        for vote in events[-1]["votes"].values():
            vote["direction"] = "NEUTRAL" if comparator == "close_above" else "BEARISH"
        return events

    stream.change = unlikely
    panel.ask(QUESTION, wait=True)
    assert set(marks(panel).marker.symbol) == {"circle"}
    assert set(marks(panel).marker.color) == {panel.palette.quiet}


def test_the_title_counts_the_votes_above_even(panel, stream):
    change = votes(**dict(zip(NINE, (0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.4, 0.4, 0.5), strict=True)))

    def likely(events: Events) -> Events:
        events = change(events)
        events[-1] |= {"p_yes": 0.62, "answer": "About as likely as not: 62%"}
        return consensus(direction="BULLISH", bull_probability=58.0)(events)

    stream.change = likely
    panel.ask(QUESTION, wait=True)
    title = panel.figure.layout.title.text
    assert title == "About as likely as not: 62% · 6 of 9 votes above 50% · bullish on the price, P(higher) 58.0%"


def test_pivotal_voters_are_ringed_and_named(panel, stream):
    stream.change = consensus(pivotal=["news", "vol"])
    panel.ask(QUESTION, wait=True)
    assert sorted(ringed(panel)) == ["news", "vol"]
    assert "pivotal: news, vol" in panel.figure.layout.title.subtitle.text
    assert labels(panel)["vol"].endswith("· pivotal")
    panel.pick("vol")
    assert "pivotal" in panel.detail.value


def test_the_ringed_voters_are_those_of_the_answer(answered):
    assert ringed(answered) == list(answered.document["consensus"]["pivotal"])


def test_an_abstention_is_a_hollow_mark_with_its_reason(panel, stream):
    def without_sv(events: Events) -> Events:
        del events[-1]["votes"]["sv"]
        events[-1]["abstained"] = {"sv": "needs <90> days"}
        others = [event for event in events[1:-1] if event["voter"] != "sv"]
        abstention = {"event": "abstention", "voter": "sv", "reason": "needs <90> days"}
        return [events[0], *others, abstention, events[-1]]

    stream.change = without_sv
    panel.ask(QUESTION, wait=True)
    assert list(abstentions(panel).y) == ["sv"]
    assert abstentions(panel).marker.symbol == "circle-open"
    assert labels(panel)["sv"] == "abstained: needs &lt;90&gt; days"
    assert panel.counted.value == "8 of 9 have voted, 1 abstained"
    click(abstentions(panel), 0)
    assert "needs &lt;90&gt; days" in panel.detail.value


def test_an_unknown_direction_stands_out(panel, stream):
    def strange(events: Events) -> Events:
        events[-1]["votes"]["vol"]["direction"] = "<SIDEWAYS>"
        return events

    stream.change = strange
    panel.ask(QUESTION, wait=True)
    place = list(marks(panel).y).index("vol")
    assert marks(panel).marker.symbol[place] == UNKNOWN[1]
    assert labels(panel)["vol"].endswith("· &lt;SIDEWAYS&gt;")


def test_a_question_without_a_criterion_shows_up(panel):
    """A vote is then half its conviction away from 50%."""
    panel.ask("What do you think of bitcoin?", wait=True)
    answer = panel.document
    assert answer["p_yes"] is None
    assert panel.figure.layout.title.text.startswith(f"UP {answer['consensus']['bull_probability']:.1f}% · ")
    for voter, x in zip(marks(panel).y, marks(panel).x, strict=True):
        assert 2 * abs(x - 50) == pytest.approx(answer["votes"][voter]["conviction"] if x != 50 else 0)


def test_texts_of_the_answer_are_escaped(panel, stream):
    def evil(events: Events) -> Events:
        events[0]["understood"]["canonical"] = events[-1]["understood"]["canonical"] = "<i>Will it?</i>"
        events[-1]["votes"]["vol"]["reasoning"] = "<script>1</script>"
        return events

    stream.change = evil
    panel.ask(QUESTION, wait=True)
    panel.pick("vol")
    assert "&lt;i&gt;Will it?" in panel.figure.layout.title.subtitle.text
    assert "<script" not in panel.detail.value


def test_the_dark_theme_recolours_the_marks(answered):
    before = list(marks(answered).marker.color)
    answered.theme.value = "dark"
    assert list(marks(answered).marker.color) != before
    assert marks(answered).marker.color[0] in (answered.palette.quiet, *answered.palette.colours)
