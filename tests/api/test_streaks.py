"""The streaks, for everybody."""

from __future__ import annotations

from flask.testing import FlaskClient

from service.forecasting.predictions.scores.columns import columns_of, counted_questions
from service.forecasting.predictions.scores.streaks import (
    StreakHistory,
    StreakHistoryDocument,
    StreakQuestion,
    streaks_document,
)
from service.scores.luck import simulated_records
from service.store import sequences
from tests.api.opened import header
from tests.api.public import hold
from tests.forecasting.markets import many

STREAKS = streaks_document(counted_questions(columns_of(many(80))), header(), simulated_records(1))


def test_the_streaks_are_public_in_two_books(client: FlaskClient, publish, as_described):
    shown = hold(client, publish, as_described, "/api/streaks", "streaks", STREAKS)
    assert (shown["schema"], shown["count"]) == ("streaks/1", len(shown["streaks"]))
    assert [row["backfilled"] for row in shown["streaks"]] == sorted(row["backfilled"] for row in shown["streaks"])
    assert {row["rank"] for row in shown["streaks"] if row["backfilled"]} >= {1}
    assert {row["rank"] for row in shown["streaks"] if not row["backfilled"]} >= {1}


def test_their_history_is_read_in_pages(client: FlaskClient, sqlite, as_described):
    history = StreakHistory(counted_questions(columns_of(many(80))))
    with sqlite.writing() as db:
        sequences.keep(db, "streaks", history.times, history.question_at)
    path, seen = "/api/streaks/history?limit=30", []
    while path:
        answer = client.get(path)
        assert list(answer.json) == list(StreakHistoryDocument.__dataclass_fields__)
        as_described("/api/streaks/history", answer.json)
        assert (answer.json["schema"], answer.json["count"]) == ("streak-history/1", len(answer.json["questions"]))
        assert {tuple(question) for question in answer.json["questions"]} == {
            tuple(StreakQuestion.__dataclass_fields__)
        }
        seen += answer.json["questions"]
        path = answer.headers["Link"].split(">")[0][1:] if answer.json["next"] else None
    assert seen == [history.question_at(place) for place in reversed(range(len(history.times)))]
    assert client.get("/api/streaks/history?limit=201").status_code == 400


def test_before_the_first_score_the_history_is_empty(client: FlaskClient):
    assert client.get("/api/streaks/history").json["questions"] == []
