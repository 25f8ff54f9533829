"""Stories: many headlines tell the same one, and it counts once, as it was told first."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from service.forecasting.news.headline import Headline, ScoredHeadline
from service.forecasting.news.naming import named
from service.forecasting.news.sentiment import tone
from service.forecasting.news.words import content
from service.market.instants import HOUR

SAME = 0.5  # words in common, of all words of both
RETOLD_WITHIN_H = 48

ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|e|s|'s)$")
THOUSANDS = re.compile(r"\b(\d+(?:\.\d+)?)k\b")


def read(headlines: Iterable[Headline]) -> list[ScoredHeadline]:
    """Headlines with their tone and the assets they name, in the order they came in."""
    return [ScoredHeadline(each, tone(each.title), named(each.title)) for each in headlines]


def stories(headlines: Iterable[ScoredHeadline]) -> tuple[ScoredHeadline, ...]:
    """The first telling of each story, oldest first.

    A headline retells one of the 48 hours before it that names the same assets and has at least half of both one's
    words in common (Jaccard 1912). Whether it does hangs on earlier headlines alone: later ones change nothing.
    """
    told: list[ScoredHeadline] = []
    sizes: list[int] = []
    holding: dict[tuple[tuple[str, ...], str], list[int]] = defaultdict(list)
    for each in sorted(headlines, key=lambda scored: (scored.headline.published_at, scored.headline.id)):
        words = _words(each.headline.title)
        since = each.headline.published_at - RETOLD_WITHIN_H * HOUR
        shared = Counter(at for word in words for at in holding[each.assets, word])
        if any(
            told[at].headline.published_at >= since and common >= SAME * (len(words) + sizes[at] - common)
            for at, common in shared.items()
        ):
            continue
        for word in words:
            holding[each.assets, word].append(len(told))
        told.append(each)
        sizes.append(len(words))
    return tuple(told)


def _words(title: str) -> frozenset[str]:
    """What a title is compared by: its words without endings, "100k" and "100,000" alike."""
    text = THOUSANDS.sub(lambda found: f"{float(found[1]) * 1000:.0f}", title.lower().replace(",", ""))
    return frozenset(ENDING.sub("", word) for word in content(text))
