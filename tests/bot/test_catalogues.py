"""The catalogues: complete, and equal to the code's texts in everything that is not words."""

from __future__ import annotations

import re
from collections import Counter
from string import Formatter

import pytest
from babel.messages.catalog import Message

from bot.languages.catalogues import FOLDER, catalogue
from tests.bot.catalogues import TRANSLATIONS, extracted, updated

TAG, COMMAND = re.compile(r"</?[a-z]+>"), re.compile(r"(?<![\w<])/[a-z]+")
EACH_LANGUAGE = pytest.mark.parametrize("language", TRANSLATIONS)


def placeholders(text: str) -> set[str | None]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def forms(message: Message) -> list[str]:
    """The translation, or one for each plural form."""
    return [message.string] if isinstance(message.string, str) else list(message.string)


def sources(message: Message) -> list[str]:
    return [message.id] if isinstance(message.id, str) else list(message.id)


def translated(language: str) -> list[Message]:
    return [message for message in catalogue(language) if message.id]


def test_no_text_of_the_code_is_empty():
    assert len(extracted()) > 20
    assert "" not in extracted()


def test_every_language_has_a_catalogue():
    assert {file.stem for file in FOLDER.glob("*.po")} == set(TRANSLATIONS)


@EACH_LANGUAGE
def test_no_text_lacks_a_translation(language):
    """`make catalogues` adds the texts of the code; each is then translated by hand."""
    assert [message.id for message in translated(language) if not all(forms(message))] == []


@EACH_LANGUAGE
def test_a_catalogue_holds_the_texts_of_the_code(language):
    """No text is missing, and none is left that the code no longer shows."""
    assert (FOLDER / f"{language}.po").read_text(encoding="utf-8") == updated(language)


@EACH_LANGUAGE
def test_placeholders_tags_and_commands_are_equal(language):
    for message in translated(language):
        expected = sources(message)[-1]
        least = placeholders(expected) & placeholders(sources(message)[0])
        for form in forms(message):
            assert least <= placeholders(form) <= placeholders(expected), form
            assert TAG.findall(form) == TAG.findall(expected), form
            assert Counter(COMMAND.findall(form)) == Counter(COMMAND.findall(expected)), form


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", "Depot"),
        ("es", "cartera|cuota"),
        ("fr", "portefeuille"),
        ("it", "portafogli"),
        ("pt", "carteira"),
        ("tr", "portföy"),
        ("ru", "портфел|вызов|задним числом"),
        ("zh", "预言机|组合"),
        ("ja", "ポートフォリオ"),
    ],
)
def test_a_lane_is_an_account_as_on_the_home_page(language, words):
    """Nothing has two names: a lane is a simulated account in each language."""
    texts = [form for message in translated(language) for form in forms(message)]
    assert [text for text in texts if re.search(words, text, re.IGNORECASE)] == []
