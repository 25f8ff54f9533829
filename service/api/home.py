"""The pages for people: the home page, its words in each language, and the documents of `service/docs` below /docs.

None of them is part of the API, so the OpenAPI document does not list them.
"""

from __future__ import annotations

import json
import re
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path

from flask import Blueprint, Response, request
from markdown_it import MarkdownIt

from service.api.responses import FILE_MEDIA, HOUR_S, STATIC, document, static, static_file
from service.errors import ResourceNotFound
from service.store.snapshots import Snapshot, make_snapshot

home = Blueprint("home", __name__)

FOLDER = STATIC / "home"
FILES = {file.name: file for file in FOLDER.iterdir() if file.name != "words.json"}
# Each phrase of the page in every language.
PHRASES: dict[str, dict[str, str]] = json.loads((FOLDER / "words.json").read_text(encoding="utf-8"))
LANGUAGES = frozenset(next(iter(PHRASES.values())))
# A page loads nothing from another host, runs no script of its own text, and no page may frame it.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

SERVICE = Path(__file__).parents[1]
# By the names of their pages, in the order of their links.
NAMES = ("agents", "questions", "api", "policy", "changes", "record", "scoring", "worlds", "models", "options")
NAMES += ("operations", "exchanges")
PAGES = {name: SERVICE / "docs" / f"{name}.md" for name in NAMES} | {"architecture": SERVICE / "README.md"}
FRAME = (STATIC / "document.html").read_text(encoding="utf-8")


@home.get("/", endpoint="page", defaults={"name": "index.html"})
@home.get("/home/<name>")
def file(name: str) -> Response:
    """A file of the home page. A browser keeps it and asks each time whether it has changed."""
    if name not in FILES:
        raise ResourceNotFound("There is no such file.")
    return static_file(FILES[name], 0, POLICY)


@home.get("/home/words/<language>.json")
def words(language: str) -> Response:
    if language not in LANGUAGES:
        raise ResourceNotFound("The page has no such language.")
    return document(_catalogue(language), max_age=0)


@cache
def _catalogue(language: str) -> Snapshot:
    """The phrases in a language as a document, made for the first reader and kept."""
    words = {text: forms[language] for text, forms in PHRASES.items()}
    return make_snapshot(language, 0, json.dumps(words).encode())


@home.get("/docs/<name>")
def text_page(name: str) -> Response:
    name = name.removesuffix(".md")
    if name not in PAGES:
        raise ResourceNotFound(f"There is no such document. There are: {', '.join(PAGES)}.")
    response = document(_page(name), max_age=HOUR_S, media=FILE_MEDIA[".html"])
    response.headers["Content-Security-Policy"] = POLICY
    return response


@home.get("/llms.txt", endpoint="llms")
@home.get("/skill.md", endpoint="skill")
def text() -> Response:
    """What an agent reads first, as text: a list of what there is, and ten steps from a key to a score."""
    return document(static(SERVICE / "docs" / request.path[1:]), max_age=HOUR_S, media=FILE_MEDIA[".md"])


@cache
def _page(name: str) -> Snapshot:
    """The page of a document, written for the first reader and kept."""
    text = re.sub(r"<!--.*?-->\n", "", PAGES[name].read_text(encoding="utf-8"))
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    for heading, content in pairwise(tokens):
        if heading.type == "heading_open":
            heading.attrSet("id", anchor(content.content))
    links = [f'<a href="/docs/{other}"{" aria-current=page" if other == name else ""}>{other}</a>' for other in PAGES]
    title = escape(text.splitlines()[0].removeprefix("# "))
    body = markdown.renderer.render(tokens, markdown.options, {})
    html = FRAME.format(title=title, links="".join([*links, '<a href="/docs">endpoints</a>']), text=body)
    return make_snapshot(name, 0, html.encode())


def anchor(heading: str) -> str:
    """The name of a heading in an address, as GitHub has it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
