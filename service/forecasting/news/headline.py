"""Headlines: cleaned of markup, with their tone and the assets they name, and the stories that they tell."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any

from service.documents import JsonRecord
from service.market.assets import ASSETS
from service.market.instants import HOUR

_LEXICON = tomllib.loads(Path(__file__).with_name("lexicon.toml").read_text(encoding="utf-8"))


def _pattern(text: str) -> re.Pattern[str]:
    for name, fragment in _LEXICON["fragments"].items():
        text = text.replace(f"<{name}>", fragment)
    return re.compile(text)


WEIGHTS: dict[str, float] = {
    word: float(weight) for weight, words in _LEXICON["weights"].items() for word in words.split()
}
NEUTRAL_WORDS = frozenset(_LEXICON["weightless"].split())
REWRITES = tuple((_pattern(text), word) for text, word in _LEXICON["rewrites"])
STOP_WORDS = frozenset(_LEXICON["stop_words"].split())
WORD = re.compile(r"[^\W_]+(?:[.'’&-][^\W_]+)*")


def content(text: str) -> list[str]:
    """The words of a text in lower case, in their order, without stop words."""
    return [word for word in WORD.findall(text.lower().replace("’", "'")) if word not in STOP_WORDS]


LOOKALIKES = re.compile(
    rf"\b(?:{'|'.join(asset.headline_decoys for asset in ASSETS.values() if asset.headline_decoys)})\b", re.IGNORECASE
)
ASSET_NAMES = re.compile(
    "|".join(rf"(?P<{key}>\b(?:{asset.headlines})\b)" for key, asset in ASSETS.items() if asset.headlines),
    re.IGNORECASE,
)


def named(title: str) -> tuple[str, ...]:
    """The assets that a plain title names, each once, in the order of the market's."""
    names = {match.lastgroup for match in ASSET_NAMES.finditer(LOOKALIKES.sub(" ", title))}
    return tuple(asset for asset in ASSETS if asset in names)


def tone(title: str) -> float:
    """The tone of a plain title for prices: -1 bearish to 1 bullish, 0 where no word has a weight.

    VADER's compound score of the title in lower case, with its market phrases rewritten.
    """
    text = title.lower().replace("’", "'")
    for phrase, word in REWRITES:
        text = phrase.sub(f" {word} ", text)
    return float(_analyser().polarity_scores(text)["compound"])


@lru_cache(maxsize=1)
def _analyser() -> Any:
    """VADER with our lexicon, read from its package once."""
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyser = SentimentIntensityAnalyzer()
    for word in NEUTRAL_WORDS:
        analyser.lexicon.pop(word, None)
    analyser.lexicon.update(WEIGHTS)
    return analyser


LONGEST_TITLE = 300
LONGEST_RAW = 4_000  # characters that are read
ROUNDS = 3  # feeds escape markup once, some twice

SILENT = re.compile(r"<(script|style|iframe|template)\b.*?(?:</\1[^>]*>|$)|<!--.*?(?:-->|$)", re.IGNORECASE | re.DOTALL)
BREAK = re.compile(r"<(?:br|/?p|/?div|/?li|hr)\b[^<>]*>", re.IGNORECASE)
TAG = re.compile(r"<[a-z/!?][^<>]*>?", re.IGNORECASE)
NOT_A_WORD = re.compile(r"\W+")


@dataclass(frozen=True)
class Headline:
    """A title that a source published at the unix second `published_at`; `id` is a hash of both, 32 hex digits."""

    id: str
    published_at: int
    source: str
    title: str
    url: str | None
    simulated: bool


@dataclass(frozen=True)
class ScoredHeadline(JsonRecord):
    """A headline with its tone in -1..1 and the assets it names, in the order of `ASSETS`."""

    headline: Headline
    score: float
    assets: tuple[str, ...]


def headline(title: str, source: str, published_at: int, url: str | None = None, simulated: bool = False) -> Headline:
    """The headline of a raw title with any markup; its `title` may be empty."""
    text = plain(title)
    # The same id for a title in other case, spacing and punctuation.
    words = NOT_A_WORD.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()
    id = sha256(f"{source.casefold()}\n{words}".encode()).hexdigest()[:32]
    return Headline(id, published_at, source, text, url, simulated)


def plain(text: str) -> str:
    """`text` without markup, entities, scripts and invisible characters, of at most LONGEST_TITLE characters.

    A sign that begins no tag stays, as in "BTC < 100k".
    """
    text = text[:LONGEST_RAW]
    for _ in range(ROUNDS):
        text = unescape(text)
    # Invisible characters are removed first: they could hide a tag.
    text = "".join(sign for sign in " ".join(text.split()) if not unicodedata.category(sign).startswith("C"))
    text = BREAK.sub(" ", SILENT.sub(" ", text))
    while (without := TAG.sub("", text)) != text:
        text = without
    return " ".join(text.split())[:LONGEST_TITLE].rstrip()


COMMON_SHARE = 0.5  # share of common words among all words of both
REPEATED_WITHIN_H = 48

SUFFIX = re.compile(r"(?<=\w{3})(?:ing|ed|es|e|s|'s)$")
THOUSANDS = re.compile(r"\b(\d+(?:\.\d+)?)k\b")


def read(headlines: Iterable[Headline]) -> list[ScoredHeadline]:
    """Headlines with their tone and the assets they name, in the given order."""
    return [ScoredHeadline(row, tone(row.title), named(row.title)) for row in headlines]


def stories(headlines: Iterable[ScoredHeadline]) -> tuple[ScoredHeadline, ...]:
    """The first headline of each story, oldest first.

    A headline repeats one of the 48 hours before it that names the same assets and shares at least half of the words
    of both (Jaccard 1912). Only earlier headlines matter: later ones change nothing.
    """
    firsts: list[ScoredHeadline] = []
    sizes: list[int] = []
    holding: dict[tuple[tuple[str, ...], str], list[int]] = defaultdict(list)
    for candidate in sorted(headlines, key=lambda row: (row.headline.published_at, row.headline.id)):
        words = _words(candidate.headline.title)
        since = candidate.headline.published_at - REPEATED_WITHIN_H * HOUR
        overlaps = Counter(at for word in words for at in holding[candidate.assets, word])
        if any(
            firsts[at].headline.published_at >= since and common >= COMMON_SHARE * (len(words) + sizes[at] - common)
            for at, common in overlaps.items()
        ):
            continue
        for word in words:
            holding[candidate.assets, word].append(len(firsts))
        firsts.append(candidate)
        sizes.append(len(words))
    return tuple(firsts)


def _words(title: str) -> frozenset[str]:
    """The words of a title without endings, for comparison; "100k" and "100,000" are the same."""
    text = THOUSANDS.sub(lambda match: f"{float(match[1]) * 1000:.0f}", title.lower().replace(",", ""))
    return frozenset(SUFFIX.sub("", word) for word in content(text))
