"""The streaks, for everybody."""

from __future__ import annotations

from flask.testing import FlaskClient

from service.forecasting.predictions.scores.streaks import streaks_document
from tests.api.opened import header
from tests.api.public import hold
from tests.forecasting.markets import many


def test_the_streaks_are_public_in_two_books(client: FlaskClient, publish, as_described):
    shown = hold(client, publish, as_described, "/api/streaks", "streaks", streaks_document(many(80), header()))
    assert (shown["schema"], shown["count"]) == ("streaks/1", len(shown["streaks"]))
    assert [row["rank"] for row in shown["streaks"]] == list(range(1, shown["count"] + 1))
    assert {row["backfilled"] for row in shown["streaks"]} == {False, True}
    assert [luck["backfilled"] for luck in shown["luck"]] == [False, True]
