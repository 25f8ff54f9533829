"""Stories: headlines that repeat each other count once, as the first of them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from service.forecasting.news.headline import Headline, ScoredHeadline
from service.forecasting.news.lexicon import content
from service.forecasting.news.naming import named
from service.forecasting.news.sentiment import tone
from service.market.instants import HOUR

SAME = 0.5  # share of common words among all words of both
REPEATED_WITHIN_H = 48

ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|e|s|'s)$")
THOUSANDS = re.compile(r"\b(\d+(?:\.\d+)?)k\b")


def read(headlines: Iterable[Headline]) -> list[ScoredHeadline]:
    """Headlines with their tone and the assets they name, in the given order."""
    return [ScoredHeadline(each, tone(each.title), named(each.title)) for each in headlines]


def stories(headlines: Iterable[ScoredHeadline]) -> tuple[ScoredHeadline, ...]:
    """The first headline of each story, oldest first.

    A headline repeats one of the 48 hours before it that names the same assets and shares at least half of the words
    of both (Jaccard 1912). Only earlier headlines matter: later ones change nothing.
    """
    firsts: list[ScoredHeadline] = []
    sizes: list[int] = []
    holding: dict[tuple[tuple[str, ...], str], list[int]] = defaultdict(list)
    for each in sorted(headlines, key=lambda scored: (scored.headline.published_at, scored.headline.id)):
        words = _words(each.headline.title)
        since = each.headline.published_at - REPEATED_WITHIN_H * HOUR
        shared = Counter(at for word in words for at in holding[each.assets, word])
        if any(
            firsts[at].headline.published_at >= since and common >= SAME * (len(words) + sizes[at] - common)
            for at, common in shared.items()
        ):
            continue
        for word in words:
            holding[each.assets, word].append(len(firsts))
        firsts.append(each)
        sizes.append(len(words))
    return tuple(firsts)


def _words(title: str) -> frozenset[str]:
    """The words of a title without endings, for comparison; "100k" and "100,000" are the same."""
    text = THOUSANDS.sub(lambda match: f"{float(match[1]) * 1000:.0f}", title.lower().replace(",", ""))
    return frozenset(ENDING.sub("", word) for word in content(text))
