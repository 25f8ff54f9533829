"""Apex and its fund."""

from __future__ import annotations

from bot import messages
from tests.bot import documents, examples
from tests.bot.messages.reading import text_of


def test_missing_values_are_named():
    """A new service has no trade, no Sharpe ratio, and layers without input."""
    page = text_of(messages.fund(documents.fund() | {"trades": [], "sharpe": None}))
    assert "No trades yet" in page
    assert "Sharpe" not in page
    silent = [examples.APEX["layers"][0] | {"silent": "no headlines", "p_up": None, "direction": None}]
    assert "no headlines" in text_of(messages.brain(examples.APEX | {"layers": silent}))


def test_the_lead_over_a_constant_half_is_in_percentage_points():
    fund = documents.fund() | {"pnl_pct": 4.5, "versus_benchmark_pct": 1.25}
    fund["benchmark"]["pnl_pct"] = 3.25
    assert "Always half in Bitcoin: +3.2%. The fund against that: +1.2 pp" in text_of(messages.fund(fund))


def test_a_flip_names_both_sides():
    after = examples.WIDGET | {"consensus": examples.WIDGET["consensus"] | {"direction": "BEARISH"}}
    before = examples.WIDGET | {"consensus": examples.WIDGET["consensus"] | {"direction": "BULLISH"}}
    page = text_of(messages.flipped(before, after))
    assert "▼ The consensus is now: BEARISH" in page
    assert "Before, at 2026-11-21 12:00 UTC: BULLISH." in page
