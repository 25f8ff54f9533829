"""A story counts once, as its first headline."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.news.stories import read, stories
from service.market.instants import HOUR
from tests.forecasting.news.made import NOON, titled


def titles(*headlines) -> list[str]:
    return [each.headline.title for each in stories(read(headlines))]


def test_the_first_headline_stays_in_any_order():
    first = titled("Bitcoin surges past $100K as ETF inflows hit record", NOON, "one")
    again = titled("Bitcoin surges past $100,000 as ETF inflow hits a record", NOON + HOUR, "two")
    assert titles(again, first) == [first.title]


def test_the_same_words_of_another_asset_are_another_story():
    assert len(titles(titled("Bitcoin jumps 4% in 24 hours"), titled("Solana jumps 4% in 24 hours"))) == 2


def test_half_the_words_in_common_make_a_copy_and_less_do_not():
    """{alpha beta gamma} and {alpha beta delta}: 2 of 4; {alpha beta gamma} and {alpha delta epsilon}: 1 of 5."""
    assert len(titles(titled("alpha beta gamma"), titled("alpha beta delta"))) == 1
    assert len(titles(titled("alpha beta gamma"), titled("alpha delta epsilon"))) == 2


def test_after_two_days_it_is_news_again():
    """A headline 48 hours old still counts as a copy's original."""
    first = titled("Ether developers delay the fork")
    assert len(titles(first, titled("Ether developers delay fork", NOON + 48 * HOUR))) == 1
    assert len(titles(first, titled("Ether developers delay fork", NOON + 48 * HOUR + 1))) == 2


def test_a_title_of_stop_words_alone_is_no_copy_of_another():
    assert len(titles(titled("What is this?"), titled("Who are they?"))) == 2


WORDS = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]), min_size=1, max_size=4)
TELLINGS = st.lists(st.tuples(WORDS.map(" ".join), st.integers(0, 100)), max_size=12)


@given(TELLINGS, st.integers(0, 100))
def test_later_headlines_change_nothing(tellings, until):
    """So an earlier score never changes."""
    every = read(titled(title, NOON + hour * HOUR) for title, hour in tellings)
    then = [each for each in every if each.headline.published_at <= NOON + until * HOUR]
    assert stories(then) == tuple(each for each in stories(every) if each in then)
