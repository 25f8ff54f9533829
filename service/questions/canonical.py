"""The question in standard English, built from its parsed fields alone: it contains nothing of the raw text."""

from __future__ import annotations

from service.market.assets import ASSETS
from service.questions.question import Question

SENTENCES = {
    ("touch_above", False): "Will {asset} trade at or above {level} USD at any time until {deadline}?",
    ("touch_above", True): "Will {asset} stay below {level} USD at all times until {deadline}?",
    ("touch_below", False): "Will {asset} trade at or below {level} USD at any time until {deadline}?",
    ("touch_below", True): "Will {asset} stay above {level} USD at all times until {deadline}?",
    ("close_above", False): "Will {asset} be above {level} USD at {deadline}?",
    ("close_above", True): "Will {asset} be at or below {level} USD at {deadline}?",
    ("close_below", False): "Will {asset} be below {level} USD at {deadline}?",
    ("close_below", True): "Will {asset} be at or above {level} USD at {deadline}?",
    ("between", False): "Will {asset} be between {level} and {upper} USD at {deadline}?",
    ("between", True): "Will {asset} be outside {level} to {upper} USD at {deadline}?",
    ("up", False): "Will {asset} be above its present price of {spot} USD at {deadline}?",
    ("up", True): "Will {asset} be at or below its present price of {spot} USD at {deadline}?",
    ("down", False): "Will {asset} be below its present price of {spot} USD at {deadline}?",
    ("down", True): "Will {asset} be at or above its present price of {spot} USD at {deadline}?",
    ("relative", False): "Will {asset} return more than {other} until {deadline}?",
    ("relative", True): "Will {asset} return no more than {other} until {deadline}?",
    ("open", False): "Where is {asset} heading: will it be above its present price of {spot} USD at {deadline}?",
    ("open", True): "Where is {asset} heading: will it be above its present price of {spot} USD at {deadline}?",
}


def canonical(question: Question) -> str:
    """The English sentence that says what YES means."""
    return SENTENCES[question.comparator, question.negated].format(
        asset=_name(question.asset),
        other=_name(question.other_asset) if question.other_asset else "",
        level=price(question.level),
        upper=price(question.upper_level),
        spot=price(question.spot),
        deadline=f"{question.deadline:%Y-%m-%d %H:%M} UTC",
    )


def _name(asset: str) -> str:
    name = ASSETS[asset].name
    return name if name.lower() == asset else f"{name} ({asset})"


def price(usd: float | None) -> str:
    """The price with commas between thousands, up to eight significant digits and no trailing zeros; "" for None."""
    if usd is None:
        return ""
    whole, _, decimals = f"{float(f'{usd:.8g}'):,.10f}".partition(".")
    return f"{whole}.{decimals}".rstrip("0").rstrip(".")
