"""The command `status` shows the lag of each job, the end of the ledger, and keys."""

from __future__ import annotations

import json
import time
from pathlib import Path

from service.market.instants import DAY
from service.store import runs
from tests.running_service import START, running_service


def test_status_shows_jobs_ledger_and_keys(operate_in, folder: Path):
    code, output, _ = operate_in(folder, "status", "--json")
    state = json.loads(output)
    assert code == 0
    jobs = {row["job"]: row for row in state["jobs"]}
    assert (jobs["tick"]["state"], jobs["tick"]["done_up_to"]) == ("done", "2026-11-21T08:00:00Z")
    assert state["ledger_tail"][-1]["seq"] == state["ledger_rows"] > 0
    assert state["database_bytes"] > 1e6
    text = operate_in(folder, "status")[1]
    assert "lag_s" in text
    assert "ledger_rows" in text


def test_status_and_metrics_show_the_same_lag(operate_in, folder: Path):
    """A slot that has been due for an hour: the number of the alert is the number that the operator finds."""
    with running_service(folder) as service, service.runtime.database.writing() as db:
        runs.add(db, "seal", START + DAY, time.time() - 3600)
        (lag,) = [row.lag_s for row in runs.job_progress(db, time.time()) if row.job == "seal"]
    state = json.loads(operate_in(folder, "status", "--json")[1])
    (shown_s,) = [row["lag_s"] for row in state["jobs"] if row["job"] == "seal"]
    assert lag - 1 <= shown_s <= lag + 60
