"""A question, from the first message to the votes behind its answer."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from tests.bot_e2e.chats import RESET, Person, Telegram
from tests.models import waits_for
from tests.sources.llm.model_server import ModelServer, answers, vote_text

pytestmark = pytest.mark.slow

QUESTION = "Will Bitcoin be above $60k at the end of the month?"
TURNOUT = "of 9 voted"


@pytest.fixture
def slow_model(model: ModelServer) -> Iterator[threading.Event]:
    """The model does not answer before the event is set."""
    release = threading.Event()
    model.behaviours = [waits_for(release, vote_text(reasoning="Momentum <b>is</b> up & away."))]
    yield release
    release.set()


def test_start_states_that_nothing_trades(person: Person):
    person.says("/start")
    assert "Nothing here trades, and nothing is investment advice." in person.reads("say how likely something is").text


def test_the_waiting_message_becomes_the_answer(person: Person, slow_model: threading.Event):
    """One message counts the votes after a second, then shows the answer with a button for them."""
    person.says(f"/ask {QUESTION}")
    message = person.reads("8 of 9 have voted.")
    slow_model.set()
    answer = person.reads(TURNOUT)
    assert answer.id == message.id
    assert "9 of 10 questions left today" in answer.text
    assert "Not investment advice." in answer.text
    person.presses("Show votes")
    assert person.is_answered() == ""
    assert "momentum" in person.reads("Votes").text


def test_markup_in_words_is_shown_as_text(person: Person, slow_model: threading.Event):
    """A question is shown as typed; from a model's reasoning the service removes the tags."""
    slow_model.set()
    person.says("Will Bitcoin be <b>above</b> $61k & more at the end of the month?")
    person.reads(TURNOUT)
    person.presses("Show votes")
    person.reads("Will Bitcoin be <b>above</b> $61k & more at the end of the month?")
    person.reads("Momentum is up & away.")


def test_a_question_does_not_delay_other_people(person: Person, another_person: Person, slow_model: threading.Event):
    """While a question is open, another person is answered at once; a second question of the same person is refused."""
    person.says(QUESTION.replace("60", "62"))
    person.reads("8 of 9 have voted.")
    another_person.says("/help")
    another_person.reads("/lanes")
    person.says(QUESTION)
    person.reads("One question at a time.")
    slow_model.set()
    person.reads(TURNOUT)


@pytest.mark.parametrize("status", [429, 500, 502, RESET])
def test_a_failed_edit_loses_no_answer(person: Person, telegram: Telegram, slow_model: threading.Event, status: int):
    """The last edit of the waiting message fails; the answer is shown, once."""
    person.says(QUESTION.replace("60", str(status or 64)))
    person.reads("8 of 9 have voted.")
    telegram.fails("editMessageText", status, person.id)
    slow_model.set()
    person.reads(TURNOUT)
    assert sum(TURNOUT in message.text for message in person.messages) == 1


def test_every_person_has_ten_questions_a_day(person: Person, another_person: Person, model: ModelServer):
    model.behaviours = [answers(vote_text())]
    for count in range(10):
        person.says(f"Will Bitcoin be above ${70 + count}k at the end of the month?")
        person.reads(f"{9 - count} of 10 questions left today")
    person.says(QUESTION)
    person.reads("You have used today's 10 questions. You can ask again after 00:00 UTC.")
    person.says("/quota")
    person.reads("You have used today's 10 questions.")
    another_person.says("/quota")
    another_person.reads("10 of 10 questions left today")
