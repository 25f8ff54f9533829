"""Headlines in the text of a feed: which entries are taken, and what is left of their titles and links."""

from __future__ import annotations

import pytest

from service.market.instants import DAY, HOUR
from service.sources.feed_entries import headlines_in, source_of
from tests.sources.feed_texts import NOW, item, rss

URL = "https://www.paper.example/rss"


def titles(*items: str) -> list[str]:
    return [each.title for each in headlines_in(rss(*items), URL, NOW)]


def test_only_entries_dated_in_the_last_fortnight_are_taken():
    entry_titles = titles(
        item("no date", date=""),
        item("no date either", date="lately"),
        item("an hour ahead", age=-HOUR),
        item("further ahead", age=-HOUR - 1),
        item("a fortnight old", age=14 * DAY),
        item("older", age=14 * DAY + 1),
        item("of another age", date="Mon, 01 Jan 9999 00:00:00 GMT"),
    )
    assert entry_titles == ["an hour ahead", "a fortnight old"]


def test_the_newest_two_hundred_are_taken_newest_first():
    items = [item(f"story {n}", age=n) for n in range(300)]
    assert titles(*reversed(items)) == [f"story {n}" for n in range(200)]


def test_a_repeated_title_counts_once_at_its_first_time():
    (entry,) = headlines_in(rss(item("Gold rises", age=60), item("Gold rises", age=HOUR)), URL, NOW)
    assert entry.published_at == NOW - HOUR


def test_a_title_with_a_script_comes_out_as_plain_text():
    raw = "&lt;script&gt;steal()&lt;/script&gt;Bitcoin <![CDATA[<img src=x onerror=f()>]]>rises &amp;amp; stays"
    assert titles(item(raw), item("&lt;script&gt;steal()&lt;/script&gt;")) == ["Bitcoin rises & stays"]


@pytest.mark.parametrize(
    ("link", "url"),
    [
        ("https://paper.example/a?b=c", "https://paper.example/a?b=c"),
        ("http://paper.example/", "http://paper.example/"),
        ("/story", "https://www.paper.example/story"),
        ("javascript:f()", None),
        (" JavaScript:f()", None),
        ("data:text/html,x", None),
        ("ftp://paper.example/", None),
        ("http://[::1", None),
        ("https://paper.example/" + "a" * 1000, None),
        ("https://paper.example/a b", None),
        ("", None),
    ],
)
def test_a_link_is_http_or_absent(link, url):
    (entry,) = headlines_in(rss(item("Gold rises", link)), URL, NOW)
    assert entry.url == url


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "windows-1252", "utf-16"])
def test_a_feed_is_read_in_the_encoding_it_names(encoding):
    text = rss(item("Café: gold rises")).decode().replace('"1.0"', f'"1.0" encoding="{encoding}"')
    (entry,) = headlines_in(text.encode(encoding), URL, NOW)
    assert entry.title == "Café: gold rises"


def test_a_source_goes_by_its_host():
    assert source_of("https://www.paper.example/rss?x=1") == "paper.example"
    assert source_of("https://Feeds.Paper.example:8443/") == "feeds.paper.example"
