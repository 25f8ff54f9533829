"""The captions of charts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bot import messages
from bot.messages import prices
from tests.bot import documents
from tests.bot.documents import HOSTILE, every_string, repeated
from tests.bot.messages.reading import texts_of

QUOTE = documents.PRICES["prices"][0]
CAPTIONS: dict[str, tuple[dict[str, Any], Callable[[dict], str]]] = {
    "price": (documents.PRICES, lambda it: prices.price_caption(it, it["prices"][0], None)),
    "answer": (documents.answer(), prices.answer_caption),
}


@pytest.mark.parametrize("kind", CAPTIONS)
def test_a_caption_fits_for_any_document(kind):
    """The caption of a photo has at most 1,024 characters."""
    document, caption = CAPTIONS[kind]
    assert "as of 2026" in texts_of(caption(document), messages.markup.CAPTION)[0]
    texts_of(caption(every_string(repeated(document, 9), lambda _: HOSTILE * 600)), messages.markup.CAPTION)


def test_a_price_states_the_range_of_the_next_day():
    text = read(prices.price_caption(documents.PRICES, QUOTE, documents.forecast()))
    assert "▲ Bitcoin 53,212 USD\n+2.1% in 24 hours, between" in text
    assert "After 24 hours, 90% of outcomes: 51,490 to 54,992 USD" in text


def test_a_forecast_states_nine_tenths_and_half():
    text = read(prices.forecast_caption(documents.forecast(), "7d"))
    assert "Bitcoin 53,212 USD now" in text
    assert "After 7 days, 90% of outcomes: 48,776 to 58,051 USD" in text
    assert "After 7 days, 50% of outcomes: 51,348 to 55,144 USD" in text


def test_an_answer_states_probability_level_and_deadline():
    text = read(prices.answer_caption(documents.ANSWER))
    assert text.startswith("About as likely as not: 56%")
    assert "Bitcoin reaches 55,872 USD" in text
    assert "by 2026-11-30 23:59 UTC" in text


def test_a_card_links_to_what_it_shows():
    """A forwarded photo keeps its caption, not its buttons."""
    caption = prices.answer_caption(documents.ANSWER, "https://t.me/ninefold_bot?start=answer_x")
    assert '<a href="https://t.me/ninefold_bot?start=answer_x">Open in the bot</a>' in caption


def read(caption: str) -> str:
    (text,) = texts_of(caption, messages.markup.CAPTION)
    return text
