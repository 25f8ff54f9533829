"""A refusal names its field and says how to ask instead."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from service.errors import InvalidQuestion, InvalidRequest, UnreadQuestion
from service.market.assets import ASSETS
from service.questions import Circumstances, read_any, topics, understand
from service.questions.criterion import EXAMPLE, checked, not_about_markets
from service.questions.intents import read_text
from tests.questions.asking import NOW, SPOTS
from tests.questions.test_cases import CASES, Case


def test_the_refusal_of_another_text_names_every_asset():
    assert all(asset.name in not_about_markets().detail for asset in ASSETS.values())


def test_the_example_in_a_refusal_is_understood():
    question = understand(EXAMPLE, Circumstances(datetime(2026, 11, 21, 10, tzinfo=UTC), SPOTS))
    assert (question.comparator, question.level, question.notes) == ("touch_above", 120_000, ())


@pytest.mark.parametrize(("level", "is_plausible"), [(940, True), (939, False), (9_400_000, True), (9_400_001, False)])
def test_a_level_is_within_a_hundred_times_the_spot_price(level, is_plausible):
    if is_plausible:
        assert checked(level, 94_000) == level
        return
    with pytest.raises(InvalidQuestion, match="between 940 and 9,400,000"):
        checked(level, 94_000)


def refusal_of(text: str, now: datetime = NOW, until: datetime | None = None) -> InvalidRequest:
    with pytest.raises(InvalidRequest) as refusal:
        understand(text, Circumstances(now, SPOTS, until))
    return refusal.value


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("will btc be above 60k yesterday", "deadline"),
        ("will btc be above 100k on february 31", "deadline"),
        ("will btc reach 500 million this week", "level"),
        ("will btc fall by 0% this week", "level"),
        ("will btc reach 100k and fall below 80k this week", "several"),
        ("will btc rise if eth falls this week", "deadline"),
        ("what is the trading volume of bitcoin", "no_price"),
        ("why does bitcoin rise", "no_price"),
        ("will tesla rise this week", "asset"),
        ("how often will btc close above 90k this week", "invalid"),
    ],
)
def test_a_code_says_what_a_refusal_is_about(text, code):
    """A front end in another language can say so much."""
    assert [error.code for error in refusal_of(text).errors] == [code]


@pytest.mark.parametrize(
    "text",
    [
        "Will Bitcoin rise the day after 9999-12-31?",
        "Will Bitcoin rise 3 months after 9999-12-31?",
        "Will Bitcoin rise the day before 0001-01-01?",
        "Will Bitcoin be above $100k by 9999-12-31 23:00 UTC-5?",
        "Will Bitcoin touch 100k within a week of 9999年12月31日?",
        "Will Bitcoin be higher than it was the Friday after 9999-12-31 by Friday?",
        "Will the average of Bitcoin between 10 business days before 0001-01-01 and Friday exceed $5?",
        "Steigt Bitcoin am Tag nach dem 31.12.9999?",
        "Le bitcoin va-t-il monter 3 mois après le 31/12/9999?",
        "¿Subirá bitcoin tres meses después del 31/12/9999?",
        "比特币会在9999年12月31日之后三个月上涨吗？",
        "Liegt bitcoin im Jahr 9999 über 100k?",
        "Wird Bitcoin drei Monate nach dem 31. Dezember 9999 steigen?",
        "Will Bitcoin rise on December 31, 9999?",
        "Will Bitcoin rise by 31 December 9999?",
        "Le bitcoin va-t-il monter le 31 décembre 9999 ?",
        "Вырастет ли биткоин 31 декабря 9999?",
        "bitcoin 31 aralık 9999 yükselir mi",
        "O bitcoin sobe em 31 de dezembro de 9999?",
        "Steigt bitcoin bis Freitag im Jahr 9999?",
        "Will btc be above 100k by Friday after the year 9999?",
        "Will btc be above 100k in year 1500?",
        "btc cuma 31.12.9999 sonrası 100k üstünde olur mu?",
        "bitcoin 9999 yılında cuma 100k üstünde mi",
        "биткоин вырастет к пятнице в 9999 году?",
        "ビットコインは9999年に金曜日までに上がる？",
        "bitcoin salirà nell'anno 9999 entro venerdì?",
        "o bitcoin sobe no ano 9999 até sexta?",
        "le bitcoin va-t-il monter vendredi, en l'an 9999 ?",
        "bitcoin en el año 9999 por encima de 100k el viernes",
        "If the halving comes after 3024-05-01, will btc rise by Friday?",
    ],
)
def test_years_outside_of_the_calendar_are_refused(text):
    """From 1990 to 2100: whatever is computed from such a date stays in the calendar."""
    with pytest.raises(InvalidQuestion, match="from 1990 to 2100"):
        read_any(text, Circumstances(NOW, SPOTS))


@pytest.mark.parametrize("stamp", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_an_instant_before_or_after_all_years_is_refused(stamp: str):
    """In UTC it is of the year 0 or 10000, which no calendar of ours has."""
    assert "no such date" in refusal_of(f"Will Bitcoin rise by {stamp}?").detail
    assert not isinstance(refusal_of(f"{stamp}?"), UnreadQuestion)


MANY = [f"be above {'1' * digits}{end}" for digits in range(26, 34) for end in ("", ".5", ",5e9", "e9", "e12")]


@pytest.mark.parametrize("words", ["rise 5k" + "1" * 320, f"be above 0.{320 * '0'}1", "rise 9万" + "5" * 400, *MANY])
@pytest.mark.parametrize("read", [read_any, read_text])
def test_a_number_of_any_length_is_read_or_refused(read: Callable[..., object], words: str):
    refusal = None
    try:
        read(f"will btc {words}", Circumstances(NOW, SPOTS))
    except InvalidRequest as error:
        refusal = error
    assert not isinstance(refusal, UnreadQuestion)


def test_what_the_rules_fail_on_is_a_refusal(monkeypatch):
    """It keeps its cause, so that it can be logged as a fault of ours."""

    def fail(*_arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(topics, "parse_tokenized", fail)
    with pytest.raises(UnreadQuestion) as refusal:
        read_any("Will Bitcoin rise?", Circumstances(NOW, SPOTS))
    assert isinstance(refusal.value.__cause__, ZeroDivisionError)
    assert refusal.value.errors[0].field == "question"


@pytest.mark.parametrize(
    "text",
    [
        "क्या बिटकॉइन दिसंबर तक बढ़ेगा?",
        "비트코인이 오를까요?",
        "هل سيرتفع سعر البيتكوين؟",
        "Θα ανέβει το bitcoin;",
        "ราคาจะขึ้นไหม",
        "Gaat bitcoin volgende week dalen?",
    ],
)
def test_a_language_that_is_not_read_is_the_reason(text):
    """It is not said to name no market; the languages that are read are listed."""
    refusal = refusal_of(text)
    assert isinstance(refusal, InvalidQuestion)
    assert "Languages that are read: English, German," in refusal.detail


@pytest.mark.parametrize("text", ["Write a poem about bitcoin", "tell me the secrets bitcoin hides deeply today"])
def test_english_is_not_told_to_be_english(text):
    assert "English" not in refusal_of(text).detail


def refused_cases() -> list[Case]:
    return [case for case in CASES if case.reading.startswith("refused")]


@pytest.mark.slow
def test_no_refusal_repeats_a_word_of_the_caller():
    """A word that nothing else holds is in no detail and no suggestion, whatever the reason."""
    for case in refused_cases():
        refusal = refusal_of(f"Zqxjvk. {case.question}", case.now)
        assert all("zqxjvk" not in text.lower() for text in (refusal.detail, *refusal.suggestions))
