"""The fixed words of the API, such as the state of a lane, in the current language."""

from __future__ import annotations

from bot.languages import english, translate
from bot.messages.formats import words

# How likely yes is.
LIKELIHOODS = (
    english("Almost certain"),
    english("Very likely"),
    english("Likely"),
    english("About as likely as not"),
    english("Unlikely"),
    english("Very unlikely"),
    english("Almost impossible"),
)
TERMS = (
    # directions and strengths
    english("BULLISH"),
    english("BEARISH"),
    english("NEUTRAL"),
    english("weak"),
    english("moderate"),
    english("strong"),
    english("divided"),
    # states of lanes
    english("waiting"),
    english("in market"),
    english("in a pool"),
    english("harvesting"),
    english("switching"),
    english("not active"),
    # states of strategies
    english("healthy"),
    english("watch"),
    english("sick"),
    english("critical"),
    english("observation"),
    # sides of trades and of votes
    english("buy"),
    english("sell"),
    english("long"),
    english("short"),
    english("yes"),
    english("no"),
    # verdicts
    english("not enough resolved markets"),
    english("no clear difference yet"),
    english("the AI is better"),
    english("the market is better"),
    english("no clear difference from a coin"),
    english("better than a coin"),
    english("worse than a coin"),
)
RENAMED = {"in lp": "in a pool"} | {word.upper(): word for word in ("weak", "moderate", "strong", "divided")}


def term(value: object) -> str:
    """A word of the API in the current language, not escaped; an unknown one as it is."""
    text = words(value)
    text = RENAMED.get(text, text)
    return translate(text) if text in TERMS else text
