"""The daily audit reports what it finds."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from service.market.instants import DAY
from service.store.audit import latest_audit
from tests.running_service import RunningService

pytestmark = pytest.mark.slow


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
