"""The streaks, for everybody."""

from __future__ import annotations

import numpy as np
from flask.testing import FlaskClient

from service.forecasting.predictions.scores.streaks import streaks_document
from tests.api.opened import header
from tests.api.public import hold
from tests.forecasting.markets import many

STREAKS = streaks_document(many(80), header(), np.random.default_rng(1))


def test_the_streaks_are_public_in_two_books(client: FlaskClient, publish, as_described):
    shown = hold(client, publish, as_described, "/api/streaks", "streaks", STREAKS)
    assert (shown["schema"], shown["count"]) == ("streaks/1", len(shown["streaks"]))
    assert [row["backfilled"] for row in shown["streaks"]] == sorted(row["backfilled"] for row in shown["streaks"])
    assert {row["rank"] for row in shown["streaks"] if row["backfilled"]} >= {1}
    assert {row["rank"] for row in shown["streaks"] if not row["backfilled"]} >= {1}
