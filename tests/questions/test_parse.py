"""A question part by part, and the notes on what was assumed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from service.questions import Circumstances, understand
from service.questions.dates.deadline import Deadline
from service.questions.kinds.levels import touch
from service.questions.parse import build, has_two_orders
from service.questions.subject import Subject
from service.questions.tokens import read
from tests.questions.asking import HISTORY, NOW, SPOTS


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Will btc reach 100k?", "No deadline"),
        ("Will btc reach 100k by Nov 20?", "understood as 2027-11-20"),
        ("xrp", "No criterion"),
        ("Will crypto crash tomorrow?", "stand-in"),
        ("Will btc, eth and gold rise tomorrow?", "Only Bitcoin was considered"),
        ("btc or eth this week?", "the first asset named"),
        ("Bitcoin up or down tomorrow?", "YES means up"),
        ("Bitcoin $64K in April?", "below the present price"),
        ("Will btc rise tomorrow if the Fed cuts rates?", "condition"),
        ("When will btc hit 100k?", "A time was asked for"),
        ("Will btc stay between 90k and 100k this week?", "only the price at the deadline"),
        ("Will btc rise tomorrow? Will eth fall tomorrow?", "one of several"),
        ("Will btc rise on at least 3 days this month?", "from now to the deadline"),
        ("Will btc rise on at least 3 days in December?", "from 2026-12-01 to the deadline"),
        ("Will btc be green by Friday?", "counted from the present price"),
        ("Will btc and eth both be green this week?", "counted from the present prices"),
        ("How much will btc rise this week?", "An amount was asked for"),
        ("How many green days will btc have this week?", "An amount was asked for"),
        ("Will btc return to where it was last month by Christmas?", "past date 2026-10-31 was ignored"),
        ("Will btc fall below 100k by Friday?", "already: at 94,075.9 USD it is YES"),
        ("Will btc stay above 100k until Friday?", "already: at 94,075.9 USD it is NO"),
        ("Will eth outperform btc this month?", "The returns are counted from now"),
        ("Will btc be above 90k before December 1?", "understood as 2026-12-01"),
        ("BTC -7% next week?", "Everything from now on counts"),
        ("btc above 95k tomorrow when stocks rally", "condition"),
    ],
)
def test_the_notes_name_what_was_assumed(text, word):
    assert any(word in note for note in understand(text, Circumstances(NOW, SPOTS, history=HISTORY)).notes)


@pytest.mark.parametrize("text", ["Will bitcoin reach $120k by Dec 31?", "How likely is bitcoin to rise by Dec 31?"])
def test_a_question_without_gaps_has_no_notes(text):
    assert understand(text, Circumstances(NOW, SPOTS)).notes == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("will btc rise by 11/12/2026", True),
        ("will btc rise by 3/4", True),
        ("will btc rise by 13/12/2026", False),
        ("will btc rise by 12/12/2026", False),
        ("will btc rise by 2026-11-12", False),
        ("wird bitcoin bis 11/12/2026 steigen", False),
    ],
)
def test_an_english_date_may_have_two_orders(text: str, expected: bool):
    language, tokens = read(text)
    assert has_two_orders(tokens, language) is expected


def test_a_question_is_built_from_its_parts():
    deadline = Deadline(NOW + timedelta(hours=36), [])
    question = build("the text", NOW, SPOTS["btc"], Subject("btc"), deadline, touch(80_000.0, upward=False))
    assert (question.text, question.horizon_hours, question.polarity) == ("the text", 36.0, "bear")
    assert question.canonical.endswith("at or below 80,000 USD at any time until 2026-11-22 22:00 UTC?")


def test_a_deadline_from_outside_the_text_has_no_note():
    """Nothing in the text was ignored."""
    circumstances = Circumstances(NOW, SPOTS, until=NOW + timedelta(days=3))
    assert understand("Will btc reach 100k?", circumstances).notes == ()
