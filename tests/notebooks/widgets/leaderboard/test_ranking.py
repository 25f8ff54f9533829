"""The order and the verdict of the leaderboard."""

from __future__ import annotations

from typing import Any

import pytest

from notebooks.widgets.base.theme import PALETTES
from notebooks.widgets.leaderboard.ranking import category_colours, formatted, ranked, verdict


def entry(name: str, rank: int | None, **metrics: Any) -> dict[str, Any]:
    return {"key": name, "name": name, "rank": rank, "category": "trend", **metrics}


ENTRIES = [entry("a", 1, sharpe=None), entry("b", 2, sharpe=0.5), entry("c", 3, sharpe=-1.0), entry("d", 4, sharpe=0.5)]


def test_entries_without_the_metric_come_last():
    """Equal values keep the order of the ranks."""
    assert [row["name"] for row in ranked(ENTRIES, "sharpe")] == ["b", "d", "c", "a"]


@pytest.mark.parametrize(
    ("value", "text", "beaten"),
    [(0.0, "0.00", "2 of 4 beat"), (0.4, "0.40", "2 of 4 beat"), (0.5, "0.50", "0 of 4 beat")],
)
def test_an_equal_value_does_not_beat_the_yardstick(value, text, beaten):
    board = {"entries": ENTRIES, "ghosts": [entry("buy_and_hold", None, sharpe=value)]}
    assert verdict(board, "sharpe") == f"{beaten} buy_and_hold ({text}) by Sharpe ratio"


def test_one_strategy_beats_in_the_singular():
    board = {"entries": ENTRIES[:2], "ghosts": [entry("coin_flip", None, sharpe=0.0)]}
    assert verdict(board, "sharpe").startswith("1 of 2 beats coin_flip")


def test_a_gain_has_its_sign_and_a_missing_value_a_dash():
    assert formatted(3.21, "pnl_pct") == "+3.2%"
    assert formatted(None, "pnl_pct") == "–"


def test_unknown_categories_come_last_in_their_order():
    """So that a legend does not change from one refresh to the next."""
    names = ("zeta", "volume", "alpha", "relative")
    colours = category_colours([{"category": name} for name in names], PALETTES["light"])
    assert list(colours) == ["volume", "relative", "zeta", "alpha"]
    assert colours["zeta"] == colours["alpha"] == PALETTES["light"].alarm
