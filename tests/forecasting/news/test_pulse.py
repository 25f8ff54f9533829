"""The pulse, by hand."""

from __future__ import annotations

import json
from math import exp, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from service.forecasting.news import pulse
from service.forecasting.news.headline import ScoredHeadline, headline, stories
from service.market.assets import ASSETS
from service.market.instants import DAY, HOUR, iso
from tests.forecasting.made import NOON, apart, scored
from tests.forecasting.markets import PLAIN_HEADER

TONES = st.lists(st.tuples(st.floats(-1, 1), st.integers(0, 30 * HOUR)), max_size=15)
FED = "Will the Fed cut rates by December 31?"


def test_the_score_is_a_shrunk_mean():
    """Three fresh stories of tone .8, .8 and -.4: 1.2 / (3 + 5) = .15; .59976 is published as .1 and bullish too.

    Six hours halve a story: weights 1, 1/2 and 1/4 of tones 1, -1 and 1: .75 / 6.75.
    """
    body = document(*apart(2, 0.8), scored("alpha beta", -0.4))
    assert (body["score"], body["n"], body["direction"]) == (0.15, 3, "BULLISH")
    body = document(*apart(1, 0.59976))
    assert (body["score"], body["direction"]) == (0.1, "BULLISH")
    headlines = [scored("alpha", 1.0), scored("beta", -1.0, NOON - 6 * HOUR), scored("gamma", 1.0, NOON - 12 * HOUR)]
    assert pulse.score_at(stories(headlines), NOON)[0] == pytest.approx(0.75 / 6.75)


def test_a_story_counts_for_a_day_from_its_publication():
    """The thirty newest stories are shown, newest first."""
    headlines = [scored("alpha", 1.0, NOON - DAY), scored("beta", 1.0, NOON - DAY + 1), scored("gamma", 1.0, NOON + 1)]
    assert pulse.score_at(stories(headlines), NOON)[1] == 1
    assert [row["title"] for row in document(*headlines)["headlines"]] == ["beta", "alpha"]
    headlines = [story for minute in range(40) for story in apart(1, at=NOON - 60 * minute)]
    times = [row["published_at"] for row in document(*headlines)["headlines"]]
    assert times == [iso(NOON - 60 * minute) for minute in range(30)]


@pytest.mark.parametrize(
    ("score", "direction"),
    [(0.1, "BULLISH"), (0.0999, "NEUTRAL"), (0.0, "NEUTRAL"), (-0.0999, "NEUTRAL"), (-0.1, "BEARISH")],
)
def test_a_direction_begins_at_a_tenth(score, direction):
    assert pulse.direction_of(score) == direction


def test_an_asset_has_the_stories_that_name_it():
    """One story of both, one of ether alone: btc .9 / 6, eth (.9 - .3) / 7."""
    tones = {"alpha": (0.9, ("btc", "eth")), "beta": (-0.3, ("eth",)), "gamma": (1.0, ())}
    headlines = [scored(title, score, assets=assets) for title, (score, assets) in tones.items()]
    moods = [pulse.asset_pulse(asset, stories(headlines), NOON) for asset in ASSETS]
    assert [(mood.asset, mood.score, mood.n) for mood in moods if mood.n] == [("btc", 0.15, 1), ("eth", 0.0857, 2)]
    assert document(*headlines)["by_asset"] == [vars(mood) for mood in moods]


@given(TONES)
def test_a_score_lies_between_its_tones_and_zero(tones):
    headlines = [scored(f"word{n}", score, NOON - age) for n, (score, age) in enumerate(tones)]
    score, n = pulse.score_at(stories(headlines), NOON)
    recent = [score for score, age in tones if age < DAY]
    assert n == len(recent)
    assert min([0.0, *recent]) <= score <= max([0.0, *recent])


@given(TONES, st.integers(0, 30 * HOUR))
def test_later_stories_do_not_change_an_earlier_pulse(tones, ago):
    headlines = [scored(f"word{n}", score, NOON - age) for n, (score, age) in enumerate(tones)]
    past = [story for story in headlines if story.headline.published_at <= NOON - ago]
    assert document(*headlines, now=NOON - ago) == document(*past, now=NOON - ago)


def stories_of(*titles: str, days_ago: float = 0.0) -> list:
    return [scored(title, at=NOON - int(days_ago * DAY) - place) for place, title in enumerate(titles)]


def test_a_term_that_rose_by_hand():
    """`merge` is 5 of the day's 5 terms and none of the week's 95.

    The prior is worth 100 terms, of which merge has 100 * 5 / 100 = 5; its odds are (5 + 5) / (5 + 100 - 10) now
    and were 5 / (95 + 100 - 5) before: four times as high.
    """
    week = [story for n in range(95) for story in stories_of(f"word{n}", days_ago=2)]
    (topic,) = pulse.topics([*week, *stories_of(*["merge"] * 5)], NOON)
    log_rise = log(10 / 95) - log(5 / 190)
    assert topic == pulse.TopicRow("merge", 5, 0, 4.0)
    assert pulse.rise(5, 0, 5, 95) == pytest.approx((exp(log_rise), log_rise / sqrt(1 / 10 + 1 / 5)))


def quiet_week() -> list:
    """Two hundred stories of words of their own."""
    return [story for n in range(200) for story in stories_of(f"topic{n} of{n} week{n}", days_ago=1 + n / 40)]


def test_a_pair_stands_for_its_words():
    """`token` is mentioned in the pair only and left to it; `unlock` is not."""
    day = stories_of("token unlock nears", "big token unlock", "token unlock: a guide", "unlock")
    assert [row.term for row in pulse.topics([*quiet_week(), *day], NOON)] == ["unlock", "token unlock"]
    repeats = stories_of("the merge merge 2026", "a merge in 2026", "2026 and the merge")
    (topic,) = pulse.topics([*quiet_week(), *repeats], NOON)
    assert (topic.term, topic.mentions) == ("merge", 3), "words count once a story, numbers never"
    copies = stories_of(*["hashrate record broken today"] * 10)
    body = document(*quiet_week(), *copies)
    assert (body["topics"], body["n"]) == ([], 1), "a story of ten sources is mentioned once"


@pytest.mark.parametrize(
    ("week", "day"),
    [
        pytest.param([], ["merge"] * 3, id="without a week before"),
        pytest.param(quiet_week(), ["merge"] * 2, id="two mentions"),
        pytest.param(stories_of(*["merge"] * 9, days_ago=2), ["merge"] * 9, id="the only term of both"),
        pytest.param(
            [story for n in range(1, 8) for story in stories_of(*["merge"] * 4, "fork", days_ago=n)],
            [*["merge"] * 4, "fork"],
            id="as common all week",
        ),
    ],
)
def test_a_term_that_did_not_rise_is_no_topic(week, day):
    assert pulse.topics([*week, *stories_of(*day)], NOON) == ()


def test_at_most_ten_the_surest_first():
    day = [story for n in range(15) for story in stories_of(*[f"name{n}"] * (3 + n))]
    assert [row.mentions for row in pulse.topics([*quiet_week(), *day], NOON)] == list(range(17, 7, -1))


def document(*headlines: ScoredHeadline, now: int = NOON) -> dict:
    payload = pulse.news_document(headlines, now, PLAIN_HEADER, {"a.example": "it answered 500"})
    return json.loads(TypeAdapter(pulse.NewsDocument).dump_json(payload))


def test_it_has_the_fields_of_the_contract():
    """Without news it is complete."""
    surge = headline("Bitcoin surges", "a.example", NOON - HOUR, "https://a.example/1")
    body = document(ScoredHeadline(surge, 0.612345, ("btc",)))
    assert (body["schema"], body["half_life_h"], body["n"]) == ("news-pulse/1", 6, 1)
    assert body["failed"] == {"a.example": "it answered 500"}
    row = {"title": "Bitcoin surges", "url": "https://a.example/1", "source": "a.example", "score": 0.6123}
    row |= {"published_at": "2025-03-12T11:00:00Z", "assets": ["btc"], "simulated": False}
    assert body["headlines"] == [row]
    body = document()
    assert [body[name] for name in ("direction", "score", "n", "headlines", "topics")] == ["NEUTRAL", 0.0, 0, [], []]
    assert [(row["asset"], row["score"], row["n"]) for row in body["by_asset"]] == [(asset, 0, 0) for asset in ASSETS]


def test_without_rising_terms_the_named_assets_are_listed():
    """From the first day on, and labelled: the most stories first."""
    body = document(*apart(1, assets=("btc",)), *apart(2, at=NOON - HOUR, assets=("eth", "xrp")))
    assert body["topics_basis"] == "frequent"
    assert [(row["term"], row["mentions"]) for row in body["topics"]] == [("Ethereum", 2), ("XRP", 2), ("Bitcoin", 1)]
    assert {row["lift"] for row in body["topics"]} == {None}


def titles(asset: str, *headlines: ScoredHeadline, now: int = NOON) -> list[str]:
    return [story.title for story in pulse.news_of([asset], headlines, now)[asset].stories]


def test_an_asset_has_the_headlines_that_name_it_newest_first():
    """Of 72 hours, and none of later; one that names no asset is about the market of coins."""
    names = {"alpha": ("btc",), "beta": ("gold", "eth"), "gamma": ()}  # one an hour
    headlines = [scored(title, at=NOON + hour * HOUR, assets=names[title]) for hour, title in enumerate(names, -2)]
    for asset, newest in {"btc": ["gamma", "alpha"], "eth": ["gamma", "beta"], "gold": ["beta"]}.items():
        assert titles(asset, *headlines) == newest
    ages = {"old": 72, "new": 71, "now": 0, "later": -1}
    headlines = [scored(f"{name}a {name}b", at=NOON - age * HOUR, assets=("btc",)) for name, age in ages.items()]
    assert titles("btc", *headlines) == ["nowa nowb", "newa newb"]
    assert len(titles("btc", *apart(50, assets=("btc",)))) == 40


def test_a_repeated_story_is_shown_once():
    """Also one whose first headline is older than 72 hours: it is no news."""
    old = scored("Bitcoin rises above 100k again", at=NOON - 80 * HOUR, assets=("btc",))
    copy = scored("Bitcoin rises above 100k", at=NOON - 60 * HOUR, assets=("btc",))
    other = scored("Bitcoin rose above 100,000", at=NOON - 20 * HOUR, assets=("btc",))
    assert titles("btc", old, copy) == []
    assert titles("btc", copy, other) == [copy.headline.title]


def test_the_score_is_that_of_the_published_pulse():
    headlines = [*apart(3, 0.8, assets=("btc",)), *apart(2, -0.5, NOON - HOUR, ("eth",))]
    for asset, news in pulse.news_of(["btc", "eth", "gold"], headlines, NOON).items():
        mood = pulse.asset_pulse(asset, stories(headlines), NOON)
        assert (round(news.score, 4), news.n) == (mood.score, mood.n)


def matches(question: str, *headlines: str, age_s: int = HOUR, now: int = NOON) -> list[str]:
    stored = [scored(title, at=NOON - age_s - place) for place, title in enumerate(headlines)]
    return [story.title for story in pulse.matching(question, stored, now)]


def test_headlines_match_by_a_name_or_by_two_words():
    """Most headlines name an asset; with a second word it counts. One word is enough where a question has no other."""
    of_fed = ["Fed's Powell sees risks on both sides", "Markets expect a cut in interest rates"]
    assert matches(FED, *of_fed, "Rates of crime fall in December", "Bitcoin climbs 3% on the day") == of_fed
    assert matches("Will there be a recession?", "A recession looms", "Gold shines") == ["A recession looms"]
    dominance = "Dominance of Bitcoin at a high"
    assert matches("Will Bitcoin dominance be above 60% by December 31?", "Bitcoin climbs 3%", dominance) == [dominance]


def test_matches_are_the_newest_forty_of_thirty_days():
    """None is later than the question."""
    assert matches(FED, "Fed waits", age_s=30 * DAY - 1) == ["Fed waits"]
    assert matches(FED, "Fed waits", age_s=30 * DAY) == matches(FED, "Fed waits", age_s=-1) == []
    of_fed = [f"Fed w{place}a w{place}b w{place}c" for place in range(50)]
    assert matches(FED, *of_fed) == of_fed[:40]
