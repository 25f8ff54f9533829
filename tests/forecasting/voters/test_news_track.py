"""News inputs hour by hour."""

from __future__ import annotations

import numpy as np

from service.forecasting.voters.news_track import NewsTrack
from service.market.instants import HOUR


def test_outside_its_hours_a_track_has_nothing():
    track = NewsTrack(10 * HOUR, {"tone": np.array([0.1, 0.2, 0.3])})
    values = track.at(np.array([9, 10, 12, 13]) * HOUR)
    np.testing.assert_array_equal(values["tone"], [np.nan, 0.1, 0.3, np.nan])
