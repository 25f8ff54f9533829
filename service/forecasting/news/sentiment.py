"""The tone of a headline: VADER with the words of markets (design page `oracle`, section 7)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from service.forecasting.news.lexicon import REWRITES, WEIGHTLESS, WEIGHTS

if TYPE_CHECKING:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer


def tone(title: str) -> float:
    """How a plain title sounds for prices: -1 bearish to 1 bullish, 0 where no word weighs anything.

    VADER's compound score (Hutto and Gilbert 2014), of the title in small letters with its market phrases rewritten.
    """
    text = title.lower().replace("’", "'")
    for phrase, word in REWRITES:
        text = phrase.sub(f" {word} ", text)
    return float(_analyser().polarity_scores(text)["compound"])


@lru_cache(maxsize=1)
def _analyser() -> SentimentIntensityAnalyzer:
    """VADER as we use it, read from its package once."""
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyser = SentimentIntensityAnalyzer()
    for word in WEIGHTLESS:
        analyser.lexicon.pop(word, None)
    analyser.lexicon.update({word: weight for weight, words in WEIGHTS.items() for word in words.split()})
    return analyser
