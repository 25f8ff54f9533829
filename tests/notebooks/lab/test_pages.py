"""Downloads page by page."""

from __future__ import annotations

from typing import Any

from notebooks.lab.pages import pages, with_progress

PAGES = [{"count": 2, "rows": [1, 2], "next": "b"}, {"count": 1, "rows": [3], "next": None}]


def test_every_page_is_fetched_by_the_next_of_the_one_before():
    cursors: list[Any] = []

    def fetch(cursor: Any) -> dict[str, Any]:
        cursors.append(cursor)
        return PAGES[len(cursors) - 1]

    assert list(pages(fetch, "rows", progress=False)) == PAGES
    assert cursors == [None, "b"]


def test_a_quick_loop_shows_no_bar(capsys):
    """What takes longer than a second has one, which leaves nothing behind."""
    assert list(with_progress([1, 2], "loop", unit="rows")) == [1, 2]
    assert "loop" not in capsys.readouterr().err
    assert list(with_progress([1, 2], "loop", progress=False)) == [1, 2]
