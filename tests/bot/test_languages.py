"""The language of replies: seen, chosen, remembered."""

from __future__ import annotations

import re

import pytest

from bot import languages
from bot.languages import LANGUAGES, closest, speaking, translate, translate_plural
from tests.bot.test_commands import COMMANDS


@pytest.mark.parametrize(
    ("code", "language"), [("de", "de"), ("pt-br", "pt"), ("zh-hant", "zh"), ("EN", "en"), ("pl", None), (None, None)]
)
def test_a_code_of_telegram_leads_to_its_language(code, language):
    assert closest(code) == language


def test_a_text_without_translation_stays_english():
    with speaking("ja"):
        assert translate("No such {thing} in any catalogue", thing="text") == "No such text in any catalogue"
        assert translate_plural("{n} such thing", "{n} such things", 2000) == "2,000 such things"


def test_numbers_get_the_separators_of_the_language():
    with speaking("de"):
        assert "1.234 Zeichen" in translate(
            "The question has {length} characters; the limit is {limit}. It was not counted. Send a shorter one.",
            length=1234,
            limit=500,
        )


def test_the_language_ends_with_its_block():
    with speaking("de"), speaking("fr"):
        assert languages.language() == "fr"
    assert languages.language() == "en"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_is_answered_in_every_language(ann, language):
    """Telegram accepts each reply; the fake Telegram checks lengths, markup and buttons."""
    ann.language = language
    for number, command in enumerate(COMMANDS, 1):
        reply = ann.says(f"/{command}")
        assert len(ann.messages) == number
        assert all(len(data.encode()) <= 64 for data in reply.buttons.values() if not data.startswith("http"))


def test_a_deadline_is_read_in_the_language_of_its_person(ann):
    ann.language = "ru"
    reply = ann.says("/challenge Будет ли биткоин выше 60 000 USD 31 декабря?").plain
    assert "31.12" in reply or "дек" in reply


# Each is refused for another reason, or asks a question of another kind.
TEXTS = """
asdf qwer
btc 500 million?
will btc be above 60k yesterday
will btc be above 60k on february 31
if eth rises by friday, will btc rise by monday?
will the fed cut rates in december
what is the volume of bitcoin
who invented bitcoin
will btc close above 50k at least 3 days in a row in december
will btc close higher on at least 4 days next week
will the average price of btc be above 55k this week
btc above its 50 day average on friday?
will bitcoin volatility be above 60% this month
will btc not close above 50k on friday
will btc be higher at 5pm on friday than on wednesday
will btc rise and eth fall by friday
will gold be above 3000 on sunday
will tesla go up tomorrow
will dogecoin hit 1 dollar
btc above 100k euro by june
notify me when btc goes above 40k
why is btc up
should i buy btc
""".strip().splitlines()
ENGLISH = re.compile(r"\b[a-z]{2,} [a-z]{2,} [a-z]{2,}")


@pytest.mark.parametrize("text", [*TEXTS, *(f"/{command}" for command in COMMANDS), "/challenge btc 500 million?"])
def test_no_english_sentence_reaches_a_japanese_chat(ann, text):
    """Three words in a row; below an answer its votes too. Headlines in a folded quotation are called English."""
    ann.language = "ja"
    reply = ann.says(text)
    pages = [reply.plain]
    if "投票を見る" in reply.buttons:
        pages.append(ann.presses("投票を見る").plain)
    pages = [page.replace(text, "").partition("見出し（英語）")[0] for page in pages]
    assert [sentence for page in pages for sentence in ENGLISH.findall(page)] == []
