"""The headlines."""

from __future__ import annotations

from bot import messages
from tests.bot import examples
from tests.bot.messages.reading import text_of, texts_of


def test_only_web_addresses_become_links():
    headline = examples.NEWS_PULSE["headlines"][0]
    leading = {'https://example.com/?a=1&b="2': 1, "javascript:alert(1)": 0, "https://x/" + "y" * 900: 0}
    for url, links in leading.items():
        page = messages.news(examples.NEWS_PULSE | {"headlines": [headline | {"url": url}]})
        assert page.count("<a ") == links
        texts_of(page)


def test_an_unknown_direction_is_shown_unchanged():
    page = text_of(messages.news(examples.NEWS_PULSE | {"direction": "SIDEWAYS"}))
    assert "? News: SIDEWAYS" in page


def test_markup_in_a_headline_is_shown_as_text():
    markup = '<a href="tg://x">buy</a> & <i>sell</i>'
    news = examples.NEWS_PULSE | {"headlines": [examples.NEWS_PULSE["headlines"][0] | {"title": markup}]}
    assert markup in text_of(messages.news(news))
