"""What is served is compared with the rows of an export, as anyone can do it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from service.operator.__main__ import main
from tests.running_service import copied, listening, running_service

pytestmark = pytest.mark.slow

MARKET = "(SELECT min(id) FROM prediction WHERE outcome = 'yes' AND category = 'daily')"
CHANGES = {
    "outcome": f"UPDATE prediction SET outcome = 'no' WHERE id = {MARKET}",
    "evidence": f"UPDATE prediction SET evidence = 'because' WHERE id = {MARKET}",
    "the vote of": f"UPDATE prediction_vote SET p = 1 - p WHERE prediction = {MARKET} AND place = 2",
    "odds": f"UPDATE odds SET p_yes = 1 - p_yes WHERE prediction = {MARKET}",
    "question": f"UPDATE prediction SET question = replace(question, 'Will', 'Would') WHERE id = {MARKET}",
    "is not served": f"UPDATE prediction SET category = 'answer' WHERE id = {MARKET}",
}


@pytest.fixture
def verify(seeded: Path, tmp_path: Path, capsys) -> Callable[[str], tuple[int, str]]:
    """Verifies the ledger against a service whose database was changed by a statement: exit code and output."""

    def verify(statement: str) -> tuple[int, str]:
        with running_service(copied(seeded, tmp_path)) as service:
            with service.runtime.database.writing() as db:
                assert not statement or db.execute(text(statement)).rowcount == 1
            key = service.register()
            with listening(service.client.application) as address:
                return main(["ledger", "verify", "--against", address, "--api-key", key]), capsys.readouterr().out

    return verify


def test_an_untouched_service_agrees_with_its_ledger(verify):
    code, output = verify("")
    assert (code, "the record agreed with all" in output) == (0, True)


@pytest.mark.parametrize("word", CHANGES)
def test_a_change_of_what_is_served_is_named(verify, word: str):
    code, output = verify(CHANGES[word])
    assert (code, word in output) == (1, True), output
