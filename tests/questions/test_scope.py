"""Questions that name a market and cannot be forecast are refused with what to ask instead."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from service.errors import InvalidQuestion, NotAMarketQuestion
from service.questions import Circumstances, Question, understand
from service.questions.scope import nameless
from service.questions.tokens import read
from tests.questions.asking import NOW, SPOTS


def read_question(text: str, until: datetime | None = None) -> Question:
    return understand(text, Circumstances(NOW, SPOTS, until))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("why did btc crash", "about the past"),
        ("if the fed cuts rates in december", "names no"),
        ("will btc volume rise by friday", "not volumes"),
        ("will btc rise before the halving", "a date, not an event"),
        ("will gold reach 100 per gram by friday", "troy ounce"),
        ("who created bitcoin", "asks for a fact"),
        ("btc niet stijgen friday", "with certainty"),
        ("btc version forecast expert opinion news 95000", "meaning of the number"),
    ],
)
def test_other_matters_than_future_prices_are_refused(text, complaint):
    with pytest.raises((InvalidQuestion, NotAMarketQuestion), match=complaint):
        read_question(text)


def test_a_text_without_an_asset_is_refused_by_its_matter():
    """A text about markets is an unsupported question, any other text is no market question."""
    assert isinstance(nameless(read("will the euro fall below $1")[1]), InvalidQuestion)
    assert isinstance(nameless(read("hello there")[1]), NotAMarketQuestion)


UNTIL = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("if the fed cuts will btc rise", "a condition"),
        ("Will btc rise? Will eth fall?", "several questions"),
        ("when will btc reach 100k", "asks for a time"),
        ("will btc, eth and gold rise", "several assets"),
    ],
)
def test_a_challenge_with_a_loose_end_is_refused(text, complaint):
    """The oracle answers the same question with a note; others rely on that of a challenge."""
    assert read_question(text).notes
    with pytest.raises(InvalidQuestion, match=complaint):
        read_question(text, UNTIL)


def test_a_plain_question_is_in_scope():
    assert read_question("will btc reach 100k", UNTIL).deadline == UNTIL


def test_a_text_with_many_numbers_is_refused():
    assert read_question("will btc reach 100k by december 31 2026").level == 100_000
    with pytest.raises(InvalidQuestion, match="more than 20 numbers"):
        read_question("will btc reach " + "95000 " * 21)
