"""Records of all stored prices, of a period, and of closes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from service.errors import InvalidQuestion
from service.market.bars import Bars, PriceExtremes
from service.market.instants import HOUR
from service.questions import Circumstances, Question, understand
from service.questions.circumstances import NoHistory, Setting
from service.questions.clause import read_clause
from service.questions.criterion import Criterion
from service.questions.records import of_record, with_period
from service.questions.tokens import read
from tests.questions.asking import NOW, SPOTS

RECORD = PriceExtremes("btc", high=126_000.0, low=15_000.0, since=datetime(2022, 1, 1, tzinfo=UTC))


class RecordedHistory(NoHistory):
    """A history that has the record of Bitcoin alone."""

    def record(self, asset: str) -> PriceExtremes | None:
        return RECORD if asset == "btc" else None


HISTORY = RecordedHistory()


def recorded(text: str) -> Question:
    return understand(text, Circumstances(NOW, SPOTS, history=HISTORY))


@pytest.mark.parametrize(
    ("text", "comparator", "level"),
    [
        ("Will bitcoin hit a new all-time high by December?", "touch_above", 126_000.01),
        ("Will bitcoin close at a new all time high this month?", "close_above", 126_000.01),
        ("btc ath this year?", "touch_above", 126_000.01),
        ("Will bitcoin fall to a new all-time low in 2027?", "touch_below", 14_999.99),
        ("Will bitcoin hit a record low in 2027?", "touch_below", 14_999.99),
        ("Erreicht Bitcoin dieses Jahr ein neues Hoch?", "touch_above", 126_000.01),
        ("比特币今年会创历史新高吗？", "touch_above", 126_000.01),
    ],
)
def test_a_new_record_is_beyond_the_stored_prices(text, comparator, level):
    """By one step of the price; a note says since when prices are known."""
    question = recorded(text)
    assert (question.comparator, question.level) == (comparator, pytest.approx(level, abs=1e-6))
    assert "since 2022-01-01" in question.notes[0]


def test_a_record_that_will_not_be_set_is_negated():
    question = recorded("Will bitcoin not hit a new all-time high this year?")
    assert (question.comparator, question.negated, question.polarity) == ("touch_above", True, "bear")


@pytest.mark.parametrize(
    "text",
    [
        "Will bitcoin fall 10% from its all-time high this year?",
        "Will bitcoin stay below its all-time high this year?",
        "Will bitcoin drop from its record high by Friday?",
        "Will bitcoin reach its previous high?",
        "Will bitcoin hit a record high and a record low this year?",
        "Will bitcoin hit a record and a low this year?",
    ],
)
def test_other_records_are_refused(text):
    with pytest.raises(InvalidQuestion, match="Records other than"):
        recorded(text)


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("will btc hit a 52-week high", "high:52week"),
        ("will btc hit a new low of the month", "low:month"),
        ("will btc hit a new high this month", "high"),
    ],
)
def test_a_record_keeps_its_period(text: str, period: str):
    """Example: "This month" is the deadline of a record, not its period."""
    assert [token.value for token in with_period(read(text)[1]) if token.kind == "record"] == [period]


class TwoDays(NoHistory):
    """Hourly bars of 48 hours up to 10:00: the highest price, 120, and the lowest, 80, in the first hour."""

    def hourly(self, asset: str, since: datetime) -> Bars:
        end = int(NOW.timestamp())
        time = np.arange(end - 48 * HOUR, end, HOUR)
        flat = np.full(48, 100.0)
        high, low = flat.copy(), flat.copy()
        high[0], low[0] = 120.0, 80.0
        return Bars(time, flat, high, low, flat, np.ones(48), HOUR).since(int(since.timestamp()))


def criterion(text: str, spot: float = 100.0) -> Criterion | None:
    language, tokens = read(text)
    setting = Setting("btc", spot, NOW, NOW + timedelta(days=3), TwoDays())
    return of_record(read_clause(with_period(tokens), language, spot), setting)


@pytest.mark.parametrize(
    ("text", "comparator", "level"),
    [
        ("will btc hit a new high of the day", "touch_above", 100.01),
        ("will btc hit a new 2-day high", "touch_above", 120.01),
        ("will btc hit a new 2-day low", "touch_below", 79.99),
    ],
)
def test_the_record_of_a_period_counts_its_own_bars(text: str, comparator: str, level: float):
    """At 10:00 the high of two days ago belongs to "2-day" and not to the day."""
    record = criterion(text)
    assert (record.comparator, record.level) == (comparator, pytest.approx(level))


def test_the_present_price_may_be_the_record():
    assert criterion("will btc hit a new 2-day high", spot=130.0).level == pytest.approx(130.01)


def test_a_period_that_is_not_stored_is_refused():
    with pytest.raises(InvalidQuestion, match="are not stored"):
        criterion("will btc hit a 52-week high")


def test_a_fall_to_a_new_high_is_refused():
    with pytest.raises(InvalidQuestion, match="reaches a new high"):
        criterion("will btc fall below a new 2-day high")


def test_a_clause_without_a_record_is_none():
    assert criterion("will btc rise") is None
