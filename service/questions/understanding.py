"""From the text of a question to what YES means.

The text is cleaned, split into tokens and sentences, and the dates are taken out of the question; the criterion follows
from the remaining words. Every step may refuse the question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from service.market.assets import trading_days
from service.market.bars import PriceExtremes
from service.questions.canonical import canonical
from service.questions.clause import Clause, read_clause
from service.questions.clean import clean
from service.questions.criteria import compare, find_criterion
from service.questions.criterion import Criterion
from service.questions.dates.deadline import Deadline, find_deadline
from service.questions.day_counts import counted, find_days
from service.questions.moves import nothing_definite
from service.questions.numerals import spelled
from service.questions.question import Question, polarity_of
from service.questions.refusals import invalid
from service.questions.scope import (
    nameless,
    refuse_looking_back,
    refuse_loose_ends,
    refuse_other_matters,
    refuse_unreadable,
)
from service.questions.sentences import SplitText, find_question
from service.questions.subject import Subject, find_subject
from service.questions.tokens import read
from service.questions.vocabulary import Language

# For a deadline farther away than this, a note names the date: it may have been understood as one of next year.
NEARLY_A_YEAR = timedelta(days=300)


RecordOf = Callable[[str], PriceExtremes | None]


def no_record(_: str) -> None:
    """No record of any asset: questions about one are refused."""


def understand(
    text: str,
    now: datetime,
    spots: Mapping[str, float],
    until: datetime | None = None,
    record_of: RecordOf = no_record,
) -> Question:
    """The question that `text` asks.

    Parameters
    ----------
    text
        At most 500 characters, in one of the languages of the vocabulary.
    now
        When the question is asked, an aware datetime.
    spots
        The present price of each asset that has one, in USD.
    until
        A deadline from outside the text, an aware datetime. It applies if the text names none; a text that names
        another day is refused, and so are questions that would otherwise be answered with a note about what was
        ignored, because others will rely on the question.
    record_of
        The record of an asset's prices, read only for a question about a new high or low.

    Raises
    ------
    NotAMarketQuestion
        If the text is not about a market.
    InvalidQuestion
        If the question cannot be answered, or only by guessing.
    InvalidRequest
        If the text is too long or contains control characters. All details say how to ask instead.
    """
    cleaned = clean(text)
    now = now.astimezone(UTC)
    language, tokens = read(cleaned)
    split = find_question(spelled(tokens), language)
    if split is None:
        raise nameless(tokens)
    refuse_looking_back(split.main)
    count, main = find_days(split.main)
    split = replace(split, main=main)
    subject = find_subject(split.main, [*split.aside, *split.others], spots)
    deadline = deadline_of(split, now, language, until)
    spot = float(spots[subject.asset])
    if count is not None:
        deadline = replace(deadline, preposition="by")  # "above 90k on 3 days until Friday" is not all the time
    clause = read_clause(deadline.rest, language, spot)
    refuse_other_matters(clause, deadline)
    record = record_of(subject.asset) if "record" in clause.kinds else None
    criterion = _criterion(clause, subject, deadline, spot, split, record)
    if count is not None:
        criterion = counted(criterion, count, len(trading_days(subject.asset, *_span(now, deadline))))
    refuse_unreadable(clause, criterion, deadline)
    notes = (*subject.notes, *criterion.notes)
    if until is None:
        notes += (*_deadline_notes(deadline, now), *_notes(split))
    else:
        refuse_loose_ends(cleaned, split, subject)
    return build(cleaned, now, spot, subject, deadline, replace(criterion, notes=notes))


def _span(now: datetime, deadline: Deadline) -> tuple[int, int]:
    """From now to the deadline in unix seconds."""
    return int(now.timestamp()), int(deadline.at.timestamp())


def deadline_of(split: SplitText, now: datetime, language: Language, until: datetime | None) -> Deadline:
    """The deadline in the question itself, else the one in another sentence, else `until`, else in seven days."""
    own = find_deadline(split.main, now, language)
    if until is None and not own.is_named and split.aside:
        _refuse_dated_circumstances(split, now, language)
    if not own.is_named and split.others:
        own = replace(find_deadline(split.others, now, language, strict=False), rest=own.rest)
    if until is None:
        return own
    if own.is_named and own.at.date() != until.date():
        raise invalid(
            f"The question names {own.at:%Y-%m-%d %H:%M} UTC as its deadline, but the deadline of the request is "
            f"{until:%Y-%m-%d}. Remove the date from the question, or use {own.at:%Y-%m-%d} as the deadline."
        )
    return own if own.is_named else replace(own, at=until)


def _refuse_dated_circumstances(split: SplitText, now: datetime, language: Language) -> None:
    if find_deadline(split.aside, now, language, strict=False).is_named:
        raise invalid("Only the circumstances have a date. Add a deadline for the price itself.")


def _criterion(
    clause: Clause, subject: Subject, deadline: Deadline, spot: float, split: SplitText, record: PriceExtremes | None
) -> Criterion:
    if subject.other:
        criterion = compare(clause)
    elif split.is_order and not clause.kinds & {"will", "reach"}:
        criterion = nothing_definite()
    else:
        criterion = find_criterion(clause, spot, deadline.preposition, record)
    return replace(criterion, negated=criterion.negated != (clause.negated and criterion.comparator != "open"))


def _deadline_notes(deadline: Deadline, now: datetime) -> tuple[str, ...]:
    if not deadline.is_named:
        return ("No deadline was named: the deadline is in seven days.",)
    if deadline.at - now > NEARLY_A_YEAR:
        return (f"The deadline is understood as {deadline.at:%Y-%m-%d}.",)
    return ()


def _notes(split: SplitText) -> tuple[str, ...]:
    notes = []
    if split.has_condition:
        notes.append("The condition was ignored: the question is answered without it.")
    if split.has_more:
        notes.append("Only one of several questions was considered.")
    if any(token.kind == "when" for token in split.main):
        notes.append("A time was asked for: understood as whether it happens by the deadline.")
    return tuple(notes)


def build(
    text: str, now: datetime, spot: float, subject: Subject, deadline: Deadline, criterion: Criterion
) -> Question:
    """The question from its parts, with its canonical sentence."""
    question = Question(
        text=text,
        asset=subject.asset,
        comparator=criterion.comparator,
        deadline=deadline.at,
        horizon_hours=(deadline.at - now).total_seconds() / 3600,
        spot=spot,
        polarity="none",
        negated=criterion.negated,
        other_asset=subject.other,
        level=criterion.level,
        upper_level=criterion.upper_level,
        level_pct=criterion.level_pct,
        days=criterion.days,
        in_a_row=criterion.in_a_row,
        notes=criterion.notes,
    )
    return replace(question, polarity=polarity_of(question), canonical=canonical(question))
