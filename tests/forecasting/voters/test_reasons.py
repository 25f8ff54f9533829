"""Reasons as data: what the sentences of an embedded voter say is read back from them without loss."""

from __future__ import annotations

import pytest

from service.forecasting.densities.models import MODELS
from service.forecasting.voters.ballots import Reason, reasons_of, sentence
from service.forecasting.voters.panel import PLAIN

MOVE = "From a GARCH process: one sigma until the deadline is 6.7% for btc (by its 180 days 6.4%)."
DISTANCE = "60,000 is -20.1% away, -2.7 sigma."


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        (
            f"{MOVE} {DISTANCE}",
            (
                Reason("expected_move", "a GARCH process", "btc", {"sigma_pct": 6.7, "usual_sigma_pct": 6.4}),
                Reason("distance", None, None, {"level": 60000, "level_pct": -20.1, "sigmas": -2.7}),
            ),
        ),
        ("0.25 is +0.0% away.", (Reason("distance", None, None, {"level": 0.25, "level_pct": 0}),)),
        (
            "The correlation of hourly returns is -0.31.",
            (Reason("correlation", None, None, {"correlation": -0.31}),),
        ),
        (
            "The market of gold is closed until the deadline, so the price stays at 2,989.88.",
            (Reason("closed", None, "gold", {"price": 2989.88}),),
        ),
        (
            "bnb is already at 308.38; the level is 600.",
            (Reason("reached", None, "bnb", {"price": 308.38, "level": 600}),),
        ),
        (
            "eth is at 4,001, so 4,000 has already been reached.",
            (Reason("reached", None, "eth", {"price": 4001, "level": 4000}),),
        ),
        ("Momentum is up.", ()),
        (f"{MOVE} I think it will rise.", ()),
        ("", ()),
    ],
)
def test_sentences_say_the_same_as_their_data(text, reasons):
    """Of a language model's free text nothing is read, not even a sentence that looks like one of ours."""
    assert reasons_of(text) == reasons


@pytest.mark.parametrize("driver", [*(model.basis for model in MODELS.values()), PLAIN])
def test_every_driver_can_be_read_back(driver):
    text = sentence("expected_move", driver=driver, asset="btc", sigma_pct="6.7", usual_sigma_pct="6.4")
    assert [reason.driver for reason in reasons_of(text)] == [driver]
