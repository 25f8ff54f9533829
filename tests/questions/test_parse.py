"""A question part by part, and the notes on what was assumed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from service.questions import Circumstances, understand
from service.questions.dates.deadline import Deadline
from service.questions.day_counts import DayCount
from service.questions.kinds.levels import close, touch
from service.questions.parse import build, counted
from service.questions.subject import Subject
from tests.questions.asking import HISTORY, NOW, RATES, SPOTS
from tests.questions.test_cases import CASES


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
        ("Will btc be in the 90k to 100k range this week?", "only the price at the deadline"),
        (
            "Will btc stay between 96k and 99k this week?",
            "The present price decides this already: at 94,075.9 USD it is NO.",
        ),
        ("Will btc leave the range between 96k and 99k this week?", "it is YES."),
        ("Will btc rise tomorrow? Will eth fall tomorrow?", "one of several"),
        ("Will btc rise on at least 3 days this month?", "from now to the deadline"),
        ("Will btc rise on at least 3 days in December?", "from 2026-12-01 to the deadline"),
        ("Will btc be green by Friday?", "counted from the present price"),
        ("Will btc and eth both be green this week?", "counted from the present prices"),
        ("How much will btc rise this week?", "A range was asked for"),
        ("Will btc return to where it was last month by Christmas?", "past date 2026-10-31 was ignored"),
        ("Will btc fall below 100k by Friday?", "already: at 94,075.9 USD it is YES"),
        ("Will btc stay above 100k until Friday?", "already: at 94,075.9 USD it is NO"),
        ("Will eth outperform btc this month?", "The returns are counted from now"),
        ("Will btc be above 90k before December 1?", "understood as 2026-12-01"),
        ("BTC -7% next week?", "Everything from now on counts"),
        ("btc above 95k tomorrow when stocks rally", "condition"),
        ("Will btc rise by Friday after the halving?", "condition was ignored"),
        ("Will btc hit 6 figures this year?", "at least 100,000 USD"),
        ("Will eth fall to 3 figures this year?", "less than 1,000 USD"),
        ("Will btc be around 95k on Friday?", "within 2%"),
        ("Will btc rise 10% to 100k this week?", "The percentage was ignored"),
        ("Will btc be above its October close on Friday?", "Bitcoin was at"),
    ],
)
def test_the_notes_name_what_was_assumed(text, word):
    assert any(word in note for note in understand(text, Circumstances(NOW, SPOTS, history=HISTORY)).notes)


@pytest.mark.parametrize("text", ["Will bitcoin reach $120k by Dec 31?", "How likely is bitcoin to rise by Dec 31?"])
def test_a_question_without_gaps_has_no_notes(text):
    assert understand(text, Circumstances(NOW, SPOTS)).notes == ()


def test_a_question_is_built_from_its_parts():
    deadline = Deadline(NOW + timedelta(hours=36), [])
    question = build("the text", NOW, SPOTS["btc"], Subject("btc"), deadline, touch(80_000.0, upward=False))
    assert (question.text, question.horizon_hours, question.polarity) == ("the text", 36.0, "bear")
    assert question.canonical.endswith("at or below 80,000 USD at any time until 2026-11-22 22:00 UTC?")


def test_a_deadline_from_outside_the_text_has_no_note():
    """Nothing in the text was ignored."""
    circumstances = Circumstances(NOW, SPOTS, until=NOW + timedelta(days=3))
    assert understand("Will btc reach 100k?", circumstances).notes == ()


LEFT_OUT = "Not understood and left out: "


def notes_of(text: str, prefix: str = LEFT_OUT) -> list[str]:
    """The notes of a question that begin with these words, without them."""
    notes = understand(text, Circumstances(NOW, SPOTS, history=HISTORY, rates=RATES)).notes
    return [note.removeprefix(prefix) for note in notes if note.startswith(prefix)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("will btc zorgly hit 100k on friday", "zorgly"),
        ("steigt btc bis freitag zorghaft auf 100k", "zorghaft"),
        ("le btc atteindra 100k zorgement vendredi", "zorgement"),
        ("btc llegará zorgamente a 100k el viernes", "zorgamente"),
        ("o btc chega zorgamente a 100k na sexta", "zorgamente"),
        ("btc arriva zorgamente a 100k venerdì", "zorgamente"),
        ("биткоин достигнет зоргно 100к к пятнице", "зоргно"),
        ("btc cuma zorgca 100 bine çıkar mı", "zorgca"),
        ("比特币周五蟠到10万吗", "蟠"),
        ("ビットコインは金曜に蟠10万に達する?", "蟠"),
    ],
)
def test_an_unknown_word_is_named_in_every_language(text: str, words: str):
    assert notes_of(text) == [f"“{words}”."]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("will btc beat 95k by friday", None),
        ("btc above 95k on volume by friday", "volume"),
        ("average btc price in december higher than in november", "average"),
        ("btc to fall 20% from its peak by march", "peak"),
        ("btc less than 5k away from ath by january", "ath"),
        ("eth drop 5% from the open by tonight", "open"),
        ("will xrp moon or go back to 1.50 by feb", "or"),
    ],
)
def test_a_word_without_effect_is_named(text: str, words: str | None):
    """A known word that changes the meaning elsewhere and does not do so here."""
    assert notes_of(text) == ([f"“{words}”."] if words else [])


def test_a_level_far_below_the_price_is_said_to_be_far():
    """It may be a distance that was not understood as one."""
    warning = "The level is far from the present price of "
    assert notes_of("bitcoin price on dec 31 minus price today above 5000?", warning) == ["94,075.9 USD."]
    assert notes_of("btc morgen zwischen 12 und 14 uhr über 95k", warning) == ["94,075.9 USD."]
    assert notes_of("btc above 60k on friday", warning) == []
    assert notes_of("btc to zero this year", warning) == []


@pytest.mark.slow
def test_few_questions_of_the_table_leave_words_out():
    """A note that appears too often is not read: fewer than 3% of the questions that are understood have it."""
    cases = [case for case in CASES if not case.reading.startswith("refused")]
    texts = [case for case in cases if case.now == NOW]
    assert sum(bool(notes_of(case.question)) for case in texts) < 0.03 * len(texts)


ABOVE = close(60_000.0, upward=True)


def test_a_note_says_from_when_days_are_counted():
    assert "from now" in counted(ABOVE, DayCount(3), 7).notes[0]
    start = datetime(2026, 12, 1, tzinfo=UTC)
    later = counted(ABOVE, DayCount(3), 7, start)
    assert ("from 2026-12-01" in later.notes[0], later.earlier) == (True, start)
