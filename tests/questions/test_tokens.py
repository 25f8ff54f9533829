"""Texts are normalised before they are cut into tokens, or refused."""

from __future__ import annotations

import pytest

from service.errors import InvalidRequest
from service.questions.tokens import LONGEST, Token, clean


def test_invisible_marks_and_wide_letters_are_normalised():
    text = "  Will\u200b \u202eＢＴＣ\u202c reach\n１００ｋ by Friday？ "
    assert clean(text) == "Will BTC reach 100k by Friday?"


def test_a_line_break_of_unicode_is_a_space():
    assert clean("btc \x85up") == "btc up"


def test_a_token_without_a_value_has_no_quantity():
    with pytest.raises(ValueError, match="word"):
        _ = Token("word", "zzyzx").quantity


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
