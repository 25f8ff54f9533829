"""What holds for every text."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.errors import InvalidRequest
from service.questions import Circumstances, Question, understand
from service.questions.dates.deadline import FARTHEST
from service.questions.kinds.levels import Close, First, Touch
from service.questions.kinds.paths import Average, DaysBeyond
from service.questions.lexicon import lexicon
from service.questions.tokens import LONGEST
from service.questions.vocabulary import LANGUAGES
from tests.conftest import IN_CI, IN_SOAK
from tests.questions.asking import NOW, SPOTS
from tests.questions.hostile_texts import LONGEST_MS, NUMBERS, slow_texts

EXAMPLES = settings(
    max_examples=400 if IN_SOAK else 150 if IN_CI else 50, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

WITH_LEVEL = {"between"}.union(*(kind.names for kind in (Touch, First, Average, Close, DaysBeyond)))
instants = st.datetimes(datetime(2001, 1, 1), datetime(2095, 1, 1), timezones=st.just(UTC))
MARKS = [",", ".", "?", "-", "$"]
words = st.sampled_from(
    sorted(phrase for language in LANGUAGES for phrase in lexicon(language).phrases) + (NUMBERS + MARKS) * 40
)
sentences = st.lists(words, max_size=30).map(lambda row: " ".join(row)[:LONGEST])


def _outcome(text: str, now: datetime) -> Question | InvalidRequest:
    try:
        return understand(text, Circumstances(now, SPOTS))
    except InvalidRequest as refusal:
        return refusal


def _assert_sane(text: str, now: datetime) -> None:
    """Either a question with finite fields and a deadline ahead, or a refusal that says how to ask."""
    outcome = _outcome(text, now)
    if isinstance(outcome, InvalidRequest):
        assert outcome.detail
        assert [error.field for error in outcome.errors] == ["question"]
        return
    assert now < outcome.deadline <= now + FARTHEST
    assert outcome.deadline.tzinfo is UTC
    assert outcome.asset in SPOTS
    for level in (outcome.level, outcome.upper_level):
        assert level is None or (
            math.isfinite(level) and SPOTS[outcome.asset] / 100 <= level <= SPOTS[outcome.asset] * 100
        )
    assert (outcome.level is not None) == (outcome.comparator in WITH_LEVEL)
    assert (outcome.upper_level is not None) == (outcome.comparator in ("between", *First.names))
    assert (outcome.other_asset is not None) == (outcome.comparator == "relative")
    assert outcome.canonical.endswith("?")
    assert outcome.text == " ".join(outcome.text.split())


@EXAMPLES
@given(st.text(max_size=LONGEST + 20), instants)
def test_any_text_is_understood_or_refused(text, now):
    _assert_sane(text, now)


@EXAMPLES
@given(sentences, instants)
def test_any_words_of_the_vocabulary_are_understood_or_refused(text, now):
    _assert_sane(text, now)


@EXAMPLES
@given(st.text(max_size=200))
def test_the_raw_text_never_reaches_the_canonical_question(text):
    plain = understand("Will bitcoin reach 120k by December 31?", Circumstances(NOW, SPOTS))
    outcome = _outcome(f"Will bitcoin reach 120k by December 31? {text}", NOW)
    if isinstance(outcome, Question) and (outcome.asset, outcome.comparator, outcome.level) == (
        "btc",
        "touch_above",
        120_000,
    ):
        assert outcome.canonical.split(" until ")[0] == plain.canonical.split(" until ")[0]


def test_no_text_takes_long_to_read(tries):
    """No text of up to 500 characters costs more than 5 ms of CPU, and none raises anything but a refusal.

    Beside other processes, which share the caches of the machine, three times as much is allowed.
    """
    assert slow_texts(tries(500, 5000, 100_000), seed=7, longest_ms=3 * LONGEST_MS) == []


@pytest.mark.parametrize(
    "text", ["Will Bitcoin rise on the 0th?", "btc 0日?", "btc above " + "1十" * 240, "金銀比価 " * 100]
)
def test_what_cannot_be_read_is_refused(text):
    """A day 0 was an internal error; a text of hundreds of numbers took 0.4 s, one of phrases of three tokens 14 ms."""
    with pytest.raises(InvalidRequest):
        understand(text, Circumstances(NOW, SPOTS))
