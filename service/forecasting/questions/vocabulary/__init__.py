"""The words of each language: one table a language, from a kind of word to the words of that kind.

A kind may carry a value after a colon (`month:12`, `unit:day`); "fall + below" is two kinds in one word. An entry may be a phrase; the longest one
wins. `stem*` stands for every word that begins so; `verb+` (English only) for its regular forms, of which the
past gets the value `past`. Accents and case do not matter.
"""

from __future__ import annotations

from service.forecasting.questions.vocabulary import (
    chinese,
    common,
    english,
    french,
    german,
    italian,
    japanese,
    portuguese,
    russian,
    spanish,
    turkish,
)

COMMON = common.WORDS

TABLES: dict[str, dict[str, str]] = {
    "English": english.WORDS,
    "German": german.WORDS,
    "French": french.WORDS,
    "Spanish": spanish.WORDS,
    "Portuguese": portuguese.WORDS,
    "Italian": italian.WORDS,
    "Russian": russian.WORDS,
    "Turkish": turkish.WORDS,
    "Chinese": chinese.WORDS,
    "Japanese": japanese.WORDS,
}

# Where two negations in one clause are one ("no ... nunca"); elsewhere they cancel out.
CONCORD = {"French", "Spanish", "Portuguese", "Italian", "Russian", "Turkish"}
