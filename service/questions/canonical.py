"""The question in standard English, built from its parsed fields alone: it contains nothing of the raw text.

The sentence is understood as the same question: every field but the text and the notes is equal. Only the percentage
that a level was computed from is not in it. The exception is a topic, of which the text is the only statement.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, time
from functools import partial

from service.market.assets import YEAR_HOURS, asset_of, calendar_of, trading_days
from service.market.instants import utc
from service.questions.criterion import price
from service.questions.question import Question

LAST_SECOND = time(23, 59, 59)


def canonical(question: Question) -> str:
    """The English sentence that says what YES means; of a topic, its text."""
    return sentence(question, asset=_name, usd=partial(_certain, question.spot), instant=_instant)


def brief(question: Question) -> str:
    """The same sentence for a button or an example: without the key of the asset, and a day's end is the day."""
    return sentence(
        question,
        asset=_plain_name,
        usd=partial(_certain, question.spot),
        instant=lambda instant: f"{instant:%Y-%m-%d}" if is_end_of_day(instant) else _instant(instant),
    )


def is_end_of_day(instant: datetime) -> bool:
    """Whether it is the last second of a day."""
    return instant.time() == LAST_SECOND


def sentence(
    question: Question,
    *,
    asset: Callable[[str], str],
    usd: Callable[[float | None], str],
    instant: Callable[[datetime], str],
) -> str:
    """The same sentence with assets, prices and instants in other words."""
    legs = (
        leg.kind.leg[leg.negated].format(
            **leg.kind.words, asset=asset(leg.asset), level=usd(leg.level), spot=usd(leg.spot)
        )
        for leg in question.legs
    )
    first, second = [*legs] or ("", "")
    template = question.kind.sentence
    return (template if isinstance(template, str) else template[question.negated]).format(
        **_fields(question, asset, usd, instant),
        text=question.text,
        no="not " if question.negated else "",
        first=first,
        second=second,
    )


def _fields(
    question: Question,
    asset: Callable[[str], str],
    usd: Callable[[float | None], str],
    instant: Callable[[datetime], str],
) -> dict[str, str]:
    """The fields of the sentences and the conditions of all kinds."""
    kind, lower, upper = question.kind, usd(question.level), usd(question.upper_level)
    goal, rival = (upper, lower) if kind.side > 0 else (lower, upper)
    deadline, earlier = instant(question.deadline), instant(question.earlier) if question.earlier else ""
    return kind.words | {
        "asset": asset(question.asset),
        "other": asset(question.other_asset) if question.other_asset else "",
        "level": lower,
        "upper": upper,
        "near": goal,
        "far": rival,
        "spot": usd(question.spot),
        "pct": price(question.level_pct),
        "days": f"{question.days} day{'' if question.days == 1 else 's'}{' in a row' if question.in_a_row else ''}",
        "count": str(question.days),
        "deadline": deadline,
        "earlier": earlier,
        "span": f"from {earlier} to {deadline}" if earlier else f"by {deadline}",  # in which days are counted
    }


def _certain(spot: float, usd: float | None) -> str:
    """The price, with one more decimal where "12,345" or "1.234" would be read as the number nearer to `spot`."""
    text = price(usd)
    if usd is None or not re.fullmatch(r"\d{1,3}[.,]\d{3}", text):
        return text
    other, addition = (usd / 1000, ".0") if "," in text else (usd * 1000, "0")
    is_nearer = abs(math.log(usd / spot)) < abs(math.log(other / spot))
    return text if is_nearer else text + addition


def _instant(deadline: datetime) -> str:
    """The time in UTC; 23:59 is the last second of the day, other seconds than 0 are written."""
    is_whole = is_end_of_day(deadline) or (deadline.second == 0 and (deadline.hour, deadline.minute) != (23, 59))
    return f"{deadline:%Y-%m-%d %H:%M}{'' if is_whole else f':{deadline:%S}'} UTC"


def _plain_name(asset: str) -> str:
    return asset_of(asset).name


def _name(asset: str) -> str:
    name = _plain_name(asset)
    return name if name.lower() == asset else f"{name} ({asset})"


def rule(question: Question, asked_at: int) -> str:
    """The rule of a question that is asked at the unix second `asked_at`; an open question has none."""
    if question.kind.is_decided_by_hand:
        return _condition(question, asked_at)
    if not question.legs:
        return f"YES if {_condition(question, asked_at)}."
    # By De Morgan's laws: not both is one of the opposites, neither is both of them.
    events = (replace(part, negated=part.negated != question.negated) for part in question.parts)
    first, second = (_condition(event, asked_at) for event in events)
    is_both = (question.comparator == "both") != question.negated
    return f"YES if {first}, and {second}." if is_both else f"YES if {first}, or {second}, or both."


def _condition(question: Question, asked_at: int) -> str:
    return question.kind.condition[question.negated].format(
        **_fields(question, _plain_name, price, _second),
        known_mean=_known_mean(question, asked_at),
        year_hours=f"{YEAR_HOURS[calendar_of(question.asset)]:,}",
        asked=_second(utc(asked_at)),
        counted_from=_second(utc(question.counted_since(asked_at))),
        first_price=f"{price(question.spot)} USD" if question.earlier is None else "the last price before that time",
    )


def _known_mean(question: Question, asked_at: int) -> str:
    """Which closes of a moving average were known, and their mean."""
    if question.level is None or question.days is None:
        return ""
    closes = max(0, question.days - len(trading_days(question.asset, asked_at, int(question.deadline.timestamp()))))
    return f", of which the {closes} known when it was asked have the mean {price(question.level)} USD"


def _second(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"
