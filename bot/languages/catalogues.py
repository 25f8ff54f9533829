"""The translations: one gettext catalogue for each language but English, such as de.po, next to this file.

The keys are the English texts of the code. `make catalogues` adds new texts to the catalogues and removes unused ones.
"""

from __future__ import annotations

from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

SOURCE = "en"
FOLDER = Path(__file__).parent


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
