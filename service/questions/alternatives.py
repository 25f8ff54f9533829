"""Whether a reading is sure, and the other readings where a text leaves a choice: which day, which amount, and when.

Each is built from the parts of the question as it was understood, with one part replaced.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, get_args

from service.errors import InvalidQuestion
from service.questions.amounts import Amount
from service.questions.canonical import brief, is_end_of_day
from service.questions.clause import Clause
from service.questions.criteria import of_percentage
from service.questions.criterion import Assumption, AssumptionCode, Criterion, rounded
from service.questions.dates.deadline import Deadline
from service.questions.kinds import KINDS
from service.questions.kinds.levels import Close, Direction, Touch, stay
from service.questions.kinds.path import takes_place_at
from service.questions.parse import RIVAL, Parse, has_two_orders
from service.questions.question import Question
from service.questions.tokens import Token
from service.questions.topics import TopicQuestion
from service.questions.understanding import SUNDAY, deadline_of
from service.questions.vocabulary import MOTIONS

Certainty = Literal["sure", "assumed"]

MOST_ALTERNATIVES = 3
# An amount farther from the spot price than this power of the understood amount's distance is no other reading.
FARTHER = 1.5
# Kinds of words at the end of a period, "by Friday", and at one that may be a day, "this month"; not "in 3 days".
LIMITS = ("by", "until", "within")
PERIODS = ("in", "this", "next", "during")
# Kinds that say whether the price at the deadline or any price before it counts.
DEFINITE = {"close", "stay", "ever", "average", "record"}
# Kinds that ask for a price, so that no event needs to be named.
ASKS_PRICE = {"what", "how", "forecast", "price", "between"}
SATURDAY, FRIDAY = 5.0, 4.0

AMOUNT = "The number can be read as another amount."
SIDE = "The question does not say above or below."
MOMENT = "The price can be meant at the deadline or at any time before it."
SPAN = "The price can be meant at the deadline or at all times until then."
START = "The move can be counted from the start of the period."
SIZE = "The size of the move can be another one."
ORDER = "The date can be written with the month or the day first."
NEXT = "The next day of that name or the one in the week after can be meant."
TODAY = "It is that day of the week today: today or the same day next week can be meant."
WEEK = "Little of this week is left: this week or the coming one can be meant."
WEEKEND = "The first or the last day of the weekend can be meant."
BEFORE = "The deadline can be the end of that day or of the day before it."
BEFORE_WEEKEND = "The deadline can be before the weekend or at its end."
# What each choice assumes.
CODES: dict[str, AssumptionCode] = {
    AMOUNT: "level",
    SIDE: "direction",
    **dict.fromkeys((MOMENT, SPAN), "moment"),
    **dict.fromkeys((ORDER, NEXT, TODAY, WEEK, WEEKEND, BEFORE, BEFORE_WEEKEND), "deadline"),
    START: "start",
    SIZE: "size",
    RIVAL: "asset",
}


@dataclass(frozen=True)
class Alternative:
    """Another reading: `question` asks exactly this one, `canonical` says it in full, `reason` names the choice."""

    question: str
    canonical: str
    reason: str


def alternatives(parse: Parse) -> tuple[Alternative, ...]:
    """The other readings of the text, at most three, the most different first; none for most questions."""
    if parse.pair is not None or parse.earlier is not None:
        return ()
    readings: dict[str, Alternative] = {}
    for question, reason in (
        *parse.others,
        *_other_dates(parse),
        *_other_amounts(parse),
        *_other_starts(parse),
        *_other_events(parse),
    ):
        if question.canonical != parse.question.canonical and not _is_decided(question):
            readings.setdefault(question.canonical, Alternative(brief(question), question.canonical, reason))
    return tuple(readings.values())[:MOST_ALTERNATIVES]


def _is_decided(question: Question) -> bool:
    """Whether the present price decides the question already."""
    return question.kind.may_end_early and takes_place_at(question, question.spot)


def _other_dates(parse: Parse) -> Iterator[tuple[Question, str]]:
    """The question with another deadline, where the one of its date is uncertain."""
    if not parse.deadline.is_named or parse.is_bound:
        return
    if parse.now.weekday() == SUNDAY:
        yield from _at_deadline(parse, _deadline(parse, parse.split.main, is_week_over=True), WEEK)
    month_first = parse.language.month_first
    if has_two_orders(parse.split.main, parse.language):
        variant = replace(parse, language=replace(parse.language, month_first=not month_first))
        yield from _at_deadline(parse, _deadline(variant, variant.split.main), ORDER)
    for tokens, reason in _other_days(parse):
        yield from _at_deadline(parse, _deadline(parse, tokens), reason)
    if _is_before_day(parse) and (at := parse.deadline.at - timedelta(days=1)) > parse.now:
        yield from _at_deadline(parse, replace(parse.deadline, at=at), BEFORE)


def _is_before_day(parse: Parse) -> bool:
    """Whether the deadline is before a day, which may count or not; "before the end of May" has the last one."""
    is_before = parse.deadline.preposition == "before" and bool(parse.deadline.notes)
    has_end = any(token.kind in ("end", "eo") for token in parse.split.main)
    return is_before and is_end_of_day(parse.deadline.at) and not has_end


def _at_deadline(parse: Parse, deadline: Deadline | None, reason: str) -> Iterator[tuple[Question, str]]:
    if deadline is None or not deadline.is_named or deadline.at == parse.deadline.at:
        return
    if reason in (WEEKEND, BEFORE_WEEKEND) and deadline.at > parse.deadline.at:
        return  # the weekend has begun
    question = _question(replace(parse, deadline=replace(deadline, preposition=parse.deadline.preposition)))
    if question is not None:
        yield question, reason


def _deadline(parse: Parse, tokens: Sequence[Token], *, is_week_over: bool = False) -> Deadline | None:
    """The deadline in these tokens of the question, if there may be one."""
    split = replace(parse.split, main=list(tokens))
    try:
        return deadline_of(split, parse.language, parse.circumstances, parse.subject.asset, is_week_over=is_week_over)
    except InvalidQuestion:
        return None


def _question(parse: Parse) -> Question | None:
    """The question of these parts, if they fit together."""
    try:
        return parse.question
    except InvalidQuestion:
        return None


def _other_days(parse: Parse) -> Iterator[tuple[list[Token], str]]:
    """The tokens of the question with another day of the week; at most one such change."""
    tokens = parse.split.main
    for place, token in enumerate(tokens):
        around = [*range(max(0, place - 1), place), *range(place + 1, min(len(tokens), place + 2))]
        named_next = next((neighbour for neighbour in around if tokens[neighbour].kind == "next"), None)
        if token.kind == "weekday" and named_next is not None:
            if not _is_certain(parse, token, named_next):
                yield [*tokens[:named_next], *tokens[named_next + 1 :]], NEXT
            return
        if token.kind == "weekday" and parse.deadline.at.date() == parse.now.date() and _names(token, parse.now):
            yield [*tokens[:place], Token("next", ""), *tokens[place:]], TODAY
            return
        if token.kind == "weekend":
            yield _other_weekend(parse, place)
            return


def _is_certain(parse: Parse, weekday: Token, named_next: int) -> bool:
    """Example: "Monday next week", or "next Monday" on a Monday."""
    after = parse.split.main[named_next + 1 : named_next + 2]
    return any(token.kind == "unit" for token in after) or _names(weekday, parse.now)


def _names(weekday: Token, now: datetime) -> bool:
    return weekday.quantity == now.weekday()


def _other_weekend(parse: Parse, place: int) -> tuple[list[Token], str]:
    tokens = parse.split.main
    is_end = parse.deadline.preposition in ("by", "before", "until", "lasting")
    day = Token("weekday", "", FRIDAY if is_end else SATURDAY)
    return [*tokens[:place], day, *tokens[place + 1 :]], BEFORE_WEEKEND if is_end else WEEKEND


def _other_amounts(parse: Parse) -> Iterator[tuple[Question, str]]:
    """The question with another value of one of its numbers: "mil" is a thousand or a million."""
    for place, amount in enumerate(parse.clause.amounts):
        if amount.is_percent or amount.is_multiple:
            continue
        for value in _other_values(amount, parse.spot):
            amounts = list(parse.clause.amounts)
            amounts[place] = replace(amount, values=(value,))
            question = _question(replace(parse, clause=replace(parse.clause, amounts=tuple(amounts))))
            if question is not None:
                yield question, AMOUNT


def _other_values(amount: Amount, spot: float) -> list[float]:
    level = amount.value(spot)
    if level <= 0:
        return []
    limit = FARTHER * abs(math.log(level / spot))
    return [value for value in amount.values if 0 < value != level and abs(math.log(value / spot)) <= limit]


def _other_starts(parse: Parse) -> Iterator[tuple[Question, str]]:
    """The move of "rise 5% this month" from the price at the begin of the period to that at its end."""
    criterion, since = parse.criterion, parse.deadline.since
    is_move = isinstance(KINDS[criterion.comparator], Close | Touch) and criterion.level_pct is not None
    if parse.event is not None or not is_move or since is None or since >= parse.now or criterion.negated:
        return
    prices = parse.setting.closes([int(since.timestamp())])
    if prices is not None:
        pct = criterion.level_pct or 0.0
        level = rounded(prices[0] * (1 + pct / 100))
        yield parse.with_criterion(Criterion(Close.of(pct), level)), START


def _other_events(parse: Parse) -> Iterator[tuple[Question, str]]:
    """The question with the other side of its level, or with the other time at which the price counts."""
    criterion = parse.criterion
    kind = KINDS[criterion.comparator]
    if parse.event is not None or not isinstance(kind, Close | Touch):
        return
    if any(isinstance(note, Assumption) and note.code == "size" for note in criterion.notes):
        yield parse.with_criterion(of_percentage(2 * (criterion.level_pct or 0.0), parse.spot)), SIZE
        yield parse.with_criterion(Criterion(Direction.of(kind.side))), SIZE
        return
    if not parse.deadline.is_named:
        return
    if criterion.by_spot and isinstance(kind, Close):
        yield parse.with_criterion(replace(criterion, comparator=Close.of(-kind.side))), SIDE
    if parse.clause.kinds & DEFINITE:
        return
    preposition = parse.deadline.preposition
    is_period = preposition in LIMITS or (preposition in PERIODS and is_end_of_day(parse.deadline.at))
    if isinstance(kind, Close) and is_period:
        yield _before_deadline(parse, criterion, kind.side)
    if isinstance(kind, Touch) and _may_mean_close(parse.clause, parse.deadline, criterion):
        yield parse.with_criterion(replace(criterion, comparator=Close.of(kind.side))), MOMENT


def _before_deadline(parse: Parse, criterion: Criterion, side: int) -> tuple[Question, str]:
    """At any time until the deadline or, where the price is beyond the level already, at all times."""
    crossing = parse.with_criterion(replace(criterion, comparator=Touch.of(side)))
    if not _is_decided(crossing) or criterion.level is None:
        return crossing, MOMENT
    state = stay(criterion.level, below=side < 0)
    return parse.with_criterion(replace(state, negated=state.negated != criterion.negated)), SPAN


def _may_mean_close(clause: Clause, deadline: Deadline, criterion: Criterion) -> bool:
    """Example: "Rise 5% this week", "fall below 90k on Friday", "SOL at 165 at the end of December"."""
    is_marked = any(amount.is_percent or amount.is_or_more for amount in clause.amounts)
    is_state = deadline.preposition != "before" and not clause.kinds & (MOTIONS | {"multiple"})
    return is_marked or criterion.by_spot or deadline.preposition == "on" or is_state


def assumptions(reading: Parse | TopicQuestion, choices: Sequence[Alternative]) -> tuple[AssumptionCode, ...]:
    """What a reading with these alternatives assumes, in the order of the codes; nothing where it is sure."""
    codes = {note.code for note in reading.question.notes if isinstance(note, Assumption)}
    codes |= {CODES[choice.reason] for choice in choices}
    if isinstance(reading, Parse) and reading.question.comparator == "open" and reading.event is None:
        kinds = {token.kind for token in reading.split.main}
        codes |= set() if kinds & ASKS_PRICE else {"event"}
    return tuple(code for code in get_args(AssumptionCode) if code in codes)
