"""Do one thing in many real processes at the same moment: `python at_once.py WORK URL COUNT`, by a name of WORK.

Prints a JSON list with what each process got, "failed" where it raised.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import alembic.command  # noqa: F401  imported before the fork, so that the children start level
import numpy as np

from service.config import Settings
from service.ledger.chain import LedgerRow
from service.market.bars import Bars
from service.market.instants import DAY
from service.store import bars, ledger, quotas
from service.store.database import Database
from service.store.secret import key_secret

ENDS = 20_000 * DAY


def migrate(url: str) -> str:
    Database(url).migrate()
    return "migrated"


def add_bars(url: str) -> int:
    times = np.arange(2000, dtype=np.int64) * 300
    ones = np.ones(2000)
    with Database(url).writing() as db:
        return bars.add_bars(db, "btc", Bars(times, ones, ones, ones, ones, ones, 300))


def append_rows(url: str) -> int:
    """Record three rows at a time, twenty times; the number of rows."""
    database = Database(url)
    for number in range(20):
        rows = [LedgerRow("score", f"{os.getpid()}-{number}", {"n": n}, backfilled=False) for n in range(3)]
        with database.writing() as db:
            ledger.append(db, rows, 1000)
    return 60


def take_hits(url: str) -> int:
    """Try 25 times to take from a window of ten; how often it let this process."""
    database, count = Database(url), 0
    for _ in range(25):
        with database.writing() as db:
            count += quotas.take_hits(db, "k", ENDS, 10) is not None
    return count


def make_secret(folder: str) -> str:
    return key_secret(Settings(data_dir=Path(folder))).decode()


WORK = {work.__name__: work for work in (migrate, add_bars, append_rows, take_hits, make_secret)}


def at_once(name: str, url: str, count: int) -> list:
    start_read, start_write = os.pipe()
    results = [_child(WORK[name], url, start_read, start_write) for _ in range(count)]
    os.close(start_write)  # the starting gun: every child was waiting for this end of file
    return [json.loads(os.fdopen(result).read()) for result in results]


def _child(work, url: str, start_read: int, start_write: int) -> int:
    result_read, result_write = os.pipe()
    if os.fork():
        os.close(result_write)
        return result_read
    os.close(start_write)
    os.read(start_read, 1)
    try:
        outcome = work(url)
    except Exception as error:
        print(repr(error), file=sys.stderr)
        outcome = "failed"
    os.write(result_write, json.dumps(outcome).encode())
    os._exit(0)


if __name__ == "__main__":
    print(json.dumps(at_once(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
