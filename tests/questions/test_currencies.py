"""Levels in euros, pounds and yen."""

from __future__ import annotations

from datetime import timedelta

import pytest

from service.errors import InvalidQuestion
from service.market.prices import FRESH_FOR, NO_RATES, Rate
from service.questions import Circumstances, Question, understand
from tests.questions.asking import NOW, RATES, SPOTS

QUOTE = Rate(1.0841, "kraken EUR/USD", NOW - timedelta(minutes=5))


def understood(text: str, rates=RATES) -> Question:
    return understand(text, Circumstances(NOW, SPOTS, rates=rates))


def test_a_note_names_both_amounts_and_an_assumed_rate():
    assert understood("BTC/EUR above 50k on Friday").notes == (
        "50,000 EUR are 54,200 USD at an assumed rate of 1.084 USD per euro.",
        "The question is decided in USD.",
    )


def test_a_note_names_the_source_and_time_of_a_quoted_rate():
    (note, _) = understood("btc above 50k euros on Friday", {"EUR": QUOTE}).notes
    assert note == (
        "50,000 EUR are 54,205 USD at the rate of 1.0841 USD per euro (kraken EUR/USD, 2026-11-21 09:55 UTC)."
    )


def test_a_move_in_another_currency_is_measured_in_usd():
    assert understood("bitcoin in euros up tomorrow?").notes == ("Prices and moves are measured in USD, not in EUR.",)


def test_a_missing_rate_is_refused():
    with pytest.raises(InvalidQuestion, match="no exchange rate of the pound at present"):
        understood("btc above £80k on Friday", {"EUR": QUOTE})
    with pytest.raises(InvalidQuestion, match="no exchange rate of the yen at present"):
        understood("btc above 15 million yen on Friday", NO_RATES)


def test_an_old_rate_is_refused_with_its_time():
    old = Rate(1.0841, "kraken EUR/USD", NOW - FRESH_FOR - timedelta(minutes=1))
    with pytest.raises(InvalidQuestion, match="is from 2026-11-21 07:59 UTC"):
        understood("btc above 50k euros on Friday", {"EUR": old})


def test_a_dollar_level_needs_no_rate():
    assert understood("Will btc be above $100k on Friday?", NO_RATES).notes == ()
