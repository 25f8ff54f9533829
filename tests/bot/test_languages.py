"""The language of replies: seen, chosen, remembered."""

from __future__ import annotations

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
