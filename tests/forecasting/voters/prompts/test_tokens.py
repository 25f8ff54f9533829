"""The estimate of tokens is no less than what tokenizers make of numbers, words and signs."""

from __future__ import annotations

import pytest

from service.forecasting.voters.prompts.tokens import tokens


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("+0.4 -1.2 +12.3", 12),
        ("+4 -12 +123", 6),
        ("48907", 2),
        ("A rather ordinary sentence of forty-nine characters.", 15),
        ("one\ntwo\n", 4),
        ("", 0),
    ],
    ids=["decimals", "whole numbers", "five digits", "52 bytes of English", "two lines", "nothing"],
)
def test_tokens_by_hand(text, count):
    """A sign, up to three digits and a point are one each; English has 3.5 bytes a token."""
    assert tokens(text) == count


def test_lines_are_counted_apart():
    """Long sentences do not make room for a row of numbers."""
    sentence, numbers = "A sentence of plain words. " * 20 + "\n", "+0.4 " * 50
    assert tokens(sentence + numbers) == tokens(sentence) + 200
