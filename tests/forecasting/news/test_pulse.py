"""The pulse, by hand."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.news.pulse import direction_of, pulse, score_at
from service.forecasting.news.stories import stories
from service.market.assets import ASSETS
from service.market.instants import DAY, HOUR
from tests.forecasting.news.made import NOON, apart, scored


def test_without_news_the_score_is_zero():
    empty = pulse([], NOON)
    assert (empty.direction, empty.score, empty.n) == ("NEUTRAL", 0.0, 0)
    assert [(each.asset, each.score, each.n) for each in empty.by_asset] == [(asset, 0.0, 0) for asset in ASSETS]
    assert empty.topics == empty.latest == ()


def test_the_score_is_a_shrunk_mean():
    """Three fresh stories of tone .8, .8 and -.4: 1.2 / (3 + 5) = .15."""
    headlines = [*apart(2, 0.8), scored("alpha beta", -0.4)]
    mood = pulse(headlines, NOON)
    assert mood.score == pytest.approx(0.15)
    assert (mood.n, mood.direction) == (3, "BULLISH")


def test_six_hours_halve_a_story():
    """Weights 1, 1/2 and 1/4 of tones 1, -1 and 1: .75 / 6.75."""
    headlines = [scored("alpha", 1.0), scored("beta", -1.0, NOON - 6 * HOUR), scored("gamma", 1.0, NOON - 12 * HOUR)]
    assert pulse(headlines, NOON).score == pytest.approx(0.75 / 6.75)


def test_a_story_counts_for_a_day_from_its_publication():
    headlines = [scored("alpha", 1.0, NOON - DAY), scored("beta", 1.0, NOON - DAY + 1), scored("gamma", 1.0, NOON + 1)]
    assert score_at(stories(headlines), NOON)[1] == 1
    assert [each.headline.title for each in pulse(headlines, NOON).latest] == ["beta", "alpha"]


def test_copies_count_once():
    copies = [scored("ether exchange reserves drop again", 0.5, NOON - minute) for minute in range(10)]
    assert pulse(copies, NOON).n == 1


@pytest.mark.parametrize(
    ("score", "direction"),
    [(0.1, "BULLISH"), (0.0999, "NEUTRAL"), (0.0, "NEUTRAL"), (-0.0999, "NEUTRAL"), (-0.1, "BEARISH")],
)
def test_a_direction_begins_at_a_tenth(score, direction):
    assert direction_of(score) == direction


def test_an_asset_has_the_stories_that_name_it():
    """One story of both, one of ether alone: btc .9 / 6, eth (.9 - .3) / 7."""
    headlines = [
        scored("alpha", 0.9, assets=("btc", "eth")),
        scored("beta", -0.3, assets=("eth",)),
        scored("gamma", 1.0),
    ]
    by_asset = {each.asset: each for each in pulse(headlines, NOON).by_asset}
    assert (by_asset["btc"].score, by_asset["btc"].n) == (pytest.approx(0.15), 1)
    assert (by_asset["eth"].score, by_asset["eth"].n) == (pytest.approx(0.6 / 7), 2)
    assert (by_asset["sol"].score, by_asset["sol"].n) == (0, 0)


def test_the_thirty_newest_stories_are_shown_newest_first():
    headlines = [each for minute in range(40) for each in apart(1, at=NOON - 60 * minute)]
    shown = [each.headline.published_at for each in pulse(headlines, NOON).latest]
    assert shown == [NOON - 60 * minute for minute in range(30)]


TONES = st.lists(st.tuples(st.floats(-1, 1), st.integers(0, 30 * HOUR)), max_size=15)


@given(TONES)
def test_a_score_lies_between_its_tones_and_zero(tones):
    headlines = [scored(f"word{n}", score, NOON - age) for n, (score, age) in enumerate(tones)]
    score, n = score_at(stories(headlines), NOON)
    recent = [score for score, age in tones if age < DAY]
    assert n == len(recent)
    assert min([0.0, *recent]) <= score <= max([0.0, *recent])


@given(TONES, st.integers(0, 30 * HOUR))
def test_later_stories_do_not_change_an_earlier_pulse(tones, ago):
    headlines = [scored(f"word{n}", score, NOON - age) for n, (score, age) in enumerate(tones)]
    then = [each for each in headlines if each.headline.published_at <= NOON - ago]
    assert pulse(headlines, NOON - ago) == pulse(then, NOON - ago)


def test_four_hundred_scores_take_a_tenth_of_a_second():
    headlines = stories(each for hour in range(500) for each in apart(1, 0.5, NOON - hour * HOUR))
    began = time.process_time()
    scores = [score_at(headlines, NOON - 1 - hour * HOUR)[0] for hour in range(400)]
    assert time.process_time() - began < 0.1
    assert scores == pytest.approx([scores[0]] * 400)
