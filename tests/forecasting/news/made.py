"""Headlines put together by hand."""

from __future__ import annotations

from service.forecasting.news.headline import Headline, ScoredHeadline, headline

NOON = 1_741_780_800  # 2025-03-12T12:00:00Z


def titled(title: str, at: int = NOON, source: str = "desk") -> Headline:
    return headline(title, source, at)


def scored(title: str, score: float = 0.0, at: int = NOON, assets: tuple[str, ...] = ()) -> ScoredHeadline:
    """A headline with the tone and assets a test wants it to have."""
    return ScoredHeadline(titled(title, at), score, assets)


def apart(count: int, score: float = 0.0, at: int = NOON, assets: tuple[str, ...] = ()) -> list[ScoredHeadline]:
    """`count` headlines of one tone that share no word."""
    return [scored(f"w{n}a{at} w{n}b{at} w{n}c{at}", score, at, assets) for n in range(count)]
