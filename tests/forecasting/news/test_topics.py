"""Topics, against numbers computed by hand."""

from __future__ import annotations

import doctest
from math import exp, log, sqrt

import pytest

from service.forecasting.news import lexicon as words
from service.forecasting.news.pulse import pulse
from service.forecasting.news.topics import topics
from service.market.instants import DAY
from tests.forecasting.news.made import NOON, scored


def stories_of(*titles: str, days_ago: float = 0.0) -> list:
    return [scored(title, at=NOON - int(days_ago * DAY) - place) for place, title in enumerate(titles)]


def test_the_example_in_the_documentation_is_true():
    assert doctest.testmod(words) == (0, 1)


def test_a_term_that_rose_by_hand():
    """`merge` is 5 of the day's 5 terms and none of the week's 95.

    The prior is worth 100 terms, of which merge has 100 * 5 / 100 = 5; its odds are (5 + 5) / (5 + 100 - 10) now
    and were 5 / (95 + 100 - 5) before: four times as high.
    """
    week = [each for n in range(95) for each in stories_of(f"word{n}", days_ago=2)]
    (topic,) = topics([*week, *stories_of(*["merge"] * 5)], NOON)
    rise = log(10 / 95) - log(5 / 190)
    assert (topic.term, topic.mentions, topic.before) == ("merge", 5, 0)
    assert topic.lift == pytest.approx(exp(rise)) == pytest.approx(4)
    assert topic.certainty == pytest.approx(rise / sqrt(1 / 10 + 1 / 5))


def quiet_week() -> list:
    """Two hundred stories of words of their own."""
    return [each for n in range(200) for each in stories_of(f"topic{n} of{n} week{n}", days_ago=1 + n / 40)]


def test_a_pair_stands_for_its_words():
    """`token` is mentioned in the pair only and left to it; `unlock` is not."""
    day = stories_of("token unlock nears", "big token unlock", "token unlock: a guide", "unlock")
    assert [each.term for each in topics([*quiet_week(), *day], NOON)] == ["unlock", "token unlock"]


def test_two_mentions_are_no_topic():
    assert topics([*quiet_week(), *stories_of("merge", "merge")], NOON) == ()


def test_a_term_as_common_all_week_is_no_topic():
    week = [each for n in range(1, 8) for each in stories_of(*["merge"] * 4, "fork", days_ago=n)]
    assert topics([*week, *stories_of(*["merge"] * 4, "fork")], NOON) == ()


def test_the_only_term_of_both_periods_is_no_topic():
    assert topics([*stories_of(*["merge"] * 9, days_ago=2), *stories_of(*["merge"] * 9)], NOON) == ()


def test_without_a_week_before_there_are_no_topics():
    assert topics(stories_of("merge", "merge", "merge"), NOON) == ()


def test_words_count_once_a_story_and_numbers_never():
    day = stories_of("the merge merge 2026", "a merge in 2026", "2026 and the merge")
    (topic,) = topics([*quiet_week(), *day], NOON)
    assert (topic.term, topic.mentions) == ("merge", 3)


def test_a_story_of_ten_sources_is_mentioned_once():
    copies = stories_of(*["hashrate record broken today"] * 10)
    assert pulse([*quiet_week(), *copies], NOON).topics == ()


def test_at_most_ten_the_surest_first():
    day = [each for n in range(15) for each in stories_of(*[f"name{n}"] * (3 + n))]
    listed = topics([*quiet_week(), *day], NOON)
    assert len(listed) == 10
    assert [each.mentions for each in listed] == list(range(17, 7, -1))
