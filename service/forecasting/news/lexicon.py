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


WORD = re.compile(r"[^\W_]+(?:[.'’&-][^\W_]+)*")


def content(text: str) -> list[str]:
    """The words of a text in lower case, in their order, without stop words.

    >>> content("Bitcoin's ETF inflows, and the U.S.")
    ["bitcoin's", 'etf', 'inflows', 'u.s']
    """
    return [word for word in WORD.findall(text.lower().replace("’", "'")) if word not in STOP_WORDS]
