"""Looking words up: the tables of one language with the names and loanwords of all, ready for finding.

Everything is folded first (case, accents, Turkish dotless i), so a table and a question are spelled alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from service.forecasting.questions.typos import Typos
from service.forecasting.questions.vocabulary import COMMON, TABLES
from service.forecasting.questions.vocabulary.names import ASSETS, DECOYS, OTHERS

GLYPH = "\u3005\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
NUMERALS = "〇零一二三四五六七八九十百千万萬亿億两兩"
LATIN = ("English", "German", "French", "Spanish", "Portuguese", "Italian", "Turkish")

MARKS = re.compile("[\u0300-\u036f]")
KANA = re.compile("[\u3040-\u30ff]")
HAN = re.compile("[\u3400-\u9fff]")
CYRILLIC = re.compile("[\u0400-\u04ff]")


class Sense(NamedTuple):
    """What a word is for the grammar: its kind, and a value where the kind has one (the 12 of December)."""

    kind: str
    value: str | float | None = None


Senses = tuple[Sense, ...]


@dataclass
class Lexicon:
    """Phrases and stems of one language; `longest` says how many words a phrase that begins so may have."""

    language: str
    phrases: dict[str, Senses] = field(default_factory=dict)
    stems: dict[str, Senses] = field(default_factory=dict)
    longest: dict[str, int] = field(default_factory=dict)
    glyphs: re.Pattern[str] | None = None
    typos: Typos | None = None

    def find(self, word: str) -> Senses | None:
        """The senses of one word: as it stands, else by the longest stem it begins with."""
        exact = self.phrases.get(word)
        if exact:
            return exact
        return next((self.stems[word[:size]] for size in range(len(word), 2, -1) if word[:size] in self.stems), None)

    def add(self, table: dict[str, str]) -> None:
        """Take in a table; what it says of a phrase replaces what an earlier one said."""
        for kinds, words in table.items():
            senses = tuple(_sense(kind) for kind in kinds.split(" + "))
            for phrase, value in _phrases(words):
                said = tuple(Sense(sense.kind, value) if value else sense for sense in senses)
                self._add(phrase, said)

    def _add(self, phrase: str, senses: Senses) -> None:
        if phrase.endswith("*"):
            self.stems[phrase[:-1]] = senses
            return
        self.phrases[phrase] = senses
        first, *rest = phrase.split()
        self.longest[first] = max(self.longest.get(first, 1), 1 + len(rest))


def fold(text: str) -> str:
    """`text` without case and without the accents of European letters; ı is i, kana keep their marks."""
    decomposed = unicodedata.normalize("NFD", text.casefold())
    return unicodedata.normalize("NFC", MARKS.sub("", decomposed)).replace("ı", "i").replace("’", "'")


def guess_language(folded: str, words: list[str]) -> str:
    """The language most of whose words occur; English where several fit equally well."""
    known = sum(word in _single_words("English") for word in words)
    if known < 3:
        if KANA.search(folded):
            return "Japanese"
        if HAN.search(folded):
            return "Chinese"
        if CYRILLIC.search(folded):
            return "Russian"
    return max(LATIN, key=lambda language: sum(_is_word_of(language, word) for word in words))


@lru_cache
def lexicon(language: str) -> Lexicon:
    """The lexicon of a language, built once."""
    built = Lexicon(language)
    for table in (COMMON, TABLES[language], ASSETS, OTHERS, DECOYS):
        built.add(table)
    built.glyphs = _glyph_pattern(built)
    built.typos = _typos(built)
    return built


def _sense(kind: str) -> Sense:
    name, _, value = kind.partition(":")
    if not value:
        return Sense(name)
    try:
        return Sense(name, float(value))
    except ValueError:
        return Sense(name, value)


def _phrases(words: str) -> Iterator[tuple[str, str | None]]:
    """Each phrase of a table's entry, folded, with `past` where it is the past of a `verb+`."""
    for entry in words.split(","):
        phrase = " ".join(fold(entry).replace("-", " ").replace("/", " ").split())
        if phrase.endswith("+"):
            yield from _forms(phrase[:-1])
        elif phrase:
            yield phrase, None


def _forms(verb: str) -> Iterator[tuple[str, str | None]]:
    """The regular forms of an English verb."""
    stem = verb[:-1] if verb.endswith("e") else verb
    doubled = stem + stem[-1] if re.fullmatch(r"[^aeiou]*[aeiou][bgmnpt]", stem) else stem
    plural = "es" if re.search(r"(s|sh|ch|x)$", verb) else "s"
    yield verb, None
    yield verb + plural, None
    yield doubled + "ing", None
    yield doubled + "ed", "past"


def _glyph_pattern(built: Lexicon) -> re.Pattern[str]:
    """What to cut a run of glyphs into: entries of several glyphs, then a numeral, then single glyphs."""
    entries = sorted((phrase for phrase in built.phrases if re.match(f"[{GLYPH}]", phrase)), key=len, reverse=True)
    long = [re.escape(entry) for entry in entries if len(entry) > 1]
    return re.compile("|".join([*long, f"[{NUMERALS}]+", f"[{GLYPH}]"]))


@lru_cache
def _own(language: str) -> Lexicon:
    """The words of one language alone, without names and loanwords."""
    own = Lexicon(language)
    own.add(TABLES[language])
    return own


@lru_cache
def _single_words(language: str) -> frozenset[str]:
    return frozenset(word for phrase in _own(language).phrases for word in phrase.split())


def _is_word_of(language: str, word: str) -> bool:
    return word in _single_words(language) or (len(word) > 3 and word.startswith(tuple(_own(language).stems)))


def _typos(built: Lexicon) -> Typos:
    """In English every word is found again with one letter wrong, elsewhere only the names of the assets."""
    if built.language == "English":
        return Typos(word for word in built.phrases if word.isascii())
    names = Lexicon(built.language)
    names.add(ASSETS)
    return Typos(word for word in names.phrases if word.isascii())
