"""The lanes."""

from __future__ import annotations

from bot import messages
from bot.messages.battle import lanes_summary
from tests.bot import documents
from tests.bot.messages.reading import text_of


def test_lanes_can_be_limited_to_a_venue():
    lanes = [
        documents.BATTLE["lanes"][0] | {"name": name, "venue": venue} for name, venue in (("a1", "cex"), ("b2", "dex"))
    ]
    battle = documents.BATTLE | {"lanes": lanes}
    page = text_of(messages.lanes(battle, "CEX"))
    assert "a1" in page
    assert "b2" not in page
    assert "/lanes cex or /lanes dex" in text_of(messages.lanes(battle, "moon"))


def test_the_best_lane_comes_first():
    lanes = [
        documents.BATTLE["lanes"][0] | {"name": name, "pnl_pct": pnl} for name, pnl in (("low", -3.0), ("high", 9.0))
    ]
    page = text_of(messages.lanes(documents.BATTLE | {"lanes": lanes}))
    assert page.index("▲ high") < page.index("▼ low")


def test_an_unknown_lane_lists_the_names():
    name = documents.BATTLE["lanes"][0]["name"]
    assert f"/lane {name}" in text_of(messages.lane(documents.BATTLE, "<b>moon"))


def test_a_lane_without_trades_has_no_win_rate():
    lane = documents.BATTLE["lanes"][0] | {"trades": 0, "win_rate_pct": None, "pnl_pct": 0.0}
    page = text_of(messages.lane(documents.BATTLE | {"lanes": [lane]}, lane["name"]))
    assert "0 trades." in page
    assert "■" in page


def test_a_result_stands_beside_holding():
    """In the list, in one lane and in the sentence of a digest."""
    battle = documents.BATTLE
    name = battle["lanes"][0]["name"]
    for page in (messages.lanes(battle), messages.lane(battle, name), lanes_summary(battle)):
        assert "holding +7.2%" in text_of(page) or "holding +7.3%" in text_of(page)
