"""The inputs of the news seat: the scores of the pulse, an hour late, from the 30th day of stored headlines on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from service.forecasting.news.headline import ScoredHeadline
from service.forecasting.news.pulse import score_at
from service.forecasting.news.series import news_tracks
from service.forecasting.news.stories import stories
from service.forecasting.voters.news_track import NewsTrack
from service.market.instants import DAY, HOUR
from tests.forecasting.news.made import NOON, apart, scored

STORED_FROM = NOON - 60 * DAY
GENERATOR = np.random.default_rng(3)


def many(count: int = 300) -> list[ScoredHeadline]:
    """Headlines of two assets at random seconds of fifty days, none of which repeats another."""
    return [
        scored(f"w{n}a w{n}b w{n}c", float(tone), NOON - int(age), ("btc",) if n % 3 else ("gold", "btc"))
        for n, (tone, age) in enumerate(
            zip(GENERATOR.uniform(-1, 1, count), GENERATOR.integers(0, 50 * DAY, count), strict=True)
        )
    ]


HEADLINES = many()


def track(headlines: list[ScoredHeadline], hours: int = 200, until: int = NOON, asset: str = "btc") -> NewsTrack:
    return news_tracks(headlines, STORED_FROM, until - hours * HOUR, until)[asset]


@pytest.mark.parametrize("asset", ["btc", "gold", "eth"])
def test_every_input_is_that_of_the_pulse_an_hour_before(asset):
    """Independently: by the function of the published score, at each of 200 hours."""
    own = stories(each for each in HEADLINES if asset in each.assets)
    shown = track(HEADLINES, asset=asset)
    for place in range(201):
        now = NOON - (200 - place) * HOUR - HOUR
        score, n = score_at(own, now)
        past = [score_at(own, now - day * DAY) for day in range(1, 8)]
        usual, usual_n = (np.mean(values) for values in zip(*past, strict=True))
        by_name = {name: values[place] for name, values in shown.inputs.items()}
        assert by_name == pytest.approx(
            {
                "news_level": score,
                "news_change": score - past[0][0],
                "news_volume": math.log((n + 1) / (usual_n + 1)),
                "news_surprise": score - usual,
            }
        )


def test_a_single_story_by_hand():
    """Tone 0.6, published at 06:00, seen at 07:00: at noon 2^(-5/6) of it over that weight plus 5."""
    weight = 2 ** (-5 / 6)
    inputs = track([scored("alpha beta", 0.6, NOON - 6 * HOUR, ("btc",))]).inputs
    expected = 0.6 * weight / (weight + 5)
    for name in ("news_level", "news_change", "news_surprise"):
        assert inputs[name][-1] == pytest.approx(expected)
    assert inputs["news_volume"][-1] == pytest.approx(math.log(2))
    assert inputs["news_level"][-7] == 0.0, "an hour after it was published it is seen, not before"
    assert inputs["news_level"][-6] == pytest.approx(0.6 / 6)


@pytest.mark.parametrize("hours", [1, 26, 199])
def test_later_headlines_change_nothing(hours):
    """The tracks until an instant are the first part of later ones, to the last bit."""
    then = NOON - hours * HOUR
    whole = track(HEADLINES)
    part = news_tracks(
        [each for each in HEADLINES if each.headline.published_at <= then], STORED_FROM, NOON - 200 * HOUR, then
    )["btc"]
    for name, values in part.inputs.items():
        np.testing.assert_array_equal(values, whole.inputs[name][: len(values)])
        assert len(values) == 201 - hours


@pytest.mark.parametrize(("days", "length"), [(29, None), (30, 1), (31, 25), (60, 49)])
def test_the_inputs_begin_on_the_30th_day(days, length):
    tracks = news_tracks(apart(3, 0.5, assets=("btc",)), NOON - days * DAY, NOON - 48 * HOUR, NOON)
    assert (len(tracks["btc"].inputs["news_level"]) if tracks else None) == length


def test_a_track_is_nan_outside_its_hours():
    two = NewsTrack(NOON, {"news_level": np.array([0.1, 0.2])})
    times = NOON + HOUR * np.arange(-1, 3)
    np.testing.assert_array_equal(two.at(times)["news_level"], [np.nan, 0.1, 0.2, np.nan])
