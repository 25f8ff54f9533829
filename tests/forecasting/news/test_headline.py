"""A headline is plain text, whatever its markup."""

from __future__ import annotations

import doctest
import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.news import headline as module
from service.forecasting.news.headline import LONGEST_TITLE, headline, plain
from tests.forecasting.news.made import NOON, titled

LIVE = re.compile(r"<[a-z/!?]", re.IGNORECASE)
PIECES = st.sampled_from(
    [
        "<",
        ">",
        "&lt;",
        "&amp;lt;",
        "script",
        "</script>",
        "<script>",
        "<b",
        "b>",
        "img src=x onerror=f()",
        "<!--",
        "&#60;",
    ]
)


def test_the_example_in_the_documentation_is_true():
    assert doctest.testmod(module) == (0, 1)


@pytest.mark.parametrize(
    ("raw", "clean"),
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
def test_markup_is_gone_and_words_stay(raw, clean):
    assert plain(raw) == clean


@given(st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join))
def test_no_title_can_be_taken_for_markup(raw):
    assert not LIVE.search(plain(raw))
    assert plain(raw).isprintable()
    assert len(plain(raw)) <= LONGEST_TITLE


@given(st.text(st.characters(categories=("L", "N", "Zs")), max_size=400))
def test_words_without_markup_are_kept_up_to_300_characters(text):
    assert plain(text) == " ".join(unescape(text).split())[:LONGEST_TITLE].rstrip()


def test_only_the_beginning_of_a_long_title_is_read():
    assert plain("<b" * 500_000) == ""
    assert len(plain("word " * 200_000)) == LONGEST_TITLE - 1


def test_the_id_depends_on_the_words_and_the_source():
    first = titled("Bitcoin rises 3%")
    assert re.fullmatch("[0-9a-f]{32}", first.id)
    assert titled("BITCOIN  rises, 3 %!").id == first.id
    assert headline("Bitcoin rises 3%", "desk", NOON + 60, "https://a.example/1").id == first.id
    assert titled("Bitcoin rises 4%").id != first.id
    assert titled("Bitcoin rises 3%", source="another").id != first.id
