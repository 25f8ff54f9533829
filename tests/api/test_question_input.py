"""What is asked: a text, or the document of an earlier answer, which must agree with its sentence."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from service.api.question_input import UNDERSTOOD, QuestionBody, QuestionInput
from service.errors import FieldError, InvalidRequest
from service.forecasting.voters.votes import understood
from tests.questions.asking import NOW, question

QUESTION = question(comparator="touch_above", level=120_000.0, canonical="Will Bitcoin trade at or above 120,000 USD?")
DOCUMENT: dict[str, Any] = UNDERSTOOD.dump_python(understood(QUESTION), mode="json")


def test_a_text_is_asked_as_it_is():
    assert QuestionBody(question="Up?").content == QuestionInput("Up?")


def test_of_a_document_the_sentence_is_asked():
    content = QuestionBody(understood={"canonical": "Up?", "asset": "btc"}).content
    assert content == QuestionInput("Up?", {"asset": "btc"}, "understood.canonical")


@pytest.mark.parametrize("body", [{}, {"question": "Up?", "understood": {"canonical": "Up?"}}])
def test_one_of_the_two_is_needed(body: dict):
    with pytest.raises(InvalidRequest, match="Send either `question`"):
        _ = QuestionBody(**body).content


def test_a_refusal_names_the_field_of_the_text():
    refusal = QuestionInput("Up?", name="understood.canonical").refusal(
        InvalidRequest("No.", [FieldError("question", "No.")], ["Down?"])
    )
    assert refusal.errors == (FieldError("understood.canonical", "No."),)
    assert (refusal.detail, refusal.suggestions) == ("No.", ("Down?",))


def test_the_document_of_a_question_agrees_with_it():
    """Also without its fields, and with others that follow from the text."""
    for fields in (DOCUMENT, {}, {"canonical": "another", "spot": 1.0}):
        QuestionInput("Up?", fields).require_agreement(QUESTION)


@pytest.mark.parametrize(
    ("field", "value"),
    [("asset", "eth"), ("level", 1.0), ("negated", True), ("deadline", (NOW + timedelta(days=9)).isoformat())],
)
def test_a_document_that_says_something_else_is_refused(field: str, value: object):
    with pytest.raises(InvalidRequest) as refusal:
        QuestionInput("Up?", DOCUMENT | {field: value}).require_agreement(QUESTION)
    assert [error.field for error in refusal.value.errors] == [f"understood.{field}"]
