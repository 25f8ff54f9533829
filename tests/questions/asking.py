"""What tests of questions share: an instant, prices, and questions built from their fields."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from service.questions.clause import Clause, read_clause
from service.questions.dates.matching import spans
from service.questions.dates.reading import Today
from service.questions.numerals import spelled
from service.questions.question import Question
from service.questions.tokens import read

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)  # a Saturday
SPOTS = {
    "btc": 94075.9,
    "eth": 1794.58,
    "sol": 147.04,
    "bnb": 598.68,
    "xrp": 2.1929,
    "gold": 3282.8,
    "silver": 32.835,
}


def dates_in(text: str, *, day_first: bool = False) -> list[tuple[date, date]]:
    """The first and the last day of every date in a text that is written at NOW."""
    found_spans = spans(spelled(read(text)[1]), Today(NOW, day_first))
    return [(span.dates.begin.date(), span.dates.end.date()) for span in found_spans]


def question(**fields: Any) -> Question:
    """A question about Bitcoin with a deadline in a day, but for the fields that are named."""
    defaults: dict[str, Any] = {
        "text": "raw text",
        "asset": "btc",
        "comparator": "up",
        "deadline": NOW + timedelta(days=1),
        "horizon_hours": 24.0,
        "spot": 94075.9,
        "polarity": "bull",
    }
    return Question(**(defaults | fields))


def clause(text: str, spot: float = SPOTS["btc"]) -> Clause:
    """The clause of a text without dates."""
    language, tokens = read(text)
    return read_clause(tokens, language, spot)
