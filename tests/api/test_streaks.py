"""The streaks, for everybody."""

from __future__ import annotations

from flask.testing import FlaskClient

from service.forecasting.scores.streaks import streaks_document
from tests.api.opened import made
from tests.api.public import hold
from tests.forecasting.rows import many


def test_the_streaks_are_public_in_two_books(client: FlaskClient, publish, as_described):
    told = hold(client, publish, as_described, "/api/streaks", "streaks", streaks_document(many(80), [], made()))
    assert (told["schema"], told["count"]) == ("streaks/1", len(told["streaks"]))
    assert [row["rank"] for row in told["streaks"]] == list(range(1, told["count"] + 1))
    assert {row["backfilled"] for row in told["streaks"]} == {False, True}
    assert [luck["backfilled"] for luck in told["luck"]] == [False, True]
