"""The audit finds every change that was made beside the service, and reports nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from pydantic_core import from_json
from sqlalchemy import text

from service.forecasting.predictions import Prediction
from service.forecasting.predictions.commitments import forecast_row, market_rows, question_row, reveal_row
from service.forecasting.predictions.scores.market_forecasts import MarketForecast, score_forecasts
from service.jobs.audit import DOCUMENTS, HIDDEN, RecordedPredictions, document_differences, examine, stored_differences
from service.ledger.chain import ChainEntry, LedgerRow, chained
from service.market.instants import DAY, HOUR, iso
from service.store import audit, forecasts, ledger, snapshots
from service.store.database import Database
from service.store.facts import HOSPITAL
from tests.forecasting.markets import MONDAY, settled, waiting
from tests.running_service import START, RunningService, copied, running_service

# The columns that carry the record, each with the column that a sentence about its row names.
COLUMNS: dict[str, tuple[str, tuple[str, ...]]] = {
    "prediction": (
        "id",
        (
            *("outcome", "resolved_at", "evidence", "resolved_by", "rule", "question", "deadline", "created_at"),
            *("closes_at", "seq", "hash", "backfilled", "voted_at", "commitment", "resolver", "category", "salt"),
            *("asset", "template", "divergence"),
        ),
    ),
    "prediction_vote": ("prediction", ("p", "weight", "reasoning", "voter", "engine", "p_up")),
    "odds": ("prediction", ("p_yes", "bid", "ask", "volume_usd", "source", "market_id", "fetched_at")),
    "forecast": ("seq", ("p", "at", "salt")),
    "forecast_score": ("prediction", ("opening_peer", "brier", "log_score", "coverage", "peer")),
    "forecaster": ("id", ("name", "name_salt")),
}
TERMS = "category, question, rule, resolver, created_at, closes_at, deadline, backfilled"
ROUNDS = 28 if "SOAK" in os.environ else 1
OWL, SALT = "0af3", "5a17"


def other(value: object, column: str, generator: Random) -> object:
    """A value of the same type that differs as little as it can: in JSON, one digit."""
    if column == "outcome":
        return "no" if value == "yes" else "yes"
    if isinstance(value, float):
        return value * generator.choice((0.9999, 1.0001))
    if isinstance(value, int):
        return 1 - value if column == "backfilled" else value + generator.choice((-1, 1))
    content = str(value)
    if column not in ("question", "commitment"):
        return f"{content}x"
    digits = [place for place, letter in enumerate(content) if letter.isdigit()]
    while True:
        place = generator.choice(digits)
        change = f"{content[:place]}{(int(content[place]) + 1) % 10}{content[place + 1 :]}"
        with suppress(ValueError):  # a number that begins with 0
            if from_json(change) != from_json(content):  # not so in the 17th digit of a float
                return change


@pytest.fixture(scope="module")
def record(made_once, seeded: Path, tmp_path_factory) -> Iterator[Database]:
    """The database of a service a day after its first start, in which every change is taken back."""

    def fill(folder: Path) -> None:
        folder.mkdir()
        with running_service(copied(seeded, folder)) as service:
            headers = {"X-API-Key": service.register()}
            service.client.patch("/api/v1/me", json={"forecaster": "sturdy-owl"}, headers=headers)
            challenge = {"question": "Dear all, will Bitcoin be above $60k?", "deadline": iso(START + 2 * DAY)[:10]}
            service.client.post("/api/challenges/create", json=challenge, headers=headers)
            for hours in (1, 11, 12, 24):
                markets = service.client.get("/api/v1/predictions", headers=headers).get_json()["markets"]
                for market in markets[:20]:
                    path = f"/api/v1/predictions/{market['id']}/forecast"
                    service.client.post(path, json={"p_yes": 0.6}, headers=headers)
                service.move(hours * HOUR)

    folder = copied(made_once("audited", fill) / "var", tmp_path_factory.mktemp("audit"))
    with closing(Database(f"sqlite:///{folder}/simulated.sqlite")) as database:
        yield database


@pytest.mark.slow
def test_a_service_that_was_left_alone_has_no_differences(record: Database):
    with record.reading() as db:
        assert list(audit.differences(db)) == []


def test_a_first_start_has_no_differences(seeded: Path):
    """The track record comes from the backfill; the days that it is made of are stored with the next settlement."""
    with closing(Database(f"sqlite:///{seeded / 'simulated.sqlite'}")) as database, database.reading() as db:
        assert list(audit.differences(db)) == []


@pytest.mark.slow
def test_each_change_by_hand_is_reported(record: Database, record_property):
    """A column of a row at a time, in many rows at once: each is named by a sentence."""
    total = 0
    for seed in range(ROUNDS):
        changes, sentences = _tampered(record, Random(seed))
        findings = " ".join(sentences)
        assert [change for change, subject in changes.items() if f"{subject}" not in findings] == [], f"seed {seed}"
        total += len(changes)
    record_property("tried", total)
    assert total >= 30 * ROUNDS


def _tampered(record: Database, generator: Random) -> tuple[dict[str, object], list[str]]:
    """What was changed, with the subject of each row, and what the audit says; then it is taken back."""
    changes: dict[str, object] = {}
    with record.engine.connect() as db:
        for table, (subject, columns) in COLUMNS.items():
            for column in columns:
                kind = " AND category != 'answer'" if table == "prediction" else ""
                query = f"SELECT rowid, {subject}, {column} FROM {table} WHERE {column} IS NOT NULL{kind}"
                rows = [tuple(row) for row in db.execute(text(query)) if row[1] not in changes.values()]
                if rows:
                    place, name, value = generator.choice(rows)
                    new = other(value, column, generator)
                    db.exec_driver_sql(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (new, place))
                    changes[f"{table}.{column} of {name}: {value!r:.60} -> {new!r:.60}"] = name
        sentences = list(audit.table_differences(db))
        db.rollback()
    return changes, sentences


def sentences_after(record: Database, statement: str) -> list[str]:
    """What the audit says after a change of one row, which is then taken back."""
    with record.engine.connect() as db:
        assert db.exec_driver_sql(statement).rowcount == 1
        sentences = list(audit.table_differences(db))
        db.rollback()
    return sentences


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DELETE FROM prediction_vote WHERE prediction = (SELECT min(prediction) FROM odds) AND place = 3", "votes"),
        ("DELETE FROM odds WHERE prediction = (SELECT min(prediction) FROM odds)", "odds"),
        (
            "UPDATE prediction SET outcome = 'yes', resolved_at = created_at, evidence = '', resolved_by = 'bars' "
            "WHERE id = (SELECT min(id) FROM prediction WHERE outcome IS NULL)",
            "no row of the ledger",
        ),
        (
            "UPDATE resolved_day SET body = replace(body, 'true', 'false') "
            "WHERE day = (SELECT min(day) FROM resolved_day WHERE body LIKE '%true%')",
            "track record of 20",
        ),
        ("UPDATE record SET body = replace(body, 'weight\":1', 'weight\":2')", "The track record does not follow"),
        (
            "INSERT INTO forecast (seq, prediction, forecaster, at, p, salt) "
            "SELECT 99001, prediction, forecaster, at, 0.99, salt FROM forecast LIMIT 1",
            "A forecast is stored as that of row 99001",
        ),
        ("UPDATE forecaster SET caller = NULL, name = 'polymarket' WHERE name IS NOT NULL", "has another name"),
        ("UPDATE snapshot SET gzip = x'1f' WHERE name = 'streaks'", "streaks: its compressed bytes"),
        (
            "UPDATE snapshot SET zstd = (SELECT zstd FROM snapshot WHERE name = 'shadow') WHERE name = 'streaks'",
            "streaks: its compressed bytes",
        ),
        (
            "UPDATE snapshot SET body = x'7b7d' WHERE name = 'strategy-hospital'",
            "strategy-hospital is not the document of its last month",
        ),
        (
            f"INSERT INTO prediction (id, {TERMS}) SELECT 'daily-made', {TERMS} FROM prediction "
            "WHERE category = 'daily' AND outcome IS NULL LIMIT 1",
            "daily-made is stored, and no row",
        ),
    ],
)
def test_what_was_removed_or_added_is_reported(record: Database, statement: str, words: str):
    sentences = sentences_after(record, statement)
    assert any(words in sentence for sentence in sentences), sentences


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE forecaster SET record = json_set(record, '$.entrants', 99)", "The record of the forecaster"),
        (
            "UPDATE snapshot SET body = cast(replace(body, 'sturdy-owl', 'clever-owl') as blob) "
            "WHERE name = 'forecasters'",
            "has another name for the forecaster",
        ),
        (
            "UPDATE snapshot SET body = cast(json_remove(body, '$.ledger_seq') as blob) WHERE name = 'streaks'",
            "streaks does not say which rows",
        ),
        ("UPDATE snapshot SET body = x'7b' WHERE name = 'streaks'", "A document or record cannot be read"),
    ],
)
def test_a_changed_document_or_record_is_reported(record: Database, statement: str, words: str):
    with record.engine.connect() as db:
        assert list(stored_differences(db)) == []
        assert db.exec_driver_sql(statement).rowcount == 1
        sentences = list(stored_differences(db))
        db.rollback()
    assert any(words in sentence for sentence in sentences), sentences


@pytest.mark.slow
def test_a_name_since_the_last_table_is_no_difference(record: Database):
    """The table is an hour old at most."""
    with record.engine.connect() as db:
        (owl,) = forecasts.named_forecasters(db)
        caller = db.exec_driver_sql("SELECT caller FROM forecaster WHERE id = ?", (owl.id,)).scalar()
        forecasts.rename_forecaster(db, caller, "clever-owl", "salt")
        ledger.append(db, [LedgerRow("name", owl.id, {}, backfilled=False)], int(START + 9 * DAY))
        assert list(stored_differences(db)) == []
        db.rollback()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "change", "words"),
    [
        ("lane_event", "UPDATE lane_event SET body = replace(body, 'price\":', 'price\":1')", "(lane_trade)"),
        ("lane_event", "UPDATE lane_event SET time = time + 1", "(lane_trade)"),
        ("lane_event", "DELETE FROM lane_event", "is not stored"),
        ("lane_event", "INSERT INTO lane_event SELECT lane, time, 9, body FROM lane_event", "is in no row"),
        ("apex_call", "UPDATE apex_call SET p_up = 0.9", "btc (apex)"),
        ("apex_call", "DELETE FROM apex_call", "btc (apex)"),
        ("vote_input", "UPDATE vote_input SET body = body || ' '", "(votes)"),
        ("vote_input", "DELETE FROM vote_input", "(votes)"),
        ("price_forecast", "UPDATE price_forecast SET deadline = deadline + 1", "is in no row"),
        ("price_forecast", "UPDATE price_forecast SET body = replace(body, '[', '[1')", "(price_forecast)"),
        ("price_forecast", "DELETE FROM price_forecast", "is not stored"),
        ("snapshot", "UPDATE snapshot SET body = x'00'", "(hospital)"),
    ],
)
def test_a_changed_fact_is_reported(record: Database, table: str, change: str, words: str):
    """Of one row of a table: the last one, or of documents the last snapshot of the hospital."""
    month = f" WHERE name LIKE '{HOSPITAL}%'" if table == "snapshot" else ""
    sentences = sentences_after(record, f"{change} WHERE rowid = (SELECT max(rowid) FROM {table}{month})")
    assert any(words in sentence for sentence in sentences), sentences


@pytest.mark.slow
@pytest.mark.parametrize("value", ["Will Bitcoin be above 1 USD?", "{}", "[]", "7"])
def test_a_value_that_cannot_be_read_is_reported(record: Database, value: str):
    """With its market and with the differences of others, not by the error of a library."""
    with record.engine.connect() as db:
        query = "SELECT id FROM prediction WHERE outcome IS NOT NULL AND category != 'answer' ORDER BY id LIMIT 2"
        first, second = db.execute(text(query)).scalars()
        db.exec_driver_sql("UPDATE prediction SET question = ? WHERE id = ?", (value, first))
        db.exec_driver_sql("UPDATE prediction SET evidence = 'x' WHERE id = ?", (second,))
        sentences = list(audit.table_differences(db))
        db.rollback()
    assert f"{first}: what the tables hold of it cannot be read." in sentences
    assert any(sentence.startswith(second) and "evidence" in sentence for sentence in sentences)


@pytest.mark.slow
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_changed_number_of_a_document_is_reported(record: Database, name: str):
    """Every score follows from the rows of the ledger alone."""
    with record.reading() as db:
        document = from_json(snapshots.latest_snapshot(db, name).body)
        entries = list(audit.standing_entries(db))
    assert list(document_differences(lambda: entries, {name: document})) == []
    path, number = max(_numbers(document), key=lambda pair: len(pair[0]))
    part = document
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = number + 1
    (sentence,) = document_differences(lambda: entries, {name: document})
    assert sentence.startswith(f"{name}.")
    assert f" is {number + 1}, the ledger gives {number}." in sentence


def _numbers(value: object, path: tuple = ()) -> Iterator[tuple[tuple, float]]:
    """Every number in a JSON value, with its path."""
    if isinstance(value, dict | list):
        for step, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _numbers(item, (*path, step))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


@pytest.mark.slow
@pytest.mark.parametrize("seq", [None, 1])
def test_a_document_cannot_choose_not_to_be_compared(record: Database, seq: int | None):
    """Neither its own values nor those of others can be hidden by what it says of its rows."""
    with record.reading() as db:
        documents = {name: from_json(snapshots.latest_snapshot(db, name).body) for name in DOCUMENTS}
        entries = list(audit.standing_entries(db))
    documents["shadow"]["ledger_seq"] = seq
    documents["streaks"]["count"] += 1
    sentences = list(document_differences(lambda: entries, documents))
    assert {sentence.split(".")[0].split()[0] for sentence in sentences} == {"shadow", "streaks"}


@pytest.mark.slow
def test_the_last_audit_is_stored_and_said_in_words(record: Database):
    result = examine(str(record.engine.url.render_as_string(hide_password=False)), 1_800_000_000)
    assert result.differences == 0
    assert result.sentence.startswith(f"the record agreed with all {result.rows:,} rows of the ledger at 2027-01-15T")
    with record.engine.connect() as db:
        snapshots.publish(db, result.at, {audit.NAME: result})
        assert audit.latest_audit(db) == result
        db.rollback()


@pytest.mark.slow
def test_a_flipped_outcome_is_said_by_readiness(build_service: Callable[..., RunningService]):
    """The job waits for a second sealed day, then runs once a day."""
    service = build_service()
    assert service.client.get("/readyz").json["audit"] is None
    service.move(2 * DAY)
    assert service.client.get("/readyz").json["audit"].startswith("the record agreed with all ")
    with service.runtime.database.writing() as db:
        flip = "UPDATE prediction SET outcome = 'no' WHERE id = (SELECT min(id) FROM prediction WHERE outcome = 'yes')"
        assert db.execute(text(flip)).rowcount == 1
    service.move(DAY)
    readiness = service.client.get("/readyz").json
    assert "differences from the ledger" in readiness["audit"]
    assert "outcome" in readiness["audit"]
    with service.runtime.database.reading() as db:
        assert audit.latest_audit(db).differences > 0
    assert "ninefold_audit_differences" in service.client.get("/metrics").text


def entries(*rows: LedgerRow, at: int = MONDAY) -> list[ChainEntry]:
    return list(chained(rows, iso(at), None))


def comparable(market: Prediction) -> Prediction:
    """A market without what its rows do not say: reasons, notes and its place in the ledger."""
    question = replace(market.question, notes=())
    return replace(market, question=question, ledger_position=None, author=None, number=None, salt=None)


CHALLENGE = replace(waiting(), category="challenge", commitment=None, odds=None)
MARKETS = [waiting(votes={"vol": 0.6}), settled(votes={"vol": 0.6}), settled(odds=None)]


@pytest.mark.parametrize(
    ("market", "rows"),
    [*((market, market_rows([market])) for market in MARKETS), (CHALLENGE, [question_row(CHALLENGE)])],
)
def test_a_prediction_follows_from_its_rows(market: Prediction, rows: list[LedgerRow]):
    """Also a question without votes."""
    (record,) = RecordedPredictions(entries(*rows)).predictions()
    assert comparable(record) == comparable(market)
    assert (record.ledger_position and record.ledger_position.seq) == (1 if market.commitment else None)


def test_a_foreign_text_is_not_in_the_rows():
    market = replace(settled(), category="imported", salt=SALT)
    (record,) = RecordedPredictions(entries(*market_rows([market]))).predictions()
    assert (record.question.text, record.rule) == (HIDDEN, HIDDEN)
    assert (record.outcome, record.commitment.p) == (market.outcome, market.commitment.p)


def test_a_reveal_of_no_forecast_counts_nothing():
    """The ledger itself is at fault then, which its verifier says."""
    record = RecordedPredictions(entries(reveal_row(MarketForecast(7, "daily-a", OWL, MONDAY, 0.8, SALT)), at=MONDAY))
    assert record.scores({}) == {}


@pytest.mark.parametrize(("is_named_first", "had_name"), [(True, False), (False, False), (False, True)])
def test_forecasts_count_after_the_row_of_the_name(is_named_first: bool, had_name: bool):
    """Their scores are those of the same forecasts as they are stored, all of one that had a name without a row."""
    market = settled(votes={"vol": 0.6})
    name = LedgerRow("name", OWL, {}, backfilled=had_name)
    hidden = forecast_row(market.id, OWL, 0.8, SALT)
    forecast = MarketForecast(2 if is_named_first else 1, market.id, OWL, MONDAY + HOUR, 0.8, SALT)
    rows = [name, hidden] if is_named_first else [hidden, name]
    record = RecordedPredictions(entries(*rows, reveal_row(forecast), at=MONDAY + HOUR))
    score = score_forecasts(market, {OWL: [forecast]}, {OWL})[OWL]
    expected = {OWL: {market.id: score}} if is_named_first or had_name else {}
    scores = record.scores({market.id: market})
    assert scores == expected
    assert record.count_entrants(scores) == len(expected)
