"""Events that no price decides, and questions that are not about such an event."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from service.errors import InvalidQuestion
from service.questions import understand_event
from tests.questions.asking import NOW, SPOTS

YEAR_END = datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "asset"),
    [
        ("Will the SEC approve a Solana ETF?", "sol"),
        ("Will China ban bitcoin?", "btc"),
        ("Will the Fed cut rates in December?", "btc"),
        ("Will Ethereum flip bitcoin?", "eth"),
    ],
)
def test_an_event_is_an_open_question_about_its_asset(text, asset):
    event = understand_event(text, NOW, SPOTS, YEAR_END)
    assert event is not None
    assert (event.asset, event.comparator, event.deadline) == (asset, "open", YEAR_END)
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
    assert understand_event(text, NOW, SPOTS, YEAR_END) is None


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
        understand_event(text, NOW, SPOTS, YEAR_END)
