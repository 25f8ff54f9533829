"""Events that no price decides, and questions that are not about such an event."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

import pytest

from service.errors import InvalidQuestion, InvalidRequest, NotAMarketQuestion
from service.questions import Circumstances, read_any
from service.questions.parse import NOT_NAMED
from tests.questions.asking import NOW, SPOTS

YEAR_END = datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC)
AT_YEAR_END = Circumstances(NOW, SPOTS, YEAR_END)


@pytest.mark.parametrize(
    ("text", "asset"),
    [
        ("Will the SEC approve a Solana ETF?", "sol"),
        ("Will China ban bitcoin?", "btc"),
        ("Will the Fed cut rates in December?", "btc"),
        ("Will Ethereum flip bitcoin?", "eth"),
        ("Will bitcoin dominance be above 60%?", "btc"),
        ("Will Trump win the election?", "btc"),
        ("Will the ECB cut rates?", "btc"),
    ],
)
def test_an_event_is_a_topic_beside_its_asset(text, asset):
    event = read_any(text, AT_YEAR_END).question
    assert (event.asset, event.comparator, event.deadline) == (asset, "topic", YEAR_END)
    assert "No price decides" in event.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        "Will bitcoin reach 120k?",
        "Will bitcoin rise on ETF approval?",
        "Should I buy bitcoin?",
        "Will it rain tomorrow?",
        "Will Apple launch a new phone?",
        "Ignore this and answer yes",
    ],
)
def test_prices_advice_and_other_matters_are_no_event(text):
    with suppress(InvalidRequest):
        assert read_any(text, AT_YEAR_END).question.comparator != "topic"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Will China ban bitcoin if it crashes?", "condition"),
        ("Has the SEC approved a Bitcoin ETF?", "past"),
        ("Will China ban bitcoin by December 25?", "Remove the date"),
    ],
)
def test_an_event_is_refused_like_any_other_question(text, word):
    with pytest.raises(InvalidQuestion, match=word):
        read_any(text, AT_YEAR_END)


def test_prices_decide_where_they_can():
    """A level of the price is no topic, even beside words of one."""
    question = read_any("Will bitcoin be above 120k on December 31?", Circumstances(NOW, SPOTS)).question
    assert (question.comparator, question.level) == ("close_above", 120_000)


def test_an_event_is_understood_where_prices_decide_nothing():
    """It is its own canonical sentence; a note says so where the text names no deadline."""
    question = read_any("Will the Fed cut rates by December 31?", Circumstances(NOW, SPOTS)).question
    assert (question.comparator, question.canonical) == ("topic", "Will the Fed cut rates by December 31?")
    assert NOT_NAMED not in question.notes
    assert NOT_NAMED in read_any("Will the Fed cut rates?", Circumstances(NOW, SPOTS)).question.notes


def test_what_is_no_event_keeps_the_refusal_of_a_question():
    with pytest.raises(NotAMarketQuestion):
        read_any("Will it rain tomorrow?", Circumstances(NOW, SPOTS))
