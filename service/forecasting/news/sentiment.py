"""The tone of a headline: VADER (Hutto and Gilbert 2014) with the words of markets."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from service.forecasting.news.lexicon import REWRITES, WEIGHTLESS, WEIGHTS

if TYPE_CHECKING:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer


def tone(title: str) -> float:
    """The tone of a plain title for prices: -1 bearish to 1 bullish, 0 where no word has a weight.

    VADER's compound score of the title in lower case, with its market phrases rewritten.
    """
    text = title.lower().replace("’", "'")
    for phrase, word in REWRITES:
        text = phrase.sub(f" {word} ", text)
    return float(_analyser().polarity_scores(text)["compound"])


@lru_cache(maxsize=1)
def _analyser() -> SentimentIntensityAnalyzer:
    """VADER with our lexicon, read from its package once."""
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyser = SentimentIntensityAnalyzer()
    for word in WEIGHTLESS:
        analyser.lexicon.pop(word, None)
    analyser.lexicon.update(WEIGHTS)
    return analyser
