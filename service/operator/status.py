"""The state of the service as its database shows it."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from typing import Any

from sqlalchemy import Connection, func, select, text

from service.config import Settings
from service.jobs.timetable import job_states, timetable
from service.market.assets import ASSETS
from service.market.instants import iso
from service.operator.commands import CommandOutput, CommandTable
from service.store import bars, keys, ledger, world
from service.store.audit import latest_audit
from service.store.database import Database
from service.store.runs import JobState
from service.store.tables import rate_window
from service.store.tables import world as world_table

COLUMNS = ("job", "state", "done_up_to", "lag_s", "duration_s", "failures", "error")
TAIL = 5


def status(_arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """Show the histories of the assets, the lag of each job, the end of the ledger, the database and the keys."""
    with database.reading() as db:
        clock, wall = world.find_clock(db), time.time()
        step = db.scalar(select(world_table.c.step)) or 0
        jobs = timetable(clock.world, step)
        states = job_states(jobs, clock, db, wall)
        return {
            "world": clock.world,
            "world_time": iso(clock.at(wall)),
            "database_bytes": _size(db),
            "database_damage": database.check_pages() or None,
            **_keys(db, wall),
            **_ledger(db),
            "histories": CommandTable(("asset", "state", "history"), _histories(db, step, clock.at(wall))),
            "jobs": CommandTable(COLUMNS, [_job(job.name, states.get(job.name)) for job in jobs]),
            "ledger_tail": CommandTable(("seq", "recorded_at", "kind", "subject"), _tail(db)),
        }


def _job(name: str, state: JobState | None) -> dict[str, Any]:
    """A row of the table; lag, duration and failures are those of the metrics."""
    return {
        "job": name,
        "state": state.newest.state if state else "never run",
        "done_up_to": None if state is None or state.done_up_to is None else iso(state.done_up_to),
        "lag_s": state and round(state.lag_s),
        "duration_s": state and state.duration_s and round(state.duration_s, 3),
        "failures": state.failures if state else 0,
        "error": state and state.error,
    }


def _histories(db: Connection, step: int, now: int) -> list[dict[str, Any]]:
    histories = bars.histories(db, ASSETS, step, now).values()
    return [{"asset": history.asset, "state": history.state, "history": history.sentence} for history in histories]


def _keys(db: Connection, wall: float) -> dict[str, Any]:
    live = [row for row in keys.listed_keys(db) if row.revoked_at is None]
    windows = select(func.count(), func.sum(rate_window.c.hits)).where(rate_window.c.ends > int(wall))
    callers, calls = db.execute(windows).one()
    plans = Counter(row.plan for row in live)
    return {
        "keys": ", ".join(f"{count} {plan}" for plan, count in sorted(plans.items())) or 0,
        "open_quotas": callers,
        "calls_in_open_quotas": calls or 0,
    }


def _ledger(db: Connection) -> dict[str, Any]:
    root, last, latest = ledger.last_root(db), ledger.last_seq(db), latest_audit(db)
    return {
        "ledger_rows": last,
        "ledger_unsealed_rows": last - (root.last_seq if root else 0),
        "ledger_sealed_day": root.day if root else None,
        "audit": latest.sentence if latest else None,
    }


def _tail(db: Connection) -> list[dict[str, Any]]:
    rows = ledger.entries(db, max(1, ledger.last_seq(db) - TAIL + 1), TAIL)
    return [{name: getattr(row, name) for name in ("seq", "recorded_at", "kind", "subject")} for row in rows]


def _size(db: Connection) -> int:
    """Bytes of the database, on SQLite without its write-ahead log."""
    if db.dialect.name == "postgresql":
        return db.scalar(text("SELECT pg_database_size(current_database())")) or 0
    pages, length = (db.scalar(text(f"PRAGMA {name}")) or 0 for name in ("page_count", "page_size"))
    return pages * length
