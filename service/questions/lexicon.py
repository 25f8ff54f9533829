"""Looking words up: the vocabulary of one language together with the names and loanwords of all.

Vocabularies and questions are folded alike (case, accents, Turkish dotless i), so both are spelled the same way.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from itertools import chain
from typing import NamedTuple

from service.questions.vocabulary import COMMON, LANGUAGES, MARKETS, OTHERS, Language, Words

GLYPH = "\u3005\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
NUMERALS = "〇零一二三四五六七八九十百千万萬亿億两兩"
MARKS = re.compile("[\u0300-\u036f]")

ENGLISH = LANGUAGES[0]
LATIN = [language for language in LANGUAGES if language.script == "Latin"]
# The scripts that give a language away, in the order in which they are looked for: Japanese uses Han glyphs, too.
SCRIPTS = {
    "Kana": re.compile("[\u3040-\u30ff曜円値価売気対]"),  # with Han glyphs that only Japanese has
    "Han": re.compile("[\u3400-\u9fff]"),
    "Cyrillic": re.compile("[\u0400-\u04ff]"),
}
# Words of every language give none away: the k of "90k".
COMMON_WORDS = {word.strip() for phrases in COMMON.values() for word in phrases.split(",")}
# Kinds of the parts of a number that is written as one word, and the most letters of such a part and of the number.
NUMBER_PARTS, LONGEST_PART, LONGEST_NUMBER = ("numword", "times", "and", "a"), 12, 60
# From so many English words on, a text is English whatever other letters it holds.
ENGLISH_WORDS = 3
SHORTEST = 6


class Sense(NamedTuple):
    """What a word is for the grammar: its kind and, where the kind has one, a value (12 for December)."""

    kind: str
    value: str | float | None = None


Senses = tuple[Sense, ...]


class Typos:
    """Finds the word of a list that a misspelt word must mean.

    Only words of at least six letters are corrected, and only to a word with the same first letter. The words are
    indexed by their spellings with one letter left out (Garbe, "SymSpell", 2012).
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.words = {word for word in words if len(word) >= SHORTEST and word.isalpha()}
        self.deletions = {short: word for word in sorted(self.words) for short in _shortened(word)}

    def mend(self, typo: str) -> str | None:
        """The word of the list that is one slip away from `typo`, if any."""
        if not SHORTEST - 1 <= len(typo) <= 16:
            return None
        candidates = [self.deletions.get(typo)]
        for short in _shortened(typo):
            candidates += [short if short in self.words else None, self.deletions.get(short)]
        return next((word for word in candidates if word and _is_slip(word, typo)), None)


def _shortened(word: str) -> list[str]:
    return [word[:place] + word[place + 1 :] for place in range(len(word))]


def _is_slip(word: str, typo: str) -> bool:
    places = [place for place, (right, wrong) in enumerate(zip(word, typo, strict=False)) if right != wrong]
    is_swap = len(places) == 2 and places[1] == places[0] + 1 and word[places[0]] == typo[places[1]]
    return word[0] == typo[0] and (len(word) != len(typo) or len(places) == 1 or is_swap)


class Lexicon:
    """Phrases and stems with their senses; `longest` is the number of words in the longest phrase by first word.

    The phrases of a vocabulary replace the senses that the same phrases have in those before it.
    """

    def __init__(self, *vocabularies: Words) -> None:
        self.phrases: dict[str, Senses] = {}
        self.stems: dict[str, Senses] = {}
        self.longest: dict[str, int] = {}
        self.typos = Typos(())
        for kinds, phrases in chain.from_iterable(words.items() for words in vocabularies):
            senses = tuple(_sense(kind) for kind in kinds.split(" + "))
            for phrase, value in _phrases(phrases):
                self._add(phrase, tuple(Sense(sense.kind, value) for sense in senses) if value else senses)

    def find(self, word: str) -> Senses | None:
        """The senses of one word: of the word itself, else of the longest stem that it begins with."""
        exact = self.phrases.get(word)
        if exact:
            return exact
        return next((self.stems[word[:size]] for size in range(len(word), 2, -1) if word[:size] in self.stems), None)

    def number_parts(self, word: str) -> list[tuple[int, Sense]]:
        """The numbers of which a word consists, with their places: "funfundneunzigtausend"; none for other words."""
        parts, place = [], 0
        while place < len(word) <= LONGEST_NUMBER:
            for size in range(min(len(word) - place, LONGEST_PART), 1, -1):
                senses = self.phrases.get(word[place : place + size], ())
                if len(senses) == 1 and senses[0].kind in NUMBER_PARTS:
                    break
            else:
                return []
            parts.append((place, Sense("numword", 1.0) if senses[0].kind == "a" else senses[0]))
            place += size
        return parts

    def _add(self, phrase: str, senses: Senses) -> None:
        if phrase.endswith("*"):
            self.stems[phrase[:-1]] = senses
            return
        self.phrases[phrase] = senses
        first, *rest = phrase.split()
        self.longest[first] = max(self.longest.get(first, 1), 1 + len(rest))

    @cached_property
    def glyphs(self) -> re.Pattern[str]:
        """Cuts a run of glyphs into phrases of several glyphs, else a numeral, else single glyphs."""
        entries = sorted((phrase for phrase in self.phrases if re.match(f"[{GLYPH}]", phrase)), key=len, reverse=True)
        long = [re.escape(entry) for entry in entries if len(entry) > 1]
        return re.compile("|".join([*long, f"[{NUMERALS}]+", f"[{GLYPH}]"]))


def fold(text: str) -> str:
    """`text` without case and without the accents of European letters; ı is i, kana keep their marks."""
    letters = unicodedata.normalize("NFD", text.casefold())
    return unicodedata.normalize("NFC", MARKS.sub("", letters)).replace("ı", "i").replace("’", "'")


def guess_language(text: str, words: list[str], likely: Language | None = None, spelling: str = "") -> Language:
    """The language whose script or most of whose words occur in a folded text.

    Where several fit equally, the one with letters of its own in the `spelling` of the text, `likely`, the one with
    fewer words that occur only in phrases, or the first.
    """
    if sum(word in _single_words(ENGLISH) for word in words) < ENGLISH_WORDS:
        for script, letters in SCRIPTS.items():
            if letters.search(text):
                if likely is not None and (script, likely.script) == ("Han", "Kana"):
                    return likely  # "3時間後" after a Japanese question
                return next(language for language in LANGUAGES if language.script == script)
    parts = [part for word in words for part in (word, *word.split("'")[1:]) if part == word or len(part) > 2]  # l'été
    clues = [word for word in parts if word not in COMMON_WORDS]
    return max(
        LATIN,
        key=lambda language: (
            sum(_is_word_of(language, word) for word in clues),
            any(letters in spelling for letters in language.spellings.split()),
            language is likely,
            sum(_own(language).find(word) is not None for word in clues),  # not only in phrases: "mardi gras"
        ),
    )


@cache
def lexicon(language: Language) -> Lexicon:
    """The lexicon of a language.

    In English every word is also found with one letter wrong, in other languages only the names of the assets.
    """
    result = Lexicon(COMMON, language.words, MARKETS, OTHERS)
    forgiven = result if language is ENGLISH else Lexicon(MARKETS)
    result.typos = Typos(word for word in forgiven.phrases if word.isascii())
    return result


@cache
def forms(name: str) -> frozenset[str]:
    """The words of all languages, folded, that mean the same beside a number."""
    phrases = (language.forms.get(f"form:{name}", "") for language in LANGUAGES)
    return frozenset(phrase for words in phrases for phrase, _ in _phrases(words))


@cache
def intent_lexicon() -> Lexicon:
    """The phrases of all languages that say what a text wants."""
    return Lexicon(*(language.intents for language in LANGUAGES))


def intent_examples() -> dict[str, str]:
    """Texts of all languages with the intents that they are examples of; other words of the grammar ask questions."""
    words = (word for language in LANGUAGES for word in (*_own(language).phrases, *_own(language).stems))
    groups = (group for language in LANGUAGES for group in (language.intents | language.texts).items())
    texts = {text: key.partition(":")[2] for key, group in groups for text, _ in _phrases(group)}
    return dict.fromkeys(words, "question") | texts


def _sense(kind: str) -> Sense:
    name, _, value = kind.partition(":")
    if not value:
        return Sense(name)
    try:
        return Sense(name, float(value))
    except ValueError:
        return Sense(name, value)


def _phrases(words: str) -> Iterator[tuple[str, str | None]]:
    """Each phrase under a key, folded, with the value `past` for the past of a verb written as `climb+`."""
    for entry in words.split(","):
        phrase = " ".join(fold(entry).replace("-", " ").replace("/", " ").split())
        if phrase.endswith("+"):
            yield from _forms(phrase[:-1])
        elif phrase:
            yield phrase, None


def _forms(verb: str) -> Iterator[tuple[str, str | None]]:
    """The regular forms of an English verb."""
    stem = verb[:-1] if verb.endswith("e") else verb
    root = stem + stem[-1] if re.fullmatch(r"[^aeiou]*[aeiou][bgmnpt]", stem) else stem
    plural = "es" if re.search(r"(s|sh|ch|x)$", verb) else "s"
    yield verb, None
    yield verb + plural, None
    yield root + "ing", None
    yield root + "ed", "past"


@cache
def _own(language: Language) -> Lexicon:
    """The words of one language alone, without names and loanwords."""
    return Lexicon(language.words)


@cache
def _single_words(language: Language) -> frozenset[str]:
    return frozenset(word for phrase in _own(language).phrases for word in phrase.split())


@cache
def _stems(language: Language) -> tuple[str, ...]:
    return tuple(_own(language).stems)


def _is_word_of(language: Language, word: str) -> bool:
    return word in _single_words(language) or (len(word) > 3 and word.startswith(_stems(language)))
