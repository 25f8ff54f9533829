"""The oracle panel: a question, the votes as they arrive, the consensus and the pivotal voters."""

from __future__ import annotations

import io
from html import escape
from typing import Any

import pandas as pd
import pytest

from notebooks.widgets import OraclePanel
from notebooks.widgets.base.probability_rows import UNKNOWN
from service.client import Client
from service.market.instants import utc
from tests.notebooks.conftest import click
from tests.notebooks.widgets.oracle.conftest import PATIENCE_S, Events, consensus, votes
from tests.running_service import QUESTION


@pytest.fixture
def panel(oracle_panel: OraclePanel) -> OraclePanel:
    return oracle_panel


def marks(panel: OraclePanel) -> Any:
    return panel.figure.data[1]


def labels(panel: OraclePanel) -> dict[str, str]:
    """The labels of the rows by voter."""
    return {annotation.y: annotation.text for annotation in panel.figure.layout.annotations}


def test_votes_are_drawn_and_counted_as_they_arrive(panel, stream):
    """Held before the fifth event, after the question and three votes."""
    stream.held_at = 4
    panel.ask(QUESTION)
    assert stream.held.wait(PATIENCE_S)
    assert panel.figure.layout.title.text == panel.count_label.value == "3 of 9 have voted"
    assert (panel.progress.value, panel.progress.max) == (3, 9)
    assert len(marks(panel).x) == 3
    assert len(panel.figure.layout.shapes) == 1
    stream.go_on.set()
    panel._thread.join(PATIENCE_S)
    assert panel.count_label.value == "9 of 9 have voted"
    assert len(marks(panel).x) == 9


def test_a_second_question_has_to_wait(panel, stream):
    stream.held_at = 2
    panel.ask(QUESTION)
    assert stream.held.wait(PATIENCE_S)
    assert panel.button.disabled
    with pytest.raises(RuntimeError, match="One question at a time"):
        panel.ask("Another?")
    panel.button.click()
    stream.go_on.set()
    panel._thread.join(PATIENCE_S)
    assert stream.questions == [QUESTION]
    assert not panel.button.disabled


@pytest.mark.parametrize("way", ["button", "enter"])
def test_the_button_and_enter_ask_the_question(panel, stream, way):
    panel.question.value = QUESTION
    if way == "button":
        panel.button.click()
    else:
        panel.question._handle_custom_msg({"event": "submit"}, [])
    panel._thread.join(PATIENCE_S)
    assert stream.questions == [QUESTION]


def test_without_a_question_nothing_is_asked(panel, stream):
    assert panel.document is None
    assert "uses one of the key&#x27;s daily calls" in panel.status_line.value
    panel.button.click()
    assert "Write a question first." in panel.status_line.value
    assert stream.questions == []


def test_the_status_line_has_world_cost_and_quota(answered, stream):
    left = stream.usage()["quota"]["remaining"]
    assert "SIMULATED market · as of 2026-11-21 08:00 UTC · cost: one call" in answered.status_line.value
    assert f"{left:,} of the key&#x27;s daily calls left" in answered.status_line.value


def test_the_status_line_has_the_cost_of_models(panel, stream):
    """A cached answer uses no call."""

    def bought(events: Events) -> Events:
        events[-1]["cached"] = True
        events[-1]["votes"]["news"]["usd"] = 0.00125
        return events

    stream.change = bought
    panel.ask(QUESTION, wait=True)
    assert "cost: none, the answer was cached, 0.001250 USD for language models" in panel.status_line.value


def test_a_click_shows_the_vote(answered):
    vote = answered.document["votes"]["momentum"]
    click(marks(answered), list(marks(answered).y).index("momentum"))
    for text in (vote["reasoning"], vote["engine"], f"{vote['weight']:.2f}", f"{100 * vote['p_yes']:.1f}%"):
        assert f">{escape(text)}</td>" in answered.detail.value


@pytest.mark.parametrize("fault_at", [0, 4], ids=["at once", "after three votes"])
def test_an_error_keeps_the_last_answer(answered, stream, fault_at):
    before, title = list(marks(answered).x), answered.figure.layout.title.text
    stream.fault_at = fault_at
    answered.ask("Will ether rise this week?", wait=True)
    assert "The connection broke." in answered.status_line.value
    assert "The last answer is shown below." in answered.status_line.value
    assert list(marks(answered).x) == before
    assert answered.figure.layout.title.text == title
    assert not answered.button.disabled
    stream.fault_at = None
    answered.ask(QUESTION, wait=True)
    assert "The connection broke." not in answered.status_line.value
    assert answered.fault is None


def test_a_first_answer_that_breaks_off_is_removed(panel, stream):
    stream.fault_at = 4
    panel.ask(QUESTION, wait=True)
    assert panel.document is None
    assert list(marks(panel).x) == []
    assert panel.figure.layout.title.text is None
    assert not panel.figure.layout.xaxis.visible
    assert "Not answered: The connection broke." in panel.status_line.value


def test_a_refused_question_is_reported(panel):
    """With the questions that the service suggests instead."""
    panel.ask("What is the best recipe for soup?", wait=True)
    assert panel.fault is not None
    assert "Not answered: " in panel.status_line.value
    assert "You can ask: Will Bitcoin trade at or above" in panel.status_line.value


def test_the_other_readings_are_shown_as_text(panel):
    panel.ask("Will Bitcoin be above 90000 USD by the end of this month?", wait=True)
    assert "it can also be read as: Will Bitcoin trade at or above 90,000 USD" in panel.status_line.value


def test_without_a_key_it_says_how_to_get_and_set_one(client, running):
    with Client("http://ninefold", transport=client._http._transport) as stranger:
        panel = OraclePanel(stranger, now=lambda: utc(running.wall))
        panel.ask(QUESTION, wait=True)
        panel.close()
    assert "POST /api/v1/register" in panel.status_line.value
    assert "Set ORACLE_KEY" in panel.status_line.value


def test_closing_leaves_the_stream_and_ends_the_thread(panel, stream):
    stream.held_at, stream.go_on = 3, panel._end
    panel.ask(QUESTION)
    assert stream.held.wait(PATIENCE_S)
    panel.close()
    assert stream.is_closed
    assert not panel.is_busy
    assert len(marks(panel).x) == 2


def test_the_downloads_have_the_answer(answered):
    table = pd.read_csv(io.StringIO(answered.table().content), index_col="voter")
    assert table["p_yes"].to_dict() == {voter: vote["p_yes"] for voter, vote in answered.document["votes"].items()}
    page = answered.page()
    assert page.name == "ninefold-oracle.html"
    assert "above 50%" in page.content


NINE = ("momentum", "reversion", "breadth", "regime", "trend", "news", "vol", "garch", "sv")


def ringed(panel: OraclePanel) -> list[str]:
    return list(panel.figure.data[2].y)


def abstentions(panel: OraclePanel) -> Any:
    return panel.figure.data[3]


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
    assert panel.count_label.value == "8 of 9 have voted, 1 abstained"
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
