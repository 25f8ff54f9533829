"""What holds for every text."""

from __future__ import annotations

import math
import time
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.errors import InvalidRequest
from service.questions import Question, understand
from service.questions.clean import LONGEST
from service.questions.dates.deadline import FARTHEST
from service.questions.lexicon import lexicon
from service.questions.vocabulary import LANGUAGES
from tests.questions.asking import NOW, SPOTS

EXAMPLES = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])

instants = st.datetimes(datetime(2001, 1, 1), datetime(2095, 1, 1), timezones=st.just(UTC))
NUMBERS = ["100k", "95-100k", "100.000", "10%", "2026", "31.12", "12/31", "2027-02-29", "5", "9" * 40]
MARKS = [",", ".", "?", "-", "$"]
words = st.sampled_from(
    sorted(phrase for language in LANGUAGES for phrase in lexicon(language).phrases) + (NUMBERS + MARKS) * 40
)
sentences = st.lists(words, max_size=30).map(lambda row: " ".join(row)[:LONGEST])


def _outcome(text: str, now: datetime) -> Question | InvalidRequest:
    try:
        return understand(text, now, SPOTS)
    except InvalidRequest as refusal:
        return refusal


def _assert_sane(text: str, now: datetime) -> None:
    """Either a question with finite fields and a deadline ahead, or a refusal that says how to ask."""
    got = _outcome(text, now)
    if isinstance(got, InvalidRequest):
        assert got.detail
        assert [error.field for error in got.errors] == ["question"]
        return
    assert now < got.deadline <= now + FARTHEST
    assert got.deadline.tzinfo is UTC
    assert got.asset in SPOTS
    for level in (got.level, got.upper_level):
        assert level is None or (math.isfinite(level) and SPOTS[got.asset] / 100 <= level <= SPOTS[got.asset] * 100)
    assert (got.level is not None) == (got.comparator.startswith(("touch", "close", "between")))
    assert (got.upper_level is not None) == (got.comparator == "between")
    assert (got.other_asset is not None) == (got.comparator == "relative")
    assert got.canonical.endswith("?")
    assert got.text == " ".join(got.text.split())


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
    plain = understand("Will bitcoin reach 120k by December 31?", NOW, SPOTS)
    got = _outcome(f"Will bitcoin reach 120k by December 31? {text}", NOW)
    if isinstance(got, Question) and (got.asset, got.comparator, got.level) == ("btc", "touch_above", 120_000):
        assert got.canonical.split(" until ")[0] == plain.canonical.split(" until ")[0]


@pytest.mark.parametrize(
    "text",
    [
        "btc " + "1," * 240,
        "btc " + "-" * 490,
        "btc by " + "the " * 120,
        "btc " + "in the next " * 40,
        "btc dec " + ", " * 240,
        "btc " + "not " * 120 + "up",
        "btc " + "<a" * 240,
        "btc " + "{{" * 240,
        "btc " + "a" * 490,
        "btc " + "百万" * 240,
        "btc " + "31.12." * 80,
        "btc " + "if " * 160,
        "btc " + "'" * 490,
    ],
)
def test_no_text_takes_long(text):
    _outcome(text, NOW)
    began = time.perf_counter()
    _outcome(text, NOW)
    assert time.perf_counter() - began < 0.25
