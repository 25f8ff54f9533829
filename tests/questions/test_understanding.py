"""What a question has besides its reading: the text, the canonical sentence, the notes; and how it is refused."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from service.errors import InvalidQuestion, InvalidRequest, NotAMarketQuestion
from service.market.bars import PriceExtremes
from service.questions import Question, understand
from tests.questions.asking import NOW

CASES = Path(__file__).parent / "cases"
SPOTS = {"btc": 94075.9, "eth": 1794.58, "xrp": 2.1929, "gold": 3282.8}


@pytest.mark.parametrize("text", ["", "   ", "\u200b", "\n\t"])
def test_an_empty_text_is_refused_with_an_example(text):
    with pytest.raises(NotAMarketQuestion, match="For example: Will bitcoin reach"):
        understand(text, NOW, SPOTS)


def test_an_asset_without_a_price_is_refused_with_the_others():
    with pytest.raises(InvalidQuestion, match=r"no price of Solana.*Bitcoin, Ethereum, XRP, Gold"):
        understand("Will Solana rise tomorrow?", NOW, SPOTS)
    with pytest.raises(InvalidQuestion, match="no price of Bitcoin"):
        understand("Will crypto rise tomorrow?", NOW, {"gold": 3282.8})
    with pytest.raises(InvalidQuestion, match="no price of Solana"):
        understand("Will bitcoin outperform solana this week?", NOW, SPOTS)


def test_another_market_is_refused_with_those_that_are_covered():
    with pytest.raises(InvalidQuestion, match=r"Bitcoin \(btc\).*XRP, Gold, Silver") as refusal:
        understand("Will dogecoin reach $1 by Friday?", NOW, SPOTS)
    assert "doge" not in refusal.value.detail.lower()


def test_an_implausible_level_is_refused_with_a_suggestion():
    with pytest.raises(InvalidQuestion, match=r"between 940.759 and 9,407,590. Did you mean 150,000\?"):
        understand("Will bitcoin hit 150 by year end?", NOW, SPOTS)


def test_a_past_deadline_is_refused_with_the_present_time():
    with pytest.raises(InvalidQuestion, match="in the past: the time is 2026-11-21 10:00 UTC"):
        understand("Will bitcoin hit 100k by 2026-11-20?", NOW, SPOTS)


def test_the_instant_may_be_in_any_zone():
    tokyo = NOW.astimezone(timezone(timedelta(hours=9)))
    assert understand("Will btc rise tomorrow?", tokyo, SPOTS) == understand("Will btc rise tomorrow?", NOW, SPOTS)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (
            "Will bitcoin reach $120k by Dec 31?",
            "Will Bitcoin (btc) trade at or above 120,000 USD at any time until 2026-12-31 23:59 UTC?",
        ),
        (
            "Will XRP stay above 1.85 until Friday?",
            "Will XRP stay above 1.85 USD at all times until 2026-11-27 23:59 UTC?",
        ),
        ("Gold above 3,400.5 on Nov 30?", "Will Gold be above 3,400.5 USD at 2026-11-30 23:59 UTC?"),
        (
            "eth between 1.7k and 1.9k on Nov 30",
            "Will Ethereum (eth) be between 1,700 and 1,900 USD at 2026-11-30 23:59 UTC?",
        ),
        (
            "btc down tomorrow?",
            "Will Bitcoin (btc) be below its present price of 94,075.9 USD at 2026-11-22 23:59 UTC?",
        ),
        (
            "Will eth underperform gold this week?",
            "Will Ethereum (eth) return no more than Gold until 2026-11-22 23:59 UTC?",
        ),
    ],
)
def test_the_canonical_question_says_what_yes_means(text, canonical):
    assert understand(text, NOW, SPOTS).canonical == canonical


def test_a_move_in_percent_keeps_the_percentage():
    got = understand("Will btc drop 10 % by Friday?", NOW, SPOTS)
    assert (got.level_pct, got.level) == (-10.0, pytest.approx(94075.9 * 0.9))
    assert understand("Will btc double by June?", NOW, SPOTS).level_pct == 100.0
    assert understand("Will btc reach 100k?", NOW, SPOTS).level_pct is None


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Will btc reach 100k?", "No deadline"),
        ("Will btc reach 100k by Nov 20?", "understood as 2027-11-20"),
        ("xrp", "No criterion"),
        ("Will crypto crash tomorrow?", "stand-in"),
        ("Will btc and eth rise tomorrow?", "Only Bitcoin was considered"),
        ("btc or eth this week?", "the first asset named"),
        ("Bitcoin up or down tomorrow?", "YES means up"),
        ("Bitcoin $64K in April?", "below the present price"),
        ("Will btc rise tomorrow if the Fed cuts rates?", "condition"),
        ("When will btc hit 100k?", "A time was asked for"),
        ("Will btc stay between 90k and 100k this week?", "only the price at the deadline"),
        ("Will btc rise tomorrow? Will eth fall tomorrow?", "one of several"),
    ],
)
def test_the_notes_name_what_was_assumed(text, word):
    assert any(word in note for note in understand(text, NOW, SPOTS).notes)


def test_a_question_without_gaps_has_no_notes():
    assert understand("Will bitcoin reach $120k by Dec 31?", NOW, SPOTS).notes == ()


def test_a_metals_question_may_end_while_the_market_is_closed():
    assert understand("Will gold rise over the weekend?", NOW, SPOTS).deadline == datetime(
        2026, 11, 22, 23, 59, 59, tzinfo=UTC
    )


RECORD = PriceExtremes("btc", high=126_000.0, low=15_000.0, since=datetime(2022, 1, 1, tzinfo=UTC))


def recorded(text: str) -> Question:
    return understand(text, NOW, SPOTS, record_of=lambda _: RECORD)


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
        "Will bitcoin exceed its 52 week high?",
        "Will bitcoin break its 50-day moving average?",
        "Will bitcoin hit a record high and a record low this year?",
        "Will bitcoin hit a record and a low this year?",
    ],
)
def test_other_records_are_refused(text):
    with pytest.raises(InvalidQuestion, match="Records of a period"):
        recorded(text)


def test_every_string_of_the_table_takes_little_time():
    """No text may cost more than 5 ms of CPU; the best of a few runs, so that other processes do not count."""
    texts = [line.partition(" => ")[0] for file in CASES.glob("*.txt") for line in file.read_text("utf-8").splitlines()]
    slowest = max(min(_cpu_s(text) for _ in range(3)) for text in texts if text)
    assert slowest < 0.005


def _cpu_s(text: str) -> float:
    began = time.process_time()
    with suppress(InvalidRequest):
        recorded(text)
    return time.process_time() - began
