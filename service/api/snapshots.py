"""The documents that the jobs publish, as this process last read them.

A document is read from the database at most once a second, because reading takes longer than responding.
"""

from __future__ import annotations

from flask import Flask, current_app

from service.errors import ServiceUnavailable
from service.store import snapshots
from service.store.snapshots import Snapshot

KEPT_S = 1.0
RETRY_S = 2  # a first start publishes most documents within seconds


def register(app: Flask) -> None:
    """Give `app` its cache of documents: for each name the time of reading and the snapshot."""
    app.extensions["ninefold-snapshots"] = {}


def latest(name: str) -> Snapshot:
    """The latest document of a name; raises ServiceUnavailable before the first one."""
    snapshot = find(name)
    if snapshot is None:
        detail = "Not available yet: the job that publishes it has not finished for the first time."
        raise ServiceUnavailable(detail, retry_after_s=RETRY_S)
    return snapshot


def find(name: str) -> Snapshot | None:
    """The latest document of a name; None before the first one."""
    extensions = current_app.extensions
    cache, services = extensions["ninefold-snapshots"], extensions["ninefold"]
    now = services.now()
    read_at, snapshot = cache.get(name, (0.0, None))
    if snapshot is None or not 0 <= now - read_at < KEPT_S:
        with services.database.reading() as db:
            snapshot = snapshots.latest(db, name)
        if snapshot:
            cache[name] = now, snapshot
    return snapshot
