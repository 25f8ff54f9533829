"""The language of replies: seen, chosen, remembered, and complete in every catalogue."""

from __future__ import annotations

import re
from collections import Counter
from string import Formatter

import pytest
from babel.messages.catalog import Message

from bot import languages, rate_limiter
from bot.chat_settings import MENU
from bot.languages import FOLDER, LANGUAGES, catalogue, closest, speaking, translate, translate_plural
from bot.messages.research import TOPICS
from tests.bot.catalogues import TRANSLATIONS, extracted, updated
from tests.bot.test_commands import COMMANDS

ENGLISH = re.compile(r"\b[a-z]{2,} [a-z]{2,} [a-z]{2,}")
TAG, COMMAND = re.compile(r"</?[a-z]+>"), re.compile(r"(?<![\w<])/[a-z]+")
EACH_LANGUAGE = pytest.mark.parametrize("language", TRANSLATIONS)
NO_LANES = {"de": "Depot", "es": "cartera|cuota", "fr": "portefeuille", "it": "portafogli", "pt": "carteira"}
NO_LANES |= {"tr": "portföy", "ru": "портфел|вызов|задним числом", "zh": "预言机|组合", "ja": "ポートフォリオ"}


@pytest.mark.parametrize(
    ("code", "language"), [("de", "de"), ("pt-br", "pt"), ("zh-hant", "zh"), ("EN", "en"), ("pl", None), (None, None)]
)
def test_a_code_of_telegram_leads_to_its_language(code, language):
    assert closest(code) == language


def test_a_text_is_translated_within_its_block():
    """Without a translation it stays English; numbers get the separators of the language."""
    with speaking("ja"):
        assert translate("No such {thing} in any catalogue", thing="text") == "No such text in any catalogue"
        assert translate_plural("{n} such thing", "{n} such things", 2000) == "2,000 such things"
    text = "The question has {length} characters; the limit is {limit}. It was not counted. Send a shorter one."
    with speaking("de"):
        assert "1.234 Zeichen" in translate(text, length=1234, limit=500)
        with speaking("fr"):
            assert languages.language() == "fr"
    assert languages.language() == "en"


# Each has a reply of another form; every kind of question and refusal is written in test_messages.py.
TEXTS = """
asdf qwer
if eth rises by friday, will btc rise by monday?
will the fed cut rates in december
will btc close above 50k at least 3 days in a row in december
will tesla go up tomorrow
btc above 100k euro by june
notify me when btc goes above 40k
why is btc up
should i buy btc
""".strip().splitlines()


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


def test_a_chosen_language_beats_that_of_telegram(ann):
    ann.language = "de-at"
    assert ann.says("/help").plain.startswith("Fragen")
    reply = ann.says("/language")
    assert "Sprache" in reply.plain
    ann.presses("Français", on=reply)
    assert "en français" in ann.newest.plain
    assert "langue" in ann.says("/language").plain
    ann.presses("Comme dans Telegram")
    assert "auf Deutsch" in ann.newest.plain


@pytest.mark.parametrize("name", ["de", "de-AT", "Deutsch", "DEUTSCH"])
def test_a_language_can_be_named_with_the_command(ann, name):
    """An unknown one gets the choice."""
    assert "Deutsch" in ann.says("/language klingon").buttons
    assert "auf Deutsch" in ann.says(f"/language {name}").plain
    assert ann.says("/help").plain.startswith("Fragen")


def test_the_menu_of_a_chat_follows_the_chosen_language(ann):
    ann.presses("Español", on=ann.says("/language"))
    menu = [values for method, values in ann.stage.telegram.calls if method == "setMyCommands"][-1]
    assert menu["scope"] == {"type": "chat", "chat_id": ann.chat}
    assert "Todos los comandos" in [entry["description"] for entry in menu["commands"]]
    ann.presses("Como en Telegram")
    assert "deleteMyCommands" in ann.stage.telegram.methods()


@pytest.mark.parametrize("fails", [False, True])
def test_both_menus_are_set_in_every_language(stage, monkeypatch, fails):
    """English is for languages without one, groups have what all may see; after a failure the next run sets them."""
    monkeypatch.setattr(rate_limiter, "PAUSES_S", ())
    if fails:
        stage.telegram.refuse("setMyCommands", "Bad Gateway", 502)
        stage.work("_publish_menus")
        stage.telegram.calls.clear()
    stage.work("_publish_menus")
    assert not stage.application.job_queue.get_jobs_by_name("_publish_menus")
    calls = [values for method, values in stage.telegram.calls if method == "setMyCommands"]
    menus = {(menu["scope"]["type"], menu.get("language_code") or "en"): menu["commands"] for menu in calls}
    assert len(calls) == len(menus) == 2 * len(LANGUAGES)
    in_groups = {"ask", "price", "forecast", "research", "challenge", "language", "settings", "help", *TOPICS}
    for language in LANGUAGES:
        with speaking(language):
            entries = [(command, translate(description)) for command, description, _ in MENU]
        for scope, names in (("all_private_chats", {name for name, _ in entries}), ("all_group_chats", in_groups)):
            menu = [(command["command"], command["description"]) for command in menus[scope, language]]
            assert menu == [entry for entry in entries if entry[0] in names]


def placeholders(text: str) -> set[str | None]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def forms(message: Message, part: str = "string") -> list[str]:
    """The translation, or one for each plural form; of the part "id" the sources."""
    texts = getattr(message, part)
    return [texts] if isinstance(texts, str) else list(texts)


def translated(language: str) -> list[Message]:
    return [message for message in catalogue(language) if message.id]


@EACH_LANGUAGE
def test_no_text_lacks_a_translation(language):
    """`make catalogues` adds the texts of the code; each is then translated by hand."""
    assert {file.stem for file in FOLDER.glob("*.po")} == set(TRANSLATIONS)
    assert [message.id for message in translated(language) if not all(forms(message))] == []


@EACH_LANGUAGE
def test_a_catalogue_holds_the_texts_of_the_code(language):
    """No text is missing or empty, and none is left that the code no longer shows."""
    assert len(extracted()) > 20
    assert "" not in extracted()
    assert (FOLDER / f"{language}.po").read_text(encoding="utf-8") == updated(language)


@EACH_LANGUAGE
def test_placeholders_tags_and_commands_are_equal(language):
    for message in translated(language):
        first, *_, expected = forms(message, "id") * 2
        least = placeholders(expected) & placeholders(first)
        for form in forms(message):
            assert least <= placeholders(form) <= placeholders(expected), form
            assert TAG.findall(form) == TAG.findall(expected), form
            assert Counter(COMMAND.findall(form)) == Counter(COMMAND.findall(expected)), form


@pytest.mark.parametrize(("language", "words"), NO_LANES.items())
def test_a_lane_is_an_account_as_on_the_home_page(language, words):
    """Nothing has two names: a lane is a simulated account in each language."""
    texts = [form for message in translated(language) for form in forms(message)]
    assert [text for text in texts if re.search(words, text, re.IGNORECASE)] == []
