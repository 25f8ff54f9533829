"""Histories in pages: the window and the cursor."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from service.api import responses
from service.api.pages import HistoryListing, PageWindow, WindowQuery
from service.errors import InvalidRequest
from service.store.pages import PageKey
from tests.api.conftest import NOON

WINDOWS = HistoryListing("windows", lambda _, window: [window] * window.limit, lambda _: PageKey(NOON - 9, "a"))
OTHERS = HistoryListing("others", WINDOWS.select, WINDOWS.key)


@pytest.fixture(autouse=True)
def links(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[list]:
    """The headers that are added to the answer of a request."""
    headers: list[tuple[str, str]] = []
    monkeypatch.setattr(responses, "add_headers", headers.extend)
    with app.test_request_context("/list?limit=1"):
        yield headers


@pytest.mark.parametrize(
    ("query", "since", "until"),
    [
        ({}, 0, NOON),
        ({"until": "2029-01-01"}, 0, NOON),
        ({"since": "2027-01-14", "until": "2027-01-15T10:00:00Z"}, NOON - 36 * 3600, NOON - 2 * 3600),
    ],
)
def test_a_window_ends_now_at_the_latest(query: dict, since: int, until: int):
    (window,), _ = WINDOWS.page(WindowQuery(limit=1, **query))
    assert window == (since, until, 2, None)


def test_a_window_that_ends_before_it_begins_is_refused():
    with pytest.raises(InvalidRequest):
        WINDOWS.page(WindowQuery(since="2026-11-21T10:00:00Z", until="2026-11-20T10:00:00Z"))


def test_a_cursor_belongs_to_its_selection(links: list):
    """Another window, another list or another filter is another scope."""
    _, cursor = WINDOWS.page(WindowQuery(limit=1, since="2026-11-20"))
    assert links == [("Link", f'</list?limit=1&cursor={cursor}>; rel="next"')]
    query = WindowQuery(limit=1, since="2026-11-20", cursor=cursor)
    (window,), _ = WINDOWS.page(query)
    assert (window.after, window.rising[0], window.falling[1]) == (PageKey(NOON - 9, "a"), NOON - 8, NOON - 10)
    for listing, other in ((OTHERS, query), (WINDOWS, WindowQuery(limit=1, cursor=cursor))):
        with pytest.raises(InvalidRequest):
            listing.page(other)


def test_a_cursor_beyond_the_window_leaves_nothing():
    assert PageWindow(0, NOON, 1, PageKey(NOON + 99, "a")).rising == (NOON + 1, NOON)
