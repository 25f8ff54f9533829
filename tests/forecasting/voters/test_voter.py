"""Which voters are language models, and what each may vote on."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from service.forecasting.voters.embedded import voters
from service.forecasting.voters.voter import is_for_topics, is_model, votes_on
from tests.questions.asking import question


def seat(engine: str, *, is_masked: bool = False) -> SimpleNamespace:
    return SimpleNamespace(name="trend", kind="seat", engine=engine, is_masked=is_masked)


def test_the_nine_are_no_language_models():
    assert not any(is_model(voter) for voter in voters())


@pytest.mark.parametrize(
    ("voter", "expected"),
    [(seat("embedded"), False), (seat("ollama:llama3.2"), True), (seat("ollama:llama3.2", is_masked=True), False)],
)
def test_a_topic_needs_a_model_that_sees_names(voter, expected: bool):
    assert is_for_topics(voter) is expected
    assert votes_on(voter, question(comparator="topic")) is expected


def test_everyone_votes_where_prices_decide():
    assert all(votes_on(voter, question()) for voter in (seat("embedded"), seat("ollama:llama3.2", is_masked=True)))
