"""The views: nine forecasts of the variance of the coming hours, from nine sets of features, partly shared."""

from __future__ import annotations

VIEWS: dict[str, tuple[str, ...]] = {
    # The last hours: what moves now goes on moving.
    "momentum": ("absolute_12h", "absolute_72h"),
    # The heterogeneous autoregression of Corsi (2009): short, daily, weekly and monthly variance revert to the level.
    "reversion": ("variance_6h", "variance_24h", "variance_168h", "variance_720h"),
    # The common factor of its class, and the leader's.
    "breadth": ("absolute_72h", "class_12h", "class_72h", "leader_12h"),
    # Clusters of calm and of stress, as a GARCH process sees them.
    "regime": ("garch", "absolute_72h"),
    # The long run: the month's variance, drawdowns, and falls raise volatility more than rises (leverage, Black 1976).
    "trend": ("variance_168h", "variance_720h", "down_24h", "down_168h", "drawdown_720h", "drawdown_4320h"),
    # The seasonal clock, and the variance of the last three days.
    "news": ("absolute_72h",),
    # Ranges of bars, which hold more than their closes (Parkinson 1980).
    "vol": ("range_6h", "range_24h", "range_168h"),
    # A little of everything, for the brains that learn more on top of it.
    "logit": ("garch", "absolute_12h", "absolute_72h", "range_24h"),
    "forest": ("garch", "absolute_72h", "range_24h", "class_12h", "down_24h"),
}

# What each view looks at, in words.
BASES: dict[str, str] = {
    "momentum": "the moves of the last 12 and 72 hours",
    "reversion": "the variance of 6 hours to a month",
    "breadth": "the moves of its class and leader",
    "regime": "clusters of calm and stress",
    "trend": "a month's variance and its drawdowns",
    "news": "the last three days and the hours ahead",
    "vol": "the ranges of the last bars and the hours of the week ahead",
    "logit": "recent clusters, moves and ranges",
    "forest": "recent clusters, ranges and falls",
}
