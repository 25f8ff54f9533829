"""The question in standard English, built from its parsed fields alone: it contains nothing of the raw text.

The sentence is understood as the same question: every field but the text and the notes is equal. Only the percentage
that a level was computed from is not in it. The exception is a topic, of which the text is the only statement.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import datetime, time
from functools import partial

from service.market.assets import asset_of
from service.questions.question import Leg, Question

LAST_SECOND = time(23, 59, 59)
# Each kind's sentence, with "not" in the place of {no} where it is negated, or the sentences without and with negation.
SENTENCES: dict[str, str | tuple[str, str]] = {
    "touch_above": (
        "Will {asset} trade at or above {level} USD at any time until {deadline}?",
        "Will {asset} stay below {level} USD at all times until {deadline}?",
    ),
    "touch_below": (
        "Will {asset} trade at or below {level} USD at any time until {deadline}?",
        "Will {asset} stay above {level} USD at all times until {deadline}?",
    ),
    "close_above": "Will {asset} {no}be above {level} USD at {deadline}?",
    "close_below": "Will {asset} {no}be below {level} USD at {deadline}?",
    "between": (
        "Will {asset} be between {level} and {upper} USD at {deadline}?",
        "Will {asset} be outside {level} to {upper} USD at {deadline}?",
    ),
    "up": "Will {asset} {no}be above its present price of {spot} USD at {deadline}?",
    "down": "Will {asset} {no}be below its present price of {spot} USD at {deadline}?",
    "relative": (
        "Will {asset} return more than {other} until {deadline}?",
        "Will {asset} return no more than {other} until {deadline}?",
    ),
    "upper_first": (
        "Will {asset} reach {upper} USD before {level} USD by {deadline}?",
        "Will {asset} fail to reach {upper} USD before {level} USD by {deadline}?",
    ),
    "lower_first": (
        "Will {asset} fall to {level} USD before {upper} USD by {deadline}?",
        "Will {asset} fail to fall to {level} USD before {upper} USD by {deadline}?",
    ),
    "move": "Will {asset} {no}move more than {pct}%, up or down, from {spot} USD by {deadline}?",
    "range": "Will the price range of {asset}, now at {spot} USD, {no}exceed {pct}% by {deadline}?",
    "days_above": "Will {asset} {no}close above {level} USD on at least {days} {span}?",
    "days_below": "Will {asset} {no}close below {level} USD on at least {days} {span}?",
    "days_up": "Will {asset} {no}close higher on at least {days} {span}?",
    "days_down": "Will {asset} {no}close lower on at least {days} {span}?",
    "average_above": "Will the average price of {asset} {no}be above {level} USD by {deadline}?",
    "average_below": "Will the average price of {asset} {no}be below {level} USD by {deadline}?",
    "above_earlier": "Will {asset} {no}be higher at {deadline} than at {earlier}?",
    "below_earlier": "Will {asset} {no}be lower at {deadline} than at {earlier}?",
    "above_moving_average": "Will {asset} {no}be above its {count}-day moving average at {deadline}?",
    "below_moving_average": "Will {asset} {no}be below its {count}-day moving average at {deadline}?",
    "volatility": "Will the annualised volatility of {asset} {no}exceed {pct}% by {deadline}?",
    "both": "Will {no}both {first} and {second} by {deadline}?",
    "either": ("Will either {first} or {second} by {deadline}?", "Will neither {first} nor {second} by {deadline}?"),
    "open": "Where is {asset} heading: will it be above its present price of {spot} USD at {deadline}?",
}
# The event of a leg, after the name of its asset.
LEGS = {
    ("touch_above", False): "{asset} trade at or above {level} USD at any time",
    ("touch_above", True): "{asset} stay below {level} USD",
    ("touch_below", False): "{asset} trade at or below {level} USD at any time",
    ("touch_below", True): "{asset} stay above {level} USD",
    ("close_above", False): "{asset} be above {level} USD",
    ("close_below", False): "{asset} be below {level} USD",
    ("up", False): "{asset} be above its present price of {spot} USD",
    ("down", False): "{asset} be below its present price of {spot} USD",
}


def canonical(question: Question) -> str:
    """The English sentence that says what YES means; of a topic, its text."""
    if question.comparator == "topic":
        return question.text
    return sentence(question, asset=_name, usd=partial(_certain, question.spot), instant=_instant)


def brief(question: Question) -> str:
    """The same sentence for a button or an example: without the key of the asset, and a day's end is the day."""
    return sentence(question, asset=_plain_name, usd=partial(_certain, question.spot), instant=_day_or_instant)


def is_end_of_day(instant: datetime) -> bool:
    """Whether it is the last second of a day."""
    return instant.time() == LAST_SECOND


def _day_or_instant(instant: datetime) -> str:
    return f"{instant:%Y-%m-%d}" if is_end_of_day(instant) else _instant(instant)


def sentence(
    question: Question,
    *,
    asset: Callable[[str], str],
    usd: Callable[[float | None], str],
    instant: Callable[[datetime], str],
) -> str:
    """The same sentence with assets, prices and instants in other words."""
    first, second = [_leg(leg, asset, usd) for leg in question.legs] or ("", "")
    template = SENTENCES[question.comparator]
    return (template if isinstance(template, str) else template[question.negated]).format(
        no="not " if question.negated else "",
        first=first,
        second=second,
        asset=asset(question.asset),
        other=asset(question.other_asset) if question.other_asset else "",
        level=usd(question.level),
        upper=usd(question.upper_level),
        spot=usd(question.spot),
        pct=price(question.level_pct),
        days=day_count(question),
        count=question.days,
        deadline=instant(question.deadline),
        span=_span(question, instant),
        earlier=instant(question.earlier) if question.earlier else "",
    )


def _span(question: Question, instant: Callable[[datetime], str]) -> str:
    """The time in which days are counted."""
    end = instant(question.deadline)
    return f"by {end}" if question.earlier is None else f"from {instant(question.earlier)} to {end}"


def _leg(leg: Leg, asset: Callable[[str], str], usd: Callable[[float | None], str]) -> str:
    phrase = LEGS[leg.comparator, leg.negated]
    return phrase.format(asset=asset(leg.asset), level=usd(leg.level), spot=usd(leg.spot))


def day_count(question: Question) -> str:
    """ "3 days", "3 days in a row"; "" for a question that counts none."""
    if question.days is None:
        return ""
    days = f"{question.days} day{'' if question.days == 1 else 's'}"
    return f"{days} in a row" if question.in_a_row else days


def _certain(spot: float, usd: float | None) -> str:
    """The price, with one more decimal where "12,345" or "1.234" would be read as the number nearer to `spot`."""
    text = price(usd)
    if usd is None or not re.fullmatch(r"\d{1,3}[.,]\d{3}", text):
        return text
    is_grouped = "," in text
    other = usd / 1000 if is_grouped else usd * 1000
    if abs(math.log(other / spot)) > abs(math.log(usd / spot)):
        return text
    return f"{text}{'.0' if is_grouped else '0'}"


def _instant(deadline: datetime) -> str:
    """The time in UTC; 23:59 is the last second of the day, other seconds than 0 are written."""
    is_whole = is_end_of_day(deadline) or (deadline.second == 0 and (deadline.hour, deadline.minute) != (23, 59))
    return f"{deadline:%Y-%m-%d %H:%M}{'' if is_whole else f':{deadline:%S}'} UTC"


def _plain_name(asset: str) -> str:
    return asset_of(asset).name


def _name(asset: str) -> str:
    name = _plain_name(asset)
    return name if name.lower() == asset else f"{name} ({asset})"


def rounded(value: float) -> float:
    """The value to eight significant digits: as exact as a question is."""
    return float(f"{value:.8g}")


def price(usd: float | None) -> str:
    """The price with commas between thousands, up to eight significant digits and no trailing zeros; "" for None."""
    if usd is None:
        return ""
    whole, _, decimals = f"{rounded(usd):,.10f}".partition(".")
    return f"{whole}.{decimals}".rstrip("0").rstrip(".")
