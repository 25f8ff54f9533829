"""The price at the deadline is compared with that of an earlier instant."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from service.errors import InvalidQuestion
from service.questions.circumstances import NO_HISTORY, Setting
from service.questions.criterion import Criterion
from service.questions.dates.deadline import Deadline
from service.questions.earlier import Earlier, compared, find_earlier, of_period, with_known_price
from service.questions.tokens import read
from tests.questions.asking import HISTORY, NOW, SPOTS, clause

NOVEMBER_30 = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)
YEAR_END = datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC)


def separated(text: str) -> tuple[Earlier | None, str]:
    """The earlier instant and the text without it."""
    language, tokens = read(text)
    earlier, rest = find_earlier(tokens, NOW, language)
    return earlier, " ".join(token.text for token in rest)


@pytest.mark.parametrize(
    ("text", "earlier", "rest"),
    [
        (
            "will btc be higher on december 31 than on november 30",
            Earlier(NOVEMBER_30, 0),
            "will btc be higher on december 31",
        ),
        ("will btc be above its november 30 close at year end", Earlier(NOVEMBER_30, 1), "will btc be at year end"),
        ("will btc be above 60 k on december 31", None, "will btc be above 60 k on december 31"),
    ],
)
def test_the_earlier_instant_is_taken_out(text: str, earlier: Earlier | None, rest: str):
    assert separated(text) == (earlier, rest)


def test_a_comparison_with_now_names_no_other_instant():
    assert separated("will btc be higher on friday than today") == (None, "will btc be higher on friday")
    assert separated("will btc be above today's price on friday")[0] is None


def comparison(text: str, earlier: Earlier, until: datetime = YEAR_END) -> Criterion:
    return compared(clause(text), earlier, Criterion("up"), Deadline(until, []))


@pytest.mark.parametrize(
    ("text", "sign", "comparator"),
    [
        ("will btc be higher", 0, "above_earlier"),
        ("will btc be lower", 0, "below_earlier"),
        ("will btc be", -1, "below_earlier"),
    ],
)
def test_the_side_is_named_by_the_comparison_or_the_clause(text: str, sign: int, comparator: str):
    criterion = comparison(text, Earlier(NOVEMBER_30, sign))
    assert (criterion.comparator, criterion.earlier) == (comparator, NOVEMBER_30)


@pytest.mark.parametrize(
    ("text", "since", "sign"),
    [
        ("green", datetime(2026, 12, 1, tzinfo=UTC), 1),
        ("red", datetime(2026, 12, 1, tzinfo=UTC), -1),
        ("green", None, 0),
        ("up", datetime(2026, 12, 1, tzinfo=UTC), 0),
        ("green and above 60k", datetime(2026, 12, 1, tzinfo=UTC), 0),
        ("green or red", datetime(2026, 12, 1, tzinfo=UTC), 0),
    ],
)
def test_a_colour_compares_a_period_with_its_begin(text: str, since: datetime | None, sign: int):
    """With the last price before it; a colour without a period, with a level or beside the other one does not."""
    deadline = Deadline(YEAR_END, [], since=since)
    assert of_period(clause(f"btc {text}"), deadline) == (Earlier(NOVEMBER_30, sign) if sign else None)


def test_an_instant_after_the_deadline_is_the_one_before_it():
    """Christmas of last year, and the Friday of last week."""
    until = NOW + timedelta(days=2)
    christmas = datetime(2026, 12, 25, 23, 59, 59, tzinfo=UTC)
    assert comparison("will btc be higher", Earlier(christmas, 1), until).earlier == christmas.replace(year=2025)
    friday = Earlier(NOW + timedelta(days=6), 1, step=timedelta(weeks=1))
    assert comparison("will btc be higher", friday, until).earlier == NOW - timedelta(days=1)


@pytest.mark.parametrize(
    ("text", "complaint"), [("will btc rise 5%", "without a level"), ("will btc be", "higher or lower")]
)
def test_an_unclear_comparison_is_refused(text: str, complaint: str):
    with pytest.raises(InvalidQuestion, match=complaint):
        comparison(text, Earlier(NOVEMBER_30, 0))


def with_price(at: datetime, history) -> Criterion:
    setting = Setting("btc", SPOTS["btc"], NOW, YEAR_END, history)
    return with_known_price(Criterion("below_earlier", earlier=at, negated=True), setting)


def test_a_price_that_is_known_becomes_a_level():
    """Half a wave of the history ago the price was the present one."""
    criterion = with_price(NOW - timedelta(days=50, seconds=1), HISTORY)
    assert (criterion.comparator, criterion.negated, criterion.earlier) == ("close_below", True, None)
    assert criterion.level == pytest.approx(SPOTS["btc"], rel=1e-4)
    assert "Bitcoin was at" in criterion.notes[0]


def test_a_price_to_come_stays_an_instant():
    assert with_price(NOVEMBER_30, NO_HISTORY).earlier == NOVEMBER_30


def test_a_price_that_is_not_stored_is_refused():
    with pytest.raises(InvalidQuestion, match="is not stored"):
        with_price(NOW - timedelta(days=1), NO_HISTORY)
