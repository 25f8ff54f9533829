"""The headlines that a language model is shown: of an asset or of a question, recent, and none repeats another."""

from __future__ import annotations

from service.forecasting.news.evidence import matching, news_of
from service.forecasting.news.headline import ScoredHeadline
from service.forecasting.news.pulse import pulse
from service.market.instants import DAY, HOUR
from tests.forecasting.news.made import NOON, apart, scored


def titles(asset: str, *headlines: ScoredHeadline, now: int = NOON) -> list[str]:
    return [story.title for story in news_of([asset], headlines, now)[asset].stories]


def test_an_asset_has_the_headlines_that_name_it_newest_first():
    """One that names no asset is about the market of coins."""
    own, other, nobody = (
        scored("alpha", at=NOON - 2 * HOUR, assets=("btc",)),
        scored("beta", at=NOON - HOUR, assets=("gold", "eth")),
        scored("gamma", at=NOON),
    )
    assert titles("btc", own, other, nobody) == ["gamma", "alpha"]
    assert titles("eth", own, other, nobody) == ["gamma", "beta"]
    assert titles("gold", own, other, nobody) == ["beta"]


def test_headlines_of_72_hours_are_shown_and_none_of_later():
    ages = {"old": 72, "new": 71, "now": 0, "later": -1}
    headlines = [scored(f"{name}a {name}b", at=NOON - age * HOUR, assets=("btc",)) for name, age in ages.items()]
    assert titles("btc", *headlines) == ["nowa nowb", "newa newb"]


def test_a_repeated_story_is_shown_once():
    """Also one whose first headline is older than 72 hours: it is no news."""
    old = scored("Bitcoin rises above 100k again", at=NOON - 80 * HOUR, assets=("btc",))
    again = scored("Bitcoin rises above 100k", at=NOON - 60 * HOUR, assets=("btc",))
    assert titles("btc", old, again) == []
    assert titles("btc", again, scored("Bitcoin rose above 100,000", at=NOON - 20 * HOUR, assets=("btc",))) == [
        again.headline.title
    ]


def test_at_most_forty_headlines_are_kept():
    assert len(titles("btc", *apart(50, assets=("btc",)))) == 40


def test_the_score_is_that_of_the_published_pulse():
    headlines = [*apart(3, 0.8, assets=("btc",)), *apart(2, -0.5, NOON - HOUR, ("eth",))]
    published = {each.asset: (each.score, each.n) for each in pulse(headlines, NOON).by_asset}
    for asset, news in news_of(["btc", "eth", "gold"], headlines, NOON).items():
        assert (news.score, news.n) == published[asset]


FED = "Will the Fed cut rates by December 31?"


def matches(question: str, *headlines: str, age_s: int = HOUR, now: int = NOON) -> list[str]:
    stored = [scored(title, at=NOON - age_s - place) for place, title in enumerate(headlines)]
    return [story.title for story in matching(question, stored, now)]


def test_headlines_match_by_a_name_or_by_two_words():
    headlines = (
        "Fed's Powell sees risks on both sides",
        "Markets expect a cut in interest rates",
        "Rates of crime fall in December",
        "Bitcoin climbs 3% on the day",
    )
    assert matches(FED, *headlines) == list(headlines[:2])


def test_an_asset_is_no_name_that_makes_a_headline_match():
    """Most headlines name one; with a second word it counts."""
    question = "Will Bitcoin dominance be above 60% by December 31?"
    assert matches(question, "Bitcoin climbs 3%", "Dominance of Bitcoin at a high") == [
        "Dominance of Bitcoin at a high"
    ]


def test_one_word_is_enough_where_a_question_has_no_other():
    assert matches("Will there be a recession?", "A recession looms", "Gold shines") == ["A recession looms"]


def test_headlines_of_thirty_days_match_and_none_of_later():
    assert matches(FED, "Fed waits", age_s=30 * DAY - 1) == ["Fed waits"]
    assert matches(FED, "Fed waits", age_s=30 * DAY) == []
    assert matches(FED, "Fed waits", age_s=-1) == []


def test_at_most_forty_newest_headlines_match():
    titles = [f"Fed w{place}a w{place}b w{place}c" for place in range(50)]
    assert matches(FED, *titles) == titles[:40]
