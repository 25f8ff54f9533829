"""A question, from the first word to the votes behind its answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from tests.bot_e2e.chats import Person
from tests.models import waits_for
from tests.sources.llm.model_server import ModelServer, answers, said

QUESTION = "Will Bitcoin be above $60k by the end of the month?"
ANSWERED = "of 9 voted"
SOON_S = 0.2


@pytest.fixture
def slow_model(model: ModelServer) -> Iterator[threading.Event]:
    """The model says nothing before the event is set."""
    release = threading.Event()
    model.behaviours = [waits_for(release, said(reasoning="Momentum <b>is</b> up & away."))]
    yield release
    release.set()


def test_the_first_thing_a_person_reads_says_what_this_is(person: Person):
    person.says("/start")
    assert "Nothing here trades, and nothing is investment advice." in person.reads("relay questions").text


def test_a_question_counts_its_votes_and_becomes_the_answer(person: Person, slow_model: threading.Event):
    """One message says that it is asking, how many have voted, and last the answer, with the votes behind a button."""
    person.says(f"/ask {QUESTION}")
    waiting = person.reads("Asking 9 voters.")
    person.reads("7 of 8 have voted.")  # the forest abstains on a history of 60 days
    slow_model.set()
    answer = person.reads(ANSWERED)
    assert answer.id == waiting.id
    assert "9 of 10 questions left today" in answer.text
    assert "Not investment advice." in answer.text
    person.presses("Show votes")
    assert person.is_answered() == ""
    assert "momentum" in person.reads("Votes").text


def test_words_are_shown_and_never_taken_for_markup(person: Person, slow_model: threading.Event):
    """A person's question stays as it was typed; of a model's reasoning the service leaves the words."""
    slow_model.set()
    person.says("Will Bitcoin be above $61k & <b>stay</b> there by the end of the month?")
    assert "$61k & <b>stay</b> there" in person.reads(ANSWERED).text
    person.presses("Show votes")
    person.reads("Momentum is up & away.")


def test_nobody_waits_for_the_question_of_another(person: Person, another_person: Person, slow_model: threading.Event):
    """While one question is open another person is answered at once, and a second of the same person is not taken."""
    person.says(QUESTION.replace("60", "62"))
    person.reads("Asking 9 voters.")
    began = time.monotonic()
    another_person.says("/help")
    another_person.reads("/lanes")
    assert time.monotonic() - began < SOON_S
    person.says(QUESTION)
    person.reads("One question at a time.")
    slow_model.set()
    person.reads(ANSWERED)


def test_the_day_s_questions_come_to_an_end_and_are_each_person_s_own(
    person: Person, another_person: Person, model: ModelServer
):
    model.behaviours = [answers(said())]
    for asked in range(10):
        person.says(f"Will Bitcoin be above ${70 + asked}k by the end of the month?")
        person.reads(f"{9 - asked} of 10 questions left today")
    person.says(QUESTION)
    person.reads("You have used today's 10 questions. They come back at 00:00 UTC.")
    person.says("/quota")
    person.reads("You have used today's 10 questions.")
    another_person.says("/quota")
    another_person.reads("10 of 10 questions left today")
