"""Questions about two assets at once: each has an event of its own."""

from __future__ import annotations

from datetime import timedelta

import pytest

from service.errors import InvalidQuestion
from service.questions.circumstances import Circumstances
from service.questions.criterion import Criterion
from service.questions.dates.deadline import Deadline
from service.questions.pairs import find_pair, refuse_two_deadlines
from service.questions.subject import find_subject
from service.questions.tokens import read
from tests.questions.asking import NOW, SPOTS


def pair(text: str) -> Criterion | None:
    """What a text without dates asks of two assets."""
    (language, tokens), circumstances = read(text), Circumstances(NOW, SPOTS)
    subject = find_subject(tokens, [], circumstances)
    return find_pair(Deadline(NOW + timedelta(days=1), tokens), subject, language, circumstances)


@pytest.mark.parametrize(
    ("text", "comparator", "negated"),
    [
        ("will both btc and eth rise", "both", False),
        ("will either btc or eth rise", "either", False),
        ("will neither btc nor eth rise", "either", True),
        ("will btc rise and eth rise", "both", False),
    ],
)
def test_the_words_between_decide_what_must_happen(text: str, comparator: str, negated: bool):
    criterion = pair(text)
    assert (criterion.comparator, criterion.negated) == (comparator, negated)
    assert [(leg.asset, leg.comparator, leg.spot) for leg in criterion.legs] == [
        ("btc", "up", SPOTS["btc"]),
        ("eth", "up", SPOTS["eth"]),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "will btc be above 100k and eth above 2k",
        "will btc and eth be above 100k and 2k",
        "will btc be above 100k and eth 2k",
    ],
)
def test_each_asset_gets_its_own_level(text: str):
    """Also where both share one clause, and where the second has no verb."""
    legs = pair(text).legs
    assert [(leg.comparator, leg.level) for leg in legs] == [("close_above", 100_000), ("close_above", 2_000)]


def test_each_asset_gets_its_own_percentage():
    legs = pair("will either btc fall 10% or eth fall 15%").legs
    assert [(leg.comparator, leg.level_pct) for leg in legs] == [("touch_below", -10), ("touch_below", -15)]


def test_a_ticker_after_its_name_is_no_second_asset():
    assert [leg.asset for leg in pair("will bitcoin (btc) and ethereum (eth) rise").legs] == ["btc", "eth"]


@pytest.mark.parametrize("text", ["will btc rise", "will btc outperform eth", "which of btc and eth gains more"])
def test_other_questions_are_no_pair(text: str):
    assert pair(text) is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("will btc and eth and sol both rise", "exactly two assets"),
        ("will both btc and eth be above 100k", "a level for each"),
        ("will btc rise and eth not rise", "without a negation"),
        ("will both btc and eth be between 1k and 2k", "both ends of the range"),
    ],
)
def test_events_that_cannot_be_told_apart_are_refused(text: str, complaint: str):
    with pytest.raises(InvalidQuestion, match=complaint):
        pair(text)


def test_two_deadlines_are_refused():
    language, tokens = read("will btc hit 100k by friday and eth 2k by christmas")
    with pytest.raises(InvalidQuestion, match="Name one deadline"):
        refuse_two_deadlines(tokens, NOW, language)
    language, tokens = read("will btc hit 100k and eth 2k by friday")
    refuse_two_deadlines(tokens, NOW, language)
