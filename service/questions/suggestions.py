"""Questions that can be answered, close to a text that was refused: its asset, deadline and level where readable."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from service.errors import FieldError, InvalidQuestion, InvalidRequest
from service.market.assets import ASSETS
from service.questions.amounts import find_amounts
from service.questions.canonical import LAST_SECOND, brief
from service.questions.circumstances import Circumstances
from service.questions.coins import TokenizedText
from service.questions.criterion import EXAMPLE, Criterion, checked
from service.questions.dates.deadline import Deadline, find_deadline
from service.questions.kinds.levels import touch
from service.questions.parse import build
from service.questions.question import Question
from service.questions.subject import Subject
from service.questions.tokens import Token
from service.questions.vocabulary import BEAR, BULL, Language

MOST = 3
# A level and a date are looked for in so many tokens: more are no question that a person asks.
MOST_TOKENS = 60
DEFAULT = timedelta(days=7)
# A level is proposed as it was written, in thousands or in thousandths, if it is within this factor of the price.
NEAR = 5.0
# The distance of a level that is proposed where none is readable.
STEP = 0.05


@dataclass(frozen=True)
class Fragments:
    """What is readable in a refused text."""

    assets: tuple[str, ...]
    deadline: datetime
    levels: tuple[float, ...]
    is_fall: bool


def with_suggestions(refusal: InvalidRequest, suggestions: Sequence[str]) -> InvalidRequest:
    """The refusal with these suggestions, the first of them as the example in its detail."""
    if not suggestions:
        return refusal
    errors = [FieldError(error.field, _exemplified(error.message, suggestions[0])) for error in refusal.errors]
    return type(refusal)(_exemplified(refusal.detail, suggestions[0]), errors, suggestions)


def _exemplified(detail: str, example: str) -> str:
    """The detail with this example in the place of the general one, or at its end where it has none."""
    detail = detail.replace(EXAMPLE, example)
    return detail if "or example" in detail else f"{detail} For example: {example}"


def proposals(tokenized: TokenizedText, circumstances: Circumstances) -> Iterator[tuple[str, str]]:
    """At most three questions close to the text, each with its canonical sentence; none without prices."""
    tokens, now, spots = tokenized.tokens, circumstances.now, circumstances.spots
    priced = [asset for asset in ASSETS if math.isfinite(spots.get(asset, math.nan)) and spots[asset] > 0]
    if not priced:
        return
    assets = _named(tokens, priced)
    deadline = _deadline(tokens[:MOST_TOKENS], now, tokenized.language)
    named = deadline.at if deadline else datetime.combine(now.date() + DEFAULT, LAST_SECOND, now.tzinfo)
    fragments = Fragments(
        assets,
        circumstances.until or named,
        _levels(deadline.rest if deadline else tokens[:MOST_TOKENS], spots[assets[0]]),
        _is_fall(tokens),
    )
    for question in [*_questions(fragments, now, spots)][:MOST]:
        yield brief(question), question.canonical


def _named(tokens: Sequence[Token], priced: Sequence[str]) -> tuple[str, ...]:
    """The assets of the text that have a price, or else the first that has one."""
    named = dict.fromkeys(str(token.value) for token in tokens if token.kind == "asset")
    return tuple(asset for asset in named if asset in priced) or (priced[0],)


def _is_fall(tokens: Sequence[Token]) -> bool:
    kinds = {token.kind for token in tokens}
    return bool(kinds & BEAR) and not kinds & BULL


def _deadline(tokens: Sequence[Token], now: datetime, language: Language) -> Deadline | None:
    """The deadline that the tokens name, if there may be one."""
    try:
        deadline = find_deadline(tokens, now, language)
    except InvalidQuestion:
        return None
    return deadline if deadline.is_named else None


def _levels(tokens: Sequence[Token], spot: float) -> tuple[float, ...]:
    """The numbers that may be levels, as written or in thousands or thousandths."""
    amounts = [amount for amount in find_amounts(tokens) if not amount.is_percent and not amount.is_multiple]
    scaled = [[amount.value(spot) * factor for factor in (1, 1000, 0.001)] for amount in amounts]
    near = [next((level for level in levels if spot / NEAR <= level <= spot * NEAR), None) for levels in scaled]
    return tuple(dict.fromkeys(level for level in near if level is not None and level != spot))


def _questions(fragments: Fragments, now: datetime, spots: Mapping[str, float]) -> Iterator[Question]:
    """Which of two assets returns more; whether each level is reached; whether the price goes up or down."""
    asset, *others = fragments.assets
    spot, deadline = spots[asset], Deadline(fragments.deadline, [])
    if others:
        yield build("", now, spot, Subject(asset, others[0]), deadline, Criterion("relative"))
    for level in (fragments.levels or (_round_level(spot, fragments.is_fall),))[:2]:
        yield build("", now, spot, Subject(asset), deadline, touch(checked(level, spot), upward=level > spot))
    yield build("", now, spot, Subject(asset), deadline, Criterion("down" if fragments.is_fall else "up"))


def _round_level(spot: float, is_fall: bool) -> float:
    """A level of two significant digits, about 5% away."""
    return float(f"{spot * (1 - STEP if is_fall else 1 + STEP):.1e}")
