"""The oracle panel: a question, the votes as they arrive, the consensus and the pivotal voters."""

from __future__ import annotations

import io
from html import escape
from typing import Any

import pandas as pd
import pytest

from notebooks.widgets import OraclePanel
from service.client import Client
from service.market.instants import utc
from tests.notebooks.widgets.clicks import click
from tests.notebooks.widgets.oracle.streaming_client import PATIENCE_S, Events
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
    assert panel.figure.layout.title.text == panel.counted.value == "3 of 9 have voted"
    assert (panel.progress.value, panel.progress.max) == (3, 9)
    assert len(marks(panel).x) == 3
    assert len(panel.figure.layout.shapes) == 1
    stream.go_on.set()
    panel._thread.join(PATIENCE_S)
    assert panel.counted.value == "9 of 9 have voted"
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
    stream.held_at, stream.go_on = 3, panel._closing
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


def test_before_an_answer_there_is_nothing_to_download(panel):
    assert panel.table() is None
    assert panel.page() is None
