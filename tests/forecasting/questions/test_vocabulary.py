"""The tables of words hold together, and numbers and typing slips are read as a person would."""

from __future__ import annotations

from collections import Counter
from datetime import date

import pytest

from service.forecasting.questions.dates.periods import easter, thanksgiving
from service.forecasting.questions.lexicon import Lexicon, guess_language
from service.forecasting.questions.numerals import readings
from service.forecasting.questions.typos import Typos
from service.forecasting.questions.vocabulary import TABLES
from service.forecasting.questions.vocabulary.names import ASSETS, DECOYS, OTHERS

NEEDED = {
    *("reach", "break", "exceed", "rise", "fall", "up", "down", "above", "below", "between", "stay", "close", "not"),
    *(
        "outperform",
        "multiple",
        "month",
        "weekday",
        "weekend",
        "unit",
        "this",
        "next",
        "end",
        "rel",
        "percent",
        "money",
    ),
}


def _phrases(table: dict[str, str]) -> list[str]:
    """Every phrase and stem of a table, once for each kind that has it."""
    found = []
    for kind, words in table.items():
        own = Lexicon("")
        own.add({kind: words})
        found += [*own.phrases, *(f"{stem}*" for stem in own.stems)]
    return found


@pytest.mark.parametrize("language", [language for language in TABLES if language != "Turkish"])
def test_a_phrase_has_one_meaning_in_a_language(language):
    """Turkish builds its verbs from stems, some of which share a form."""
    assert [phrase for phrase, times in Counter(_phrases(TABLES[language])).items() if times > 1] == []


def test_a_name_has_one_meaning():
    names = _phrases({**ASSETS, **OTHERS, **DECOYS})
    assert [name for name, times in Counter(names).items() if times > 1] == []


@pytest.mark.parametrize("language", TABLES)
def test_no_phrase_swallows_the_name_of_an_asset(language):
    names = {name for name in _phrases(ASSETS) if " " not in name}
    assert [phrase for phrase in _phrases(TABLES[language]) if " " in phrase and names & set(phrase.split())] == []


@pytest.mark.parametrize("language", TABLES)
def test_every_language_can_say_what_matters(language):
    kinds = {kind.partition(":")[0] for key in TABLES[language] for kind in key.split(" + ")}
    assert kinds >= NEEDED - ({"month"} if language in ("Chinese", "Japanese") else set())


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("will bitcoin rise tomorrow", "English"),
        ("wird bitcoin morgen steigen", "German"),
        ("le bitcoin va t il monter demain", "French"),
        ("subira bitcoin manana", "Spanish"),
        ("o bitcoin vai subir amanha", "Portuguese"),
        ("bitcoin salira domani", "Italian"),
        ("bitcoin yarin yukselir mi", "Turkish"),
        ("вырастет ли биткоин завтра", "Russian"),
        ("比特币明天会涨吗", "Chinese"),
        ("ビットコインは明日上がりますか", "Japanese"),
        ("btc", "English"),
    ],
)
def test_the_language_is_the_one_whose_words_occur(text, language):
    assert guess_language(text, text.split()) == language


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("100000", (100_000,)),
        ("100,000", (100_000, 100)),
        ("100.000", (100_000, 100)),
        ("1,234,567", (1_234_567,)),
        ("1.234.567", (1_234_567,)),
        ("100'000", (100_000,)),
        ("12,34,567", (1_234_567,)),
        ("100,000.50", (100_000.5,)),
        ("100.000,50", (100_000.5,)),
        ("0.550", (0.55,)),
        ("2,5", (2.5,)),
        ("0,55", (0.55,)),
    ],
)
def test_separators_are_read_as_the_locales_write_them(written, values):
    assert readings(written) == values


@pytest.mark.parametrize("written", ["bitcon", "bitcion", "bitcoiin", "butcoin", "bitcpin"])
def test_a_word_with_one_slip_is_mended(written):
    assert Typos(["bitcoin", "between"]).mend(written) == "bitcoin"


@pytest.mark.parametrize("written", ["bit", "coin", "bitumen", "btiocin", "between", "xitcoin"])
def test_other_words_are_left_alone(written):
    assert Typos(["bitcoin"]).mend(written) is None


def test_moving_holidays_fall_on_the_days_of_the_almanac():
    assert [easter(year) for year in (2024, 2025, 2026, 2027)] == [
        date(2024, 3, 31),
        date(2025, 4, 20),
        date(2026, 4, 5),
        date(2027, 3, 28),
    ]
    assert [thanksgiving(year) for year in (2025, 2026)] == [date(2025, 11, 27), date(2026, 11, 26)]
