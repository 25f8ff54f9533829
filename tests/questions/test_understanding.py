"""What a question has besides its reading: the text, the canonical sentence, the notes; and how it is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from service.errors import InvalidQuestion, InvalidRequest, NotAMarketQuestion
from service.questions import Circumstances, understand
from tests.questions.asking import HISTORY, NOW
from tests.questions.asking import SPOTS as PRICES
from tests.questions.test_refusals import refusal_of, refused_cases

PAGE = Path(__file__).parents[2] / "service" / "docs" / "questions.md"
SPOTS = {"btc": 94075.9, "eth": 1794.58, "xrp": 2.1929, "gold": 3282.8}


@pytest.mark.parametrize("text", ["", "   ", "\u200b", "\n\t"])
def test_an_empty_text_is_refused_with_an_example(text):
    with pytest.raises(NotAMarketQuestion, match="For example: Will Bitcoin trade at or above 99,000"):
        understand(text, Circumstances(NOW, SPOTS))


def test_an_asset_without_a_price_is_refused_with_the_others():
    with pytest.raises(InvalidQuestion, match=r"no price of Solana.*Bitcoin, Ethereum, XRP, Gold"):
        understand("Will Solana rise tomorrow?", Circumstances(NOW, SPOTS))
    with pytest.raises(InvalidQuestion, match="no price of Bitcoin"):
        understand("Will crypto rise tomorrow?", Circumstances(NOW, {"gold": 3282.8}))
    with pytest.raises(InvalidQuestion, match="no price of Solana"):
        understand("Will bitcoin outperform solana this week?", Circumstances(NOW, SPOTS))
    for price in (float("nan"), float("inf"), 0.0, -1.0):
        with pytest.raises(InvalidQuestion, match="no price of Bitcoin"):
            understand("Will bitcoin rise?", Circumstances(NOW, {"btc": price}))


def test_another_market_is_refused_with_those_that_are_covered():
    with pytest.raises(InvalidQuestion, match=r"Bitcoin \(btc\).*Gold, Silver") as refusal:
        understand("Will pepecoin reach $1 by Friday?", Circumstances(NOW, SPOTS))
    assert "pepe" not in refusal.value.detail.lower()


def test_an_implausible_level_is_refused_with_a_suggestion():
    with pytest.raises(InvalidQuestion, match=r"between 940.759 and 9,407,590. Did you mean 400,000\?"):
        understand("Will bitcoin hit 400 by year end?", Circumstances(NOW, SPOTS))


def test_a_past_deadline_is_refused_with_the_present_time():
    with pytest.raises(InvalidQuestion, match="in the past: the time is 2026-11-21 10:00 UTC"):
        understand("Will bitcoin hit 100k by 2026-11-20?", Circumstances(NOW, SPOTS))


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
        (
            "btc above 95k on 20 or more days in december",
            "Will Bitcoin (btc) close above 95,000 USD on at least 20 days from 2026-12-01 00:00 UTC to 2026-12-31 "
            "23:59 UTC?",
        ),
    ],
)
def test_the_canonical_question_says_what_yes_means(text, canonical):
    assert understand(text, Circumstances(NOW, SPOTS)).canonical == canonical


def test_a_move_in_percent_keeps_the_percentage():
    question = understand("Will btc drop 10 % by Friday?", Circumstances(NOW, SPOTS))
    assert (question.level_pct, question.level) == (-10.0, pytest.approx(94075.9 * 0.9))
    assert understand("Will btc double by June?", Circumstances(NOW, SPOTS)).level_pct == 100.0
    assert understand("Will btc reach 100k?", Circumstances(NOW, SPOTS)).level_pct is None


def test_every_kind_of_the_readme_is_understood():
    """Each example of its table is read as a question with a criterion; only the price at Christmas has none."""
    table = PAGE.read_text("utf-8").partition("| kind | example |")[2].partition("\n\n")[0]
    examples = [row.split("|")[2].split("·") for row in table.strip().splitlines()[1:]]
    circumstances = Circumstances(NOW, PRICES | {"btc": 65_000.0, "eth": 3_600.0}, history=HISTORY)
    questions = [understand(text.strip(), circumstances) for row in examples for text in row]
    assert len(questions) >= 20
    assert [question.text for question in questions if question.comparator == "open"] == [
        "What will Bitcoin cost at Christmas?"
    ]


def test_a_metals_question_may_end_while_the_market_is_closed():
    assert understand("Will gold rise over the weekend?", Circumstances(NOW, SPOTS)).deadline == datetime(
        2026, 11, 22, 23, 59, 59, tzinfo=UTC
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("if the fed cuts will btc rise", "a condition"),
        ("Will btc rise? Will eth fall?", "several questions"),
        ("when will btc reach 100k", "asks for a time"),
        ("will btc, eth and gold rise", "several assets"),
    ],
)
def test_a_challenge_with_a_loose_end_is_refused(text, complaint):
    """The oracle answers the same question with a note; others rely on that of a challenge."""
    assert understand(text, Circumstances(NOW, PRICES)).notes
    with pytest.raises(InvalidQuestion, match=complaint):
        understand(text, Circumstances(NOW, PRICES, until=datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)))


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (
            "Will bitcoin hit 400 by year end",
            "Will Bitcoin trade at or above 400,000 USD at any time until 2026-12-31?",
        ),
        ("Will gold hit 4000 euros by Friday?", "Will Gold trade at or above 4,000 USD at any time until 2026-11-27?"),
        ("Why is XRP down?", "Will XRP trade at or below 2.1 USD at any time until 2026-11-28?"),
        ("Will ETH overtake BTC by June?", "Will Ethereum return more than Bitcoin until 2027-06-30?"),
        ("Will it rise tomorrow?", "Will Bitcoin trade at or above 99,000 USD at any time until 2026-11-22?"),
        ("how warm is it in Oslo tomorrow", "Will Bitcoin trade at or above 99,000 USD at any time until 2026-11-28?"),
        ("best pizza in Rome", "Will Bitcoin trade at or above 99,000 USD at any time until 2026-11-28?"),
    ],
)
def test_a_suggestion_is_close_to_what_was_asked(text, first):
    """The same asset, level and deadline where they are readable, the level in thousands if only that is near."""
    assert refusal_of(text).suggestions[0] == first


def test_a_suggestion_keeps_the_deadline_of_the_request():
    refusal = refusal_of("Will SOL reach 200?? Will ETH rise?", until=datetime(2026, 12, 24, 23, 59, 59, tzinfo=UTC))
    assert all("2026-12-24" in suggestion for suggestion in refusal.suggestions)


def test_the_example_in_a_detail_is_the_first_suggestion():
    refusal = refusal_of("Who created ethereum?")
    assert refusal.detail.endswith(f"For example: {refusal.suggestions[0]}")
    assert refusal.errors[0].message == refusal.detail
    assert "Ethereum" in refusal.suggestions[0]


@pytest.mark.slow
def test_every_suggestion_is_accepted():
    """Of every refusal in the table; each has at least one and repeats none."""
    for case in refused_cases():
        suggestions = refusal_of(case.question, case.now).suggestions
        assert 1 <= len(set(suggestions)) == len(suggestions) <= 3
        assert all(understand(text, Circumstances(case.now, PRICES)).canonical for text in suggestions)


def test_no_suggestion_is_made_without_a_price():
    with pytest.raises(InvalidRequest) as refusal:
        understand("Who created ethereum?", Circumstances(NOW, {}))
    assert refusal.value.suggestions == ()
