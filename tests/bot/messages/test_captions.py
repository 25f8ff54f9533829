"""The captions of charts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bot import messages
from bot.messages import captions
from tests.bot import documents
from tests.bot.documents import HOSTILE, every_string, repeated
from tests.bot.messages.reading import texts_of

QUOTE = documents.PRICES["prices"][0]
CAPTIONS: dict[str, tuple[dict[str, Any], Callable[[dict], str]]] = {
    "lanes": (documents.BATTLE_HISTORY, lambda it: captions.lanes(it, "all")),
    "lane": (documents.BATTLE_HISTORY, lambda it: captions.lane(it, "all")),
    "strategy": (documents.strategy(2), lambda it: captions.strategy(it, "all")),
    "fund": (documents.fund(1), lambda it: captions.fund(it, "all")),
    "accuracy": (documents.versus(), captions.accuracy),
    "price": (documents.PRICES, lambda it: captions.price(it, it["prices"][0], None)),
    "answer": (documents.answer(), captions.answer),
}


@pytest.mark.parametrize("kind", CAPTIONS)
def test_a_caption_fits_for_any_document(kind):
    """The caption of a photo has at most 1,024 characters."""
    document, caption = CAPTIONS[kind]
    assert "as of 2026" in texts_of(caption(document), messages.CAPTION)[0]
    texts_of(caption(every_string(repeated(document, 9), lambda _: HOSTILE * 600)), messages.CAPTION)


def test_the_lanes_state_the_best_the_worst_and_all():
    text = read(captions.lanes(documents.history(), "7d"))
    assert "lp_chaser +15.0% in 7 days is the best lane" in text
    assert "All together +2.5%, worst: trend -10.0%" in text
    assert "PAPER · SIMULATED" in text


def test_the_lanes_of_a_venue_are_their_own():
    assert "worst: lp_wide" in read(captions.lanes(documents.history(), "7d", "dex"))


def test_a_lane_states_its_gain_in_the_period_and_in_all():
    history = documents.history()
    history["lanes"] = history["lanes"][-1:]
    text = read(captions.lane(history, "24h"))
    assert "lp_chaser +1.9% in 24 hours" not in text
    assert "lp_chaser +15.0% in 24 hours (+1,503 USD)" in text
    assert "+15.1% since the start" in text


def test_a_strategy_is_compared_with_holding():
    text = read(captions.strategy(documents.strategy(), "30d"))
    assert "+3.8% in 30 days" in text
    assert "Holding the same assets: -2.3%" in text


def test_a_price_states_the_range_of_the_next_day():
    text = read(captions.price(documents.PRICES, QUOTE, documents.forecast()))
    assert "▲ Bitcoin 53,212 USD, +2.1% in 24 hours" in text
    assert "After 24 hours, 90% of outcomes: 51,490 to 54,992 USD" in text


def test_a_forecast_states_nine_tenths_and_half():
    text = read(captions.forecast(documents.forecast(), "7d"))
    assert "Bitcoin 53,212 USD now" in text
    assert "After 7 days, 90% of outcomes: 48,776 to 58,051 USD" in text
    assert "After 7 days, 50% of outcomes: 51,348 to 55,144 USD" in text


def test_an_answer_states_probability_level_and_deadline():
    text = read(captions.answer(documents.ANSWER))
    assert text.startswith("About as likely as not: 56%")
    assert "level 55,872 USD" in text
    assert "until 2026-11-30 23:59 UTC" in text


def test_a_card_links_to_what_it_shows():
    """A forwarded photo keeps its caption, not its buttons."""
    caption = captions.answer(documents.ANSWER, "https://t.me/ninefold_bot?start=answer_x")
    assert '<a href="https://t.me/ninefold_bot?start=answer_x">Open in the bot</a>' in caption


def read(caption: str) -> str:
    (text,) = texts_of(caption, messages.CAPTION)
    return text
