"""Headlines that feeds give to a caller that must go on, and events of the operator's calendar."""

from __future__ import annotations

import gzip
from email.utils import formatdate
from pathlib import Path

import pytest

from service.config import SettingsError
from service.errors import SourceFailed
from service.forecasting.voters.context import ScheduledEvent
from service.market.instants import DAY, HOUR, MINUTE, iso
from service.sources.event_calendar import read_events
from service.sources.headlines import FeedFailed, FeedState, fetch, headlines_in, source_of
from tests.sources.conftest import ExchangeServer, serve
from tests.sources.feed_texts import NOW, item, rss

NEW = FeedState()
ATOM = f"""<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>t</title>
<entry><title type="html">&lt;b&gt;Ether&lt;/b&gt; rises</title><link href="https://paper.example/2"/>
<updated>{iso(NOW - 60)}</updated></entry></feed>""".encode()
LAUGHS = b"""<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "ha">%s]><rss version="2.0"><channel><title>&z;</title>
</channel></rss>""" % b"".join(
    b'<!ENTITY %c "%s">' % (letter, b"&%c;" % (letter - 1) * 10) for letter in range(ord("b"), ord("z") + 1)
)
FILE = rss(item("&f;")).replace(b"<rss", b'<!DOCTYPE rss [<!ENTITY f SYSTEM "file:///etc/hostname">]><rss', 1)
NESTING = rss("<item>" + "<b>" * 90_000 + "</b>" * 90_000 + "</item>")
LONG = rss("<item/>" * 30_000)
BOMB = gzip.compress(b" " * (50 * 2**20))
DECLARATION = b"<?xml version='1.0' encoding='%s'?><rss version='2.0'/>"
URL = "https://www.paper.example/rss"
DECEMBER = 1_796_842_800  # 2026-12-09T19:00:00Z


def answering(body: bytes, status: int = 200, kind: str = "application/rss+xml", **headers: str):
    """A server that gives this answer; what it was sent is in `seen`."""

    def answer(handler) -> None:
        answer.seen.append(dict(handler.headers))
        handler.reply(status, body, Content_Type=kind, **headers)

    answer.seen = []
    return answer


@pytest.fixture
def paper():
    yield from serve(ExchangeServer(routes=lambda *_: None, fault=answering(rss(item("Bitcoin rises")))))


def ask(paper, state: FeedState = NEW, timeout_s: float = 5, now: int = NOW):
    return fetch(f"{paper.address}/rss", state, timeout_s, now)


def test_an_rss_feed_and_an_atom_feed_are_read(paper):
    (entry,) = ask(paper).headlines
    assert (entry.title, entry.url, entry.published_at) == ("Bitcoin rises", "https://paper.example/1", NOW - HOUR)
    assert (entry.source, entry.simulated) == ("127.0.0.1", False)
    paper.fault = answering(ATOM, kind="application/atom+xml; charset=utf-8")
    (entry,) = ask(paper).headlines
    assert (entry.title, entry.url, entry.published_at) == ("Ether rises", "https://paper.example/2", NOW - 60)


def test_an_unchanged_feed_is_not_sent_again(paper):
    paper.fault = answering(rss(), ETag='"a1"', Last_Modified="Wed, 12 Mar 2025 11:00:00 GMT")
    state = ask(paper).state
    assert state == FeedState('"a1"', "Wed, 12 Mar 2025 11:00:00 GMT")
    paper.fault = answering(b"", 304)
    second = ask(paper, state)
    assert (second.headlines, second.state) == ((), state)
    headers = paper.fault.seen[0]
    assert (headers["If-None-Match"], headers["If-Modified-Since"]) == (state.etag, state.modified)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry_After": "120"}, 120),
        ({"Retry_After": formatdate(NOW + 2 * HOUR, usegmt=True)}, 2 * HOUR),
        ({"Retry_After": "0"}, MINUTE),
        ({"Retry_After": "9" * 30}, DAY),
        *((headers, 15 * MINUTE) for headers in ({"Retry_After": "soon"}, {})),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_a_feed_with_retry_after_is_skipped(paper, status, headers, wait):
    paper.fault = answering(b"", status, **headers)
    state = FeedState('"a1"')
    with pytest.raises(FeedFailed, match=f"it answered {status}; the next request is at") as failure:
        ask(paper, state)
    state = failure.value.state
    assert state == FeedState('"a1"', None, NOW + wait)
    paper.requests.clear()
    assert ask(paper, state, now=NOW + wait - 1).headlines == ()
    assert not paper.requests
    paper.fault = answering(rss(item("Bitcoin rises")))
    assert ask(paper, state, now=NOW + wait).state.not_before is None


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        *((answering(b"", status), f"it answered {status}") for status in (500, 403)),
        (answering(b"", 301, Location="https://elsewhere.example/"), "its address has moved"),
        (answering(b" " * 10 * 2**20, 301, Location="https://elsewhere.example/"), "it is larger than 2 MB"),
        (answering(b" " * 10 * 2**20), "it is larger than 2 MB"),
        (answering(BOMB, Content_Encoding="gzip"), "it is larger than 2 MB"),
        (answering(b"no gzip", Content_Encoding="gzip"), "it could not be read"),
        (answering(rss(), kind="text/html"), "it is not sent as XML"),
        (answering(b"{}", kind="application/json"), "it is not sent as XML"),
        *((answering(text), "it is not well-formed XML") for text in (rss()[:-3], b"")),
        (answering(b"<html><body>busy</body></html>"), "it is neither RSS nor Atom"),
        *((answering(text), "it declares a document type") for text in (LAUGHS, FILE)),
        *((answering(text), "it has too many or too deeply nested elements") for text in (NESTING, LONG)),
        (answering(DECLARATION % b"punycode"), "its encoding is not supported"),
        (answering(DECLARATION % b"utf-8" + b"\xff"), "it is not in its declared encoding"),
        (answering(b"<rss>", Content_Length="1000"), "it could not be read"),
    ],
)
def test_any_other_answer_is_a_failed_source(paper, fault, reason):
    """In a few words; the next request still says what was read before."""
    paper.fault, state = fault, FeedState('"a1"')
    with pytest.raises(FeedFailed, match=reason) as failure:
        ask(paper, state)
    assert len(failure.value.detail) < 100
    assert failure.value.state == state


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://127.0.0.1/", "nonsense", "http://127.0.0.1:1/"])
def test_an_invalid_address_is_a_failed_source(url):
    with pytest.raises(SourceFailed, match="it could not be read"):
        fetch(url, NEW, 5, NOW)


def titles(*items: str) -> list[str]:
    return [headline.title for headline in headlines_in(rss(*items), URL, NOW)]


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
    """A repeated title counts once, at its first time; one with a script comes out as plain text."""
    assert titles(*reversed([item(f"story {n}", age=n) for n in range(300)])) == [f"story {n}" for n in range(200)]
    (headline,) = headlines_in(rss(item("Gold rises", age=60), item("Gold rises", age=HOUR)), URL, NOW)
    assert headline.published_at == NOW - HOUR
    raw = "&lt;script&gt;steal()&lt;/script&gt;Bitcoin <![CDATA[<img src=x onerror=f()>]]>rises &amp;amp; stays"
    assert titles(item(raw), item("&lt;script&gt;steal()&lt;/script&gt;")) == ["Bitcoin rises & stays"]


@pytest.mark.parametrize(
    ("link", "url"),
    [
        *((link, link) for link in ("https://paper.example/a?b=c", "http://paper.example/")),
        ("/story", "https://www.paper.example/story"),
        *((f"{scheme}:f()", None) for scheme in ("javascript", " JavaScript", "data:text/html,x", "ftp")),
        *((f"https://paper.example/{path}", None) for path in ("a" * 1000, "a b")),
        *((link, None) for link in ("http://[::1", "ftp://paper.example/", "")),
    ],
)
def test_a_link_is_http_or_absent(link, url):
    assert [headline.url for headline in headlines_in(rss(item("Gold rises", link)), URL, NOW)] == [url]


def test_a_feed_is_read_in_the_encoding_it_names():
    """A source goes by its host."""
    for encoding in ("utf-8", "iso-8859-1", "windows-1252", "utf-16"):
        text = rss(item("Café: gold rises")).decode().replace('"1.0"', f'"1.0" encoding="{encoding}"')
        (headline,) = headlines_in(text.encode(encoding), URL, NOW)
        assert headline.title == "Café: gold rises"
    addresses = ("https://www.paper.example/rss?x=1", "https://Feeds.Paper.example:8443/")
    assert [source_of(address) for address in addresses] == ["paper.example", "feeds.paper.example"]


def calendar(folder: Path, *lines: str) -> Path:
    (folder / "events.csv").write_text("\n".join(lines), encoding="utf-8")
    return folder / "events.csv"


def test_events_come_in_order_of_time(tmp_path):
    """A time without an offset is UTC; an event may hold a comma in quotes; without a file nothing is scheduled."""
    assert read_events(None) == ()
    lines = ("time,event", "2026-12-10, CPI", "", '2026-12-09T20:00:00+01:00,"Fed: decision, projections"')
    events = [(DECEMBER, "Fed: decision, projections"), (DECEMBER + 5 * HOUR, "CPI")]
    assert read_events(calendar(tmp_path, *lines)) == tuple(ScheduledEvent(*event) for event in events)


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (("time,event", "soon,CPI"), "line 2 is not an ISO 8601 time and an event"),
        (("time,event", "2026-12-10,CPI", "2026-12-11"), "line 3 is not an ISO 8601 time and an event"),
        (("time,event", "2026-12-10, "), "line 2 names no event"),
        (("date;title", "2026-12-10,CPI"), "the first line of .* must be time,event"),
    ],
)
def test_a_line_at_fault_is_named(lines, complaint, tmp_path):
    with pytest.raises(SettingsError, match=f"EVENTS_FILE: {complaint}"):
        read_events(calendar(tmp_path, *lines))
    with pytest.raises(SettingsError, match="cannot be read"):
        read_events(tmp_path / "missing.csv")
