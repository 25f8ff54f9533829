"""The languages of the bot. A text is written in English where it is used, and translated when it is shown.

`translate("Ask {number}", number=3)` returns the text in the language of the update that is being handled, or of the
enclosing `speaking`. A text without a translation stays English. Each language but English has a gettext catalogue,
such as de.po, whose keys are the English texts. `make catalogues` adds new texts to them and removes unused ones.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal

SOURCE = "en"
FOLDER = Path(__file__).parent
# The longer texts and the tables of texts, in English.
TEXTS: dict[str, Any] = tomllib.loads((FOLDER / "texts.toml").read_text("utf-8"))
# Every language by its code, under its own name. Questions in the last four are not read yet, which these say.
LANGUAGES = {
    "en": "English",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
    "it": "Italiano",
    "pt": "Português",
    "tr": "Türkçe",
    "ru": "Русский",
    "zh": "中文",
    "ja": "日本語",
    "hi": "हिन्दी",
    "id": "Bahasa Indonesia",
    "uk": "Українська",
    "ko": "한국어",
}

LOCALES = {code: Locale.parse(code) for code in LANGUAGES}
T = TypeVar("T")
_LANGUAGE: ContextVar[str] = ContextVar("language", default=SOURCE)
_ZONE: ContextVar[str] = ContextVar("zone", default="UTC")


def catalogue(language: str) -> Catalog:
    """The catalogue of a language, with its rules for plurals."""
    with (FOLDER / f"{language}.po").open(encoding="utf-8") as file:
        return read_po(file, locale=language)


@cache
def translations(language: str) -> NullTranslations:
    """The translations into a language; for English, the texts themselves."""
    if language == SOURCE:
        return NullTranslations()
    file = BytesIO()
    write_mo(file, catalogue(language))
    file.seek(0)
    return GNUTranslations(file)


def translate(text: str, /, **values: object) -> str:
    """An English text in the current language, with `{name}` replaced by a value.

    Numbers get the separators of the language. Values are not escaped: a text for HTML needs escaped values.
    """
    return _filled(translations(language()).gettext(text), values)


def translate_plural(singular: str, plural: str, n: int, /, **values: object) -> str:
    """A text about `n` things in the current language, such as ("{n} trade", "{n} trades", 3)."""
    return _filled(translations(language()).ngettext(singular, plural, n), {"n": n, **values})


def labelled(label: str, text: str) -> str:
    """A text after its label, such as "Live: 3 trades"."""
    return translate("{label}: {text}", label=label, text=text)


def enumerated(parts: Iterable[str]) -> str:
    """The parts that are not empty, separated by commas."""
    return translate(", ").join(part for part in parts if part)


def sentences(*parts: str) -> str:
    """The sentences that are not empty, in a row; Chinese and Japanese have no space between them."""
    return ("" if language() in ("zh", "ja") else " ").join(part for part in parts if part)


def bracketed(text: str) -> str:
    """A text in brackets, after a space where the language has one."""
    return translate(" ({text})", text=text)


def english(text: str) -> str:
    """The text itself: marks a constant that `translate` is called with later, so that the catalogues contain it."""
    return text


def english_words(*words: str) -> tuple[str, ...]:
    """The same for several words."""
    return words


def language() -> str:
    """The code of the current language."""
    return _LANGUAGE.get()


def locale() -> Locale:
    """The current language's rules for numbers and dates."""
    return LOCALES[language()]


def zone() -> ZoneInfo:
    """The time zone in which dates are shown."""
    return ZoneInfo(_ZONE.get())


def speak(language: str | None, zone: str | None = None) -> None:
    """Set the language and the time zone of the current task; None is English and UTC."""
    _LANGUAGE.set(language if language in LANGUAGES else SOURCE)
    _ZONE.set(zone or "UTC")


@contextmanager
def speaking(language: str | None, zone: str | None = None) -> Iterator[None]:
    """Set the language and the time zone of the block; None is English and UTC."""
    before = _LANGUAGE.get(), _ZONE.get()
    speak(language, zone)
    try:
        yield
    finally:
        speak(*before)


def spoken(language: str | None, write: Callable[[], T], zone: str | None = None) -> T:
    """What `write` returns in a language and a time zone."""
    with speaking(language, zone):
        return write()


def closest(code: str | None) -> str | None:
    """The language for a code of Telegram such as "pt-br"; None for an unknown or missing code."""
    base = (code or "").lower().partition("-")[0]
    return base if base in LANGUAGES else None


def _filled(text: str, values: dict[str, object]) -> str:
    if not values:
        return text
    numbers = {name: value for name, value in values.items() if isinstance(value, int | float | Decimal)}
    return text.format(**values | {name: format_decimal(value, locale=locale()) for name, value in numbers.items()})
