"""Words of a title that carry meaning."""

from __future__ import annotations

import pytest

from service.forecasting.news.lexicon import content


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Bitcoin’s ETF inflows, and the U.S.", ["bitcoin's", "etf", "inflows", "u.s"]),
        ("AT&T buys layer-2 tokens", ["at&t", "buys", "layer-2", "tokens"]),
        ("The of and", []),
        ("", []),
    ],
)
def test_stop_words_and_marks_carry_no_meaning(title: str, words: list[str]):
    assert content(title) == words
