"""The high or low of a named period, from bars made by hand. NOW is Saturday, 2026-11-21 10:00 UTC."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from service.errors import InvalidQuestion
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from service.questions import Circumstances, Question, understand
from service.questions.circumstances import NoHistory
from tests.questions.asking import NOW, SPOTS

# The high and the low of Bitcoin on each of these days, other hours are at 90,000 USD.
DAYS = {"2026-11-09": (93_000, 88_000), "2026-11-16": (95_000, 89_000), "2026-11-21": (94_500, 89_500)}


class HandMade(NoHistory):
    """Hourly bars of sixty days."""

    def hourly(self, asset: str, since: datetime) -> Bars:
        now = int(NOW.timestamp())
        time = np.arange(now - 60 * DAY, now, HOUR)
        price = np.full(len(time), 90_000.0)
        high, low = price.copy(), price.copy()
        for day, extremes in DAYS.items():
            place = np.searchsorted(time, int(datetime.fromisoformat(day).replace(tzinfo=UTC, hour=5).timestamp()))
            high[place], low[place] = extremes
        return Bars(time, price, high, low, price, np.ones(len(time)), HOUR).since(int(since.timestamp()))


def ask(text: str, spot: float = 94_000.0) -> Question:
    return understand(text, Circumstances(NOW, SPOTS | {"btc": spot}, history=HandMade()))


def test_a_note_says_where_the_level_comes_from():
    assert ask("Will btc be above last week's high on Friday?").notes == (
        "The highest price of Bitcoin from 2026-11-09 to 2026-11-15 is 93,000 USD.",
    )
    assert ask("Will btc be below today's low on Friday?").notes == (
        "The lowest price of Bitcoin on 2026-11-21 so far is 89,500 USD.",
    )


def test_an_opening_price_is_the_last_one_before():
    """Every day of these bars closes at 90,000 USD."""
    question = ask("Will btc be above Monday's open on Friday?")
    assert (question.level, question.notes[0]) == (90_000, "Bitcoin was at 90,000 USD at 2026-11-16 00:00 UTC.")


def test_an_extreme_at_the_present_price_is_exceeded():
    """At its high so far, the price must rise by a step to break it."""
    question = ask("Will btc break this week's high by Friday?", spot=96_000.0)
    assert (question.comparator, question.level) == ("touch_above", pytest.approx(96_000.01))


def test_breaking_a_high_is_upward_also_from_above_it():
    assert ask("Will btc break last week's high by Friday?").comparator == "touch_above"
    assert ask("Will btc break last week's low by Friday?", spot=87_000.0).comparator == "touch_below"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Will btc be above July's high on Friday?", "2026-07-01 are not stored"),
        ("Will btc be above next week's high by December?", "2026-11-23 are still to come"),
        ("Will btc be above December's open at year end?", "2026-12-01 are still to come"),
        ("Will btc rise 5% above last week's high by Friday?", "Name the level itself"),
        ("Will btc or eth be above last week's high on Friday?", "one asset"),
    ],
)
def test_an_extreme_without_a_price_is_refused(text: str, reason: str):
    with pytest.raises(InvalidQuestion, match=reason):
        ask(text)


def test_what_counts_from_now_in_a_coming_period_is_said():
    note = "Everything from now on counts, also what is before 2026-12-01."
    assert note in ask("Will btc touch 100k in December?").notes
    assert note not in ask("Will btc be above 100k in December?").notes
    assert note not in ask("Will btc touch 100k by December?").notes
