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
    assert "60.000 liegt -20,1 % entfernt, das 2,7-Fache davon." in text
    assert "Gold ist bis dahin geschlossen, der Kurs bleibt also bei 2.990." in text


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != SOURCE])
def test_no_english_half_is_left(language):
    text = spoken(language, lambda: reasons(VOTE, 300))
    assert not {"until", "away", "market", "times"} & set(text.split())


def test_free_text_of_a_language_model_stays():
    vote = {"reasoning": "Up & away.", "reasons": []}
    assert spoken("de", lambda: reasons(vote, 300)) == "Up &amp; away."
