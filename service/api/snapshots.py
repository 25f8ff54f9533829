"""The documents that the jobs make, as this process last read them.

A document is read at most once a second and then answered from memory: reading it takes longer than answering.
"""

from __future__ import annotations

from flask import Flask, current_app

from service.api.services import services
from service.errors import Unavailable
from service.store import snapshots
from service.store.snapshots import Snapshot

KEPT_S = 1.0


def register(app: Flask) -> None:
    """Give `app` its memory of documents: by name when each was read, and what it was."""
    app.extensions["ninefold-snapshots"] = {}


def latest(name: str) -> Snapshot:
    """The latest document of that name; raises Unavailable before it was made for the first time."""
    snapshot = find(name)
    if snapshot is None:
        raise Unavailable("This document has not been made yet.")
    return snapshot


def find(name: str) -> Snapshot | None:
    """The latest document of that name; None before it was made for the first time."""
    known, now = current_app.extensions["ninefold-snapshots"], services().now()
    read_at, snapshot = known.get(name, (0.0, None))
    if snapshot is None or not 0 <= now - read_at < KEPT_S:
        with services().database.reading() as db:
            snapshot = snapshots.latest(db, name)
        if snapshot:
            known[name] = now, snapshot
    return snapshot
