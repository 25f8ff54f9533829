"""Texts are cut into tokens, and words get the kinds of the vocabulary."""

from __future__ import annotations

import pytest

from service.errors import InvalidRequest
from service.questions.tokens import LONGEST, Token, clean, read


def _kinds(text: str) -> list[str]:
    return [token.kind for token in read(text)[1]]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("will btc reach $120k", ["will", "asset", "reach", "money", "number", "times"]),
        ("2026-12-31 31.12.2026 12/31", ["iso", "date", "slash"]),
        ("on the 15th at 17:00", ["on", "the", "nth", "on", "clock"]),
        ("比特币12月31日", ["asset", "glyphdate"]),
        ("<b>btc</b> {{x}} https://a.example up", ["asset", "up"]),
        ("bitcoin cash", ["other"]),
        ("all-time high", ["record"]),
        ("zzyzx", ["word"]),
    ],
)
def test_a_text_becomes_tokens_of_these_kinds(text, kinds):
    assert _kinds(text) == kinds


def test_a_misspelt_word_is_read_as_the_word_meant():
    assert [token.text for token in read("will bitcoin surpas 100k")[1]][2] == "surpass"


def test_a_word_with_two_meanings_gives_two_tokens():
    assert [(token.kind, token.value) for token in read("本周比特币")[1]][:2] == [("this", None), ("unit", "week")]


def test_a_token_without_a_value_has_no_quantity():
    assert Token("month", "december", 12.0).quantity == 12
    with pytest.raises(ValueError, match="word"):
        _ = Token("word", "zzyzx").quantity


def test_invisible_marks_and_wide_letters_are_normalised():
    text = "  Will\u200b \u202eＢＴＣ\u202c reach\n１００ｋ by Friday？ "
    assert clean(text) == "Will BTC reach 100k by Friday?"


def test_a_line_break_of_unicode_is_a_space():
    assert clean("btc \x85up") == "btc up"


@pytest.mark.parametrize("text", ["Will btc\x00 rise?", "Will btc rise?\x1b[31m", "btc \x7f", "btc \udc80"])
def test_control_characters_and_broken_unicode_are_refused(text):
    with pytest.raises(InvalidRequest, match="control characters") as refusal:
        clean(text)
    assert refusal.value.code == "invalid_request"
    assert [error.field for error in refusal.value.errors] == ["question"]


@pytest.mark.parametrize("text", ["b" * (LONGEST + 1), "\ufdfa" * 100])
def test_a_long_text_is_refused_before_and_after_normalising(text):
    """One ligature of the second text becomes 18 characters."""
    with pytest.raises(InvalidRequest, match="500"):
        clean(text)


def test_five_hundred_characters_are_accepted():
    assert len(clean("b" * LONGEST)) == LONGEST
