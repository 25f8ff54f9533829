"""Validates and normalises the text of a question: its length, its Unicode form, invisible characters."""

from __future__ import annotations

import re
import unicodedata

from service.errors import FieldError, InvalidRequest

LONGEST = 500
SPACES = re.compile(r"\s+")


def clean(text: str) -> str:
    """`text` in NFKC on one line, without bidirectional, zero-width and other invisible marks.

    Raises InvalidRequest for more than 500 characters (before or after NFKC), for control characters other than line
    breaks and tabs, and for lone surrogates.
    """
    _refuse_long(text)
    spaced = SPACES.sub(" ", text)
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in spaced):
        raise _invalid("The question contains control characters or broken Unicode. Send plain text.")
    normal = unicodedata.normalize("NFKC", "".join(letter for letter in spaced if _is_visible(letter)))
    _refuse_long(normal)
    return SPACES.sub(" ", normal).strip()


def _is_visible(letter: str) -> bool:
    return unicodedata.category(letter) != "Cf" and not "\ufe00" <= letter <= "\ufe0f"


def _refuse_long(text: str) -> None:
    if len(text) > LONGEST:
        raise _invalid(f"The question is longer than {LONGEST} characters. Ask in one or two short sentences.")


def _invalid(detail: str) -> InvalidRequest:
    return InvalidRequest(detail, [FieldError("question", detail)])
