"""A process that delivers webhooks and may be killed at any point: `python mortal_sender.py URL FOLDER`.

For each line on standard input it delivers what is due and says "idle". When it was killed its parent forks the next
one, which spares it the imports and says its process id.
"""

from __future__ import annotations

import os
import sys
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import service.sources.webhooks  # noqa: F401 - before the fork
from service.config import Settings
from service.jobs.deliveries import Deliveries
from service.market.instants import WorldClock
from service.store.database import Database
from tests.processes import respawn

KEY_SECRET = "the secret of these tests"


def context_of(database: Database, folder: Path) -> SimpleNamespace:
    """What deliveries to endpoints on this machine need."""
    settings = Settings(world="simulated", data_dir=folder, key_secret=KEY_SECRET, webhook_private=True)
    return SimpleNamespace(database=database, settings=settings, clock=WorldClock("simulated"))


def deliver(url: str, folder: Path) -> None:
    """Deliver what is due, whenever a line comes."""
    deliveries = Deliveries(context_of(Database(url), folder), time.time)
    print(os.getpid(), flush=True)
    for _ in sys.stdin:
        while due := deliveries.due():
            for id in due:
                deliveries.deliver(id)
        print("idle", flush=True)


if __name__ == "__main__":
    respawn(partial(deliver, sys.argv[1], Path(sys.argv[2])))
