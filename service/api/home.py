"""The page for people at `/`, and its words in each language."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from flask import Blueprint, Response

from service.api.docs import static
from service.api.responses import document
from service.errors import ResourceNotFound
from service.store.snapshots import Snapshot, make_snapshot

home = Blueprint("home", __name__)

FOLDER = Path(__file__).parent / "static" / "home"
MEDIA = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
FILES = {file.name: file for file in FOLDER.iterdir() if file.name != "words.json"}
# It loads nothing from another host, runs no script of its own text, and no page may frame it.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@home.get("/")
def page() -> Response:
    """The page; it is not part of the API, so the OpenAPI document does not list it."""
    return _file(FILES["index.html"])


@home.get("/home/<name>")
def file(name: str) -> Response:
    """One of its files. A browser keeps it and asks each time whether it has changed."""
    if name not in FILES:
        raise ResourceNotFound("There is no such file.")
    return _file(FILES[name])


def _file(path: Path) -> Response:
    response = document(static(path), max_age=0, media=MEDIA[path.suffix])
    response.headers["Content-Security-Policy"] = POLICY
    return response


@home.get("/home/words/<language>.json")
def words(language: str) -> Response:
    """The words of the page in a language, by the English ones."""
    catalogue = _catalogues().get(language)
    if catalogue is None:
        raise ResourceNotFound("The page has no such language.")
    return document(catalogue, max_age=0)


@cache
def _catalogues() -> dict[str, Snapshot]:
    phrases: dict[str, dict[str, str]] = json.loads((FOLDER / "words.json").read_text(encoding="utf-8"))
    languages = sorted({language for translations in phrases.values() for language in translations})
    return {
        language: make_snapshot(
            language,
            0,
            json.dumps({text: forms[language] for text, forms in phrases.items() if language in forms}).encode(),
        )
        for language in languages
    }
