"""Views with pages."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("data", ["show:hospital:.99", "show:markets:.99", "show:challenges:.99", "show:lanes:nyse.0"])
def test_a_page_beyond_the_end_is_the_last(ann, data):
    shown = ann.says("/help")
    ann.sends_data(data, shown)
    assert "/quota" not in shown.plain


def test_markets_have_pages(ann):
    shown = ann.says("/markets")
    assert "1." in shown.plain
    ann.presses("▶")
    assert "2 of " in shown.plain
    assert "5. Yes" in shown.buttons
    ann.presses("◀")
    assert "1. Yes" in shown.buttons
    assert "◀" not in shown.buttons
    assert len(ann.messages) == 1
