"""The schema: made at once, or migrated from a database as an earlier version left it."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, insert, inspect, text, update

from service import canonical
from service.forecasting.predictions.commitments import market_rows
from service.forecasting.predictions.scores.market_forecasts import MarketForecast, MarketForecastScore, score_forecasts
from service.forecasting.voters.track_record import TrackRecord
from service.jobs.committing import renew_record
from service.ledger.verifier import verify
from service.market.bars import from_rows
from service.market.instants import DAY, iso
from service.store import bars, forecasts, knowledge, ledger, migrations, predictions, runs, snapshots, tables
from service.store.database import Database
from service.store.pages import RECORD, records
from service.store.tables import metadata, resolved_day
from tests.forecasting.made import committed_vote
from tests.forecasting.markets import settled, waiting
from tests.ledger.books import of_first_versions

ROOT = Path(__file__).parents[2]
START = 1_763_985_600
NO_SCORE = MarketForecastScore(0, 0, 0, 0, 0, 0)


def test_the_migrated_schema_is_the_one_of_the_tables(empty_url):
    """Also the one that was migrated from version 1.2, to the names of its primary keys."""
    key_names = []
    with closing(Database(empty_url)) as database:
        for _ in ("at once", "from an earlier version"):
            database.migrate()
            with database.writing() as db:
                assert compare_metadata(MigrationContext.configure(db), metadata) == []
                key_names.append([inspect(db).get_pk_constraint(table)["name"] for table in metadata.tables])
                make_first(db)
    assert key_names[0] == key_names[1]


@pytest.mark.slow
def test_many_processes_that_migrate_at_once_all_succeed(empty_url, race, tries):
    processes = tries(8, 20, 20)
    assert race("migrate", empty_url, processes) == ["migrated"] * processes


def test_no_column_has_a_greatest_length():
    """SQLite ignores it, so a value that is too long would be seen on PostgreSQL alone."""
    columns = [column for table in metadata.sorted_tables for column in table.c]
    assert [f"{column}" for column in columns if getattr(column.type, "length", None)] == []


def test_the_head_of_the_file_names_is_that_of_alembic():
    config = Config()
    config.set_main_option("script_location", str(migrations.FOLDER))
    assert ScriptDirectory.from_config(config).get_current_head() == migrations.head()


def test_starting_with_a_current_schema_does_not_load_alembic(sqlite_url):
    program = (
        "import sys; from service.store.database import Database; "
        f"Database({sqlite_url!r}).migrate(); print('alembic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def make_first(db: Connection) -> None:
    """Take a current database back to the schema of version 1.2."""
    columns = ("prediction_vote.p_up", "forecaster.named_seq", "prediction.salt", "forecaster.name_salt", "ledger.form")
    for column in (*columns, "forecast_score.opening_peer", "forecast_score.peer"):
        table, name = column.split(".")
        db.execute(text(f"ALTER TABLE {table} DROP COLUMN {name}"))
    for table in ("coverage", "block", "ledger_timestamp"):
        db.execute(text(f"DROP TABLE {table}"))
    db.execute(text("CREATE TABLE sequence_row (place INTEGER)"))
    if db.dialect.name == "postgresql":
        for column in ("category", "template"):  # one is in the condition of an index, both are in its columns
            db.execute(text(f"ALTER TABLE prediction ALTER COLUMN {column} TYPE VARCHAR(16)"))
    db.execute(text("UPDATE alembic_version SET version_num = '0017'"))


@pytest.mark.parametrize(("world", "windows"), [("simulated", ((START - 600, START + 600),)), ("live", None)])
def test_only_a_live_history_is_fetched_again(database, world, windows):
    """It may have holes from before; the others always had all of their bars."""
    with database.writing() as db:
        bars.add_bars(db, "btc", from_rows([(START + 300 * place, 9, 9, 9, 9, 1) for place in range(2)], 300))
        make_first(db)
        db.execute(text(f"INSERT INTO world VALUES (1, '{world}', 'x', 300, {START - 600}, 0, 0, 1.0, NULL)"))
    try:
        database.migrate()
        with database.reading() as db:
            coverage = bars.find_coverage(db, "btc", 300)
            assert (coverage and coverage.windows) == windows
    finally:
        with database.writing() as db:
            db.execute(text("DELETE FROM world"))


ENGINE = "embedded"
CAST = tuple(committed_vote(voter, p, engine=ENGINE) for voter, p in (("vol", 0.4), ("forest", 0.6)))
MARKET = settled(odds=None)
MARKET = replace(MARKET, commitment=replace(MARKET.commitment, votes=CAST))
SETTLED_AT = MARKET.settlement.resolved_at
STANDINGS = [{"voter": "forest", "engine": ENGINE, "n": 40, "weight": 1.7}]
CALIBRATION = {"n": 40, "n_eff": 20.0, "stretch": 1.2, "effective_voters": 1.0}
COUNTS = {
    "engines": [["forest", ENGINE]],
    "classes": ["direction"],
    "asked_at": [MARKET.voted_at],
    "resolved_at": [SETTLED_AT],
    "happened": [1.0],
    "p": [[0.6]],
}


@pytest.fixture
def earlier(database: Database) -> Database:
    """The database as version 1.2 left it, with a settled market, its rows in the ledger and a track record."""
    record = {"as_of": SETTLED_AT, "direction": {"calibration": CALIBRATION, "standings": STANDINGS}, "event": {}}
    with database.writing() as db:
        for entry in of_first_versions(market_rows([MARKET]), iso(SETTLED_AT)):
            values = vars(entry) | {"recorded_at": SETTLED_AT, "body": canonical.write(entry.body)}
            db.execute(insert(tables.ledger).values(values))
        predictions.add_predictions(db, [MARKET])
        db.execute(resolved_day.delete())
        db.execute(insert(resolved_day).values(day=SETTLED_AT // DAY * DAY, body=canonical.write(COUNTS)))
        records.save(db, RECORD, record, as_of=SETTLED_AT)
        make_first(db)
    database.migrate()
    return database


def test_a_vote_without_a_view_is_read_as_it_was_cast(earlier):
    """Its row in the ledger has no such field, so every hash stays."""
    with earlier.reading() as db:
        copy = predictions.find_prediction(db, MARKET.id)
        assert verify(ledger.export(db)).fault is None
    assert copy == MARKET
    assert {vote.forecast.p_up for vote in copy.votes} | {copy.commitment.p_up} == {None}


def test_a_migrated_table_stores_every_kind_of_question(earlier):
    average = waiting("average", comparator="above_moving_average")
    with earlier.writing() as db:
        predictions.add_predictions(db, [average])
        assert predictions.find_prediction(db, average.id) == average


def test_a_record_of_classes_reads_as_empty_until_it_is_renewed(earlier):
    """Then the same votes count in the band of their horizon, with the weight of an embedded engine."""
    assert knowledge.latest_knowledge(earlier, 300).record == TrackRecord(SETTLED_AT)
    with earlier.writing() as db:
        renew_record(db, SETTLED_AT)
    record = knowledge.latest_knowledge(earlier, 300).record
    standings = [(row.voter, row.engine, row.n, row.weight) for row in record.of_band("day").standings]
    assert standings == [("forest", ENGINE, 1, 1.0), ("vol", ENGINE, 1, 1.0)]
    assert list(record.bands) == ["day"]


def test_scores_of_an_earlier_version_are_computed_again(database: Database):
    """From the forecasts of who has a name: without one, what was settled before could still be chosen to count.

    The table and its records are made again by the job, which runs as soon as it can.
    """
    rows = [MarketForecast(seq, MARKET.id, id, MARKET.voted_at, 0.7, "") for seq, id in ((1, "1a"), (2, "2b"))]
    with database.writing() as db:
        predictions.add_predictions(db, [MARKET])
        for forecast, caller, name in zip(rows, ("key:1a", "key:2b"), ("owl", None), strict=True):
            forecasts.forecaster_id(db, caller, forecast.forecaster, SETTLED_AT)
            forecasts.rename_forecaster(db, caller, name)
            forecasts.add_forecast(db, forecast)
            forecasts.add_scores(db, MARKET.id, SETTLED_AT, {forecast.forecaster: NO_SCORE})
        db.execute(update(tables.forecaster).values(record="{}", record_at=SETTLED_AT + DAY))
        snapshots.publish(db, SETTLED_AT, {"forecasters": b"{}"})
        db.execute(insert(tables.job_run).values(job="score", slot=1, state="done", attempt=1, next_at=0))
        make_first(db)
    database.migrate()
    with database.reading() as db:
        scores = score_forecasts(MARKET, {"1a": rows[:1]}, set())
        assert forecasts.find_scores(db, ["1a", "2b"]) == {"1a": {MARKET.id: scores["1a"]}}
        assert [forecasts.counts_since(db, caller) for caller in ("key:1a", "key:2b")] == [0, None]
        assert forecasts.outdated_forecasters(db) == ["1a"]
        assert (snapshots.latest_snapshot(db, "forecasters"), runs.newest_run(db, "score")) == (None, None)
