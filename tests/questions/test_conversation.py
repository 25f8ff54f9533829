"""Follow-ups are read as people mean them; `conversations.toml` holds the conversations and says how it is written."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from service.errors import InvalidQuestion, InvalidRequest
from service.questions import Circumstances, Question, read_any
from service.questions.conversation import ContextQuestion
from service.questions.parse import Parse
from tests.questions.asking import HISTORY, NOW, RATES, SPOTS
from tests.questions.test_cases import _deadline as deadline_of

TABLE = tomllib.loads((Path(__file__).parent / "conversations.toml").read_text("utf-8"))
CIRCUMSTANCES = Circumstances(NOW, SPOTS, history=HISTORY, rates=RATES)
TOLERANCE = 0.002
LEVELS = re.compile(r"[\d.]+(?:e\+\d+)?")
MOST_FAULTS = 6  # of about 1,060 follow-ups: those that are not read yet as the table says


@dataclass(frozen=True)
class Turn:
    """A text after another one, what is expected, what was read; `verdict` is right, refused or misread."""

    language: str
    text: str
    expected: str
    reading: str
    verdict: str


def _turns(language: str, conversation: str) -> Iterator[Turn]:
    """The follow-ups of a conversation; its first question must be read as the table says, or there is none."""
    context: ContextQuestion | None = None
    for number, line in enumerate(conversation.strip().splitlines()):
        text, expected = (part.strip() for part in line.split(" => "))
        try:
            parse = read_any(text, CIRCUMSTANCES, context)
        except InvalidRequest as refusal:
            verdict = "right" if expected.split(" ")[0] in ("none", "refused") else "refused"
            yield Turn(language, text, expected, f"{refusal.code}: {refusal.detail}", verdict)
            continue
        reading = _described(parse.question)
        codes = " ".join(parse.carryover) if isinstance(parse, Parse) else ""
        is_right = any(_agrees(parse.question, codes, *variant) for variant in _variants(expected))
        if number or not is_right:
            yield Turn(language, text, expected, f"{reading} ; {codes}", "right" if is_right else "misread")
        context = ContextQuestion(parse.question, parse.language, before=context and context.question)


def _variants(expected: str) -> Iterator[tuple[str, str]]:
    """Each reading that is right, with the codes of what is carried."""
    readings, _, codes = expected.partition(" ; ")
    for place, reading in enumerate(readings.split(" | ")):
        choices = codes.split(" | ")
        yield reading, choices[min(place, len(choices) - 1)].strip()


def _agrees(question: Question, carryover: str, expected: str, codes: str) -> bool:
    *words, deadline = expected.split(" ")
    if not words or question.deadline != deadline_of(deadline, NOW) or carryover != codes:
        return False
    levels = [float(level) for word in words if LEVELS.fullmatch(word) for level in word.split("..")]
    *reading, _ = _described(question).split(" ")
    is_near = len(levels) == len(question.levels) and np.allclose(levels, question.levels, rtol=TOLERANCE)
    return is_near and [word for word in words if not LEVELS.fullmatch(word)] == [
        word for word in reading if not LEVELS.fullmatch(word)
    ]


def _described(question: Question) -> str:
    legs = (f"{leg.asset}.{leg.comparator}" + (f".{leg.level:g}" if leg.level else "") for leg in question.legs)
    name = "&".join(legs) or (f"{question.asset}>{question.other_asset}" if question.other_asset else question.asset)
    levels = "..".join(f"{level:g}" for level in question.levels)
    size = f"({question.level_pct:g}%)" if question.level_pct is not None and not question.levels else ""
    days = f"{question.days}d" if question.days else ""
    words = [
        name,
        "not" * question.negated,
        question.comparator,
        levels,
        size,
        days,
        f"{question.deadline:%Y-%m-%dT%H:%M}",
    ]
    return " ".join(word for word in words if word)


def test_follow_ups_are_read_as_people_mean_them():
    """No more than the known ones are misread or refused; a refusal asks to say more."""
    turns = [
        turn
        for language, table in TABLE.items()
        for conversation in table["conversations"]
        for turn in _turns(language, conversation)
    ]
    faults = [turn for turn in turns if turn.verdict != "right"]
    lines = [f"{turn.verdict} {turn.language}: {turn.text} => {turn.expected} != {turn.reading}" for turn in faults]
    assert len(faults) <= MOST_FAULTS, "\n".join(lines)


LEAP_WINTER = replace(CIRCUMSTANCES, now=datetime(2027, 12, 1, 10, tzinfo=UTC))


def test_next_february_after_a_date_has_its_own_days():
    """The month is that after the earlier deadline, of 28 days, although the one that comes first has 29."""
    earlier = read_any("will btc hit 100k by january 2029?", LEAP_WINTER).question
    question = read_any("and by next february?", LEAP_WINTER, ContextQuestion(earlier)).question
    assert f"{question.deadline:%Y-%m-%d}" == "2029-02-28"


def test_a_follow_up_days_after_the_deadline_needs_another_one():
    earlier = read_any("will btc be above 100k tomorrow?", CIRCUMSTANCES).question
    later = replace(CIRCUMSTANCES, now=NOW + timedelta(days=4))
    with pytest.raises(InvalidQuestion, match="has passed"):
        read_any("and eth?", later, ContextQuestion(earlier))


def test_a_leap_day_is_compared_with_the_end_of_february():
    """A year earlier there is none; that price is not stored here, which the refusal says."""
    with pytest.raises(InvalidQuestion, match="2027-02-28 is not stored"):
        read_any("will eth close higher on february 29 than on february 29?", LEAP_WINTER)
