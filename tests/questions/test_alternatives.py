"""The other readings of a question whose text leaves a choice."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from service.errors import InvalidRequest
from service.questions import Circumstances, read_any, understand
from service.questions.alternatives import MOST_ALTERNATIVES, Alternative, alternatives
from service.questions.conversation import ContextQuestion
from service.questions.parse import Parse
from service.questions.understanding import parse
from tests.questions.asking import NOW, SPOTS, meaning
from tests.questions.test_cases import CASES

TUESDAY = datetime(2026, 11, 24, 10, tzinfo=UTC)
ANY_TIME = "Will Bitcoin trade at or above 100,000 USD at any time until 2026-11-27?"


def _alternatives(text: str, now: datetime = TUESDAY) -> tuple[Alternative, ...]:
    return alternatives(parse(text, Circumstances(now, SPOTS)))


@pytest.mark.parametrize("text", ["and gold?", "e dell'oro?", "und gold", "黄金呢"])
def test_a_third_asset_may_replace_either_of_a_comparison(text):
    circumstances = Circumstances(TUESDAY, SPOTS)
    context = ContextQuestion(parse("will sol outperform eth this month?", circumstances).question)
    follow_up = read_any(text, circumstances, context)
    assert isinstance(follow_up, Parse)
    assert follow_up.question.assets == ("gold", "eth")
    assert [other.question for other in alternatives(follow_up)] == [
        "Will Solana return more than Gold until 2026-11-30?"
    ]


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("Will BTC be above 100k by Friday?", [ANY_TIME]),
        ("Wird Bitcoin bis Freitag über 100k sein?", [ANY_TIME]),
        ("Will BTC be above 90k this week?", ["Will Bitcoin stay above 90,000 USD at all times until 2026-11-29?"]),
        ("Will BTC rise 5% this week?", ["Will Bitcoin be above 98,779.695 USD at 2026-11-29?"]),
        ("¿Subirá bitcoin un 5% esta semana?", ["Will Bitcoin be above 98,779.695 USD at 2026-11-29?"]),
        ("Will BTC fall below 90k on Friday?", ["Will Bitcoin be below 90,000 USD at 2026-11-27?"]),
        ("BTC at 100k on Friday?", ["Will Bitcoin be below 100,000 USD at 2026-11-27?"]),
        (
            "Will BTC reach 100k by 1/2/2027?",
            ["Will Bitcoin trade at or above 100,000 USD at any time until 2027-02-01?"],
        ),
        ("Will BTC close above 100k next Friday?", ["Will Bitcoin be above 100,000 USD at 2026-11-27?"]),
        ("Cierra bitcoin el próximo viernes por encima de 100k?", ["Will Bitcoin be above 100,000 USD at 2026-11-27?"]),
        ("Will BTC rise on Tuesday?", ["Will Bitcoin be above its present price of 94,075.9 USD at 2026-12-01?"]),
        ("Will BTC rise this weekend?", ["Will Bitcoin be above its present price of 94,075.9 USD at 2026-11-28?"]),
        ("Will BTC hit 100k by the weekend?", [ANY_TIME]),
        ("odds of xrp touching 3 before jan 1", ["Will XRP trade at or above 3 USD at any time until 2026-12-31?"]),
        ("will xrp touch 3 before the end of the year?", []),
        (
            "Will BTC reach 2 mil by next year?",
            ["Will Bitcoin trade at or below 2,000 USD at any time until 2027-12-31?"],
        ),
    ],
)
def test_an_uncertain_question_has_the_other_reading(text, others):
    """Time of the price, direction, order of a date, day of the week, magnitude: one choice changed."""
    assert [other.question for other in _alternatives(text)] == others


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("will eth stay over 1700 all week?", "Will Ethereum stay above 1,700 USD at all times until 2026-11-29?"),
        ("schließt btc die woche über 95k", "Will Bitcoin be above 95,000 USD at 2026-11-29?"),
        ("sol tocca 150 entro questa settimana", "Will Solana trade at or above 150 USD at any time until 2026-11-29?"),
        ("биток закроет неделю выше 95к", "Will Bitcoin be above 95,000 USD at 2026-11-29?"),
        ("btc bu hafta 99 bini görür mü", "Will Bitcoin trade at or above 99,000 USD at any time until 2026-11-29?"),
    ],
)
def test_on_a_sunday_this_week_may_be_the_coming_one(text, other):
    sunday = datetime(2026, 11, 22, 10, tzinfo=UTC)
    assert _alternatives(text, sunday)[0].question == other


def test_a_follow_up_on_a_sunday_names_no_week():
    """Its deadline is that of the earlier question."""
    circumstances = Circumstances(datetime(2026, 11, 22, 10, tzinfo=UTC), SPOTS)
    earlier = ContextQuestion(parse("will btc be above 100k on friday?", circumstances).question)
    follow_up = read_any("and eth above 1900?", circumstances, earlier)
    assert isinstance(follow_up, Parse)
    assert alternatives(follow_up) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Will Bitcoin close above 100k on Friday?",
        "Will Bitcoin reach 120k by December 31?",
        "Will ETH rise tomorrow?",
        "Will ETH outperform BTC this month?",
        "Will gold stay above 3,000 this month?",
        "Will BTC be above 100k in 3 days?",
        "Wird Bitcoin am 11/12/2026 über 100k schließen?",
        "Will BTC be between 60k and 70k on Friday?",
        "What will Bitcoin cost at Christmas?",
        "Will BTC move more than 3% tomorrow?",
        "Will the average price of Bitcoin be above 65k this week?",
        "Will Bitcoin reach 2,000,000 by next year?",
        "Will Bitcoin rise by 13/12/2026?",
        "Will Bitcoin rise next Tuesday?",
        "Will Bitcoin close above 100k on Friday next week?",
    ],
)
def test_a_plain_question_has_no_other_reading(text):
    assert _alternatives(text) == ()


def test_the_present_price_decides_no_alternative():
    """Example: "Above 90k by Friday" at 94k: at any time before would be true now."""
    assert all("at any time" not in other.question for other in _alternatives("Will BTC be above 90k by Friday?"))


@pytest.mark.parametrize("text", ["Will BTC reach 100k by 11/12/2026?", "Will BTC reach 100k by 12/11/2026?"])
def test_a_date_that_would_be_past_has_one_order(text):
    """12 November is past: both are 11 December, and a note says so."""
    question = parse(text, Circumstances(TUESDAY, SPOTS)).question
    assert question.deadline == datetime(2026, 12, 11, 23, 59, 59, tzinfo=UTC)
    assert "is understood as 2026-12-11" in question.notes[0]
    assert len(question.notes) == 1
    assert _alternatives(text) == ()


def test_a_weekend_that_has_begun_ends_on_sunday():
    assert _alternatives("Will BTC rise by the weekend?", NOW) == ()


@pytest.mark.slow
def test_each_alternative_asks_what_its_canonical_sentence_says():
    """Over the whole table: at most three, each different from the question, and both its texts are one question."""
    for case in CASES:
        try:
            read = parse(case.question, Circumstances(case.now, SPOTS))
        except InvalidRequest:
            continue
        others = alternatives(read)
        assert (
            len({read.question.canonical, *(other.canonical for other in others)})
            == 1 + len(others)
            <= 1 + MOST_ALTERNATIVES
        )
        for other in others:
            question = understand(other.question, Circumstances(case.now, SPOTS))
            assert question.canonical == other.canonical
            assert meaning(question) == meaning(understand(other.canonical, Circumstances(case.now, SPOTS)))
