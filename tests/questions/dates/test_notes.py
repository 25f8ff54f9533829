"""What is uncertain about a deadline is said in a note; what is certain has none."""

from __future__ import annotations

import pytest

from service.questions import Circumstances, understand
from tests.questions.asking import NOW, SPOTS


def _notes(text: str) -> tuple[str, ...]:
    return understand(f"Will BTC be above 100k {text}?", Circumstances(NOW, SPOTS)).notes


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("by 11/12/2026", "11/12/2026 is understood as 2026-12-11. Write 2026-12-31 to be certain."),
        ("by 5/6/2027", "5/6/2027 is understood as 2027-05-06. Write 2026-12-31 to be certain."),
        ("at midnight on Friday", "The deadline is understood as 2026-11-27 23:59 UTC."),
        ("by Monday morning", "The deadline is understood as 2026-11-23 12:00 UTC."),
        ("by 5pm tomorrow", "The deadline is understood as 2026-11-22 17:00 UTC."),
        ("2 weeks before Christmas", "The deadline is understood as 2026-12-11."),
        ("by March", "The deadline is understood as 2027-03-31."),
        ("in early January", "The deadline is understood as 2027-01-11."),
        ("next weekend", "The deadline is understood as 2026-11-29."),
        ("by 5pm IST tomorrow", "IST is understood as the time of Kolkata."),
        ("on Monday, December 1", "2026-12-01 is a Tuesday: the date counts, not the weekday."),
        ("by the end of the fiscal year", "Years and quarters are those of the calendar."),
    ],
)
def test_an_uncertain_deadline_is_named_in_a_note(text, note):
    assert _notes(text) == (note,)


@pytest.mark.parametrize(
    "text",
    [
        "by 25/12/2026",
        "by 12/12/2026",
        "by 11.12.2026",
        "by 2026-12-11",
        "by December 11",
        "on Friday",
        "next week",
        "by the end of December",
        "in 36h",
        "by 5pm ET tomorrow",
        "by 2026-12-01T15:00+02:00",
        "EOD Friday",
        "by Easter",
        "on Friday, December 4",
        "on the last Friday of the month",
    ],
)
def test_a_certain_deadline_has_no_note(text):
    assert _notes(text) == ()
