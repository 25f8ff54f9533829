"""Apex and its fund."""

from __future__ import annotations

from bot import messages
from tests.bot import documents
from tests.bot.messages.reading import text_of, texts_of


def test_missing_values_are_named():
    """A new service has no trade, no Sharpe ratio, and layers without input."""
    page = text_of(messages.fund(documents.fund() | {"trades": [], "sharpe": None}))
    assert "No trades yet" in page
    assert "Sharpe" not in page
    silent = [documents.APEX["layers"][0] | {"silent": "no headlines", "p_up": None, "direction": None}]
    assert "no headlines" in text_of(messages.brain(documents.APEX | {"layers": silent}))


def test_the_lead_over_a_constant_half_is_in_percentage_points():
    fund = documents.fund() | {"pnl_pct": 4.5, "versus_benchmark_pct": 1.25}
    fund["benchmark"]["pnl_pct"] = 3.25
    assert "Always half in Bitcoin: +3.2%. The fund against that: +1.2 pp" in text_of(messages.fund(fund))


def test_a_flip_names_both_sides():
    after = documents.WIDGET | {"consensus": documents.WIDGET["consensus"] | {"direction": "BEARISH"}}
    before = documents.WIDGET | {"consensus": documents.WIDGET["consensus"] | {"direction": "BULLISH"}}
    page = text_of(messages.flipped(before, after))
    assert "▼ The consensus is now: BEARISH" in page
    assert "Before, at 2026-11-21 12:00 UTC: BULLISH." in page


def test_only_web_addresses_become_links():
    headline = documents.NEWS_PULSE["headlines"][0]
    leading = {'https://example.com/?a=1&b="2': 1, "javascript:alert(1)": 0, "https://x/" + "y" * 900: 0}
    for url, links in leading.items():
        page = messages.news(documents.NEWS_PULSE | {"headlines": [headline | {"url": url}]})
        assert page.count("<a ") == links
        texts_of(page)


def test_an_unknown_direction_is_shown_unchanged():
    page = text_of(messages.news(documents.NEWS_PULSE | {"direction": "SIDEWAYS"}))
    assert "? News: SIDEWAYS" in page


def test_markup_in_a_headline_is_shown_as_text():
    markup = '<a href="tg://x">buy</a> & <i>sell</i>'
    news = documents.NEWS_PULSE | {"headlines": [documents.NEWS_PULSE["headlines"][0] | {"title": markup}]}
    assert markup in text_of(messages.news(news))
