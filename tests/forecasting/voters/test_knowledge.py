"""What the voters forecast from, besides the question."""

from __future__ import annotations

from types import SimpleNamespace

from service.forecasting.voters.knowledge import Knowledge


def test_the_spots_are_those_of_the_contexts():
    """Before the first fit there is an empty record and no evidence."""
    knowledge = Knowledge({"btc": SimpleNamespace(spot=94_000.0), "gold": SimpleNamespace(spot=3_200.0)})
    assert knowledge.spots == {"btc": 94_000.0, "gold": 3_200.0}
    assert (knowledge.fits, knowledge.record.bands, knowledge.lead) == (None, {}, 0.0)
