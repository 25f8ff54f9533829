"""From the text of a question to what YES means.

The text is cleaned, split into tokens and sentences, and the dates are taken out of the question; the criterion follows
from the remaining words. Every step may refuse the question.
"""

from __future__ import annotations

from dataclasses import replace

from service.errors import InvalidQuestion, InvalidRequest, NotAMarketQuestion
from service.questions.circumstances import Circumstances
from service.questions.clause import read_clause
from service.questions.coins import TokenizedText, read_markets
from service.questions.criterion import invalid
from service.questions.currencies import refuse_unpriced
from service.questions.dates.deadline import Deadline, find_deadline
from service.questions.dates.reading import Today
from service.questions.dates.years import with_years
from service.questions.day_counts import find_days
from service.questions.earlier import find_earlier, of_period
from service.questions.extremes import may_have_extreme, with_extremes
from service.questions.history import Setting
from service.questions.moving_averages import with_moving_average
from service.questions.pairs import find_pair, refuse_two_deadlines
from service.questions.parse import Parse
from service.questions.question import Question
from service.questions.records import with_period
from service.questions.scope import (
    nameless,
    refuse_looking_back,
    refuse_loose_ends,
    refuse_other_matters,
    refuse_unreadable,
)
from service.questions.sentences import SplitText, find_question
from service.questions.subject import Subject, find_subject
from service.questions.suggestions import proposals, with_suggestions
from service.questions.tokens import Token
from service.questions.vocabulary import Language

MOST_SUGGESTED = 30  # words and marks; the refusal of a longer text suggests nothing, because that would take too long


def understand(text: str, circumstances: Circumstances) -> Question:
    """The question that `text`, at most 500 characters in one of the languages of the vocabulary, asks.

    Raises
    ------
    NotAMarketQuestion
        If the text is not about a market.
    InvalidQuestion
        If the question cannot be answered, or only by guessing.
    InvalidRequest
        If the text is too long or contains control characters. All details say how to ask instead.
    """
    return parse(text, circumstances).question


def parse(text: str, circumstances: Circumstances) -> Parse:
    """The parts of the question that `text` asks; see `understand`."""
    tokenized = read_markets(text, circumstances.coins)
    try:
        return parse_tokenized(tokenized, circumstances)
    except (InvalidQuestion, NotAMarketQuestion) as refusal:
        raise suggested(refusal, tokenized, circumstances) from None


def suggested(refusal: InvalidRequest, tokenized: TokenizedText, circumstances: Circumstances) -> InvalidRequest:
    """The refusal of a text with questions close to it that are understood as they are meant."""
    if tokenized.size > MOST_SUGGESTED:
        return refusal
    proposed = proposals(tokenized, circumstances)
    return with_suggestions(
        refusal, [sentence for sentence, meaning in proposed if _asks(sentence, circumstances) == meaning]
    )


def _asks(sentence: str, circumstances: Circumstances) -> str | None:
    """The canonical question that a sentence asks, None where it is refused."""
    try:
        return parse_tokenized(read_markets(sentence, circumstances.coins), circumstances).question.canonical
    except InvalidQuestion:
        return None


def parse_tokenized(tokenized: TokenizedText, circumstances: Circumstances) -> Parse:
    """The parts of the question that a text with these tokens asks; its refusals suggest nothing."""
    now, language, spots, rates = circumstances.now, tokenized.language, circumstances.spots, circumstances.rates
    split = find_question(tokenized.tokens, language)
    if split is None:
        raise nameless(tokenized.tokens)
    refuse_looking_back(split.main)
    count, main = find_days(with_years(split.main, Today(now, day_first=not language.month_first)))
    main, priced = _with_extremes(main, split, language, circumstances)
    earlier, main = find_earlier(main, now, language)
    split = replace(split, main=with_period(with_moving_average(main)))
    subject = find_subject(split.main, [*split.aside, *split.others], circumstances)
    deadline = deadline_of(split, language, circumstances, run=count.days if count and count.in_a_row else None)
    spot = float(spots[subject.asset])
    if count is not None:
        deadline = replace(deadline, preposition="by")  # "above 90k on 3 days until Friday" is not all the time
    pair = find_pair(deadline, subject, language, circumstances) if count is None and earlier is None else None
    if pair is not None:
        refuse_two_deadlines(split.main, now, language)
        subject = Subject(subject.asset, pair.legs[1].asset)
    clause = read_clause(deadline.rest, language, spot, rates)
    if pair is None and count is None and subject.other is None:
        earlier = earlier or of_period(clause, deadline)
    refuse_unpriced(clause.amounts, rates, now)
    if priced and ("multiple" in clause.kinds or any(amount.is_percent for amount in clause.amounts)):
        raise invalid(f"{priced[0]} Name the level itself in USD, without a percentage.")
    text = tokenized.text
    understood = Parse(
        text, circumstances, language, split, count, earlier, subject, spot, deadline, clause, pair, priced
    )
    if pair is None:
        refuse_other_matters(clause, deadline)
        refuse_unreadable(clause, understood.criterion, deadline, split.main)
    if understood.is_bound:
        refuse_loose_ends(text, split, subject)
    return understood


def _with_extremes(
    main: list[Token], split: SplitText, language: Language, circumstances: Circumstances
) -> tuple[list[Token], tuple[str, ...]]:
    """The tokens with the prices of "last week's high", and the notes about them."""
    if not may_have_extreme(main):
        return main, ()
    subject = find_subject(main, [*split.aside, *split.others], circumstances)
    spot, now = float(circumstances.spots[subject.asset]), circumstances.now
    tokens, notes = with_extremes(main, Setting(subject.asset, spot, now, now, circumstances.history), language)
    if notes and (subject.other or subject.left_out):
        raise invalid(
            "The high or low of a period is that of one asset. Ask about one asset, or name the levels in USD."
        )
    return tokens, notes


def deadline_of(
    split: SplitText, language: Language, circumstances: Circumstances, *, run: int | None = None
) -> Deadline:
    """The deadline in the question itself, else the one in another sentence, else `until`, else in seven days."""
    now, until = circumstances.now, circumstances.until
    own = find_deadline(split.main, now, language, run=run)
    if until is None and not own.is_named and find_deadline(split.aside, now, language, strict=False).is_named:
        raise invalid("Only the circumstances have a date. Add a deadline for the price itself.")
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
