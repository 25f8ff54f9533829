"""The inputs that the news seat learns from: the stored scores of headlines, hour by hour.

A headline counts an hour after it was published, because feeds are read once an hour: the same value would have been
available at that hour.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from service.forecasting.news.headline import ScoredHeadline
from service.forecasting.news.pulse import HALF_LIFE_H, SHRINKAGE
from service.forecasting.news.stories import stories
from service.forecasting.voters.news_track import NewsTrack
from service.market.assets import ASSETS
from service.market.instants import DAY, HOUR

Array = NDArray[np.float64]

LEAST_STORED_S = 30 * DAY  # of headlines before their scores are used
DELAY_S = HOUR
DAY_H = 24
WEEK_H = 7 * DAY_H


def news_tracks(headlines: Iterable[ScoredHeadline], stored_from: int, since: int, until: int) -> dict[str, NewsTrack]:
    """The tracks of all assets over the whole hours from `since` to `until`.

    They begin 30 days after `stored_from`, the instant of the first stored headline; there are none before.
    `headlines` must reach back ten days before `since`. Instants are unix seconds.
    """
    begins = -(-max(since, stored_from + LEAST_STORED_S) // HOUR) * HOUR
    if begins > until:
        return {}
    ordered = stories(headlines)
    return {
        asset: NewsTrack(begins, _inputs([each for each in ordered if asset in each.assets], begins, until))
        for asset in ASSETS
    }


def _inputs(own: Sequence[ScoredHeadline], begins: int, until: int) -> dict[str, Array]:
    """Level, change over a day, volume and surprise against the week before, from an asset's stories in order."""
    scores, counts = _hourly(own, begins - WEEK_H * HOUR, until)
    level = scores[WEEK_H:]
    week = [slice(WEEK_H - day * DAY_H, len(scores) - day * DAY_H) for day in range(1, 8)]
    usual_score = np.mean([scores[part] for part in week], axis=0)
    usual_count = np.mean([counts[part] for part in week], axis=0)
    return {
        "news_level": level,
        "news_change": level - scores[week[0]],
        "news_volume": np.log((counts[WEEK_H:] + 1) / (usual_count + 1)),
        "news_surprise": level - usual_score,
    }


def _hourly(own: Sequence[ScoredHeadline], begins: int, until: int) -> tuple[Array, Array]:
    """The score of the pulse and the number of its stories at every hour, each story an hour late."""
    hours = (until - begins) // HOUR + 1
    seen_at = np.array([each.headline.published_at + DELAY_S for each in own], dtype=np.int64)
    tones = np.array([each.score for each in own])
    # A story counts at the 24 whole hours from the first one at or after it.
    places = -(-(seen_at - begins) // HOUR)[:, None] + np.arange(DAY_H)
    ages = places * HOUR + begins - seen_at[:, None]
    weights = 0.5 ** (ages / (HALF_LIFE_H * HOUR))
    is_inside = (places >= 0) & (places < hours)
    total, weight, count = np.zeros((3, hours))
    np.add.at(total, places[is_inside], (weights * tones[:, None])[is_inside])
    np.add.at(weight, places[is_inside], weights[is_inside])
    np.add.at(count, places[is_inside], 1.0)
    return total / (weight + SHRINKAGE), count
