"""Whether a question that no price decides can be answered here, and what to ask instead."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from service.api.topics import require_answerable
from service.errors import InvalidQuestion
from service.forecasting.voters.embedded import voters
from service.forecasting.voters.panel import Panel
from service.questions import Circumstances, read_any
from service.questions.question import Question
from tests.forecasting.made import panel_of

NOW = datetime(2026, 11, 21, 10, tzinfo=UTC)


def question_of(text: str) -> Question:
    return read_any(text, Circumstances(NOW, {"btc": 60_000.0, "eth": 2_000.0})).question


def panel(*, models: int, is_masked: bool = False) -> Panel:
    """The nine, with language models in so many of the six seats."""
    seats = [
        SimpleNamespace(name=f"seat {n}", kind="seat", engine="ollama:llama3.2", is_masked=is_masked)
        for n in range(models)
    ]
    return panel_of([*seats, *[voter for voter in voters() if voter.kind == "brain"]])


def test_a_question_about_prices_needs_no_model():
    require_answerable(question_of("Will Bitcoin rise tomorrow?"), panel(models=0), "simulated")


@pytest.mark.parametrize(("models", "is_answered"), [(0, False), (2, False), (3, True)])
def test_a_topic_needs_three_models(models: int, is_answered: bool):
    question = question_of("Will the Fed cut rates by December 31?")
    if is_answered:
        require_answerable(question, panel(models=models), "live")
        return
    with pytest.raises(InvalidQuestion, match="at least 3 of the six seats"):
        require_answerable(question, panel(models=models), "live")


def test_a_topic_without_a_date_is_refused():
    with pytest.raises(InvalidQuestion, match="it needs a date"):
        require_answerable(question_of("Will the Fed cut rates?"), panel(models=6), "live")


def test_in_a_replay_a_topic_is_refused():
    """Names and dates are masked there, and a topic is nothing without them."""
    with pytest.raises(InvalidQuestion, match="in a replay they may see neither names nor dates"):
        require_answerable(
            question_of("Will the Fed cut rates by December 31?"), panel(models=6, is_masked=True), "replay"
        )


def test_a_refusal_suggests_a_question_about_the_price():
    """The asset and the deadline of the topic, so that the question can be asked at once."""
    with pytest.raises(InvalidQuestion) as refusal:
        require_answerable(question_of("Will the SEC approve an Ethereum ETF by December 31?"), panel(models=0), "live")
    (suggestion,) = refusal.value.suggestions
    assert suggestion == "Will Ethereum rise by 2026-12-31?"
    assert refusal.value.detail.endswith(suggestion)
    assert question_of(suggestion).comparator == "up"
