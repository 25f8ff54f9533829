"""Lists in pages: the window and the cursor."""

from __future__ import annotations

import pytest

from service.api.pages import WindowQuery
from service.errors import InvalidRequest
from service.store import cursors
from service.store.cursors import PageKey

NOW = 1_795_262_400


def test_a_window_ends_now_at_the_latest():
    assert WindowQuery().span(NOW) == (0, NOW)
    assert WindowQuery(until="2027-01-01").span(NOW) == (0, NOW)
    assert WindowQuery(since="2026-11-20", until="2026-11-21T10:00:00Z").span(NOW) == (NOW - 36 * 3600, NOW - 2 * 3600)


def test_a_window_that_ends_before_it_begins_is_refused():
    with pytest.raises(InvalidRequest):
        WindowQuery(since="2026-11-21T10:00:00Z", until="2026-11-20T10:00:00Z").span(NOW)


def test_a_cursor_belongs_to_its_selection():
    """Another window or another list is another scope."""
    first = WindowQuery(since="2026-11-20")
    scope = first.scope("calls")
    assert first.after(scope) is None
    assert len({scope, first.scope("trades"), WindowQuery().scope("calls")}) == 3
    keys = [PageKey(NOW, "a"), PageKey(NOW - 1, "b")]
    again = WindowQuery(since="2026-11-20", cursor=cursors.following(scope, keys, 1))
    assert again.after(scope) == keys[0]
    with pytest.raises(InvalidRequest):
        again.after(again.scope("trades"))
