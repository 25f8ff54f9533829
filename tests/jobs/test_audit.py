"""The daily audit reports what it finds, by what the rows of the ledger say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import text

from service.forecasting.predictions import Prediction
from service.forecasting.predictions.commitments import forecast_row, market_rows, question_row, reveal_row
from service.forecasting.predictions.scores.market_forecasts import MarketForecast, score_forecasts
from service.jobs.audit import HIDDEN, RecordedPredictions
from service.ledger.chain import ChainEntry, LedgerRow, chained
from service.market.instants import DAY, HOUR, iso
from service.store.audit import latest_audit
from tests.forecasting.markets import MONDAY, settled, waiting
from tests.running_service import RunningService


@pytest.mark.slow
def test_a_flipped_outcome_is_said_by_readiness(house: RunningService):
    """The job waits for a second sealed day, then runs once a day."""
    assert house.client.get("/readyz").json["audit"] is None
    house.move(2 * DAY)
    assert house.client.get("/readyz").json["audit"].startswith("the record agreed with all ")
    with house.runtime.database.writing() as db:
        statement = (
            "UPDATE prediction SET outcome = 'no' WHERE id = (SELECT min(id) FROM prediction WHERE outcome = 'yes')"
        )
        assert db.execute(text(statement)).rowcount == 1
    house.move(DAY)
    readiness = house.client.get("/readyz").json
    assert "differences from the ledger" in readiness["audit"]
    assert "outcome" in readiness["audit"]
    with house.runtime.database.reading() as db:
        assert latest_audit(db).differences > 0
    assert "ninefold_audit_differences" in house.client.get("/metrics").text


OWL, SALT = "0af3", "5a17"


def entries(*rows: LedgerRow, at: int = MONDAY) -> list[ChainEntry]:
    return list(chained(rows, iso(at), None))


def comparable(market: Prediction) -> Prediction:
    """A market without what its rows do not say: reasons, notes and its place in the ledger."""
    question = replace(market.question, notes=())
    return replace(market, question=question, ledger_position=None, author=None, number=None, salt=None)


@pytest.mark.parametrize("market", [waiting(votes={"vol": 0.6}), settled(votes={"vol": 0.6}), settled(odds=None)])
def test_a_market_follows_from_its_rows(market: Prediction):
    (record,) = RecordedPredictions(entries(*market_rows([market]))).predictions()
    assert comparable(record) == comparable(market)
    assert record.ledger_position.seq == 1


def test_a_question_without_votes_is_a_prediction():
    market = replace(waiting(), category="challenge", commitment=None, odds=None)
    (record,) = RecordedPredictions(entries(question_row(market))).predictions()
    assert comparable(record) == comparable(market)


def test_a_foreign_text_is_not_in_the_rows():
    market = replace(settled(), category="imported", salt=SALT)
    (record,) = RecordedPredictions(entries(*market_rows([market]))).predictions()
    assert (record.question.text, record.rule) == (HIDDEN, HIDDEN)
    assert (record.outcome, record.commitment.p) == (market.outcome, market.commitment.p)


@pytest.mark.parametrize("is_named_first", [True, False])
def test_forecasts_count_after_the_row_of_the_name(is_named_first: bool):
    """Their scores are those of the same forecasts as they are stored."""
    market = settled(votes={"vol": 0.6})
    name = LedgerRow("name", OWL, {}, backfilled=False)
    hidden = forecast_row(market.id, OWL, 0.8, SALT)
    forecast = MarketForecast(2 if is_named_first else 1, market.id, OWL, MONDAY + HOUR, 0.8, SALT)
    rows = [name, hidden] if is_named_first else [hidden, name]
    record = RecordedPredictions(entries(*rows, reveal_row(forecast), at=MONDAY + HOUR))
    score = score_forecasts(market, {OWL: [forecast]}, {OWL})[OWL]
    expected = {OWL: {market.id: score}} if is_named_first else {}
    scores = record.scores({market.id: market})
    assert scores == expected
    assert record.count_entrants(scores) == len(expected)
