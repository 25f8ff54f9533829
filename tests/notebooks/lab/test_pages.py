"""Downloads page by page."""

from __future__ import annotations

from typing import Any

import pytest

from notebooks.lab.pages import pages, with_progress
from service.client import RateLimited

PAGES = [{"count": 2, "rows": [1, 2], "next": "b"}, {"count": 1, "rows": [3], "next": None}]


def limited(seconds: int) -> RateLimited:
    return RateLimited(429, {"code": "rate_limited", "retry_after_s": seconds})


def test_every_page_is_fetched_by_the_next_of_the_one_before():
    cursors: list[Any] = []

    def fetch(cursor: Any) -> dict[str, Any]:
        cursors.append(cursor)
        return PAGES[len(cursors) - 1]

    assert list(pages(fetch, "rows", progress=False)) == PAGES
    assert cursors == [None, "b"]


def test_a_full_minute_is_waited_for():
    answers = [PAGES[0], limited(42), PAGES[1]]
    waits: list[float] = []

    def fetch(_cursor: Any) -> dict[str, Any]:
        answer = answers.pop(0)
        if isinstance(answer, RateLimited):
            raise answer
        return answer

    assert list(pages(fetch, "rows", progress=False, sleep=waits.append)) == PAGES
    assert waits == [42]


def test_a_used_up_day_is_not_waited_for():
    def fetch(_cursor: Any) -> dict[str, Any]:
        raise limited(40_000)

    with pytest.raises(RateLimited):
        list(pages(fetch, "rows", progress=False, sleep=lambda _: pytest.fail("it waited")))


def test_a_quick_loop_shows_no_bar(capsys):
    """What takes longer than a second has one, which leaves nothing behind."""
    assert list(with_progress([1, 2], "loop", unit="rows")) == [1, 2]
    assert "loop" not in capsys.readouterr().err
    assert list(with_progress([1, 2], "loop", progress=False)) == [1, 2]
