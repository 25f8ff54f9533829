"""The text as it may be read: short enough, one Unicode form, nothing invisible in it."""

from __future__ import annotations

import re
import unicodedata

from service.errors import FieldError, InvalidRequest

LONGEST = 500
SPACES = re.compile(r"\s+")


def clean(text: str) -> str:
    """`text` in NFKC on one line, without bidirectional, zero-width and other invisible marks.

    More than 500 characters (before or after NFKC) and control characters other than line breaks and tabs
    are refused; a lone surrogate is no character at all.
    """
    _refuse_long(text)
    spaced = SPACES.sub(" ", text)
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in spaced):
        raise _invalid("The question holds control characters or broken Unicode; send plain text.")
    normal = unicodedata.normalize("NFKC", "".join(letter for letter in spaced if _is_visible(letter)))
    _refuse_long(normal)
    return SPACES.sub(" ", normal).strip()


def _is_visible(letter: str) -> bool:
    return unicodedata.category(letter) != "Cf" and not "\ufe00" <= letter <= "\ufe0f"


def _refuse_long(text: str) -> None:
    if len(text) > LONGEST:
        raise _invalid(f"The question is longer than {LONGEST} characters; ask in one or two short sentences.")


def _invalid(detail: str) -> InvalidRequest:
    return InvalidRequest(detail, [FieldError("question", detail)])
