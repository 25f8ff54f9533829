"""Whether a reading is sure, and the other readings where a text leaves a choice: which day, which amount, and when."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain
from typing import Literal, get_args

from service.errors import InvalidQuestion
from service.questions.canonical import brief, is_end_of_day
from service.questions.clause import Clause
from service.questions.criteria import of_percentage
from service.questions.criterion import Assumption, AssumptionCode, Criterion, rounded
from service.questions.dates.deadline import Deadline
from service.questions.kinds import KINDS
from service.questions.kinds.levels import Close, Direction, Touch, stay
from service.questions.kinds.path import takes_place_at
from service.questions.parse import Parse, has_two_orders
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

AMOUNT = Assumption("The number can be read as another amount.", "level")
SIDE = Assumption("The question does not say above or below.", "direction")
DECIDED = Assumption("The present price decides this already: the other side of the level can be meant.", "direction")
MOMENT = Assumption("The price can be meant at the deadline or at any time before it.", "moment")
SPAN = Assumption("The price can be meant at the deadline or at all times until then.", "moment")
START = Assumption("The move can be counted from the start of the period.", "start")
SIZE = Assumption("The size of the move can be another one.", "size")
ORDER = Assumption("The date can be written with the month or the day first.", "deadline")
NEXT = Assumption("The next day of that name or the one in the week after can be meant.", "deadline")
TODAY = Assumption("It is that day of the week today: today or the same day next week can be meant.", "deadline")
WEEK = Assumption("Little of this week is left: this week or the coming one can be meant.", "deadline")
WEEKEND = Assumption("The first or the last day of the weekend can be meant.", "deadline")
BEFORE = Assumption("The deadline can be the end of that day or of the day before it.", "deadline")
BEFORE_WEEKEND = Assumption("The deadline can be before the weekend or at its end.", "deadline")


@dataclass(frozen=True)
class Alternative:
    """Another reading: `question` asks this one, `canonical` says it in full, `reason`, an Assumption, the choice."""

    question: str
    canonical: str
    reason: str


def alternatives(parse: Parse) -> tuple[Alternative, ...]:
    """The other readings of the text, at most three, the most different first; none for most questions."""
    if parse.pair is not None or parse.earlier is not None:
        return ()
    readings: dict[str, Alternative] = {}
    choices = (_other_dates, _other_amounts, _other_starts, _other_events)
    for question, reason in (*parse.others, *chain.from_iterable(others(parse) for others in choices)):
        if question.canonical != parse.question.canonical and not _is_decided(question):
            readings.setdefault(question.canonical, Alternative(brief(question), question.canonical, reason))
    return tuple(readings.values())[:MOST_ALTERNATIVES]


def _is_decided(question: Question) -> bool:
    """Whether the present price decides the question already."""
    return question.kind.may_end_early and takes_place_at(question, question.spot)


def _other_dates(parse: Parse) -> Iterator[tuple[Question, Assumption]]:
    """The question with another deadline, where the one of its date is uncertain."""
    if not parse.deadline.is_named or parse.is_bound:
        return
    if parse.now.weekday() == SUNDAY:
        yield from _at_deadline(parse, parse.split.main, WEEK, is_week_over=True)
    month_first = parse.language.month_first
    if has_two_orders(parse.split.main, parse.language):
        variant = replace(parse, language=replace(parse.language, month_first=not month_first))
        yield from _at_deadline(variant, variant.split.main, ORDER)
    for tokens, reason in _other_days(parse):
        yield from _at_deadline(parse, tokens, reason)
    # A deadline before a day, which may count or not; "before the end of May" has the last one.
    deadline, at = parse.deadline, parse.deadline.at - timedelta(days=1)
    is_before_day = deadline.preposition == "before" and bool(deadline.notes) and is_end_of_day(deadline.at)
    has_end = any(token.kind in ("end", "eo") for token in parse.split.main)
    if is_before_day and not has_end and at > parse.now:
        with suppress(InvalidQuestion):
            yield replace(parse, deadline=replace(deadline, at=at)).question, BEFORE


def _at_deadline(
    parse: Parse, tokens: Sequence[Token], reason: Assumption, *, is_week_over: bool = False
) -> Iterator[tuple[Question, Assumption]]:
    """The question with the deadline in these tokens, if there is another one and it fits."""
    split, own = replace(parse.split, main=list(tokens)), parse.deadline
    asset = parse.subject.asset
    with suppress(InvalidQuestion):
        deadline = deadline_of(split, parse.language, parse.circumstances, asset, is_week_over=is_week_over)
        has_begun = reason in (WEEKEND, BEFORE_WEEKEND) and deadline.at > own.at  # the weekend
        if deadline.is_named and deadline.at != own.at and not has_begun:
            yield replace(parse, deadline=replace(deadline, preposition=own.preposition)).question, reason


def _other_days(parse: Parse) -> Iterator[tuple[list[Token], Assumption]]:
    """The tokens of the question with another day of the week; at most one such change."""
    tokens = parse.split.main
    for place, token in enumerate(tokens):
        around = (neighbour for neighbour in (place - 1, place + 1) if 0 <= neighbour < len(tokens))
        named_next = next((neighbour for neighbour in around if tokens[neighbour].kind == "next"), None)
        is_today = token.kind == "weekday" and token.quantity == parse.now.weekday()
        if token.kind == "weekday" and named_next is not None:
            names_unit = any(later.kind == "unit" for later in tokens[named_next + 1 : named_next + 2])
            if not (names_unit or is_today):  # "Monday next week", or "next Monday" on a Monday
                yield [*tokens[:named_next], *tokens[named_next + 1 :]], NEXT
            return
        if token.kind == "weekday" and parse.deadline.at.date() == parse.now.date() and is_today:
            yield [*tokens[:place], Token("next", ""), *tokens[place:]], TODAY
            return
        if token.kind == "weekend":
            is_end = parse.deadline.preposition in ("by", "before", "until", "lasting")
            day = Token("weekday", "", FRIDAY if is_end else SATURDAY)
            yield [*tokens[:place], day, *tokens[place + 1 :]], BEFORE_WEEKEND if is_end else WEEKEND
            return


def _other_amounts(parse: Parse) -> Iterator[tuple[Question, Assumption]]:
    """The question with another value of one of its numbers: "mil" is a thousand or a million."""
    for place, amount in enumerate(parse.clause.amounts):
        level = amount.value(parse.spot)
        if amount.is_percent or amount.is_multiple or level <= 0:
            continue
        limit = FARTHER * abs(math.log(level / parse.spot))
        for value in amount.values:
            if value <= 0 or value == level or abs(math.log(value / parse.spot)) > limit:
                continue
            amounts = list(parse.clause.amounts)
            amounts[place] = replace(amount, values=(value,))
            with suppress(InvalidQuestion):
                yield replace(parse, clause=replace(parse.clause, amounts=tuple(amounts))).question, AMOUNT


def _other_starts(parse: Parse) -> Iterator[tuple[Question, Assumption]]:
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


def _other_events(parse: Parse) -> Iterator[tuple[Question, Assumption]]:
    """The question with the other side of its level, or with the other time at which the price counts."""
    criterion = parse.criterion
    kind = KINDS[criterion.comparator]
    if parse.event is not None or not isinstance(kind, Close | Touch):
        return
    if any(isinstance(note, Assumption) and note.code == "size" for note in criterion.notes):
        yield parse.with_criterion(of_percentage(2 * (criterion.level_pct or 0.0), parse.spot)), SIZE
        yield parse.with_criterion(Criterion(Direction.of(kind.side))), SIZE
        return
    is_move = isinstance(kind, Touch) and not criterion.negated and bool(parse.clause.kinds & MOTIONS)
    if is_move and _is_decided(parse.question):
        yield parse.with_criterion(replace(criterion, comparator=Touch.of(-kind.side))), DECIDED
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


def _before_deadline(parse: Parse, criterion: Criterion, side: int) -> tuple[Question, Assumption]:
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
    notes = (*reading.question.notes, *(choice.reason for choice in choices))
    codes = {note.code for note in notes if isinstance(note, Assumption)}
    if isinstance(reading, Parse) and reading.question.comparator == "open" and reading.event is None:
        kinds = {token.kind for token in reading.split.main}
        codes |= set() if kinds & ASKS_PRICE else {"event"}
    return tuple(code for code in get_args(AssumptionCode) if code in codes)
