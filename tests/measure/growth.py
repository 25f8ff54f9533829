"""What years of operation cost: work, documents, database, memory and start-up of a service, year by year.

A first start makes some months of history. Years are added by repeating them in the past: bars, markets with their
votes and odds, calls, and the bars of the lanes, each under an instant and an id of its own. Then every job does the
slots of one day, in a process of its own. Work is counted in steps of SQLite's virtual machine, which are the same on
every machine; seconds are CPU time.

    python -m tests.measure.growth                  one, two and three years
    python -m tests.measure.growth --days 30 60     a short version
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event, text

from service.jobs.committing import renew_record
from service.jobs.prune import prune
from service.market.instants import DAY, HOUR
from service.store.database import Database
from tests.running_service import START, RunningService, running_service

YEARS = (365, 730, 1095)
COUNT_STEP = 1_000  # steps of SQLite's virtual machine
LIVED_HOURS = 24
WEEK = 7 * DAY
MOST_GROWTH = 1.2  # of any job or document, from the first row of the table to the last
LONGEST_START_S, MOST_MEMORY_MB = 5.0, 500  # at any age
LEAST_STEPS, LEAST_MS, LEAST_BYTES = 200_000, 50, 20_000  # below these a job or a document is too small to compare

# What is repeated: tables with the columns that hold instants; those that hold an id; which rows.
SETTLED = "outcome IS NOT NULL AND category NOT IN ('answer', 'challenge')"
OF_SETTLED = f"prediction IN (SELECT id FROM prediction WHERE {SETTLED})"
# The track record is then made again once, before anything is measured.
RESOLVED_DAYS = (
    "INSERT INTO resolved_day (day) SELECT DISTINCT resolved_at - resolved_at % 86400 FROM prediction "
    "WHERE resolved_at IS NOT NULL"
)
SERIES = {"bar": ("time", "step = 3600"), "apex_call": ("at", "true"), "lane_bar": ("as_of", "true")}
MARKETS = {
    "prediction": (("created_at", "closes_at", "deadline", "voted_at", "resolved_at"), "id", SETTLED),
    "prediction_vote": ((), "prediction", OF_SETTLED),
    "odds": (("fetched_at",), "prediction", OF_SETTLED),
}


@dataclass
class Day:
    """What one day cost after `days` days: by job steps and CPU seconds per slot, by document bytes.

    `hour_s` is the CPU seconds of all jobs in an hour.
    """

    days: int
    markets: int
    start_s: float = 0.0
    hour_s: float = 0.0
    steps: dict[str, float] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    documents: dict[str, int] = field(default_factory=dict)
    database_mb: float = 0.0
    memory_mb: float = 0.0


def age(folder: Path, days: int, tables: Sequence[str] = (*SERIES, "markets")) -> None:
    """Repeat what the service in `folder` has stored into the past until it is at least `days` days old.

    `tables` are those that are repeated; "markets" stands for the settled ones with their votes and odds.
    """
    database = Database(f"sqlite:///{folder / 'simulated.sqlite'}")
    with database.writing() as db:
        for table, (instant, condition) in ((name, SERIES[name]) for name in SERIES if name in tables):
            begun = db.scalar(text(f"SELECT min({instant}) FROM {table} WHERE {condition}"))
            of_first = f"{condition} AND {instant} >= {begun}"
            for earlier in _shifts(db, table, instant, condition, days):
                shift = f"{instant} - {earlier}"
                body = {"body": f"json_set(body, '$.at', {shift})"} if table == "apex_call" else {}
                _repeat(db, table, {instant: shift, **body}, of_first)
        shifts = _shifts(db, "prediction", "created_at", SETTLED, days) if "markets" in tables else ()
        for number, earlier in enumerate(shifts, 1):
            for table, (instants, id, condition) in MARKETS.items():
                new = {name: f"{name} - {earlier}" for name in instants} | {id: f"{id} || '~{number}'"}
                _repeat(db, table, new, f"{condition} AND instr({id}, '~') = 0")
        db.execute(text("DELETE FROM resolved_day"))
        db.execute(text(RESOLVED_DAYS))
        oldest = db.scalar(text("SELECT min(time) FROM bar"))
        db.execute(text("UPDATE world SET history_from = :oldest"), {"oldest": oldest})
    database.close()


def _shifts(db: Connection, table: str, instant: str, condition: str, days: int) -> range:
    """By how many seconds the rows of a table are moved, each time further into the past."""
    first, last = db.execute(text(f"SELECT min({instant}), max({instant}) FROM {table} WHERE {condition}")).one()
    span = -(-(last - first + HOUR) // WEEK) * WEEK  # whole weeks, because metals are closed at weekends
    return range(span, days * DAY, span)


def _repeat(db: Connection, table: str, new: Mapping[str, str], condition: str) -> None:
    """Insert the rows that meet the condition once more, with new values in some columns."""
    columns = [row.name for row in db.execute(text(f"PRAGMA table_info({table})"))]
    values = ", ".join(new.get(name, name) for name in columns)
    db.execute(
        text(f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) SELECT {values} FROM {table} WHERE {condition}")
    )


class Meter:
    """Counts the steps of SQLite's virtual machine and the CPU seconds of each job."""

    def __init__(self, service: RunningService) -> None:
        self.steps: dict[str, int] = defaultdict(int)
        self.seconds: dict[str, float] = defaultdict(float)
        self.slots: dict[str, int] = defaultdict(int)
        self._job = ""
        database = service.runtime.database
        for engine in (database.engine, database._readers):
            event.listen(engine, "checkout", self._watch)
        self._execute, service.engine.execute = service.engine.execute, self.execute

    def execute(self, name: str, slot: int) -> str:
        """Run a slot as the engine does, and count what it costs."""
        self._job, start = name, time.process_time()
        outcome = self._execute(name, slot)
        self.seconds[name] += time.process_time() - start
        self.slots[name] += 1
        self._job = ""
        return outcome

    def _watch(self, connection: sqlite3.Connection, *_: object) -> None:
        connection.set_progress_handler(self._count, COUNT_STEP)

    def _count(self) -> None:
        self.steps[self._job] += COUNT_STEP


def live(folder: Path, hours: int) -> Day:
    """Live some hours in the service that is stored in `folder`, and say what an hour costs."""
    start = time.process_time()
    with running_service(folder, START) as service:
        start_s = time.process_time() - start
        with service.runtime.database.writing() as db:
            renew_record(db, START)
            prune(service.engine.job_context, START)(db)
        service.move(HOUR)  # what a process reads once, and what the repeated past changes, is not work of every hour
        meter = Meter(service)
        for _ in range(hours):
            service.move(HOUR)
        with service.runtime.database.reading() as db:
            first = db.scalar(text("SELECT history_from FROM world"))
            markets = db.scalar(text(f"SELECT count(*) FROM prediction WHERE {SETTLED}"))
            documents = {row.name: row.size for row in db.execute(text("SELECT name, length(body) size FROM snapshot"))}
    return Day(
        days=(START - first) // DAY,
        markets=markets,
        start_s=round(start_s, 2),
        hour_s=round(sum(meter.seconds.values()) / hours, 3),
        steps={name: steps / meter.slots.get(name, 1) for name, steps in meter.steps.items()},
        seconds={name: round(seconds / meter.slots[name], 4) for name, seconds in meter.seconds.items()},
        documents=documents,
        database_mb=round(sum(file.stat().st_size for file in folder.glob("*.sqlite")) / 1e6, 1),
        memory_mb=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    )


def grown(first: Day, last: Day) -> list[tuple[str, float, float]]:
    """What grew by more than a fifth between two days: its name and both values."""
    columns = [
        (f"steps of {name}", first.steps.get(name, 0), steps, LEAST_STEPS) for name, steps in last.steps.items() if name
    ]
    columns.append(("milliseconds of all jobs in an hour", 1000 * first.hour_s, 1000 * last.hour_s, LEAST_MS))
    columns += [
        (f"milliseconds of {name}", 1000 * first.seconds.get(name, 0), 1000 * seconds, LEAST_MS)
        for name, seconds in last.seconds.items()
    ]
    columns += [
        (f"document {name}", first.documents.get(name, 0), size, LEAST_BYTES) for name, size in last.documents.items()
    ]
    return [
        (name, before, after)
        for name, before, after, least in sorted(columns)
        if after > MOST_GROWTH * max(before, least / MOST_GROWTH)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, nargs="+", default=YEARS)
    parser.add_argument("--hours", type=int, default=LIVED_HOURS, help="hours lived at each age")
    parser.add_argument("--in-folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.in_folder:
        print(json.dumps(asdict(live(options.in_folder, options.hours))))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        origin = Path(folder) / "begun"
        with running_service(origin, START) as service:
            service.work()
        days = [_at(origin, Path(folder) / str(count), count, options.hours) for count in options.days]
    return _print(days)


def _at(origin: Path, folder: Path, days: int, hours: int) -> Day:
    """What a service costs at this age, measured in a process of its own."""
    shutil.copytree(origin, folder)
    age(folder, days)
    command = [sys.executable, "-m", __spec__.name, "--in-folder", str(folder), "--hours", str(hours)]
    line = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1]
    shutil.rmtree(folder)
    return Day(**json.loads(line))


def _print(days: Sequence[Day]) -> int:
    totals = ("days", "markets", "start_s", "hour_s", "database_mb", "memory_mb")
    rows: dict[str, list[Any]] = {name: [getattr(day, name) for day in days] for name in totals}
    for name in sorted({name for day in days for name in day.seconds}):
        rows[f"{name}, CPU ms a slot"] = [round(1000 * day.seconds.get(name, 0), 1) for day in days]
        rows[f"{name}, 1,000 database steps a slot"] = [round(day.steps.get(name, 0) / 1000) for day in days]
    for name in sorted(days[-1].documents, key=lambda name: -days[-1].documents[name])[:12]:
        rows[f"{name}, bytes"] = [day.documents.get(name, 0) for day in days]
    for name, values in rows.items():
        print(f"{name:<46}" + "".join(f"{value:>14,}" for value in values))
    misses = grown(days[0], days[-1])
    for name, before, after in misses:
        print(f"MISS {name} grew from {before:,.0f} to {after:,.0f}, {after / before if before else 0:.2f} times")
    start_faults = [
        f"start-up of {day.start_s} s after {day.days} days" for day in days if day.start_s > LONGEST_START_S
    ]
    memory_faults = [
        f"memory of {day.memory_mb} MB after {day.days} days" for day in days if day.memory_mb > MOST_MEMORY_MB
    ]
    for miss in start_faults + memory_faults:
        print(f"MISS {miss}")
    return 1 if misses or start_faults or memory_faults else 0


if __name__ == "__main__":
    sys.exit(main())
