"""The question in standard English, built from its parsed fields alone: it contains nothing of the raw text."""

from __future__ import annotations

from collections.abc import Callable

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
    ("upper_first", False): "Will {asset} reach {upper} USD before {level} USD by {deadline}?",
    ("upper_first", True): "Will {asset} fail to reach {upper} USD before {level} USD by {deadline}?",
    ("lower_first", False): "Will {asset} fall to {level} USD before {upper} USD by {deadline}?",
    ("lower_first", True): "Will {asset} fail to fall to {level} USD before {upper} USD by {deadline}?",
    ("move", False): "Will {asset} move more than {pct}%, up or down, from {spot} USD by {deadline}?",
    ("move", True): "Will {asset} not move more than {pct}%, up or down, from {spot} USD by {deadline}?",
    ("range", False): "Will the price range of {asset}, now at {spot} USD, exceed {pct}% by {deadline}?",
    ("range", True): "Will the price range of {asset}, now at {spot} USD, not exceed {pct}% by {deadline}?",
    ("days_above", False): "Will {asset} close above {level} USD on at least {days} by {deadline}?",
    ("days_above", True): "Will {asset} not close above {level} USD on at least {days} by {deadline}?",
    ("days_below", False): "Will {asset} close below {level} USD on at least {days} by {deadline}?",
    ("days_below", True): "Will {asset} not close below {level} USD on at least {days} by {deadline}?",
    ("days_up", False): "Will {asset} close higher on at least {days} by {deadline}?",
    ("days_up", True): "Will {asset} not close higher on at least {days} by {deadline}?",
    ("days_down", False): "Will {asset} close lower on at least {days} by {deadline}?",
    ("days_down", True): "Will {asset} not close lower on at least {days} by {deadline}?",
    ("average_above", False): "Will the average price of {asset} be above {level} USD by {deadline}?",
    ("average_above", True): "Will the average price of {asset} be at or below {level} USD by {deadline}?",
    ("average_below", False): "Will the average price of {asset} be below {level} USD by {deadline}?",
    ("average_below", True): "Will the average price of {asset} be at or above {level} USD by {deadline}?",
    ("open", False): "Where is {asset} heading: will it be above its present price of {spot} USD at {deadline}?",
    ("open", True): "Where is {asset} heading: will it be above its present price of {spot} USD at {deadline}?",
}


def canonical(question: Question) -> str:
    """The English sentence that says what YES means."""
    return sentence(question, asset=_name, usd=price, deadline=f"{question.deadline:%Y-%m-%d %H:%M} UTC")


def sentence(
    question: Question, *, asset: Callable[[str], str], usd: Callable[[float | None], str], deadline: str
) -> str:
    """The same sentence with assets, prices and the deadline in other words."""
    return SENTENCES[question.comparator, question.negated].format(
        asset=asset(question.asset),
        other=asset(question.other_asset) if question.other_asset else "",
        level=usd(question.level),
        upper=usd(question.upper_level),
        spot=usd(question.spot),
        pct=price(question.level_pct),
        days=day_count(question),
        deadline=deadline,
    )


def day_count(question: Question) -> str:
    """ "3 days", "3 days in a row"; "" for a question that counts none."""
    if question.days is None:
        return ""
    days = f"{question.days} day{'' if question.days == 1 else 's'}"
    return f"{days} in a row" if question.in_a_row else days


def _name(asset: str) -> str:
    name = ASSETS[asset].name
    return name if name.lower() == asset else f"{name} ({asset})"


def price(usd: float | None) -> str:
    """The price with commas between thousands, up to eight significant digits and no trailing zeros; "" for None."""
    if usd is None:
        return ""
    whole, _, decimals = f"{float(f'{usd:.8g}'):,.10f}".partition(".")
    return f"{whole}.{decimals}".rstrip("0").rstrip(".")
