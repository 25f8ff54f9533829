"""The audit finds every change that was made beside the service, and reports nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from service.market.instants import HOUR
from service.store import audit
from service.store.database import Database
from tests.running_service import copied, running_service

FIRST = "id = (SELECT min(id) FROM prediction WHERE {})"
SETTLED_MARKET, OPEN_MARKET, VOTED_MARKET = (
    FIRST.format(condition) for condition in ("outcome = 'yes'", "outcome IS NULL", "seq IS NOT NULL")
)
VOTE = "prediction = (SELECT min(prediction) FROM prediction_vote) AND place = 3"
QUOTE = "prediction = (SELECT min(prediction) FROM odds)"
TRUE_DAY = "day = (SELECT min(day) FROM resolved_day WHERE body LIKE '%true%')"
FALSE_OUTCOME = "outcome = 'yes', resolved_at = created_at, evidence = '', resolved_by = 'bars'"
# Each statement changes one row of one table; the sentence about it contains the word.
CHANGES = (
    (f"UPDATE prediction SET outcome = 'no' WHERE {SETTLED_MARKET}", "outcome"),
    (f"UPDATE prediction SET resolved_at = resolved_at - 3600 WHERE {SETTLED_MARKET}", "resolved_at"),
    (f"UPDATE prediction SET evidence = 'because' WHERE {SETTLED_MARKET}", "evidence"),
    (f"UPDATE prediction SET rule = 'other' WHERE {VOTED_MARKET}", "rule"),
    (f"UPDATE prediction SET deadline = deadline + 1 WHERE {VOTED_MARKET}", "deadline"),
    (f"UPDATE prediction SET question = replace(question, 'Will', 'Would') WHERE {VOTED_MARKET}", "question"),
    (f"UPDATE prediction SET seq = seq + 1 WHERE {VOTED_MARKET}", "place in the ledger"),
    (f"UPDATE prediction SET {FALSE_OUTCOME} WHERE {OPEN_MARKET}", "no row of the ledger"),
    (f"UPDATE prediction_vote SET p = p + 0.0001 WHERE {VOTE}", "votes"),
    (f"UPDATE prediction_vote SET weight = weight / 2 WHERE {VOTE}", "votes"),
    (f"UPDATE prediction_vote SET reasoning = '' WHERE {VOTE}", "votes"),
    (f"DELETE FROM prediction_vote WHERE {VOTE}", "votes"),
    (f"UPDATE odds SET p_yes = p_yes + 0.0001 WHERE {QUOTE}", "p_yes"),
    (f"DELETE FROM odds WHERE {QUOTE}", "odds"),
    (f"UPDATE resolved_day SET body = replace(body, 'true', 'false') WHERE {TRUE_DAY}", "track record"),
)


@pytest.fixture(scope="module")
def aged_folder(made_once, seeded: Path) -> Path:
    """A service a day after its first start."""

    def fill(folder: Path) -> None:
        folder.mkdir()
        with running_service(copied(seeded, folder)) as service:
            for hours in (1, 11, 12):
                service.move(hours * HOUR)

    return made_once("audited", fill)


@pytest.fixture(scope="module")
def record(aged_folder: Path, tmp_path_factory) -> Database:
    """Its database, in which every change is taken back."""
    database = Database(
        f"sqlite:///{copied(aged_folder / 'var', tmp_path_factory.mktemp('audit')) / 'simulated.sqlite'}"
    )
    yield database
    database.close()


def test_a_service_that_was_left_alone_has_no_differences(record: Database):
    with record.reading() as db:
        assert list(audit.differences(db)) == []


@pytest.mark.slow
@pytest.mark.parametrize(("statement", "word"), CHANGES)
def test_each_change_by_hand_is_reported(record: Database, statement: str, word: str):
    with record.engine.connect() as db:
        assert db.execute(text(statement)).rowcount == 1
        sentences = list(audit.table_differences(db))
        db.rollback()
    assert any(word in sentence for sentence in sentences), sentences


@pytest.mark.slow
def test_the_last_audit_is_stored_and_said_in_words(record: Database):
    result = audit.run(str(record.engine.url.render_as_string(hide_password=False)), 1_800_000_000)
    assert result.differences == 0
    assert result.sentence.startswith(f"the record agreed with all {result.rows:,} rows of the ledger at 2027-01-15T")
    with record.engine.connect() as db:
        audit.save_audit(db, result)
        assert audit.latest_audit(db) == result
        db.rollback()
