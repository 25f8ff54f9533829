"""A headline is plain text, whatever its markup."""

from __future__ import annotations

import re
import tomllib
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.news import headline as module
from service.forecasting.news.headline import (
    LONGEST_TITLE,
    NEUTRAL_WORDS,
    REWRITES,
    WEIGHTS,
    content,
    headline,
    named,
    plain,
    read,
    stories,
    tone,
)
from service.forecasting.news.pulse import direction_of
from service.market.instants import HOUR
from tests.forecasting.made import NOON, titled

MARKUP = "< > &lt; &amp;lt; &#60; script </script> <script> <b b> <!--"
PIECES = st.sampled_from([*MARKUP.split(), "img src=x onerror=f()"])
LABELS = tomllib.loads(Path(__file__).with_name("labelled.toml").read_text(encoding="utf-8"))
WORDS = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]), min_size=1, max_size=4)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("<script>steal()</script>Bitcoin rises", "Bitcoin rises"),
        ("Bitcoin &lt;script&gt;steal()&lt;/script&gt; rises", "Bitcoin rises"),
        ("&amp;lt;img src=x onerror=f()&amp;gt;Ether slips", "Ether slips"),
        ("Ether slips <img src=x onerror=f()", "Ether slips"),
        ("<scr<b>ipt>Gold", "ipt>Gold"),
        ("<<b>b>Gold", "Gold"),
        ("<p>Gold</p><p>Silver</p>", "Gold Silver"),
        ("<em>So</em>lana\n\t climbs", "Solana climbs"),
        ("Profit &amp; loss: AT&amp;amp;T", "Profit & loss: AT&T"),
        ("BTC < 100k > 90k", "BTC < 100k > 90k"),
        ("XRP\u202e\u200b up\x00", "XRP up"),
        ("<style>p{}</style><!-- ad -->BNB", "BNB"),
        ("<script>never closed", ""),
    ],
)
def test_markup_is_gone_and_words_stay(raw, text):
    assert plain(raw) == text


@given(st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join))
def test_no_title_can_be_taken_for_markup(raw):
    assert not re.search(r"<[a-z/!?]", plain(raw), re.IGNORECASE)
    assert plain(raw).isprintable()
    assert len(plain(raw)) <= LONGEST_TITLE


@pytest.mark.parametrize(("raw", "length"), [("<b" * 500_000, 0), ("word " * 200_000, LONGEST_TITLE - 1)])
def test_only_the_beginning_of_a_long_title_is_read(raw, length):
    assert len(plain(raw)) == length


@given(st.text(st.characters(categories=("L", "N", "Zs")), max_size=400))
def test_words_without_markup_are_kept_up_to_300_characters(text):
    assert plain(text) == " ".join(unescape(text).split())[:LONGEST_TITLE].rstrip()


def test_the_id_depends_on_the_words_and_the_source():
    first = titled("Bitcoin rises 3%")
    assert re.fullmatch("[0-9a-f]{32}", first.id)
    assert titled("BITCOIN  rises, 3 %!").id == first.id
    assert headline("Bitcoin rises 3%", "desk", NOON + 60, "https://a.example/1").id == first.id
    assert titled("Bitcoin rises 4%").id != first.id
    assert titled("Bitcoin rises 3%", source="another").id != first.id


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


@pytest.mark.parametrize("table", LABELS.values(), ids=LABELS)
def test_three_of_four_headlines_are_labelled_as_by_hand(table):
    """Also those that were written after the lexicon."""
    cases = [(title.strip(), label) for label, text in table.items() for title in text.strip().splitlines()]
    assert np.mean([direction_of(tone(title)) == label for title, label in cases]) >= 0.75


def test_a_word_has_one_weight():
    """Capitals are no louder, and a title without a weighted word has no tone."""
    text = Path(module.__file__).with_name("lexicon.toml").read_text(encoding="utf-8")
    words = [word for words in tomllib.loads(text)["weights"].values() for word in words.split()]
    assert len(set(words)) == len(words)
    assert not NEUTRAL_WORDS & set(words)
    assert {word for _, word in REWRITES} <= WEIGHTS.keys() | {"gauge"}
    assert tone("BITCOIN PLUNGES as traders flee") == tone("Bitcoin plunges as traders flee")
    for title in ("", "Treasury", "Like shares, interest and security", "!!!", "\u200b"):
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
def test_a_phrase_may_reverse_the_tone_of_its_words(better, worse):
    assert tone(better) >= 0.1
    assert tone(worse) <= -0.1


def titles(*headlines) -> list[str]:
    return [story.headline.title for story in stories(read(headlines))]


@pytest.mark.parametrize(
    ("first", "second", "hours", "count"),
    [
        ("alpha beta gamma", "alpha beta delta", 0, 1),  # two of four words
        ("alpha beta gamma", "alpha delta epsilon", 0, 2),  # one of five
        ("Bitcoin jumps 4% in 24 hours", "Solana jumps 4% in 24 hours", 0, 2),
        ("What is this?", "Who are they?", 0, 2),
        ("Ether developers delay the fork", "Ether developers delay fork", 48, 1),
        ("Ether developers delay the fork", "Ether developers delay fork", 48.001, 2),
    ],
)
def test_half_the_words_in_common_make_a_copy(first, second, hours, count):
    """Of the same asset, for two days; stop words alone are none."""
    assert len(titles(titled(first), titled(second, NOON + round(hours * HOUR)))) == count


@given(st.lists(st.tuples(WORDS.map(" ".join), st.integers(0, 100)), max_size=12), st.integers(0, 100))
def test_later_headlines_change_nothing(tellings, until):
    """So an earlier score never changes."""
    first = titled("Bitcoin surges past $100K as ETF inflows hit record", NOON, "one")
    copy = titled("Bitcoin surges past $100,000 as ETF inflow hits a record", NOON + HOUR, "two")
    assert titles(copy, first) == [first.title], "the first stays in any order"
    headlines = read(titled(title, NOON + hour * HOUR) for title, hour in tellings)
    past = [story for story in headlines if story.headline.published_at <= NOON + until * HOUR]
    assert stories(past) == tuple(story for story in stories(headlines) if story in past)


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Bitcoin’s ETF inflows, and the U.S.", ["bitcoin's", "etf", "inflows", "u.s"]),
        ("AT&T buys layer-2 tokens", ["at&t", "buys", "layer-2", "tokens"]),
        ("The of and", []),
        ("", []),
    ],
)
def test_stop_words_and_marks_carry_no_meaning(title: str, words: list[str]):
    assert content(title) == words
