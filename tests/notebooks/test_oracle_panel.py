"""The oracle panel: a question, the votes as they arrive, the consensus and who decided it."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from copy import deepcopy
from html import escape
from threading import Event
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from notebooks.widgets import OraclePanel
from notebooks.widgets.oracle_votes import UNKNOWN
from service.client import Client, ConnectionFailed
from service.market.instants import utc
from tests.houses import QUESTION, Residents

PATIENCE_S = 10
Events = list[dict[str, Any]]


class Asked:
    """The real client with a test in between: its stream may be changed, held before an event, or break off there."""

    def __init__(self, client: Client) -> None:
        self.client, self.timeout_s = client, client.timeout_s
        self.change: Callable[[Events], Events] = lambda events: events
        self.held_at: int | None = None
        self.fault_at: int | None = None
        self.held, self.go_on = Event(), Event()
        self.questions: list[str] = []
        self.left = False

    def ask_stream(self, question: str) -> Iterator[dict[str, Any]]:
        self.questions.append(question)
        try:
            for place, event in enumerate(self.change(deepcopy(list(self.client.ask_stream(question))))):
                if place == self.held_at:
                    self.held.set()
                    assert self.go_on.wait(PATIENCE_S)
                if place == self.fault_at:
                    raise ConnectionFailed("The connection broke.")
                yield event
        finally:
            self.left = True

    def usage(self) -> dict[str, Any]:
        return self.client.usage()


@pytest.fixture
def asked(client: Client) -> Asked:
    return Asked(client)


@pytest.fixture
def panel(asked: Asked, residents: Residents) -> Iterator[OraclePanel]:
    panel = OraclePanel(asked, now=lambda: utc(residents.wall))
    yield panel
    asked.go_on.set()
    panel.close()


@pytest.fixture
def answered(panel: OraclePanel) -> OraclePanel:
    panel.ask(QUESTION, wait=True)
    return panel


def marks(panel: OraclePanel) -> Any:
    return panel.figure.data[1]


def ringed(panel: OraclePanel) -> list[str]:
    return list(panel.figure.data[2].y)


def silent(panel: OraclePanel) -> Any:
    return panel.figure.data[3]


def beside(panel: OraclePanel) -> dict[str, str]:
    return {one.y: one.text for one in panel.figure.layout.annotations}


def votes(**probabilities: float) -> Callable[[Events], Events]:
    """Lets voters have said something else."""

    def change(events: Events) -> Events:
        for name, p in probabilities.items():
            vote = events[-1]["votes"][name]
            vote |= {"p_yes": p, "direction": "BULLISH" if p > 0.53 else "BEARISH" if p < 0.47 else "NEUTRAL"}
        return events

    return change


def consensus(**fields: Any) -> Callable[[Events], Events]:
    def change(events: Events) -> Events:
        events[-1]["consensus"] |= fields
        return events

    return change


def test_every_vote_is_drawn_as_the_answer_tells_it(answered):
    told = answered.document["votes"]
    assert len(told) == 9
    assert dict(zip(marks(answered).y, marks(answered).x, strict=True)) == pytest.approx(
        {voter: 100 * vote["p_yes"] for voter, vote in told.items()}
    )
    assert set(marks(answered).y) == set(beside(answered))
    for voter, vote in told.items():
        assert beside(answered)[voter].startswith(f"{100 * vote['p_yes']:.1f} % · weight {vote['weight']:.2f}")


def test_bars_begin_at_even_odds(answered):
    stems = answered.figure.data[0]
    assert set(stems.x[0::3]) == {50.0}
    assert list(stems.x[1::3]) == list(marks(answered).x)


def test_a_mark_is_as_large_as_its_vote_weighs(panel, asked):
    def heavier(events: Events) -> Events:
        events[-1]["votes"]["trend"]["weight"] = 4 * events[-1]["votes"]["news"]["weight"]
        return events

    asked.change = heavier
    panel.ask(QUESTION, wait=True)
    sizes = dict(zip(marks(panel).y, marks(panel).marker.size, strict=True))
    assert sizes["trend"] == pytest.approx(2 * sizes["news"])


def test_the_consensus_is_a_line_and_the_title(answered):
    told = answered.document
    assert answered.figure.layout.shapes[-1].x0 == pytest.approx(100 * told["p_yes"])
    title = answered.figure.layout.title
    assert title.text.startswith(f"YES {100 * told['p_yes']:.1f} %: ")
    assert title.text.endswith(f"worth {told['consensus']['effective_voters']} independent voters")
    assert "SIMULATED market" in title.subtitle.text
    assert "n 9 votes" in title.subtitle.text


def test_the_title_counts_who_leans_to_which_side(panel, asked):
    names = ("momentum", "reversion", "breadth", "regime", "trend", "news", "vol", "logit", "forest")
    asked.change = votes(**dict(zip(names, (0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.4, 0.4, 0.5), strict=True)))
    change = asked.change

    def bullish(events: Events) -> Events:
        events = change(events)
        events[-1]["p_yes"] = 0.62
        return consensus(direction="BULLISH")(events)

    asked.change = bullish
    panel.ask(QUESTION, wait=True)
    assert panel.figure.layout.title.text.startswith("YES 62.0 %: 6 of 9 lean to yes, worth ")


def test_votes_are_drawn_and_counted_as_they_arrive(panel, asked):
    """Held before the fifth event: the question and three votes have come."""
    asked.held_at = 4
    panel.ask(QUESTION)
    assert asked.held.wait(PATIENCE_S)
    assert panel.figure.layout.title.text == panel.counted.value == "3 of 9 have voted"
    assert (panel.progress.value, panel.progress.max) == (3, 9)
    assert len(marks(panel).x) == 3
    assert len(panel.figure.layout.shapes) == 1
    asked.go_on.set()
    panel._thread.join(PATIENCE_S)
    assert panel.counted.value == "9 of 9 have voted"
    assert len(marks(panel).x) == 9


def test_one_question_at_a_time(panel, asked):
    asked.held_at = 2
    panel.ask(QUESTION)
    assert asked.held.wait(PATIENCE_S)
    assert panel.button.disabled
    with pytest.raises(RuntimeError, match="One question at a time"):
        panel.ask("Another?")
    panel.button.click()
    asked.go_on.set()
    panel._thread.join(PATIENCE_S)
    assert asked.questions == [QUESTION]
    assert not panel.button.disabled


@pytest.mark.parametrize("way", ["button", "enter"])
def test_the_button_and_enter_ask_what_is_written(panel, asked, way):
    panel.question.value = QUESTION
    if way == "button":
        panel.button.click()
    else:
        panel.question._handle_custom_msg({"event": "submit"}, [])
    panel._thread.join(PATIENCE_S)
    assert asked.questions == [QUESTION]


def test_nothing_is_asked_before_a_question_is_written(panel, asked):
    assert panel.document is None
    assert "costs one of the key&#x27;s calls" in panel.state.value
    panel.button.click()
    assert "Write a question first." in panel.state.value
    assert asked.questions == []


def test_the_line_of_state_tells_the_world_the_cost_and_what_is_left(answered, asked):
    left = asked.usage()["quota"]["remaining"]
    assert "SIMULATED market · as of 2026-11-21 08:00 UTC · cost: one call" in answered.state.value
    assert f"{left:,} of the key&#x27;s calls left today" in answered.state.value


def test_an_answer_from_before_costs_nothing_and_models_are_paid_in_usd(panel, asked):
    def bought(events: Events) -> Events:
        events[-1]["cached"] = True
        events[-1]["votes"]["news"]["usd"] = 0.00125
        return events

    asked.change = bought
    panel.ask(QUESTION, wait=True)
    assert "cost: answered before, not counted, models were paid 0.001250 USD" in panel.state.value


def test_pivotal_voters_are_ringed_and_named(panel, asked):
    asked.change = consensus(pivotal=["news", "vol"])
    panel.ask(QUESTION, wait=True)
    assert sorted(ringed(panel)) == ["news", "vol"]
    assert "pivotal: news, vol" in panel.figure.layout.title.subtitle.text
    assert beside(panel)["vol"].endswith("· pivotal")
    panel.pick("vol")
    assert "pivotal" in panel.detail.value


def test_who_the_service_calls_pivotal_is_who_is_ringed(answered):
    assert ringed(answered) == list(answered.document["consensus"]["pivotal"])


def test_who_abstained_is_a_hollow_mark_with_the_reason(panel, asked):
    def without_forest(events: Events) -> Events:
        del events[-1]["votes"]["forest"]
        events[-1]["abstained"] = {"forest": "needs <90> days"}
        others = [event for event in events[1:-1] if event["voter"] != "forest"]
        silent = {"event": "abstention", "voter": "forest", "reason": "needs <90> days"}
        return [events[0], *others, silent, events[-1]]

    asked.change = without_forest
    panel.ask(QUESTION, wait=True)
    assert list(silent(panel).y) == ["forest"]
    assert silent(panel).marker.symbol == "circle-open"
    assert beside(panel)["forest"] == "abstained: needs &lt;90&gt; days"
    assert panel.counted.value == "8 of 9 have voted, 1 abstained"
    panel.pick("forest")
    assert "needs &lt;90&gt; days" in panel.detail.value


def test_a_direction_that_is_not_known_stands_out_under_its_own_name(panel, asked):
    def strange(events: Events) -> Events:
        events[-1]["votes"]["vol"]["direction"] = "<SIDEWAYS>"
        return events

    asked.change = strange
    panel.ask(QUESTION, wait=True)
    place = list(marks(panel).y).index("vol")
    assert marks(panel).marker.symbol[place] == UNKNOWN[1]
    assert beside(panel)["vol"].endswith("· &lt;SIDEWAYS&gt;")


def test_a_question_without_a_criterion_counts_up(panel):
    panel.ask("What do you think of bitcoin?", wait=True)
    told = panel.document
    assert told["p_yes"] is None
    assert panel.figure.layout.title.text.startswith(f"UP {told['consensus']['bull_probability']:.1f} %: ")
    for voter, x in zip(marks(panel).y, marks(panel).x, strict=True):
        assert 2 * abs(x - 50) == pytest.approx(told["votes"][voter]["conviction"] if x != 50 else 0)


def test_a_click_tells_what_the_voter_said(answered):
    vote = answered.document["votes"]["momentum"]
    (callback,) = marks(answered)._click_callbacks
    place = list(marks(answered).y).index("momentum")
    callback(marks(answered), SimpleNamespace(point_inds=[place], ys=["momentum"]), None)
    for told in (vote["reasoning"], vote["engine"], f"{vote['weight']:.2f}", f"{100 * vote['p_yes']:.2f} %"):
        assert f">{escape(told)}</td>" in answered.detail.value


def test_words_from_outside_are_no_html(panel, asked):
    def evil(events: Events) -> Events:
        events[0]["understood"]["canonical"] = events[-1]["understood"]["canonical"] = "<i>Will it?</i>"
        events[-1]["votes"]["vol"]["reasoning"] = "<script>1</script>"
        return events

    asked.change = evil
    panel.ask(QUESTION, wait=True)
    panel.pick("vol")
    assert "&lt;i&gt;Will it?" in panel.figure.layout.title.subtitle.text
    assert "<script" not in panel.detail.value


@pytest.mark.parametrize("fault_at", [0, 4], ids=["at once", "after three votes"])
def test_a_failure_keeps_the_last_answer_and_says_why(answered, asked, fault_at):
    before, title = list(marks(answered).x), answered.figure.layout.title.text
    asked.fault_at = fault_at
    answered.ask("Will ether rise this week?", wait=True)
    assert "The connection broke." in answered.state.value
    assert "Below is the last answer." in answered.state.value
    assert list(marks(answered).x) == before
    assert answered.figure.layout.title.text == title
    assert not answered.button.disabled
    asked.fault_at = None
    answered.ask(QUESTION, wait=True)
    assert "The connection broke." not in answered.state.value
    assert answered.fault is None


def test_a_first_question_that_breaks_off_leaves_no_half_answer(panel, asked):
    asked.fault_at = 4
    panel.ask(QUESTION, wait=True)
    assert panel.document is None
    assert list(marks(panel).x) == []
    assert panel.figure.layout.title.text is None
    assert "Nothing to show yet: The connection broke." in panel.state.value


def test_what_the_service_refuses_is_said_in_its_words(panel):
    panel.ask("What is the best recipe for soup?", wait=True)
    assert panel.fault is not None
    assert "Nothing to show yet: " in panel.state.value


def test_without_a_key_it_says_how_to_get_one(client, residents):
    with Client("http://ninefold", transport=client._http._transport) as stranger:
        panel = OraclePanel(stranger, now=lambda: utc(residents.wall))
        panel.ask(QUESTION, wait=True)
        panel.close()
    assert "POST /api/v1/register gives you one." in panel.state.value
    assert "Set ORACLE_KEY" in panel.state.value


def test_closing_with_an_open_question_leaves_the_stream_and_ends_the_thread(panel, asked):
    asked.held_at, asked.go_on = 3, panel._closing
    panel.ask(QUESTION)
    assert asked.held.wait(PATIENCE_S)
    panel.close()
    assert asked.left
    assert not panel.asking
    assert len(marks(panel).x) == 2


def test_the_table_and_the_page_hold_the_answer(answered):
    table = pd.read_csv(io.StringIO(answered.table().content), index_col="voter")
    assert table["p_yes"].to_dict() == {voter: vote["p_yes"] for voter, vote in answered.document["votes"].items()}
    page = answered.page()
    assert page.name == "ninefold-oracle.html"
    assert "independent voters" in page.content


def test_before_an_answer_there_is_nothing_to_take_away(panel):
    assert panel.table() is None
    assert panel.page() is None


def test_a_new_theme_colours_the_answer_anew(answered):
    before = list(marks(answered).marker.color)
    answered.theme.value = "dark"
    assert list(marks(answered).marker.color) != before
    assert marks(answered).marker.color[0] in (answered.look.quiet, *answered.look.colours)
