"""From the text of a question to what YES means: the pipeline of the oracle's design page, section 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from service.forecasting.questions.canonical import canonical
from service.forecasting.questions.clause import Clause, read_clause
from service.forecasting.questions.clean import clean
from service.forecasting.questions.criteria import compare, find_criterion
from service.forecasting.questions.criterion import Criterion
from service.forecasting.questions.dates.deadline import Deadline, find_deadline
from service.forecasting.questions.moves import nothing_definite
from service.forecasting.questions.numerals import spelled
from service.forecasting.questions.question import Polarity, Question
from service.forecasting.questions.refusals import invalid
from service.forecasting.questions.scope import (
    nameless,
    refuse_looking_back,
    refuse_other_matters,
    refuse_unreadable,
)
from service.forecasting.questions.sentences import Asked, find_question
from service.forecasting.questions.subject import Subject, find_subject
from service.forecasting.questions.tokens import read

# Beyond this a date without a year has passed this year, and the year it was given is said.
NEARLY_A_YEAR = timedelta(days=300)
BEARISH = {"touch_below", "close_below", "down"}


def understand(text: str, now: datetime, spots: Mapping[str, float]) -> Question:
    """The question that `text` asks at `now` (aware) with `spots`, USD prices by asset.

    What is no market question raises NotAMarketQuestion; one that cannot be answered, or not without guessing,
    InvalidQuestion; text that may not be read at all InvalidRequest. Their details say how to ask instead.
    """
    cleaned = clean(text)
    now = now.astimezone(UTC)
    language, tokens = read(cleaned)
    asked = find_question(spelled(tokens), language)
    if asked is None:
        raise nameless(tokens)
    refuse_looking_back(asked.main)
    subject = find_subject(asked.main, [*asked.aside, *asked.others], spots)
    deadline = _deadline(asked, now, language)
    spot = float(spots[subject.asset])
    clause = read_clause(deadline.rest, language, spot)
    refuse_other_matters(clause, deadline)
    criterion = _criterion(clause, subject, deadline, spot, asked)
    refuse_unreadable(clause, criterion, deadline)
    return _question(cleaned, now, spot, subject, deadline, criterion, _notes(asked, subject, deadline, criterion, now))


def _deadline(asked: Asked, now: datetime, language: str) -> Deadline:
    """The deadline of the question itself or, where it names none, one that stands in another sentence."""
    own = find_deadline(asked.main, now, language)
    if own.is_named:
        return own
    if asked.aside and find_deadline(asked.aside, now, language, strict=False).is_named:
        raise invalid("Only the circumstances have a date. Say by when the price should be where.")
    if not asked.others:
        return own
    return replace(find_deadline(asked.others, now, language, strict=False), rest=own.rest)


def _criterion(clause: Clause, subject: Subject, deadline: Deadline, spot: float, asked: Asked) -> Criterion:
    if subject.other:
        criterion = compare(clause)
    elif asked.is_order and not clause.kinds & {"will", "reach"}:
        criterion = nothing_definite()
    else:
        criterion = find_criterion(clause, spot, deadline.preposition)
    return replace(criterion, negated=criterion.negated != (clause.negated and criterion.comparator != "open"))


def _notes(asked: Asked, subject: Subject, deadline: Deadline, criterion: Criterion, now: datetime) -> tuple[str, ...]:
    notes = [*subject.notes, *criterion.notes]
    if not deadline.is_named:
        notes.append("No deadline was named: read as within seven days.")
    elif deadline.at - now > NEARLY_A_YEAR:
        notes.append(f"The deadline is read as {deadline.at:%Y-%m-%d}.")
    if asked.has_condition:
        notes.append("The condition was left out: the question is answered as it stands without it.")
    if asked.has_more:
        notes.append("Only one of several questions was read.")
    if any(token.kind == "when" for token in asked.main):
        notes.append("A time was asked for: read as whether it will happen by the deadline.")
    return tuple(notes)


def _question(
    text: str,
    now: datetime,
    spot: float,
    subject: Subject,
    deadline: Deadline,
    criterion: Criterion,
    notes: tuple[str, ...],
) -> Question:
    question = Question(
        text=text,
        asset=subject.asset,
        comparator=criterion.comparator,
        deadline=deadline.at,
        horizon_hours=(deadline.at - now).total_seconds() / 3600,
        spot=spot,
        polarity=_polarity(criterion, spot),
        negated=criterion.negated,
        other_asset=subject.other,
        level=criterion.level,
        upper_level=criterion.upper_level,
        level_pct=criterion.level_pct,
        notes=notes,
    )
    return replace(question, canonical=canonical(question))


def _polarity(criterion: Criterion, spot: float) -> Polarity:
    """The side of YES; a range lies on the side of its middle."""
    bullish = criterion.comparator not in BEARISH
    if criterion.comparator == "between":
        bullish = (criterion.level + criterion.upper_level) / 2 >= spot
    return "bull" if bullish != criterion.negated else "bear"
