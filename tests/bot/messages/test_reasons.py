"""Reasons in the person's language, from the data of the service."""

from __future__ import annotations

import pytest

from bot.languages import LANGUAGES, SOURCE, spoken
from bot.messages.reasons import DRIVERS, SENTENCES, reasons
from service.forecasting.densities.models import MODELS
from service.forecasting.voters.ballots import TEMPLATES, reasons_of
from service.forecasting.voters.panel import PLAIN

TEXT = (
    "From a GARCH process: one sigma until the deadline is 6.7% for btc (by its 180 days 6.4%). "
    "60,000 is -20.1% away, -2.7 sigma. 55,000 is +0.0% away. The correlation of hourly returns is -0.31. "
    "The market of gold is closed until the deadline, so the price stays at 2,989.88. "
    "eth is already at 4,001; the level is 4,000."
)
VOTE = {"reasoning": TEXT, "reasons": [vars(reason) for reason in reasons_of(TEXT)]}


def test_every_fact_and_driver_of_the_service_has_words():
    assert {code for code, _ in TEMPLATES} <= set(SENTENCES)
    assert {model.basis for model in MODELS.values()} | {PLAIN} == set(DRIVERS)


def test_numbers_are_written_as_the_language_does():
    text = spoken("de", lambda: reasons(VOTE, 300)).replace("\xa0", " ")
    assert text.startswith("Ein GARCH-Modell: Bitcoin bewegt sich bis dahin meist um 6,7 % (langfristig: 6,4 %).")
    assert "Bis 60.000 sind es -20,1 %, das 3,0-Fache davon." in text  # 20.1 / 6.7
    assert "Gold ist bis dahin geschlossen, der Kurs bleibt also bei 2.990." in text


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != SOURCE])
def test_no_english_half_is_left(language):
    text = spoken(language, lambda: reasons(VOTE, 300))
    assert not {"until", "away", "market", "times", "such", "gold"} & set(text.split())


def test_a_distance_is_a_multiple_of_the_move_beside_it():
    """The service's own ratio is one of log returns: 1.2 where 31.3% stands beside 23.0%."""
    text = "From plain volatility: one sigma until the deadline is 23.0% for sol (by its 180 days 16.8%). "
    text += "115 is +31.3% away, +1.2 sigma."
    vote = {"reasoning": text, "reasons": [vars(reason) for reason in reasons_of(text)]}
    assert "Solana typically moves 23.0%" in reasons(vote, 300)
    assert reasons(vote, 300).endswith("To 115.00 it is +31.3%, 1.4 times such a move.")


def test_a_driver_is_said_once():
    """Of a question about two assets; the article of a metal stands inside the sentence."""
    text = "From plain volatility: one sigma until the deadline is 6.5% for gold (by its 180 days 7.1%). "
    text += text.replace("gold", "btc")
    vote = {"reasoning": text, "reasons": [vars(reason) for reason in reasons_of(text.strip())]}
    german = spoken("de", lambda: reasons(vote, 300)).replace("\xa0", " ")
    assert german.startswith("Die übliche Schwankung: Gold bewegt sich")
    assert german.count("Schwankung") == 1
    assert "L’or bouge en général" in spoken("fr", lambda: reasons(vote, 300))


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_chinese_and_japanese_have_no_space_after_a_full_stop(language):
    assert "。 " not in spoken(language, lambda: reasons(VOTE, 300))


def test_free_text_of_a_language_model_stays():
    vote = {"reasoning": "Up & away.", "reasons": []}
    assert spoken("de", lambda: reasons(vote, 300)) == "Up &amp; away."
