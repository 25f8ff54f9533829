"""The vocabulary files: every language has every key, and the phrases under the keys are consistent."""

from __future__ import annotations

import tomllib
from collections import Counter
from zoneinfo import ZoneInfo

import pytest

from service.questions.lexicon import Lexicon
from service.questions.vocabulary import (
    COMMON,
    FILES,
    FOLDER,
    LANGUAGES,
    MARKETS,
    OTHERS,
    Language,
    Words,
    entries,
    load,
)

KEYS = tomllib.loads((FOLDER / "keys.toml").read_text(encoding="utf-8"))
OPTIONAL = KEYS.pop("optional").split(",")
SECTIONS = {key: section for section, keys in KEYS.items() for key, _ in entries({section: keys})}
# common.toml, markets.toml, others.toml and the table of assets have words for these in every language.
SHARED = {key for key, section in SECTIONS.items() if section == "shared"}

languages = pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
# Turkish verbs are built from stems, some of which share a form.
UNBUILT = [language for language in LANGUAGES if language.name != "Turkish"]
unbuilt = pytest.mark.parametrize("language", UNBUILT, ids=lambda language: language.name)


def _is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdigit()


def _documented(key: str) -> str:
    """The key of keys.toml that stands for a key: a value may be documented as `number` or `*`."""
    base, _, value = key.partition(":")
    if f"{base}:number" in SECTIONS and _is_number(value):
        return f"{base}:number"
    return f"{base}:*" if f"{base}:*" in SECTIONS else key


def _covered(phrases: list[str]) -> set[str]:
    """The keys of keys.toml that a list of keys names; the name of a table stands for all its values."""
    names = {" ".join(phrase.split()) for phrase in phrases}
    tables = names - SECTIONS.keys()
    return {key for key in SECTIONS if key in names or key.partition(":")[0] in tables}


def _phrases(words: Words) -> list[str]:
    """Every phrase and stem of a vocabulary, once for each key that has it."""
    result = []
    for key, phrases in words.items():
        lexicon = Lexicon({key: phrases})
        result += [*lexicon.phrases, *(f"{stem}*" for stem in lexicon.stems)]
    return result


@languages
def test_a_language_has_every_key_or_declares_its_lack(language: Language):
    """The key may also be optional for all languages; see keys.toml."""
    present = {_documented(key) for key in (*language.words, *language.intents, *language.texts, *language.forms)}
    keys = SECTIONS.keys() - SHARED - _covered(OPTIONAL)
    lacks = _covered(language.lacks.split(","))
    assert keys - present - lacks == set()
    assert lacks - (keys - present) == set(), "declared as lacking, but present or not required"


@pytest.mark.parametrize("file", [*FILES, "common", "markets", "others"])
def test_every_key_is_documented_and_in_its_section(file):
    sections = load(file)
    sections.pop("language", None)
    phrases = entries({"combined": sections.pop("combined", {})})
    assert all(_documented(part) in SECTIONS for key, _ in phrases for part in key.split(" + "))
    verbs = sections.pop("verbs", {"stems": {}})
    assert all(_documented(key) in SECTIONS for key in verbs["stems"])
    for section in sections:
        for key, _ in entries({section: sections[section]}):
            assert SECTIONS.get(_documented(key)) == section, key


@unbuilt
def test_a_phrase_has_one_meaning_in_a_language(language: Language):
    assert [phrase for phrase, times in Counter(_phrases(language.words)).items() if times > 1] == []


@languages
def test_only_single_words_end_in_a_wildcard(language: Language):
    """A wildcard stands for the endings of a word; in a phrase of several words it would never match."""
    phrases = [phrase.strip() for phrases in language.words.values() for phrase in phrases.split(",")]
    assert [phrase for phrase in phrases if phrase.endswith("*") and " " in phrase] == []


def test_a_name_has_one_meaning():
    assert [name for name, times in Counter(_phrases({**MARKETS, **OTHERS})).items() if times > 1] == []


@languages
def test_no_phrase_swallows_the_name_of_an_asset(language: Language):
    names = {name for name in _phrases(MARKETS) if " " not in name}
    phrases = [phrase for phrase in _phrases(language.words) if " " in phrase]
    assert [phrase for phrase in phrases if names & set(phrase.split())] == []


def test_every_time_zone_exists():
    zones = [key.partition(":")[2] for key in COMMON if key.startswith("zone:")]
    assert {ZoneInfo(zone).key for zone in zones} == set(zones) != set()


def test_a_phrase_says_one_thing_that_a_text_wants():
    """In all languages together, because the phrases of all are looked for in every text."""
    wishes: set[tuple[str, str]] = set()
    for language in LANGUAGES:
        groups = [*language.intents.items(), *language.texts.items()]
        wishes |= {(phrase, key.partition(":")[2]) for key, words in groups for phrase in _phrases({key: words})}
    assert [phrase for phrase, times in Counter(phrase for phrase, _ in wishes).items() if times > 1] == []
