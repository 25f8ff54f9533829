"""The tone of headlines, against labels given by hand."""

from __future__ import annotations

import doctest
from collections.abc import Callable

import pytest
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from service.forecasting.news import naming
from service.forecasting.news.lexicon import REWRITES, WEIGHTLESS, WEIGHTS
from service.forecasting.news.naming import named
from service.forecasting.news.pulse import direction_of
from service.forecasting.news.sentiment import tone
from tests.forecasting.news import labelled


def lines(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(title.strip(), label) for label, text in table.items() for title in text.strip().splitlines()]


def accuracy(table: dict[str, str], score: Callable[[str], float]) -> float:
    cases = lines(table)
    return sum(direction_of(score(title)) == label for title, label in cases) / len(cases)


@pytest.mark.parametrize("name", ["FIRST", "SECOND"])
def test_three_of_four_headlines_are_labelled_as_by_hand(name):
    """Also those that were written after the lexicon; VADER alone does clearly worse on both."""
    table = getattr(labelled, name)
    ours, plain = accuracy(table, tone), accuracy(table, everyday())
    print(f"{name}: {len(lines(table))} headlines, ours {ours:.3f}, plain VADER {plain:.3f}")
    assert ours >= 0.75
    assert plain <= ours - 0.15


def everyday() -> Callable[[str], float]:
    """VADER as it comes."""
    analyser = SentimentIntensityAnalyzer()
    return lambda title: analyser.polarity_scores(title)["compound"]


def test_enough_headlines_are_labelled_and_none_of_them_twice():
    titles = [title for table in (labelled.FIRST, labelled.SECOND) for title, _ in lines(table)]
    assert len(titles) >= 100
    assert len(set(titles)) == len(titles)


def test_a_word_has_one_weight():
    words = [word for text in WEIGHTS.values() for word in text.split()]
    assert len(set(words)) == len(words)
    assert not WEIGHTLESS & set(words)


@pytest.mark.parametrize("title", ["", "Treasury", "Like shares, interest and security", "!!!", "\u200b"])
def test_a_title_without_a_word_that_weighs_has_no_tone(title):
    assert tone(title) == 0


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("Shorts liquidated in the hundreds of millions", "Longs liquidated in the hundreds of millions"),
        ("Inflation cools", "Inflation heats up"),
        ("Central bank cuts rates", "Central bank raises rates"),
        ("Ether snaps losing streak", "Ether snaps winning streak"),
        ("Gold at a record high", "Gold at a record low"),
        ("Court dismisses the lawsuit", "Court hears the lawsuit"),
        ("Golden cross", "Death cross"),
        ("Silver pares losses", "Silver pares gains"),
        ("Country lifts ban on mining", "Country imposes ban on mining"),
    ],
)
def test_a_phrase_may_mean_the_contrary_of_its_words(better, worse):
    assert tone(better) >= 0.1
    assert tone(worse) <= -0.1


def test_capitals_are_no_louder():
    assert tone("BITCOIN PLUNGES as traders flee") == tone("Bitcoin plunges as traders flee")


def test_every_phrase_is_put_into_a_word_that_is_known():
    known = {word for text in WEIGHTS.values() for word in text.split()}
    assert {word for _, word in REWRITES} <= known | {"gauge"}


def test_the_example_in_the_documentation_of_names_is_true():
    assert doctest.testmod(naming) == (0, 1)


@pytest.mark.parametrize(
    ("title", "assets"),
    [
        ("Bitcoin and Ether slip, SOL holds", ("btc", "eth", "sol")),
        ("Ripple's XRP gains; BNB flat", ("bnb", "xrp")),
        ("Spot gold and silver at a high", ("gold", "silver")),
        ("Athlete wins gold medal", ()),
        ("Bitcoin Cash forks, Ethereum Classic waits", ()),
        ("Goldman hires; solid week for silverware", ()),
        ("A method of method acting", ()),
    ],
)
def test_the_assets_of_a_title(title, assets):
    assert named(title) == assets
