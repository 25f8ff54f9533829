"""The views: nine forecasts of the variance of the coming hours, from nine sets of features, partly shared."""

from __future__ import annotations

from dataclasses import dataclass

# The volume traded, which five views see and four do not, so that they differ.
_VOLUMES = ("volume_2h", "volume_24h")

_OWN: dict[str, tuple[str, ...]] = {
    # The last hours and days: what moves now goes on moving, above all after falls (leverage, Black 1976).
    "momentum": ("absolute_12h", "garch", "down_24h"),
    # The heterogeneous autoregression of Corsi (2009): the variance of a day and of a week reverts to the level.
    "reversion": ("variance_24h", "variance_168h", *_VOLUMES),
    # The common factor of its class, and the leader's.
    "breadth": ("class_12h", "class_72h", "leader_12h", *_VOLUMES),
    # Clusters of calm and of stress, as a GARCH process sees them.
    "regime": ("garch",),
    # The long run: the month's variance, a week of falls, drawdowns.
    "trend": ("variance_720h", "down_168h", "drawdown_720h", "drawdown_4320h"),
    # The seasonal clock with the scheduled events, the moves of the last three days, the trading that news brings.
    "news": ("absolute_72h", *_VOLUMES),
    # Ranges of bars, which hold more than their closes (Parkinson 1980).
    "vol": ("range_6h", "range_24h"),
    # Two memories each, for the brains that learn more on top of them.
    "logit": ("variance_6h", "absolute_72h", *_VOLUMES),
    "forest": ("absolute_12h", "range_168h", *_VOLUMES),
}

# Before there is evidence, these voters expect an unusual variance to last a month, the others that it is over in days.
# When all expected weeks, their pool scored worse from three days on, and they differed less.
_LASTING = ("momentum", "regime", "trend", "news")


@dataclass(frozen=True)
class View:
    """What a voter sees of an asset's variance, and whether it expects an unusual one to last a month."""

    features: tuple[str, ...]
    expects_lasting: bool


# Every view also sees the ranges of the last two hours, which say much of the coming hours and nothing of months.
VIEWS = {voter: View((*own, "range_2h"), voter in _LASTING) for voter, own in _OWN.items()}

# What sets each view apart, in words.
BASES: dict[str, str] = {
    "momentum": "the moves of hours and days and the falls of a day",
    "reversion": "the variance of the last day and week, and volume",
    "breadth": "the moves of its class and leader, and volume",
    "regime": "clusters of calm and stress",
    "trend": "the last month's variance and drawdowns",
    "news": "three days of moves, events and volume",
    "vol": "the ranges of the last bars",
    "logit": "the moves and volume of the last hours and days",
    "forest": "the moves of 12 hours, the ranges of a week and volume",
}
