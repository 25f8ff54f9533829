"""The rule of a question: a sentence that says which prices resolve it as YES."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from service.market.assets import YEAR_HOURS, asset_of, calendar_of, trading_days
from service.market.instants import utc
from service.questions.canonical import day_count
from service.questions.criterion import price
from service.questions.question import Question


def rule(question: Question, asked_at: int) -> str:
    """The rule of a question that is asked at the unix second `asked_at`; an open question has none."""
    if question.kind.is_decided_by_hand:
        return _condition(question, asked_at)
    if not question.legs:
        return f"YES if {_condition(question, asked_at)}."
    # By De Morgan's laws: not both is one of the opposites, neither is both of them.
    events = (replace(part, negated=part.negated != question.negated) for part in question.parts)
    first, second = (_condition(event, asked_at) for event in events)
    both = (question.comparator == "both") != question.negated
    return f"YES if {first}, and {second}." if both else f"YES if {first}, or {second}, or both."


def _condition(question: Question, asked_at: int) -> str:
    kind, lower, upper = question.kind, price(question.level), price(question.upper_level)
    return kind.condition[question.negated].format(
        **kind.words,
        name=asset_of(question.asset).name,
        other=asset_of(question.other_asset).name if question.other_asset else "",
        level=lower,
        upper=upper,
        near=upper if kind.side > 0 else lower,
        far=lower if kind.side > 0 else upper,
        spot=price(question.spot),
        pct=price(question.level_pct),
        days=day_count(question),
        count=question.days,
        known_mean=_known_mean(question, asked_at),
        year_hours=f"{YEAR_HOURS[calendar_of(question.asset)]:,}",
        asked=_instant(utc(asked_at)),
        counted_from=_instant(utc(question.counted_since(asked_at))),
        first_price=f"{price(question.spot)} USD" if question.earlier is None else "the last price before that time",
        deadline=_instant(question.deadline),
        earlier=_instant(question.earlier) if question.earlier else "",
    )


def _known_mean(question: Question, asked_at: int) -> str:
    """Which closes of a moving average were known, and their mean."""
    if question.level is None or question.days is None:
        return ""
    ahead = len(trading_days(question.asset, asked_at, int(question.deadline.timestamp())))
    stored = max(0, question.days - ahead)
    return f", of which the {stored} known when it was asked have the mean {price(question.level)} USD"


def _instant(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"
