"""The words of market headlines, loaded from `lexicon.toml`: weights, words without weight, phrases, stop words."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_LEXICON = tomllib.loads(Path(__file__).with_name("lexicon.toml").read_text(encoding="utf-8"))


def _pattern(text: str) -> re.Pattern[str]:
    for name, fragment in _LEXICON["fragments"].items():
        text = text.replace(f"<{name}>", fragment)
    return re.compile(text)


WEIGHTS: dict[str, float] = {
    word: float(weight) for weight, words in _LEXICON["weights"].items() for word in words.split()
}
WEIGHTLESS = frozenset(_LEXICON["weightless"].split())
REWRITES = tuple((_pattern(text), word) for text, word in _LEXICON["rewrites"])
STOP_WORDS = frozenset(_LEXICON["stop_words"].split())
