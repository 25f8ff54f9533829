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
    refuse_loose_ends,
    refuse_other_matters,
    refuse_unreadable,
)
from service.forecasting.questions.sentences import Asked, find_question
from service.forecasting.questions.subject import Subject, find_subject
from service.forecasting.questions.tokens import read

# Beyond this a date without a year has passed this year, and the year it was given is said.
NEARLY_A_YEAR = timedelta(days=300)
BEARISH = {"touch_below", "close_below", "down"}


def understand(text: str, now: datetime, spots: Mapping[str, float], until: datetime | None = None) -> Question:
    """The question that `text` asks at `now` (aware) with `spots`, USD prices by asset.

    `until` is the deadline that was given beside the text: it holds where the text names none, another day in the
    text is refused, and so is what is only read with notes otherwise, as others will rely on what is asked.

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
    deadline = deadline_of(asked, now, language, until)
    spot = float(spots[subject.asset])
    clause = read_clause(deadline.rest, language, spot)
    refuse_other_matters(clause, deadline)
    criterion = _criterion(clause, subject, deadline, spot, asked)
    refuse_unreadable(clause, criterion, deadline)
    notes = (*subject.notes, *criterion.notes)
    if until is None:
        notes += (*_deadline_notes(deadline, now), *_notes(asked))
    else:
        refuse_loose_ends(cleaned, asked, subject)
    return build(cleaned, now, spot, subject, deadline, replace(criterion, notes=notes))


def deadline_of(asked: Asked, now: datetime, language: str, until: datetime | None) -> Deadline:
    """The deadline of the question itself, else one that stands in another sentence, else `until`, if it is given."""
    own = find_deadline(asked.main, now, language)
    if until is None and not own.is_named and asked.aside:
        _refuse_dated_circumstances(asked, now, language)
    if not own.is_named and asked.others:
        own = replace(find_deadline(asked.others, now, language, strict=False), rest=own.rest)
    if until is None:
        return own
    if own.is_named and own.at.date() != until.date():
        raise invalid(
            f"The question names {own.at:%Y-%m-%d %H:%M} UTC as its deadline, but {until:%Y-%m-%d} was given. "
            f"Leave the date out of the question, or give {own.at:%Y-%m-%d} as the deadline."
        )
    return own if own.is_named else replace(own, at=until)


def _refuse_dated_circumstances(asked: Asked, now: datetime, language: str) -> None:
    if find_deadline(asked.aside, now, language, strict=False).is_named:
        raise invalid("Only the circumstances have a date. Say by when the price should be where.")


def _criterion(clause: Clause, subject: Subject, deadline: Deadline, spot: float, asked: Asked) -> Criterion:
    if subject.other:
        criterion = compare(clause)
    elif asked.is_order and not clause.kinds & {"will", "reach"}:
        criterion = nothing_definite()
    else:
        criterion = find_criterion(clause, spot, deadline.preposition)
    return replace(criterion, negated=criterion.negated != (clause.negated and criterion.comparator != "open"))


def _deadline_notes(deadline: Deadline, now: datetime) -> tuple[str, ...]:
    if not deadline.is_named:
        return ("No deadline was named: read as within seven days.",)
    if deadline.at - now > NEARLY_A_YEAR:
        return (f"The deadline is read as {deadline.at:%Y-%m-%d}.",)
    return ()


def _notes(asked: Asked) -> tuple[str, ...]:
    notes = []
    if asked.has_condition:
        notes.append("The condition was left out: the question is answered as it stands without it.")
    if asked.has_more:
        notes.append("Only one of several questions was read.")
    if any(token.kind == "when" for token in asked.main):
        notes.append("A time was asked for: read as whether it will happen by the deadline.")
    return tuple(notes)


def build(
    text: str, now: datetime, spot: float, subject: Subject, deadline: Deadline, criterion: Criterion
) -> Question:
    """The question from its parts, said again in the canonical way."""
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
        notes=criterion.notes,
    )
    return replace(question, canonical=canonical(question))


def _polarity(criterion: Criterion, spot: float) -> Polarity:
    """The side of YES; a range lies on the side of its middle."""
    bullish = criterion.comparator not in BEARISH
    if criterion.comparator == "between":
        bullish = (criterion.level + criterion.upper_level) / 2 >= spot
    return "bull" if bullish != criterion.negated else "bear"
