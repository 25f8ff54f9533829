"""The application with one more document."""

from __future__ import annotations

from flask import Flask

from service.api.responses import document
from service.api.services import latest
from service.store import snapshots
from service.store.database import Database

PATH = "/api/v1/document"
BODY = b'{"schema": "document/1", "text": "' + b"again and " * 100 + b'"}'


def add_document(app: Flask, database: Database) -> None:
    """Store BODY and serve it at PATH."""
    with database.writing() as db:
        snapshots.save_snapshot(db, "document", 1, BODY)
    app.add_url_rule(PATH, "document", lambda: document(latest("document"), max_age=30))
